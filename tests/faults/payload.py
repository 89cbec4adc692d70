"""Cases 1 to 30: what a message contains. All tests use one server."""

import json
import struct

import grpc

from lib import (BOUND, EXHAUSTED, INVALID, Failed, Tensor, Value, check, floats, integers, json_value, literal, request, scalar,
                 service_pb2, tensor, texts, types_pb2, values_pb2, wait_for)

SHARED_SERVER = True


def same_bits(server, value, function="same"):
    check(server.call(function, value) == value, f"the value changed: {value}")


def fault_01_shape_product_overflows(server):
    server.rejects(request("same", tensor("uint8", [2**60 + 2] * 2 ** 4)), INVALID, "argument `x`")
    server.rejects(request("same", tensor("uint8", [2**60 + 2] * 2 ** 2)), INVALID, "argument `x`")


def fault_02_bytes_overflow(server):
    server.rejects(request("same", tensor("float64", [2**61])), INVALID, "argument `x`")
    server.rejects(request("same", tensor("complex128", [2**31, 2**30])), INVALID, "argument `x`")


def fault_03_negative_dimension(server):
    for size in (-1, -2, -2**63):
        server.rejects(request("same", tensor("float32", [size], b"1234")), INVALID, "argument `x`", str(size))


def fault_04_wrong_number_of_bytes(server):
    server.rejects(request("same", tensor("float64", [5], b"x" * 32)), INVALID, "40", "32")
    server.rejects(request("same", tensor("float32", [0], b"1234")), INVALID, "argument `x`")


def fault_05_two_forms_of_strings(server):
    offsets = struct.pack("<2q", 0, 1)
    server.rejects(request("same", tensor("string", [1], b"a", strings=[b"a"], string_offsets=offsets)), INVALID,
                   "string_offsets")
    server.rejects(request("same", tensor("float32", [1], b"1234", strings=[b"a"])), INVALID, "argument `x`")


def fault_06_string_offsets_past_the_end(server):
    for offsets in ([0, 5], [0, 1, 2], [0], [1, 2], [0, -1], [2, 0], [0, 2**62]):
        data = struct.pack(f"<{len(offsets)}q", *offsets)
        server.rejects(request("same", tensor("string", [1], b"ab", string_offsets=data)), INVALID, "argument `x`")
    server.rejects(request("same", tensor("string", [1], b"ab", string_offsets=b"1234567")), INVALID, "argument `x`")
    server.rejects(request("same", tensor("string", [3], strings=[b"a"])), INVALID, "3", "1")


def fault_07_few_bytes_for_a_large_value(server):
    # An argument for a structure that states its number of rows and nothing else.
    value = Value(structured=values_pb2.StructuredTensor(nrows=2**40, shape=types_pb2.Shape(dims=[2**40])))
    before = server.resident_bytes()
    server.call("same", value)  # it has no fields, so it needs no memory
    fill = request("same", json_value("[" + ",".join(["[]"] * 1000) + "]"))
    server.send(fill)
    check(server.resident_bytes() - before < 200 << 20, "memory grew")


def fault_08_unknown_dtype(server):
    for number in (0, 17, 99, 2**31 - 1):
        server.rejects(request("same", Value(tensor=Tensor(dtype=number, shape=[1], data=b"1234"))), INVALID, "dtype")


def fault_09_rank_beyond_the_limit(server):
    for rank in (255, 100_000):
        server.rejects(request("same", tensor("float32", [1] * rank, b"1234")), INVALID, "--max_rank")


def fault_10_empty_values(server):
    for value in (floats(), scalar(1), tensor("float32", [0, 3]), tensor("float32", [3, 0, 2])):
        same_bits(server, value)
    for value, count in ((texts(), 0), (texts(""), 1)):
        check(server.call("same", value).tensor.shape == [count], f"{count} empty strings")
    for text, found in (("[]", "[]"), ("[[], [1.5], []]", "[[],[1.5],[]]")):
        result = server.send(request("rows", json_value(text), result_json=True))
        check(result.encoded.data.decode() == found, f"rows of {text}: {result}")
    server.call("orders", json_value("[]"))


def ragged(values, *splits, dtype="int64", shape=None):
    code = {"int64": "q", "int32": "i", "float32": "f"}[dtype]
    parts = [tensor(dtype, [len(each)], struct.pack(f"<{len(each)}{code}", *each)).tensor for each in splits]
    return Value(ragged=values_pb2.RaggedTensor(values=floats(*values).tensor, row_splits=parts, shape=shape))


def fault_11_row_splits(server):
    for splits in ([1, 3], [0, 2, 1, 3], [0, 2], [0, 4], [], [-1, 3], [0, 2**62, 3]):
        server.rejects(request("rows", ragged([1, 2, 3], splits)), INVALID, "row_splits")
    server.rejects(request("rows", ragged([1, 2, 3], [0, 3], dtype="float32")), INVALID, "row splits")
    server.rejects(request("same", ragged([1, 2, 3], [0, 1], [0, 1, 3])), INVALID, "row_splits")


