"""The dtypes of tensors: their numbers in messages, their names in the notation, and their numpy dtypes."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

BOOL, INT32, INT64, UINT64, BFLOAT16, FLOAT32, FLOAT64, STRING = 1, 4, 5, 9, 11, 12, 13, 16

NAMES = ("", "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "bfloat16",
         "float32", "float64", "complex64", "complex128", "string")
NUMBERS = {name: number for number, name in enumerate(NAMES) if name}

# The little-endian dtype of the bytes of each number. A bfloat16 is the upper half of a float32. The dtypes are numpy's own objects, so
# that `is` recognizes most of them.
STORED: tuple[np.dtype[Any] | None, ...] = tuple(
    np.dtype("<u2") if name == "bfloat16" else np.dtype(np.dtype(name).newbyteorder("<").str) if name not in ("", "string") else None
    for name in NAMES)

_FROM_NUMPY = {np.dtype(name): number for name, number in NUMBERS.items() if name not in ("bfloat16", "string")}


def number_of(dtype: np.dtype[Any]) -> int | None:
    """The number of a numpy dtype in native byte order; None for objects, dates, and others."""
    number = _FROM_NUMPY.get(dtype)
    if number is None:
        if dtype.name == "bfloat16":  # of the package ml_dtypes
            return BFLOAT16
        if dtype.kind in "US":
            return STRING
        if not dtype.isnative:
            return _FROM_NUMPY.get(dtype.newbyteorder("="))
    return number


def bfloat16() -> np.dtype[Any] | None:
    """The bfloat16 of the package ml_dtypes, if it is installed."""
    try:
        return np.dtype(importlib.import_module("ml_dtypes").bfloat16)
    except ImportError:
        return None


def bfloat16_bits(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Floats rounded to bfloat16, once and ties to even, as uint16."""
    single = array.astype(np.float32, copy=False)
    bits = single.view(np.uint32)
    rounded = (bits + np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))) >> np.uint32(16)
    kept_nan = (bits >> np.uint32(16)) | np.uint32(0x40)
    rounded = np.where(np.isnan(single), kept_nan, rounded)
    if array.dtype == np.float64:  # rounding twice is wrong if the float32 is a tie that the float64 is not
        low = bits & np.uint32(0xFFFF)
        back = single.astype(np.float64)
        tie = (low == 0x8000) & (back != array) & ~np.isnan(array)
        away = np.abs(array) > np.abs(back)
        rounded = np.where(tie, (bits >> np.uint32(16)) + away.astype(np.uint32), rounded)
    return rounded.astype("<u2")


def from_bfloat16_bits(bits: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    dtype = bfloat16()
    if dtype is not None:
        return bits.view(dtype)
    return (bits.astype(np.uint32) << np.uint32(16)).view(np.float32)
