"""A server that is faulty or lies: each answer is a value or a signet.Error, at once, and in little memory."""

import concurrent.futures
import random
import resource
import struct
import threading
import time

import grpc
import numpy as np
import pytest

import signet
from signet import errors
from signet.values import arrays, attrs_class, named_tuple_class
from signet.wire import decode, encode
from signet.wire.convert import Conversion


def varints(*numbers):
    return b"".join(map(encode.varint, numbers))


def field(number, content):
    """A field of a message: a number, bytes, or other fields."""
    if isinstance(content, int):
        return encode.varint(number << 3) + encode.varint(content)
    return encode.varint(number << 3 | 2) + encode.varint(len(content)) + content


def tensor(dtype, shape=(), data=b"", offsets=None):
    parts = [field(1, dtype), field(2, varints(*shape)) if shape else b"", field(3, data) if data else b""]
    return b"".join(parts) + (field(5, struct.pack(f"<{len(offsets)}q", *offsets)) if offsets is not None else b"")


def longs(*numbers, shape=None):
    return tensor(5, shape or [len(numbers)], struct.pack(f"<{len(numbers)}q", *numbers))


def structure(shape, nrows, *parts):
    return field(4, field(1, field(1, varints(*shape))) + field(2, nrows) + b"".join(parts))


def column(name, value):
    return field(4, field(1, name) + field(2, value))


def splits(*numbers):
    return field(3, longs(*numbers))


FLOATS, BOOLS, TEXTS = 12, 1, 16
TWO = struct.pack("<2f", 1, 2)
GOOD = tensor(FLOATS, [2], TWO)
TEN = field(1, tensor(FLOATS, [10], bytes(40)))

