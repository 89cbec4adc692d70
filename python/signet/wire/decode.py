"""Reads the messages of a response: values, and the details of errors."""

from __future__ import annotations

import functools
import struct
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, TypeVar, Union

import numpy as np

from signet import dtypes, errors, names
from signet.values import Extension, Ragged, Structured, attrs_class, extension, named_tuple_class
from signet.wire import check, encode
from signet.wire.layout import BLOCK_BYTES, remembered

Field = Union[int, memoryview]
T = TypeVar("T")


class _Block(NamedTuple):
    """Columns of one dtype and shape that are not copied yet."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    columns: dict[str, memoryview]
    most_columns: int

    def copy_columns(self, fields: dict[str, Any]) -> None:
        """Sets the fields to copies of the columns."""
        if self.columns:
            block = np.frombuffer(bytearray().join(self.columns.values()), self.dtype)
            if self.dtype == np.bool_:
                check.check_bools(block)
            fields.update(zip(self.columns, block.reshape(len(self.columns), *self.shape)))
            self.columns.clear()


class _Frame(NamedTuple):
    """How a column with a tensor is written, from the start of its field."""

    name_end: int
    suffix: bytes  # between the name and the elements
    elements: int  # the offset of the elements
    nbytes: int  # of the elements
    block: _Block


def _varint(data: memoryview, at: int) -> tuple[int, int]:
    byte = data[at]
    number, shift = byte & 127, 7
    while byte >= 128:
        if shift > 63:
            raise ValueError("a varint of more than ten bytes")
        at += 1
        byte = data[at]
        number |= (byte & 127) << shift
        shift += 7
    return number & (1 << 64) - 1, at + 1


def _not_valid(error: Exception) -> errors.Error:
    return errors.DataLoss(f"the response is not a valid message: {error or type(error).__name__}")


def reads_response(read: Callable[..., T]) -> Callable[..., T]:
    """A function that reads bytes of a server. Whatever is wrong with them, it raises signet.Error."""

    @functools.wraps(read)
    def checked(*args: Any) -> T:
        try:
            return read(*args)
        except errors.Error:
            raise
        except MemoryError as error:
            raise errors.ResourceExhausted("the response needs more memory than there is") from error
        except Exception as error:
            raise _not_valid(error) from error

    return checked


def field_at(data: memoryview, at: int) -> tuple[int, Field, int]:
    """The number and the content of the field at an offset, and the offset of the next field. Raises DataLoss if the bytes are not a
    message."""
    try:
        tag = data[at]
        at += 1
        if tag >= 128:
            tag, at = _varint(data, at - 1)
        kind = tag & 7
        if kind == 2:
            size = data[at]
            at += 1
            if size >= 128:
                second = data[at]
                if second < 128:  # as most sizes have
                    size += (second << 7) - 128
                    at += 1
                else:
                    size, at = _varint(data, at - 1)
        elif kind == 0:
            number, at = _varint(data, at)
            return tag >> 3, number, at
        else:
            size = 8 if kind == 1 else 4 if kind == 5 else 0
            if not size:
                raise ValueError(f"the wire type {kind}")
        end = at + size
        if end > len(data):
            raise ValueError("a field that is longer than its message")
        return tag >> 3, data[at:end], end
    except (IndexError, ValueError) as error:
        raise _not_valid(error) from None


def fields_of(data: memoryview) -> Iterator[tuple[int, Field]]:
    """The numbers and contents of the fields of a message. Raises DataLoss if the bytes are not a message."""
    at, end = 0, len(data)
    while at < end:
        number, content, at = field_at(data, at)
        yield number, content


def _signed(number: int) -> int:
    return number - (1 << 64) if number >> 63 else number


def _numbers(field: Field) -> tuple[int, ...]:
    """The sizes of a shape."""
    if isinstance(field, int):
        return (_signed(field),)
    if len(field) > 10 * check.MOST_DIMENSIONS:
        raise ValueError(f"a shape with more than {check.MOST_DIMENSIONS} sizes")
    return _varints(bytes(field))


@functools.lru_cache(maxsize=4096)
def _varints(data: bytes) -> tuple[int, ...]:
    out, at = [], 0
    try:
        while at < len(data):
            number, at = _varint(memoryview(data), at)
            out.append(_signed(number))
    except (IndexError, ValueError) as error:
        raise _not_valid(error) from None
    return tuple(out)


def _text(field: Field) -> str:
    return names.to_text(bytes(_message(field)))


def _is_ours(data: memoryview, array: np.ndarray[Any, Any]) -> bool:
    """Whether an array may refer to the bytes of a response: no other object refers to them, and most of them are its elements."""
    return not data.readonly and 2 * data.nbytes >= memoryview(data.obj).nbytes and array.flags.aligned


def _message(field: Field) -> memoryview:
    if isinstance(field, int):
        raise ValueError("a number in place of bytes")
    return field


def _number(field: Field) -> int:
    if not isinstance(field, int):
        raise ValueError("bytes in place of a number")
    return field


class Reading:
    """How values are read. `text` is `str` or `bytes`. `result_format` is the number of the data format of results, or 0 for values."""

    __slots__ = ("copy", "result_format", "text")

    def __init__(self, copy: bool = True, text: str = "str", result_format: int = 0) -> None:
        self.copy, self.text, self.result_format = copy, text, result_format

    def _texts(self, offsets: memoryview, data: memoryview) -> np.ndarray[Any, Any]:
        found = np.frombuffer(offsets, "<i8")
        check.check_offsets(found, len(data))
        ends = found.tolist()
        whole = bytes(data)
        out = np.empty(len(ends) - 1, object)
        if self.text == "str" and whole.isascii():
            text = whole.decode("ascii")
            out[:] = [text[start:end] for start, end in zip(ends, ends[1:])]
        else:
            parts: list[Any] = [whole[start:end] for start, end in zip(ends, ends[1:])]
            out[:] = parts if self.text == "bytes" else [names.to_text(part) for part in parts]
        return out

    def tensor(self, data: memoryview) -> np.ndarray[Any, Any]:
        number, elements, offsets = 0, memoryview(b""), memoryview(bytes(8))
        shape: tuple[int, ...] = ()
        at, end = 0, len(data)
        try:
            while at < end:  # as fields_of, for the messages that there are most of
                tag, size = data[at], data[at + 1]
                at += 2
                if size >= 128:
                    second = data[at]
                    if second < 128:
                        size += (second << 7) - 128
                        at += 1
                    else:
                        size, at = _varint(data, at - 1)
                if tag == 1 << 3:
                    number = size
                    continue
                if tag & 7 != 2 or size > end - at:
                    raise ValueError(f"a tensor with the tag {tag}")
                if tag == 3 << 3 | 2:
                    elements = data[at : at + size]
                elif tag == 2 << 3 | 2:
                    shape += _numbers(data[at : at + size])
                    if len(shape) > check.MOST_DIMENSIONS:
                        raise ValueError(f"a shape with more than {check.MOST_DIMENSIONS} sizes")
                elif tag == 5 << 3 | 2:
                    offsets = data[at : at + size]
                at += size
        except (IndexError, ValueError) as error:
            raise _not_valid(error) from None
        if number == dtypes.STRING:
            return check.shaped(self._texts(offsets, elements), shape)
        stored = dtypes.STORED[number] if number < len(dtypes.STORED) else None
        if stored is None:
            raise ValueError(f"the dtype {number}")
        array = np.frombuffer(elements, stored)
        if number == dtypes.BFLOAT16:
            array = dtypes.from_bfloat16_bits(array)
        elif self.copy and not _is_ours(elements, array):
            array = array.copy()
        if number == dtypes.BOOL:
            check.check_bools(array)
        return array if len(shape) == 1 and shape[0] == len(array) else check.shaped(array, shape)

    def ragged(self, data: memoryview, shared: list[np.ndarray[Any, Any]]) -> Ragged:
        values, splits, shape, kind = None, [], None, dtypes.INT64
        for field, content in fields_of(data):
            if field == 1:
                values = self.tensor(_message(content))
            elif field == 2:
                splits.append(self.tensor(_message(content)))
            elif field == 3:
                shape = _shape(_message(content))
            elif field == 4:
                kind = _number(content)
        if values is None:
            raise ValueError("a ragged tensor without values")
        return check.ragged(values, shared, splits, shape, np.int32 if kind == dtypes.INT32 else np.int64)

    def structured(self, data: memoryview, outer: Structured | None) -> Structured:
        known = remembered(data) if self.copy and outer is None else None
        if known is not None and known.layout is not None:
            found = known.layout.read(data)
            if found is not None:
                return found
        shape: list[int | None] = []
        nrows = outer.nrows if outer is not None and outer.rank else 0
        splits = list(outer.row_splits) if outer is not None else []
        fields: dict[str, Any] = {}  # arrays, and the bytes of other values
        order: list[str] = []
        optional: list[str] = []
        last: Any = None  # the array of the last column that was read in full
        # Many columns have the dtype and the shape of an earlier column, and differ only in their names and elements.
        frames: dict[bytes, _Frame] = {}  # by the bytes that precede the name, of which there are `prefix_size`
        blocks: dict[Any, _Block] = {}  # of the frames, also of frames that were replaced; by their dtypes and shapes
        prefix_size = longest = 0
        at, end = 0, len(data)
        while at < end:
            if frames:
                head = bytes(data[at : at + longest])
                frame = frames.get(head[:prefix_size])
                if frame is not None:
                    name_end, suffix, elements, nbytes, block = frame
                    following = at + elements + nbytes
                    if head.startswith(suffix, name_end) and following <= end:
                        name = names.to_text(head[prefix_size:name_end])
                        if self.copy:
                            if name in fields:  # or in a block: the last of the fields with a name counts
                                for each in blocks.values():
                                    each.copy_columns(fields)
                            fields[name] = None
                            block.columns[name] = data[at + elements : following]
                            if len(block.columns) >= block.most_columns:
                                block.copy_columns(fields)
                        else:
                            fields[name] = np.ndarray(block.shape, block.dtype, data, at + elements)
                        at = following
                        continue
            first = at
            field, content, at = field_at(data, at)
            if field == 1:
                shape = _shape(_message(content))
            elif field == 2 and not (outer is not None and outer.rank):
                nrows = _signed(_number(content))
            elif field == 3:
                splits.append(self.tensor(_message(content)))
            elif field == 4:
                entry = _message(content)
                key, value = _entry(entry)
                if key in fields:
                    for each in blocks.values():
                        each.copy_columns(fields)
                column = fields[key] = self._column(value)
                if type(column) is np.ndarray:
                    if last is not None and last.shape == column.shape and last.dtype == column.dtype:
                        prefix = bytes(data[first : at - len(entry) + 2])
                        frame = _frame_of(len(prefix), entry, column, blocks)
                        if frame is not None:
                            frames[prefix], prefix_size, longest = frame, len(prefix), max(longest, frame.elements)
                    last = column
            elif field == 5:
                listed = _field_names(bytes(data[first:])) if not order and end - first <= 4096 else None
                if listed is not None:
                    order += listed[0]
                    optional += listed[1]
                    break
                order.append(_text(content))
            elif field == 6:
                optional.append(_text(content))
        for block in blocks.values():
            block.copy_columns(fields)
        if shape and shape[0] is None:
            shape[0] = nrows
        out = Structured._of(tuple(shape), nrows, splits, {}, frozenset(optional))
        check.check_records(out, outer.rank if outer is not None else 0)
        for name in check.names_in_order(fields, order, names.to_bytes):
            column = fields[name]
            out._fields[name] = self._field(column, out) if type(column) is memoryview else column
        check.check_columns(out)
        if known is not None:
            known.learn(data, out, fields)
        return out

    def _column(self, data: memoryview) -> Any:
        """The array of a tensor. Other values are returned as they are, because the row splits of the structure are needed to read them."""
        if len(data):
            kind, content, at = field_at(data, 0)
            if kind == encode.TENSOR and at == len(data):
                return self.tensor(_message(content))
        return data

    def _field(self, data: memoryview, outer: Structured) -> Any:
        """The column of a field that is not a single tensor."""
        column = self.value(data, outer)
        if not isinstance(column, (np.ndarray, Ragged, Structured)):
            raise ValueError("expected a tensor, a ragged tensor, or a structure as the column of a field")
        return column

    def value(self, data: memoryview, outer: Structured | None = None) -> Any:
        """The value of a signet.v1.Value. `outer` is the structure of which it is a field."""
        for kind, content in _first(data):
            message = _message(content)
            if kind == encode.TENSOR:
                array = self.tensor(message)
                return array if array.ndim or outer is not None else array[()]
            if kind == encode.RAGGED:
                return self.ragged(message, list(outer.row_splits) if outer is not None else [])
            if kind == encode.STRUCTURED:
                return self.structured(message, outer)
            if kind == encode.SPARSE:
                return check.sparse({field: self.tensor(_message(part)) for field, part in fields_of(message) if field <= 3})
            if kind == encode.LITERAL:
                return self.literal(message)
            if kind in (encode.LIST, encode.TUPLE):
                elements = [self.value(_message(element)) for field, element in fields_of(message) if field == 1]
                return elements if kind == encode.LIST else tuple(elements)
            if kind == encode.DICT:
                return self._dict(message)
            if kind == encode.NAMED_TUPLE:
                return self._named_tuple(message)
            if kind == encode.EXTENSION:
                return self._extension(message)
            if kind == encode.ENCODED:
                raise ValueError("a value in a data format that was not requested")
        raise ValueError("a value without a kind")

    def result(self, data: memoryview) -> Any:
        """The value of a signet.v1.Value, or its bytes in the format of results."""
        if not self.result_format:
            return self.value(data)
        for kind, content in _first(data):
            if kind == encode.ENCODED:
                parts = list(fields_of(_message(content)))
                if (1, self.result_format) in parts:
                    return b"".join(bytes(_message(part)) for field, part in parts if field == 2)
        raise ValueError("a result that is not in the requested data format")

    def literal(self, data: memoryview) -> Any:
        value: Any = None
        for field, content in fields_of(data):
            if field == 4:
                value = struct.unpack("<d", _message(content))[0]
            elif field == 5:
                value = bytes(_message(content)) if self.text == "bytes" else _text(content)
            elif field <= 3:
                number = _number(content)
                value = bool(number) if field == 1 else number >> 1 ^ -(number & 1) if field == 2 else number
        return value

    def _dict(self, data: memoryview) -> dict[str, Any]:
        items, order = {}, []
        for field, content in fields_of(data):
            if field == 1:
                key, value = _entry(_message(content))
                items[key] = self.value(value)
            elif field == 2:
                order.append(_text(content))
        return {key: items[key] for key in check.names_in_order(items, order, names.to_bytes)}

    def _named_tuple(self, data: memoryview) -> Any:
        name, fields, is_attrs = "", [], False
        for field, content in fields_of(data):
            if field == 1:
                name = _text(content)
            elif field == 2:
                fields.append(_entry(_message(content)))
            elif field == 3:
                is_attrs = bool(content)
        cls = (attrs_class if is_attrs else named_tuple_class)(name, tuple(key for key, _ in fields))
        return cls(*(self.value(value) for _, value in fields))

    def _extension(self, data: memoryview) -> Extension:
        name, statics, components = "", {}, {}
        for field, content in fields_of(data):
            if field == 1:
                name = _text(content)
            elif field == 2:
                key, spec = _entry(_message(content))
                statics[key] = self._static(spec)
            elif field == 3:
                key, value = _entry(_message(content))
                if key in components:
                    raise ValueError(f"two components `{key}`")
                components[key] = self.value(value)
        return extension.make(name, {key: statics[key] for key in sorted(statics)}, components)

    def _static(self, data: memoryview) -> Any:
        """The value of a type that is a literal, or a nest of literals."""
        from signet.types import value_of_static
        from signet.v1 import types_pb2

        return value_of_static(types_pb2.TypeSpec.FromString(bytes(data)))


def _first(data: memoryview) -> list[tuple[int, Field]]:
    """The only field of a message, without a generator."""
    if not len(data):
        return []
    kind, content, at = field_at(data, 0)
    return [(kind, content)] if at == len(data) else list(fields_of(data))


def _frame_of(prefix_size: int, entry: memoryview, array: np.ndarray[Any, Any], blocks: dict[Any, _Block]) -> _Frame | None:
    """The frame of the column with this entry and array; None if the array is a scalar, or if the entry is not as `encode` writes it. The
    prefix ends with the first two bytes of the entry: a tag, and the size of the name. Adds the block of the frame if it is missing."""
    number = dtypes.number_of(array.dtype) if array.dtype.kind in "biufc" else None
    if number is None or not array.ndim or not array.nbytes or entry[0] != 1 << 3 | 2 or entry[1] >= 128:
        return None
    head = encode.tensor_head(number, array.shape, array.nbytes)
    suffix = encode.varint(2 << 3 | 2) + encode.varint(len(head) + array.nbytes) + head
    if entry[2 + entry[1] : len(entry) - array.nbytes] != suffix:
        return None
    block = blocks.setdefault((array.dtype, array.shape), _Block(array.dtype, array.shape, {}, BLOCK_BYTES // array.nbytes))
    name_end = prefix_size + entry[1]
    return _Frame(name_end, suffix, name_end + len(suffix), array.nbytes, block)


@functools.lru_cache(maxsize=256)
def _field_names(data: bytes) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """The fields `field_order` and `optional_fields` at the end of a structured value; None if there are other fields."""
    found: dict[int, list[str]] = {5: [], 6: []}
    for field, content in fields_of(memoryview(data)):
        if field not in found:
            return None
        found[field].append(_text(content))
    return tuple(found[5]), tuple(found[6])


def _entry(data: memoryview) -> tuple[str, memoryview]:
    try:
        size = data[1]
        if data[0] == 1 << 3 | 2 and size < 128 and data[2 + size] == 2 << 3 | 2:  # a name and a value
            length, at = _varint(data, 3 + size)
            if length == len(data) - at:
                return names.to_text(bytes(data[2 : 2 + size])), data[at:]
    except (IndexError, ValueError):
        pass
    key, value = "", memoryview(b"")
    for field, content in fields_of(data):
        if field == 1:
            key = _text(content)
        elif field == 2:
            value = _message(content)
    return key, value


def _shape(data: memoryview) -> list[int | None]:
    sizes: list[int | None] = []
    for field, content in fields_of(data):
        if field == 1:
            sizes += [None if size < 0 else size for size in _numbers(content)]
    return sizes


@reads_response
def call_response(data: bytes | memoryview, reading: Reading) -> tuple[Any, int]:
    """The result of a signet.v1.CallResponse, and the version of the model that gave it."""
    result, version, at, end = _NO_RESULT, 0, 0, len(data)
    message = memoryview(data)
    while at < end:
        field, content, at = field_at(message, at)
        if field == 1:
            result = reading.result(_message(content))
        elif field == 2:
            version = _signed(_number(content))
    if result is _NO_RESULT:
        raise ValueError("no result")
    return result, version


_NO_RESULT: Any = object()


@reads_response
def stream_response(data: bytes, reading: Reading) -> tuple[int, Any, int]:
    """The id of a signet.v1.CallStreamResponse, its result or an Error, and the version of the model. The error is of class DataLoss if the
    result is not valid."""
    number, outcome, version = 0, _NO_RESULT, 0
    for field, content in fields_of(memoryview(data)):
        if field == 1:
            number = _number(content)
        elif field == 2:
            try:
                outcome, version = call_response(_message(content), reading)
            except errors.Error as error:
                outcome = error
        elif field == 3:
            outcome = _error(_message(content))
    if outcome is _NO_RESULT:
        raise ValueError("no result and no error")
    return number, outcome, version


def _error(data: memoryview) -> errors.Error:
    code, texts = 2, {2: "", 3: "", 4: "", 5: ""}
    for field, content in fields_of(data):
        if field == 1:
            code = _number(content)
        elif field in texts:
            texts[field] = _text(content)
    return errors.make(errors.code_of(code), texts[2], reason=texts[3], field=texts[4], constraint=texts[5])


def error_details(data: bytes) -> dict[str, str]:
    """The reason, field, and constraint in the google.rpc.Status of the metadata `grpc-status-details-bin`. Empty if the bytes are not
    valid: the code and the message of the error remain."""
    try:
        return _error_details(memoryview(data))
    except Exception:
        return {}


def _error_details(data: memoryview) -> dict[str, str]:
    out: dict[str, str] = {}
    for field, detail in fields_of(data):
        if field != 3:
            continue
        parts = dict(fields_of(_message(detail)))
        kind = _text(parts.get(1, memoryview(b""))).rpartition(".")[2]
        for number, content in fields_of(_message(parts.get(2, memoryview(b"")))):
            if kind == "ErrorInfo" and number == 1:
                out["reason"] = _text(content)
            elif kind == "ErrorInfo" and number == 3:
                key, value = _entry(_message(content))
                if key == "constraint":
                    out["constraint"] = names.to_text(bytes(value))
            elif kind == "BadRequest" and number == 1:
                out["field"] = _text(dict(fields_of(_message(content))).get(1, memoryview(b"")))
    return out