def sparse(indices, values, shape, rank=2):
    return Value(sparse=values_pb2.SparseTensor(
        indices=tensor("int64", [len(indices) // rank, rank], struct.pack(f"<{len(indices)}q", *indices)).tensor,
        values=floats(*values).tensor, dense_shape=integers(*shape).tensor))


def fault_12_sparse_indices(server):
    same_bits(server, sparse([0, 1, 2, 0], [1, 2], [3, 2]), "entries")
    for indices, values, shape in (([0, 2], [1], [3, 2]), ([-1, 0], [1], [3, 2]), ([1, 0, 0, 0], [1, 2], [3, 2]),
                                   ([0, 0, 0, 0], [1, 2], [3, 2]), ([0, 0], [1, 2], [3, 2]), ([0, 0], [1], [3]),
                                   ([0, 0], [1], [2**40, 2**40]), ([0, 0], [1], [-3, 2])):
        server.rejects(request("entries", sparse(indices, values, shape)), INVALID, "argument `x`")


def structure(nrows=2, dims=None, **fields):
    made = values_pb2.StructuredTensor(nrows=nrows, shape=types_pb2.Shape(dims=dims or [nrows]))
    for name, value in fields.items():
        made.fields[name].CopyFrom(value)
    return Value(structured=made)


def fault_13_fields_that_disagree(server):
    items = structure(3, [-1, -1], price=floats(1, 2, 3))
    good = structure(2, id=texts("a", "b"))
    check(server.call("same", good).structured.nrows == 2, "two rows")
    server.rejects(request("same", structure(2, id=texts("a", "b", "c"))), INVALID, "id")
    server.rejects(request("orders", good), INVALID, "items")
    server.rejects(request("orders", structure(2, id=texts("a", "b"), items=items, more=floats(1, 2))), INVALID)
    for name in ("", "a\0b", "9x"):
        bad = structure(1)
        bad.structured.fields[name].CopyFrom(floats(1))
        server.rejects(request("same", bad), INVALID)
    server.rejects(request("orders", json_value('[{"id": "a", "id": "b", "items": []}]')), INVALID, "id")


def fault_14_deep_nesting(server):
    server.rejects(request("same", json_value("[" * 50_000 + "]" * 50_000)), INVALID, "argument `x`")
    server.rejects(request("same", json_value('{"a":' * 50_000 + "1" + "}" * 50_000)), INVALID, "argument `x`")

    def nested(tag, inner, depth):
        parts, size = [inner], len(inner)
        for _ in range(depth):
            for each in tag:
                parts.append(bytes([each]) + varint(size))
                size += len(parts[-1])
        return b"".join(reversed(parts))

    head = service_pb2.CallRequest(model=service_pb2.ModelSpec(name="faults"), function="same").SerializeToString()
    for tag in (b"\x0a\x32", b"\x0a\x3a"):  # lists and tuples of one element
        value = nested(tag, b"\x2a\x00", 10_000)
        server.rejects(head + b"\x1a" + varint(len(value)) + value, INVALID, "--max_nesting_depth")


def varint(number):
    out = b""
    while number >= 0x80:
        out, number = out + bytes([number & 0x7F | 0x80]), number >> 7
    return out + bytes([number])


def fault_15_json(server):
    for text in ('{"a":1}x', "[1,]", "[1", '"\\ud800"', b'"\xff"', "1e999", "nul", "[1 2]", '{"a":1,"a":2}', "\0", ""):
        server.rejects(request("same", json_value(text)), [INVALID, grpc.StatusCode.OUT_OF_RANGE], "argument `x`")
    server.rejects(request("integers", json_value("[9223372036854775808]")), grpc.StatusCode.OUT_OF_RANGE)
    result = server.send(request("floats", json_value("[-0.0, 0.0]")))
    check(result.tensor.data == struct.pack("<2f", -0.0, 0.0), "the sign of zero")
    server.rejects(request("floats", json_value("[NaN]")), INVALID, '"NaN"')  # with a hint
    result = server.send(request("floats", json_value('["NaN", "Infinity", -1]'), result_json=True))
    check(json.loads(result.encoded.data) == ["NaN", "Infinity", -1], f"names of numbers: {result}")


def fault_16_strings(server):
    same_bits(server, server.call("texts", texts(b"\0", b"a\0b", b"\xff\xfe")), "texts")
    size = 16 << 20
    large = server.call("texts", texts(b"x" * size)).tensor
    check(len(large.data) == size, "16 MiB in one element come back")
    many = 1_000_000
    empty = tensor("string", [many], b"", string_offsets=bytes(8 * (many + 1)))
    check(server.call("texts", empty).tensor.shape == [many], "empty strings come back")


def fault_17_special_floats(server):
    cases = {"float32": ["0000c07f", "010080ff", "0000807f", "000080ff", "01000000", "00000080"],
             "float64": ["000000000000f87f", "010000000000f0ff", "0100000000000000"],
             "float16": ["007e", "01fc", "0100"], "bfloat16": ["c07f", "81ff", "0100"]}
    for dtype, elements in cases.items():
        same_bits(server, tensor(dtype, [len(elements)], bytes.fromhex("".join(elements))))


def fault_18_many_names(server):
    names = {f"k{i}": literal(int=i) for i in range(100_000)}
    server.rejects(request("keywords", **names), [INVALID, EXHAUSTED], "--max_names")
    server.rejects(request("no_such_function", floats(1)), grpc.StatusCode.NOT_FOUND, "no_such_function")


def fault_19_the_same_argument_twice(server):
    server.rejects(request("floats", floats(1), x=floats(2)), INVALID, "by position and by name", "`x`")
    twice = request("floats")
    for _ in range(2):
        twice.kwargs.append(values_pb2.NamedValue(name="x", value=floats(1)))
    server.rejects(twice, INVALID, "`x`")


def fault_20_arguments_that_do_not_fit(server):
    server.rejects(request("mixed", literal(int=1), cout=literal(int=1)), INVALID, "cout", "the nearest is `count`",
                   "mixed(a, bonus = 1, *, count = 2)")
    server.rejects(request("mixed", *[literal(int=1)] * 3), INVALID, "mixed(")
    server.rejects(request("mixed"), INVALID, "`a`", "mixed(")


def fault_22_keywords(server):
    names = ["__class__", "args_0", "a b", "\u00e4", "x" * 200]
    result = server.call("keywords", **{name: literal(int=i) for i, name in enumerate(names)})
    check(sorted(result.dict.items) == sorted(names), "keys are opaque")


def fault_23_new_literals(server):
    before = server.resident_bytes()
    for i in range(3000):
        server.call("same", literal(int=i))
        server.call("same", literal(string=b"s%d" % i))
    check(server.resident_bytes() - before < 100 << 20, "memory grew")


def fault_24_equally_specific_functions(server):
    first = server.call("sums", scalar(1), literal(int=2))
    for _ in range(5):
        check(server.call("sums", scalar(1), literal(int=2)) == first, "the same answer each time")


def fault_25_many_shapes(server):
    before = server.resident_bytes()
    for i in range(1, 2000):
        value = floats(*[1.0] * i)
        check(server.call("same", value) == value, f"{i} elements")
    check(server.resident_bytes() - before < 100 << 20, "memory grew")


def fault_26_extension_types(server):
    def pair(name, **components):
        return Value(extension=values_pb2.Extension(name=name, components=[
            values_pb2.NamedValue(name=key, value=value) for key, value in components.items()]))

    check(server.call("older", pair("test.Pair", left=integers(1), right=integers(2))).extension.name == "test.Pair", "a pair")
    server.rejects(request("older", pair("test.Pairs", left=integers(1), right=integers(2))), INVALID, "test.Pairs")
    server.rejects(request("older", pair("test.Pair", left=integers(1))), INVALID, "right")
    server.rejects(request("older", pair("test.Pair", left=integers(1), right=floats(2))), INVALID, "right")
    server.rejects(request("older", integers(1)), INVALID, "test.Pair")


def limit_of_messages(server):
    limit = service_pb2.ListModelsResponse.FromString(
        server.channel.unary_unary("/signet.v1.TensorService/ListModels")(b"", timeout=BOUND)).limits.message_bytes
    check(limit > 0, "the limit is announced")
    return limit


def fault_27_message_beyond_the_limit(server):
    limit = limit_of_messages(server)
    server.rejects(b"\x1a" + varint(limit) + b"\0" * limit, EXHAUSTED)
    server.still_answers("on the same connection")


def fault_28_compressed_bomb(server):
    before = server.resident_bytes()
    size = limit_of_messages(server) + (16 << 20)
    for compression in (grpc.Compression.Gzip, grpc.Compression.Deflate):
        try:
            server.send(b"\0" * size, compression=compression)
        except grpc.RpcError as error:
            check(error.code() == EXHAUSTED, f"{error.code()}")
            wait_for(lambda: server.resident_bytes() - before < 100 << 20, "memory comes back")
        else:
            raise Failed("a message beyond the limit was accepted")
        server.send(request("floats", floats(1000)), compression=compression)


def fault_30_large_metadata(server):
    for metadata in ([("large", "x" * 1_000_000)], [(f"k{i}", "v") for i in range(10_000)], [("b-bin", b"x" * 100_000)]):
        with server.connect() as channel:
            try:
                server.send(request("floats", floats(1)), channel=channel, metadata=metadata)
            except grpc.RpcError as error:
                check(error.code() in (EXHAUSTED, grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.INTERNAL), f"{error.code()}")
                continue
        raise Failed("large metadata was accepted")