LIES = {
    "more elements than bytes": field(1, tensor(FLOATS, [3], TWO)), "fewer elements than bytes": field(1, tensor(FLOATS, [1], TWO)),
    "a scalar of two elements": field(1, tensor(FLOATS, [], TWO)), "half an element": field(1, tensor(FLOATS, [2], TWO[:7])),
    "a negative size": field(1, tensor(FLOATS, [-2], TWO)), "two negative sizes": field(1, tensor(FLOATS, [-1, -2], TWO)),
    "an unknown dtype": field(1, tensor(99, [2], TWO)), "no dtype": field(1, tensor(0, [2], TWO)),
    "a huge dtype": field(1, tensor(1 << 62, [2], TWO)), "many dimensions": field(1, tensor(FLOATS, [1] * 70, TWO[:4])),
    "rows without elements": field(1, tensor(FLOATS, [1 << 40, 0])), "rows of rows without elements": field(1, tensor(FLOATS, [1 << 20, 1 << 20, 0])),
    "a bool of 2": field(1, tensor(BOOLS, [2], b"\1\2")), "texts without offsets": field(1, tensor(TEXTS, [2], b"ab")),
    "offsets that decrease": field(1, tensor(TEXTS, [2], b"abc", [0, 3, 1])), "offsets after the end": field(1, tensor(TEXTS, [1], b"abc", [0, 300])),
    "negative offsets": field(1, tensor(TEXTS, [1], b"abc", [-5, 3])), "offsets before the end": field(1, tensor(TEXTS, [1], b"abc", [0, 2])),
    "too few offsets": field(1, tensor(TEXTS, [2], b"abc", [0, 3])), "too many offsets": field(1, tensor(TEXTS, [1], b"abc", [0, 1, 3])),
    "a dtype in place of elements": field(1, field(1, FLOATS) + field(3, 5)), "elements in place of a dtype": field(1, field(1, b"ab")),
    "splits that decrease": field(2, field(1, GOOD) + field(2, longs(0, 2, 1, 2))), "splits after the end": field(2, field(1, GOOD) + field(2, longs(0, 5))),
    "splits of floats": field(2, field(1, GOOD) + field(2, tensor(FLOATS, [2], struct.pack("<2f", 0, 2)))),
    "splits of bytes": field(2, field(1, GOOD) + field(2, tensor(6, [2], b"\0\2"))), "no splits": field(2, field(1, GOOD) + field(2, longs())),
    "splits of a matrix": field(2, field(1, GOOD) + field(2, longs(0, 2, shape=[1, 2]))), "ragged without values": field(2, field(2, longs(0, 2))),
    "values without rows": field(2, field(1, tensor(FLOATS, [], TWO[:4])) + field(2, longs(0, 1))),
    "a ragged shape of another rank": field(2, field(1, GOOD) + field(2, longs(0, 2)) + field(3, field(1, varints(1)))),
    "a ragged shape of other sizes": field(2, field(1, GOOD) + field(2, longs(0, 2)) + field(3, field(1, varints(7, -1)))),
    "rows of another length": field(2, field(1, GOOD) + field(2, longs(0, 2)) + field(3, field(1, varints(1, 3)))),
    "a sparse index outside": field(3, field(1, longs(5, 5, shape=[1, 2])) + field(2, tensor(FLOATS, [1], TWO[:4])) + field(3, longs(2, 2))),
    "a negative sparse index": field(3, field(1, longs(-1, 0, shape=[1, 2])) + field(2, tensor(FLOATS, [1], TWO[:4])) + field(3, longs(2, 2))),
    "sparse indices that repeat": field(3, field(1, longs(0, 1, 0, 1, shape=[2, 2])) + field(2, GOOD) + field(3, longs(2, 2))),
    "sparse indices in another order": field(3, field(1, longs(1, 0, 0, 1, shape=[2, 2])) + field(2, GOOD) + field(3, longs(2, 2))),
    "sparse indices of another rank": field(3, field(1, longs(0, 1, shape=[2, 1])) + field(2, GOOD) + field(3, longs(2, 2))),
    "sparse indices of floats": field(3, field(1, tensor(FLOATS, [2, 1], TWO)) + field(2, GOOD) + field(3, longs(9))),
    "a negative sparse size": field(3, field(1, longs(shape=[0, 1])) + field(2, tensor(FLOATS, [0])) + field(3, longs(-9))),
    "no sparse shape": field(3, field(1, longs(0, 1, shape=[2, 1])) + field(2, GOOD)),
    "sparse scalars": field(3, field(1, longs(shape=[2, 0])) + field(2, GOOD) + field(3, longs())),
    "records without fields": structure([1 << 40], 1 << 40), "a negative number of records": structure([-1], -3),
    "records of another shape": structure([3], 2, column(b"x", field(1, GOOD))), "unequal columns": structure([2], 2, column(b"x", TEN)),
    "two unequal columns": structure([2], 2, column(b"x", field(1, GOOD)), column(b"y", TEN)),
    "a scalar column": structure([2], 2, column(b"x", field(1, tensor(FLOATS, [], TWO[:4])))), "a literal column": structure([2], 2, column(b"x", field(5, field(1, 1)))),
    "a sparse column": structure([1], 1, column(b"x", field(3, field(1, longs(shape=[0, 1])) + field(2, tensor(FLOATS, [0])) + field(3, longs(1))))),
    "a column without a value": structure([2], 2, column(b"x", b"")), "a rows field that is missing": structure([2, -1], 2, column(b"x", field(1, GOOD))),
    "row splits of other records": structure([2, -1], 2, splits(0, 1), column(b"x", field(1, GOOD))),
    "row splits that decrease": structure([2, -1], 2, splits(0, 2, 1), column(b"x", field(1, GOOD))),
    "rows that are not uniform": structure([2, -1], 2, splits(0, 1, 3), column(b"x", field(1, tensor(FLOATS, [2, 1], TWO)))),
    "inner records of another number": structure([2], 2, column(b"x", structure([2, -1], 2, splits(0, 1), column(b"y", field(2, field(1, GOOD)))))),
    "an unknown field in the order": structure([2], 2, column(b"x", field(1, GOOD)), field(5, b"zz")),
    "a field twice in the order": structure([2], 2, column(b"x", field(1, GOOD)), field(5, b"x"), field(5, b"x")),
    "an optional field without its dimension": structure([2], 2, column(b"x", field(1, GOOD)), field(5, b"x"), field(6, b"x")),
    "an optional field with two values": structure([1], 1, column(b"x", field(1, tensor(FLOATS, [1, 2], TWO))), field(5, b"x"), field(6, b"x")),
    "a literal of half a float": field(5, encode.varint(4 << 3 | 1) + b"\0" * 4), "a deep list": (lambda x: [x := field(6, field(1, x)) for _ in range(5000)][-1])(field(1, GOOD)),
    "an unknown key in the order": field(8, field(1, field(1, b"a") + field(2, field(1, GOOD))) + field(2, b"b")),
    "a number in place of a list": field(6, field(1, 7)), "two components of one name": field(10, field(1, b"T") + 2 * field(3, field(1, b"a") + field(2, field(1, GOOD)))),
    "a static of no kind": field(10, field(1, b"T") + field(2, field(1, b"a") + field(2, b""))), "attributes twice": field(
        9, field(1, b"N") + 2 * field(2, field(1, b"a") + field(2, field(1, GOOD))) + field(3, 1)),
    "JSON that was not requested": field(11, field(1, 1) + field(2, b"[1]")), "no value": b"", "an unknown kind": field(99, GOOD), "a group": b"\x0b\x0c",
}


