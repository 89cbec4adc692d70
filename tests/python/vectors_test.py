"""Values of plain Python, with the vectors of $SIGNET_VECTORS_DIR: by inference, as columns, and as JSON."""

import base64
import json
import os

import numpy as np
import pytest
from conftest import SOURCE

import signet

pytest.importorskip("signet._core")

FILE = os.path.join(os.environ.get("SIGNET_VECTORS_DIR", os.path.join(SOURCE, "tests/vectors")), "structured", "from_json.json")
KINDS = {"tensor": "TensorType", "ragged": "RaggedType", "structured": "StructuredType"}


def plain(value):
    """A value of the vectors as Python has it."""
    if isinstance(value, dict):
        if set(value) == {"$float"}:
            return float(value["$float"])
        if set(value) == {"b64"}:
            return base64.b64decode(value["b64"])
        return {key: plain(item) for key, item in value.items()}
    return [plain(each) for each in value] if isinstance(value, list) else value


def type_matches(type_, expected):
    """Whether a type has the kind, the dtype, the shape, and the fields that a vector states."""
    if type(type_).__name__ != KINDS[expected["kind"]]:
        return False
    shape = list(type_.shape)
    if len(shape) != len(expected["shape"]) or any(size not in (None, known) for known, size in zip(shape, expected["shape"])):
        return False
    if expected["kind"] == "structured":
        return type_.fields.keys() == expected["fields"].keys() and all(
            type_matches(type_.fields[name], field) for name, field in expected["fields"].items())
    return type_.dtype == expected["dtype"]


def flat(value):
    """The leaves in order. Floats are compared in single precision, with NaN and the sign of zero; 3.0 equals 3."""
    if isinstance(value, dict):
        return [(key, flat(value[key])) for key in sorted(value)]
    if isinstance(value, (list, np.ndarray)):
        return [flat(each) for each in value]
    if isinstance(value, (float, np.floating)):
        is_whole = np.isfinite(value) and float(value).is_integer() and (value != 0 or not np.signbit(value))
        return int(value) if is_whole else repr(np.float32(value))
    return value.decode("utf-8", "surrogateescape") if isinstance(value, bytes) else value


def cases():
    if not os.path.exists(FILE):
        return []
    with open(FILE, encoding="utf-8") as file:
        return [case for case in json.load(file) if case["op"] == "from_json" and not case["args"]]


def test_inferred_values():
    made = 0
    for case in cases():
        given = plain(case["inputs"]["json"])
        if "error" in case:
            with pytest.raises((signet.Error, TypeError, ValueError)):
                signet.from_py(given)
            continue
        value = signet.from_py(given)
        found = value.to_py() if hasattr(value, "to_py") else value
        type_ = value.type if hasattr(value, "type") else signet.values.structured.type_of_column(value)
        assert type_matches(type_, case["expect"]["type"]), (case["id"], repr(type_))
        assert flat(found) == flat(given), case["id"]
        made += 1
    assert made > 20


def test_values_come_back_as_columns_and_as_json():
    @signet.function
    def identity(x):
        return x

    sent = 0
    for case in cases():
        if "error" in case or case["expect"]["type"]["kind"] != "structured":
            continue
        given = plain(case["inputs"]["json"])
        value = signet.from_py(given)
        assert identity(value).equals(value), case["id"]

        @signet.function(signature=f"(x: {value.type!r})")
        def typed(x):
            return x

        assert typed(given).equals(value), case["id"]
        assert typed(value).equals(value), case["id"]
        sent += 1
    assert sent > 10
