"""The codec of the wire: columns that follow columns like them are written and read on shorter paths, with the same outcomes."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import signet
from signet import errors, names
from signet.types import RaggedType, StructuredType, TensorType
from signet.values.arrays import same
from signet.wire import decode, encode
from signet.wire import layout as layouts
from signet.wire.convert import Conversion

RELAXED = settings(max_examples=200, deadline=None, database=None)

NUMERIC = ("bool", "int8", "int32", "int64", "uint16", "uint64", "float16", "float32", "float64", "complex64", "complex128")
DTYPES = st.sampled_from([np.dtype(name).newbyteorder(order) for name in NUMERIC for order in "<>"])
# Of more than 4,096 bytes too, because larger arrays are joined without a copy.
INNER_SHAPES = st.sampled_from([(), (), (), (0,), (1,), (3,), (2, 2), (700,)])
NAMES = st.one_of(st.text(st.characters(blacklist_categories=("Cs",)), max_size=4), st.sampled_from(["a", "b", "c1", "c2", "d10", "d11"]),
                  st.sampled_from([char * length for char in "xé" for length in (63, 64, 126, 127, 128, 300)]),
                  st.binary(min_size=1, max_size=3).map(names.to_text))


def outcome(action):
    """What an action returns, or the class, the text, and the details of the error that it raises."""
    try:
        return action()
    except Exception as error:
        return type(error), str(error), getattr(error, "reason", ""), getattr(error, "field", "")


def layout(draw, array):
    """An array with equal elements, in any order of memory."""
    kind = draw(st.sampled_from(["as it is", "as it is", "column-major", "every second", "reversed", "read-only"]))
    if kind == "column-major":
        return np.asfortranarray(array)
    if kind == "every second":
        return np.repeat(array, 2, 0)[::2]
    if kind == "reversed":
        return array[::-1].copy()[::-1]
    if kind == "read-only":
        array = array.copy()
        array.flags.writeable = False
    return array


@st.composite
def columns(draw, names=NAMES):
    """Columns of one number of rows. Most have the dtype and the shape of another column."""
    nrows = draw(st.sampled_from([0, 1, 2, 5]))
    kinds = draw(st.lists(st.tuples(DTYPES, INNER_SHAPES), min_size=1, max_size=3))
    out = {}
    for name in draw(st.lists(names, unique=True, min_size=1, max_size=12)):
        dtype, inner = draw(st.sampled_from(kinds))
        seed = np.random.default_rng(draw(st.integers(0, 3)))
        bits = seed.integers(0, 2 if dtype.kind == "b" else 100, (nrows, *inner))
        out[name] = layout(draw, bits.astype(dtype))
    return out


@st.composite
def mixed_columns(draw):
    """Columns, some of which are texts or ragged."""
    out = draw(columns(st.sampled_from(["a", "b", "c", "d", "e", "f", "g"])))
    nrows = len(next(iter(out.values())))
    kinds = st.sampled_from(draw(st.sampled_from([["numeric"], ["numeric", "texts", "ragged"], ["texts", "numbers", "nones"]])))
    for name in out:
        kind = draw(kinds)
        if kind == "ragged":
            out[name] = signet.Ragged.from_row_lengths(np.arange(nrows, dtype=np.float32), [1] * nrows)
        elif kind != "numeric":
            out[name] = np.array([{"texts": "é", "numbers": 1.5, "nones": None}[kind]] * nrows, object)
    return out


def parsed(message):
    """The signet.v1.Value of a message, as protobuf reads it."""
    from signet.v1 import values_pb2

    data = message.to_bytes()
    assert len(data) == message.size
    return values_pb2.Value.FromString(data)


@RELAXED
@given(mixed_columns(), st.data())
def test_columns_are_written_as_columns_alone(given_columns, data):
    """A structure has the columns that structures of one column have, and raises the error of the first that raises one."""
    wanted = {}
    for name in given_columns:
        dtype = data.draw(st.sampled_from(["float32", "float32", "float64", "int64", "string", "bfloat16", "bool"]))
        wanted[name] = data.draw(st.sampled_from([TensorType(dtype, (None,)), RaggedType(dtype, (None, None), 1)]))
    type_ = data.draw(st.sampled_from([None, StructuredType((None,), wanted), StructuredType((None,), dict(list(wanted.items())[1:]))]))
    convert = Conversion(data.draw(st.booleans()))
    whole = outcome(lambda: parsed(convert.argument(signet.Structured(given_columns), type_, "x")))
    fields = {}
    for name, column in given_columns.items():
        alone = outcome(lambda: parsed(convert.argument(signet.Structured({name: column}), type_, "x")))
        if isinstance(alone, tuple):
            assert whole == alone
            return
        fields.update({key: alone.structured.fields[key] for key in alone.structured.field_order})
    assert list(whole.structured.field_order) == list(fields)
    assert {key: whole.structured.fields[key] for key in fields} == fields


@RELAXED
@given(columns(NAMES.filter(lambda name: name.isprintable() and names.to_bytes(name).decode("utf-8", "replace") == name)))
def test_columns_are_written_as_protobuf_reads_them(given_columns):
    found = parsed(Conversion().argument(signet.Structured(given_columns), None, "x")).structured
    assert list(found.field_order) == list(given_columns) and list(found.shape.dims) == [found.nrows]
    for name, column in given_columns.items():
        tensor = found.fields[name].tensor
        assert signet.dtypes.NAMES[tensor.dtype] == column.dtype.newbyteorder("=").name and tuple(tensor.shape) == column.shape
        assert tensor.data == column.astype(column.dtype.newbyteorder("<")).tobytes()


@pytest.mark.parametrize("size", [1, 127, 128, 16383, 16384, 2**21 - 1, 2**21, 2**63, 2**64 - 1])
def test_sizes_of_varints(size):
    data = encode.varint(size)
    assert decode.field_at(memoryview(b"\x08" + data), 0) == (1, size, 1 + len(data))
    for end in range(1, len(data) + 1):
        with pytest.raises(errors.DataLoss):
            decode.field_at(memoryview((b"\x08" + data)[:end]), 0)


def entry(name, column, form="usual"):
    """A field of a structure with a tensor. Its forms are all valid: fields are in any order, and unknown fields are skipped."""
    number = signet.dtypes.number_of(column.dtype)
    value = encode.tensor(number, column)
    parts = encode.Message().integer(1, number), encode.Message().data(2, b"".join(map(encode.varint, column.shape))), \
        encode.Message().data(3, column.astype(column.dtype.newbyteorder("<")).tobytes())
    if form == "elements first":
        value = encode.Message().data(encode.TENSOR, b"".join(part.to_bytes() for part in reversed(parts)))
    elif form == "more in the tensor":
        value = encode.Message().data(encode.TENSOR, b"".join(part.to_bytes() for part in (*parts, encode.Message().data(9, b"unknown"))))
    fields = [encode.Message().text(1, name), encode.Message().message(2, value)]
    if form == "value first":
        fields.reverse()
    elif form == "more in the entry":
        fields.append(encode.Message().data(5, b"unknown"))
    return encode.Message().data(4, b"".join(field.to_bytes() for field in fields)).to_bytes()


FORMS = st.sampled_from([["usual"], ["usual"], ["elements first"], ["usual", "value first", "more in the entry", "more in the tensor"]])


@st.composite
def responses(draw):
    """A response with a structure of these columns, as the bytes, and the columns. Fields are in the order of the server, or in any order."""
    given_columns = draw(columns())
    nrows = len(next(iter(given_columns.values())))
    head = encode.Message().data(1, encode.Message().data(1, encode.varint(nrows)).to_bytes()).integer(2, nrows).to_bytes()
    forms = st.sampled_from(draw(FORMS))
    entries = [entry(name, column, draw(forms)) for name, column in given_columns.items()]
    order = [encode.Message().text(5, name).to_bytes() for name in given_columns]
    if draw(st.booleans()):  # texts in between
        entries.insert(draw(st.integers(0, len(entries))), encode.Message().message(4, encode.Message().text(1, "a text").message(
            2, encode.tensor(signet.dtypes.STRING, np.array(["é"] * nrows, object)))).to_bytes())
    kind = draw(st.sampled_from(["server", "without an order", "any order", "repeated"]))
    fields = {"server": [head, *entries, *order], "without an order": [head, *entries], "repeated": [head, *entries, *entries, *order]}.get(kind)
    if fields is None:
        fields = draw(st.permutations([head, *entries, *order]))
    structure = b"".join(fields)
    value = encode.Message().data(encode.STRUCTURED, structure)
    return encode.Message().message(1, value).integer(2, draw(st.sampled_from([1, 300]))).to_bytes(), given_columns


def described(value):
    """A result, with the dtypes, shapes, and flags of its arrays."""
    if isinstance(value, signet.Structured):
        return value.shape, value.nrows, value.optional_fields, [(name, described(column)) for name, column in value.fields.items()]
    if isinstance(value, np.ndarray):
        return value.dtype, value.shape, value.flags.writeable, value.tolist() if value.dtype == object else value.tobytes()
    return repr(value)


def read(data, copy, shorter=True, after=None):
    """What a response has, on the shorter path or without it; or `after` the layout of this other response was learned."""
    with pytest.MonkeyPatch.context() as patch:
        known = layouts.Remembered()
        patch.setattr(decode, "remembered", lambda _: known)
        patch.setattr(layouts, "FEWEST_COLUMNS", 1)
        if not shorter:
            patch.setattr(decode, "_frame_of", lambda *_: None)
            patch.setattr(decode, "_field_names", lambda _: None)
        if after is not None:
            for _ in range(2):
                decode.call_response(after, decode.Reading(True))
        if known.layout is not None:
            size = len(structure_in(after))
            patch.setattr(decode, "remembered", lambda found: known if len(found) == size else layouts.Remembered())
        found = outcome(lambda: decode.call_response(data, decode.Reading(copy)))
    return found if isinstance(found[0], type) else (described(found[0]), found[1])


def structure_in(data):
    """The bytes of the signet.v1.StructuredTensor of a response."""
    _, value, _ = decode.field_at(memoryview(data), 0)
    return decode.field_at(value, 0)[1]


@RELAXED
@given(responses(), st.booleans())
def test_columns_are_read_as_columns_alone(case, copy):
    data, given_columns = case
    assert read(data, copy) == read(data, copy, after=data) == read(data, copy, shorter=False)
    result, _ = decode.call_response(data, decode.Reading(copy))
    for name, column in given_columns.items():
        found = result[name]
        assert same(found, np.ascontiguousarray(column).astype(column.dtype.newbyteorder("=")).reshape(column.shape))
        assert found.flags.writeable == copy and (found.flags.aligned or not copy)


def structure_of(*fields):
    return encode.Message().message(1, encode.Message().data(encode.STRUCTURED, b"".join(fields))).to_bytes()


def numbered(count, first, *more, ordered=slice(None)):
    """A response with a structure of this many columns of numbers from `first`, as the server writes it, and the columns. `more` are fields
    before the order of the columns, and `ordered` are the columns in the order."""
    given_columns = {f"c{i}": np.arange(first + i, first + i + 3, dtype=np.int32 if i % 3 else np.float32) for i in range(count)}
    head = encode.Message().message(1, encode.shape_message((3,))).integer(2, 3).to_bytes()
    order = [encode.Message().text(5, name).to_bytes() for name in given_columns][ordered]
    return structure_of(head, *[entry(name, column) for name, column in sorted(given_columns.items())], *more, *order), given_columns


def test_the_layout_of_a_structure_is_learned_from_its_second_message(monkeypatch):
    for count, first in ((12, 0), (layouts.FEWEST_COLUMNS, 100)):
        known = layouts.Remembered()
        monkeypatch.setattr(decode, "remembered", lambda data: known)
        for again in range(4):
            data, given_columns = numbered(count, first + again)
            result, _ = decode.call_response(data, decode.Reading())
            assert (known.layout is None) == (again == 0)
            assert result.field_names == tuple(given_columns) and result.shape == (3,) and result.nrows == 3
            for name, column in given_columns.items():
                assert same(result[name], column) and result[name].flags.writeable and result[name].flags.aligned
        assert known.layout.read(structure_in(data)) is not None


def test_results_of_the_engine_have_a_layout(monkeypatch):
    notation = "[{" + ", ".join(f"c{i}: float32[{', 2' * (i % 2)}]".replace("[, ", "[") for i in range(12)) + "}]"

    @signet.function
    def given(x: notation):
        return x

    found = []
    remembered = decode.remembered
    monkeypatch.setattr(decode, "remembered", lambda data: found.append(remembered(data)) or found[-1])
    for first in range(3):
        x = signet.Structured({f"c{i}": np.full((5, 2)[: 1 + i % 2], first + i, np.float32) for i in range(12)})
        assert given(x).equals(x)
    assert found[0] is found[2] and found[2].layout is not None


def test_messages_that_the_server_does_not_write_have_no_layout():
    x = np.arange(3, dtype=np.int32)
    usual, _ = numbered(9, 0)
    for data, learned in ((usual, True), (numbered(7, 0)[0], False),  # too few columns
                          (numbered(9, 0, entry("c1", x))[0], False),  # the last of two columns with one name counts
                          (numbered(9, 0, encode.Message().data(9, b"unknown").to_bytes())[0], False),
                          (numbered(9, 0, ordered=slice(5))[0], False)):  # the others follow, in the order of their bytes
        known = layouts.Remembered()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(decode, "remembered", lambda data, known=known: known)
            for _ in range(3):
                decode.call_response(data, decode.Reading())
        assert (known.layout is not None) == learned


def test_a_column_that_ends_after_its_elements_is_not_like_one_that_ends_with_them():
    x, y = np.arange(3, dtype=np.int8), np.arange(12, dtype=np.int8)
    more = [entry(name, x, "more in the entry") for name in "ab"]  # an unknown field of 9 bytes follows the value
    data = structure_of(*more, entry("c", y), *more)
    assert len(more[0]) == len(entry("c", y)) and read(data, True) == read(data, True, shorter=False)
    assert decode.call_response(data, decode.Reading())[0]["c"].tolist() == y.tolist()


def test_the_last_of_the_columns_with_a_name_counts():
    small, large = [np.arange(each, each + 3, dtype=np.int32) for each in range(4)], np.arange(700, dtype=np.int32)
    for last in (small[3], large):
        data = structure_of(entry("a", small[0]), entry("b", small[1]), entry("c", small[2]), entry("d", large), entry("e", large), entry("c", last))
        assert read(data, True) == read(data, True, shorter=False)
        assert decode.call_response(data, decode.Reading())[0]["c"].tolist() == last.tolist()


def test_columns_whose_frame_is_replaced_are_kept():
    x = np.arange(3, dtype=np.int32)
    # The entries differ in the dtypes only; then long names make the prefix longer, and the frame of short names is found again.
    for names, others in (("abc", "def"), ("abc", ("x" * 128, "y" * 128, "z" * 128, "d", "e", "f"))):
        data = structure_of(*[entry(name, x) for name in names], *[entry(name, x.view(np.float32)) for name in others])
        assert read(data, True) == read(data, True, shorter=False)
    data = structure_of(*[entry(name, x) for name in ("a", "b", "c", "x" * 128, "y" * 128, "d", "e")])
    assert all(found.tolist() == x.tolist() for found in decode.call_response(data, decode.Reading())[0].fields.values())


def test_columns_of_one_block_keep_at_most_1_mib():
    columns = {f"c{i}": np.full(40_000, i, np.float32) for i in range(20)}
    data = structure_of(*[entry(name, column) for name, column in columns.items()])
    result, _ = decode.call_response(data, decode.Reading())
    assert read(data, True) == read(data, True, shorter=False)
    for found in result.fields.values():
        assert found.base is None or found.base.nbytes <= 1 << 20


def test_columns_that_are_not_valid_are_errors():
    x = np.arange(3, dtype=np.int8)
    wrong = encode.Message().message(4, encode.Message().text(1, "b").message(2, encode.Message().data(encode.TENSOR, b"\x1a\x05"))).to_bytes()
    a, b = (encode.Message().text(5, name).to_bytes() for name in "ab")
    for order in (a, a + b):
        with pytest.raises(errors.DataLoss):
            decode.call_response(structure_of(entry("a", x), wrong, order), decode.Reading())


@settings(RELAXED, max_examples=30)
@given(responses())
def test_responses_that_are_cut(case):
    data, _ = case
    ends = range(len(data)) if len(data) < 600 else sorted({*range(300), *range(len(data) - 300, len(data))})
    with_version = len(data) - len(encode.Message().integer(2, decode.call_response(data, decode.Reading())[1]).to_bytes())
    for end in ends:
        found = read(data[:end], True)
        assert found == read(data[:end], True, shorter=False)
        assert end in (0, with_version) or found[0] is errors.DataLoss


@RELAXED
@given(responses(), st.lists(st.tuples(st.integers(0, 2**30), st.integers(0, 255)), min_size=1, max_size=3))
def test_responses_with_wrong_bytes(case, changes):
    data = bytearray(case[0])
    for at, byte in changes:
        data[at % min(len(data), 400)] = byte
    found = read(bytes(data), True)
    assert found == read(bytes(data), True, after=case[0]) == read(bytes(data), True, shorter=False)


@RELAXED
@given(columns(), st.data())
def test_structures_that_are_cut(given_columns, data):
    """The bytes of a structure are cut at every byte, and the sizes of the messages around them are right."""
    nrows = len(next(iter(given_columns.values())))
    whole = Conversion().argument(signet.Structured(given_columns, nrows=nrows), None, "x").to_bytes()
    structure = bytes(decode._first(memoryview(whole))[0][1])
    for end in data.draw(st.lists(st.integers(0, len(structure)), min_size=1, max_size=30)):
        message = encode.Message().message(1, encode.Message().data(encode.STRUCTURED, structure[:end])).to_bytes()
        assert read(message, True) == read(message, True, shorter=False)