@pytest.mark.parametrize("name", LIES)
def test_values_that_are_not_valid_are_rejected(name):
    with pytest.raises(errors.DataLoss, match="the response is not a valid message"):
        decode.call_response(field(1, LIES[name]), decode.Reading())
    with pytest.raises(errors.DataLoss):
        decode.call_response(field(1, field(7, field(1, field(1, GOOD)) + field(1, LIES[name]))), decode.Reading())
    assert isinstance(decode.stream_response(field(1, 3) + field(2, field(1, LIES[name])), decode.Reading())[1], errors.DataLoss)


def test_results_in_other_formats_than_requested_are_rejected():
    json = field(11, field(1, encode.JSON) + field(2, b"[1]"))
    assert decode.call_response(field(1, json), decode.Reading(result_format=encode.JSON))[0] == b"[1]"
    for value, wanted in ((json, 0), (json, encode.ARROW_IPC), (field(1, GOOD), encode.JSON), (field(6, field(1, json)), 0)):
        with pytest.raises(errors.DataLoss):
            decode.call_response(field(1, value), decode.Reading(result_format=wanted))
    for response in (b"", field(2, 1)):  # no result
        with pytest.raises(errors.DataLoss):
            decode.call_response(response, decode.Reading())


def test_columns_that_no_order_names_follow():
    data = structure([2], 2, *(column(name, field(1, GOOD)) for name in (b"c", b"a", b"b")), field(5, b"b"))
    assert decode.call_response(field(1, data), decode.Reading())[0].field_names == ("b", "a", "c")


def samples():
    """The messages of values of all kinds."""
    point, pair = named_tuple_class("Point", ("x", "y")), attrs_class("Pair", ("a", "b"))
    ragged = signet.Ragged(np.float32([1, 2, 3]), [0, 1, 3])
    values = [np.arange(6, dtype=np.int64).reshape(2, 3), np.bool_([True, False]), np.array(["a", "é", ""], object), np.float32(2), ragged,
              signet.Ragged(signet.Ragged(np.int64([1, 2]), [0, 1, 2]), [0, 2]), signet.Sparse([[0, 1], [1, 0]], np.float32([1, 2]), [2, 2]),
              signet.Structured({f"c{i}": np.arange(3.0) + i for i in range(9)}), signet.Structured({"a": np.bool_([True, False]), "b": ragged}),
              signet.Structured({"x": ragged}, row_splits=[0, 1, 3]), 3, -1, 2.5, "text", None, True, [1, np.arange(2)], (1, "a"),
              {"k": np.arange(2), "l": 1}, point(np.arange(2), 1), pair("a", np.arange(2)), signet.Extension("T", {"s": 1}, {"c": np.arange(2.0)})]
    return [Conversion().argument(value, None, "x").to_bytes() for value in values]


def mutated(data, rng):
    out = bytearray(data)
    for _ in range(rng.randint(1, 3)):
        at = rng.randrange(len(out)) if out else 0
        kind = rng.randrange(5)
        if kind == 0 and out:
            out[at] = rng.choice([0, 1, 2, 127, 128, 255, rng.randrange(256), out[at] ^ 1 << rng.randrange(8)])
        elif kind == 1:
            del out[at : at + rng.randint(1, 9)]
        elif kind == 2:
            out[at:at] = rng.randbytes(rng.randint(1, 4))
        elif kind == 3:
            out[at:at] = out[at : at + rng.randint(1, 30)]
        else:
            out[at:at] = encode.varint(rng.choice([1 << 31, 1 << 40, 1 << 62, (1 << 64) - 1]))
    return bytes(out)


def test_random_changes_of_values_are_values_or_errors():
    rng = random.Random(31)
    valid = samples()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    accepted = 0
    for turn in range(6000):
        data = mutated(rng.choice(valid), rng)
        try:
            value, _ = decode.call_response(field(1, data), decode.Reading(copy=turn % 2 == 0))
        except errors.DataLoss:
            continue
        accepted += 1
        repr(value)
        arrays.to_py(value)
        if isinstance(value, (signet.Ragged, signet.Structured, signet.Sparse)):
            assert value.equals(value) or value.to_py() is not None
            Conversion().argument(value, None, "x").to_bytes()
    assert accepted > 300
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200 << 10  # KiB


# --- a server -----------------------------------------------------------------------------------------------

DESCRIPTION = field(1, b"liar") + field(2, 1) + field(4, field(1, b"f") + field(3, b"f(x)") + field(4, field(1, field(1, b"x") + field(2, 2))))


class LyingServer(grpc.GenericRpcHandler):
    """Returns for each method what `answers` has: bytes, an exception of `abort`, or a function of the responses of a stream."""

    def __init__(self):
        self.answers = {}
        self.server = grpc.server(concurrent.futures.ThreadPoolExecutor(8))
        self.server.add_generic_rpc_handlers((self,))
        self.address = f"127.0.0.1:{self.server.add_insecure_port('127.0.0.1:0')}"
        self.server.start()
        self.is_over = threading.Event()

    def service(self, details):
        method = details.method.rsplit("/", 1)[1]
        if method == "CallStream":
            return grpc.stream_stream_rpc_method_handler(lambda requests, context: self.answers[method](requests))

        def unary(request, context):
            answer = self.answers.get(method, DESCRIPTION if method == "GetModel" else b"")
            if isinstance(answer, tuple):
                code, details = answer
                context.set_trailing_metadata((("grpc-status-details-bin", details), ("grpc-retry-pushback-ms", "9" * 5000)))
                context.abort(code, "the message")
            if answer is None:
                self.is_over.wait(60)
            return answer

        return grpc.unary_unary_rpc_method_handler(unary)

    def silent(self, requests):
        self.is_over.wait(60)
        yield b""


@pytest.fixture
def liar():
    made = LyingServer()
    yield made
    made.is_over.set()
    made.server.stop(0)


def ids_of(requests):
    for request in requests:
        number = [content for which, content in decode.fields_of(memoryview(request)) if which == 1]
        yield number[0] if number else 0


def test_deadlines_hold_for_servers_that_are_silent(liar):
    liar.answers = {"CallStream": liar.silent, "Call": None}
    with signet.connect(liar.address, timeout=0.3, retries=0) as client:
        for action in (lambda: client["m"].f(1.0), lambda: list(client["m"].f.map([1.0])), lambda: list(client["m"].f.map([1.0] * 3, ordered=False)),
                       lambda: list(client["m"].f.map([1.0], errors="return"))):
            start = time.monotonic()
            with pytest.raises(signet.errors.DeadlineExceeded, match="did not answer within 0.3 seconds"):
                action()
            assert time.monotonic() - start < 20
        with client["m"].f.stream() as call:
            futures = [call(1.0), call(2.0)]
        for future in futures:
            assert isinstance(future.exception(timeout=20), errors.DeadlineExceeded)
        liar.answers["GetModel"] = None
        with pytest.raises(errors.DeadlineExceeded):
            client["other"].f(1.0)


def test_calls_after_a_late_one_are_answered(liar):
    """A server that does not answer the first call of a stream, and ends the stream never."""
    def answers(requests):
        for number in ids_of(requests):
            if number:
                yield field(1, number) + field(2, field(1, field(1, GOOD)))
        liar.is_over.wait(60)

    liar.answers = {"CallStream": answers}
    with signet.connect(liar.address, timeout=0.5) as client, client["m"].f.stream() as call:
        first, second = call(1.0), call(1.0)
        assert second.result(timeout=20).tolist() == [1, 2]
        assert isinstance(first.exception(timeout=20), errors.DeadlineExceeded)


@pytest.mark.parametrize("response", [b"\xff", field(1, 7), field(1, 7) + field(2, field(1, field(1, GOOD))), field(2, b""), b""])
def test_streams_that_are_not_valid(liar, response):
    liar.answers = {"CallStream": lambda requests: (response for _ in requests)}
    with signet.connect(liar.address, timeout=5) as client:
        with pytest.raises(errors.DataLoss) as raised:
            list(client["m"].f.map([1.0]))
        assert raised.value.function == "f" and raised.value.address == liar.address
        with client["m"].f.stream() as call:
            future = call(1.0)
        assert isinstance(future.exception(timeout=20), errors.DataLoss)
    liar.answers = {"CallStream": lambda requests: (field(1, number) + field(3, field(1, 1 << 40) + field(2, b"text")) for number in ids_of(requests))}
    with signet.connect(liar.address) as client, pytest.raises(errors.Error, match="call 0: text") as raised:
        list(client["m"].f.map([1.0]))
    assert raised.value.code == "UNKNOWN"


def test_answers_that_are_not_valid(liar):
    with signet.connect(liar.address) as client:
        for name in ("records without fields", "an unknown dtype", "no value", "a deep list"):
            liar.answers["Call"] = field(1, LIES[name])
            with pytest.raises(errors.DataLoss) as raised:
                client["m"].f(1.0)
            assert (raised.value.model, raised.value.function, raised.value.address) == ("m", "f", liar.address)
        liar.answers.update(ListModels=b"\xff", Explain=field(8, field(1, 77) + field(2, b"text")))
        with pytest.raises(errors.DataLoss):
            client.models()
        with pytest.raises(errors.Error, match="text") as raised:
            client["m"].f.output_type(1.0)
        assert raised.value.code == "UNKNOWN"
        for answer in (b"\xff", b"", field(6, b""), field(2, field(1, b"x") + field(2, 77))):
            liar.answers["Explain"] = answer
            with pytest.raises(errors.DataLoss):
                client["m"].f.output_type(1.0)


def test_errors_whose_details_are_not_valid(liar):
    for details in (b"\xff", b"\x1a\x01\xff", field(3, field(1, 5)), field(3, field(1, b"x/google.rpc.ErrorInfo") + field(2, field(1, 5)))):
        liar.answers["Call"] = (grpc.StatusCode.RESOURCE_EXHAUSTED, details)
        with signet.connect(liar.address) as client, pytest.raises(errors.ResourceExhausted, match="the message"):
            client["m"].f(1.0)


def test_random_changes_of_descriptions_are_errors_of_signet(liar):
    rng = random.Random(32)
    from signet.known_model import model_info
    from signet.v1 import functions_pb2, service_pb2

    description = service_pb2.GetModelResponse.FromString(DESCRIPTION)
    with_types = description.functions.add(name="g", signature="g(x: float32[?], y: [{a: string[]}] = 1)")
    for name in ("x", "y"):
        with_types.type.parameters.add(name=name, kind=functions_pb2.Parameter.POSITIONAL_OR_KEYWORD, optional=True).type.tensor.dtype = 12
    with_types.defaults["y"].literal.int = 5
    valid = description.SerializeToString()
    assert set(model_info(valid).functions) == {"f", "g"}
    accepted = 0
    for _ in range(3000):
        try:
            known = model_info(mutated(valid, rng))
        except errors.DataLoss:
            continue
        accepted += 1
        known.help()
        repr([function.type for function in known.functions.values()])
    assert accepted > 100
