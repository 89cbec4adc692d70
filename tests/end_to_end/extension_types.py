#!/usr/bin/env python3
"""Extension types over the wire: those of the example models, and one that this test defines."""

import math
import os
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "lib"))
import grpc  # noqa: E402

from server import SOURCE, check, make_stubs, running  # noqa: E402

STUBS = tempfile.TemporaryDirectory()
make_stubs(STUBS.name)
from signet.v1 import service_pb2, service_pb2_grpc, types_pb2, values_pb2  # noqa: E402

FORMATS = {types_pb2.DTYPE_FLOAT32: "f", types_pb2.DTYPE_INT32: "i", types_pb2.DTYPE_INT64: "q",
           types_pb2.DTYPE_BOOL: "?"}


def tensor(dtype, shape, elements):
    data = struct.pack(f"<{len(elements)}{FORMATS[dtype]}", *elements)
    return values_pb2.Value(tensor=values_pb2.Tensor(dtype=dtype, shape=shape, data=data))


def floats(*elements, shape=None):
    shape = [len(elements)] if shape is None else shape
    return tensor(types_pb2.DTYPE_FLOAT32, shape, elements)


def ints(*elements):
    return tensor(types_pb2.DTYPE_INT64, [len(elements)], elements)


def ints_scalar(element):
    return tensor(types_pb2.DTYPE_INT64, [], [element])


def bools(*elements):
    return tensor(types_pb2.DTYPE_BOOL, [len(elements)], elements)


def texts(*elements):
    return values_pb2.Value(tensor=values_pb2.Tensor(
        dtype=types_pb2.DTYPE_STRING, shape=[len(elements)],
        strings=[element.encode() for element in elements]))


def plain(value):
    """A number, a text, a bool, None, or a list of such, as a plain value."""
    if isinstance(value, list):
        return values_pb2.Value(list=values_pb2.ValueList(elements=[plain(v) for v in value]))
    literal = types_pb2.Literal()
    if isinstance(value, bool):
        literal.bool = value
    elif isinstance(value, int):
        literal.int = value
    elif isinstance(value, float):
        literal.float = value
    elif isinstance(value, str):
        literal.string = value.encode()
    return values_pb2.Value(literal=literal)


def extension(name, statics=None, **components):
    return values_pb2.Value(extension=values_pb2.Extension(
        name=name,
        statics={key: types_pb2.TypeSpec(text=text) for key, text in (statics or {}).items()},
        components=[values_pb2.NamedValue(name=key, value=value)
                    for key, value in components.items()]))


def json_text(text):
    encoded = values_pb2.Encoded(format=values_pb2.Encoded.JSON, data=text.encode())
    return values_pb2.Value(encoded=encoded)


def elements_of(value):
    format_ = FORMATS[value.tensor.dtype]
    return list(struct.unpack(f"<{len(value.tensor.data) // struct.calcsize(format_)}{format_}",
                              value.tensor.data))


def component(value, name):
    found = [c.value for c in value.extension.components if c.name == name]
    check(len(found) == 1, f"one component {name}")
    return found[0]


class Model:
    def __init__(self, channel, name):
        self.stub = service_pb2_grpc.TensorServiceStub(channel)
        self.name = name

    def __call__(self, function, *args, **kwargs):
        request = service_pb2.CallRequest(
            model=service_pb2.ModelSpec(name=self.name), function=function, args=args,
            kwargs=[values_pb2.NamedValue(name=key, value=value) for key, value in kwargs.items()])
        return self.stub.Call(request, timeout=30).result

    def rejection(self, function, *args, **kwargs):
        try:
            self(function, *args, **kwargs)
        except grpc.RpcError as error:
            return error.code(), error.details()
        sys.exit("FAILED: a call that should fail did not")


def masked(values, mask):
    return extension("masked.MaskedTensor", values=floats(*values), mask=bools(*mask))


def test_masked(channel):
    model = Model(channel, "masked")
    m = masked([1, -2, 3], [True, True, False])

    made = model("neg", m)
    check(made.extension.name == "masked.MaskedTensor", "a unary op gives a masked tensor")
    check(elements_of(component(made, "values")) == [-1, 2, -3], "of values, masked-out ones too")
    check(elements_of(component(made, "mask")) == [True, True, False], "and the same mask")

    made = model("mul", m, masked([10, 10, 10], [False, True, True]))
    check(elements_of(component(made, "mask")) == [False, True, False], "the and of two masks")
    made = model("sub", floats(10, 10, 10), m)
    check(elements_of(component(made, "values")) == [9, 12, 7], "a plain tensor may come first")
    made = model("add", m, plain(0.5))
    check(elements_of(component(made, "values")) == [1.5, -1.5, 3.5], "and so may a number come")
    check(elements_of(model("shape", m)) == [3], "shape of the values")
    made = model("tile", m, plain([2]))
    check(len(elements_of(component(made, "mask"))) == 6, "tile repeats both")
    made = model("reduce_sum", m)
    check(elements_of(component(made, "values")) == [2], "a sum takes all values")
    check(elements_of(component(made, "mask")) == [False], "and counts where all of them do")
    check(elements_of(model("with_default", m, plain(9))) == [1, -2, 9], "defaults")
    check(elements_of(model("equals", m, m)) == [True], "equality")
    made = model("stack", m, masked([7, 8, 9], [False, False, True]))
    check(elements_of(component(made, "mask")) == [True, True, False, False, False, True],
          "a stack is one of components")
    code, _ = model.rejection("stack", m, masked([7], [True]))
    check(code == grpc.StatusCode.INVALID_ARGUMENT, "which must be of one shape")

    answer = model("mean", json_text('{"values": [1, 2, 30], "mask": [true, true, false]}'),
                   scale=plain(2.0))
    check(elements_of(answer) == [3.0], "JSON under a declared type")

    code, message = model.rejection("matmul", m, m)
    check(code == grpc.StatusCode.UNIMPLEMENTED and "masked.MaskedTensor" in message,
          "an op without an override")
    code, message = model.rejection("neg", masked([1, 2], [True]))
    check(code == grpc.StatusCode.INVALID_ARGUMENT and "mask has the shape of values" in message,
          "an invariant rejects an argument")
    code, message = model.rejection(
        "neg", extension("masked.MaskedTensor", values=floats(1), mask=floats(1)))
    check(code == grpc.StatusCode.INVALID_ARGUMENT and "component `mask`" in message,
          "and the declaration does")
    code, message = model.rejection("neg", extension("unknown.Type", values=floats(1)))
    check(code == grpc.StatusCode.UNIMPLEMENTED, "an unknown type is opaque")


def labeled(axes, elements, shape):
    names = ", ".join(f'"{axis}"' for axis in axes)
    return extension("labeled.Tensor", {"axes": f"list({names})"},
                     values=floats(*elements, shape=shape))


def axes_of(value):
    axes = value.extension.statics["axes"]
    return [element.literal.string.decode() for element in axes.list.elements]


def test_labeled(channel):
    model = Model(channel, "labeled")
    sales = labeled(["day", "product"], [1, 2, 3, 4, 5, 6], [2, 3])
    made = model("mul", sales, labeled(["product"], [1, 10, 100], [3]))
    check(axes_of(made) == ["day", "product"], "axes are kept")
    check(elements_of(component(made, "values")) == [1, 20, 300, 4, 50, 600], "aligned by name")
    made = model("mul", labeled(["day"], [1, 10], [2]), sales)
    check(axes_of(made) == ["day", "product"], "the second operand may have more axes")
    check(elements_of(component(made, "values")) == [1, 2, 3, 40, 50, 60], "and the first fits it")
    made = model("sub", sales, labeled(["product", "day"], [1, 4, 2, 5, 3, 6], [3, 2]))
    check(elements_of(component(made, "values")) == [0] * 6, "axes in another order")
    made = model("add", sales, plain(1.0))
    check(elements_of(component(made, "values")) == [2, 3, 4, 5, 6, 7], "with a number")
    made = model("sum", sales, axes=plain("day"))
    check(axes_of(made) == ["product"], "an axis that is reduced by name goes")
    check(elements_of(component(made, "values")) == [5, 7, 9], "with its elements summed")
    made = model("sum", sales, axes=plain(-1), keepdims=plain(True))
    check(axes_of(made) == ["day", "product"], "or stays, if asked")
    made = model("sum", sales)
    check(axes_of(made) == [] and elements_of(component(made, "values")) == [21], "all axes")
    made = model("transpose", sales, plain(["product", "day"]))
    check(axes_of(made) == ["product", "day"], "axes put in order by name")
    check(elements_of(component(made, "values")) == [1, 4, 2, 5, 3, 6], "and their elements")
    made = model("matmul", sales, labeled(["product", "shop"], [1, 0, 0, 1, 1, 1], [3, 2]))
    check(axes_of(made) == ["day", "shop"], "matmul contracts axes of one name")
    check(elements_of(model("daily", json_text('{"values": [[1, 2], [3, 4]]}'))) == [3, 7],
          "a declared parameter")
    code, message = model.rejection("add", sales, labeled(["shop"], [1], [1]))
    check(code == grpc.StatusCode.INVALID_ARGUMENT and "axes of one operand" in message,
          "axes of no other operand")
    code, message = model.rejection("sum", sales, axes=plain("shop"))
    check(code == grpc.StatusCode.INVALID_ARGUMENT and "name of one" in message, "an unknown axis")
    code, message = model.rejection("exp", labeled(["day"], [1, 2], [1, 2]))
    check(code == grpc.StatusCode.INVALID_ARGUMENT and "one name per dimension" in message,
          "an axis without a name")


def csr(columns, values, indices, splits):
    return extension("csr.Matrix", {"columns": str(columns)}, values=floats(*values),
                     column_indices=ints(*indices), row_splits=ints(*splits))


def test_csr(channel):
    model = Model(channel, "csr")
    m = csr(3, [1, 2, 3], [0, 2, 1], [0, 2, 2, 3])  # [1 0 2], [0 0 0], [0 3 0]
    check(elements_of(model("to_dense", m)) == [1, 0, 2, 0, 0, 0, 0, 3, 0], "to_dense")
    made = model("from_dense", floats(1, 0, 2, 0, 0, 0, 0, 3, 0, shape=[3, 3]))
    check(made == model("neg", model("neg", m)), "from_dense, and unary ops")
    check(elements_of(model("matmul", m, floats(1, 10, 100))) == [201, 0, 30], "times a vector")
    check(elements_of(model("matmul", m, floats(1, 1, 10, 0, 0, 1, shape=[3, 2]))) ==
          [1, 3, 0, 0, 30, 0], "times a matrix")
    made = model("transpose", m)
    check(elements_of(model("to_dense", made)) == [1, 0, 0, 0, 0, 3, 2, 0, 0], "transposed")
    made = model("scale", m, plain(2.0))
    check(elements_of(component(made, "values")) == [2, 4, 6], "scaled")
    check(elements_of(model("shape", m)) == [3, 3], "shape")
    code, _ = model.rejection("exp", m)
    check(code == grpc.StatusCode.UNIMPLEMENTED, "exp of 0 is not 0")
    code, _ = model.rejection("scale", m, floats(1, 2, 3))
    check(code == grpc.StatusCode.UNIMPLEMENTED, "an override that declines")
    for what, values, indices, splits, wanted in [
            ("a column too many", [1], [3], [0, 1], "columns of the matrix"),
            ("columns out of order", [1, 2], [1, 0], [0, 2], "increase in each row"),
            ("splits that end early", [1, 2], [0, 1], [0, 1], "row_splits start at 0"),
            ("a value without a column", [1, 2], [0], [0, 2], "one column index per value")]:
        code, message = model.rejection("neg", csr(3, values, indices, splits))
        check(code == grpc.StatusCode.INVALID_ARGUMENT and wanted in message, what)


def test_alignment(channel):
    model = Model(channel, "alignment")
    turns = model("from_lengths", ints(2, 0, 1))
    words = model("to_inner", turns, texts("ann", "bob", "cy")).tensor
    check(bytes(words.data) == b"annanncy" or list(words.strings) == [b"ann", b"ann", b"cy"],
          "each word has the speaker of its turn")
    spans = model("to_outer", turns, floats(1, 2, 3))
    check(elements_of(values_pb2.Value(tensor=spans.ragged.row_splits[0])) == [0, 2, 2, 3],
          "each turn has its words")
    letters = model("compose", turns, model("from_lengths", ints(4, 1, 2)))
    check(elements_of(component(letters, "row_splits")) == [0, 5, 5, 7], "one after another")
    check(elements_of(model("sizes", turns)) == [3, 3], "shape is what the type says")
    old = extension("align.Dimensions", {"version": "1"}, lengths=ints(2, 0, 1))
    check(elements_of(model("sizes", old)) == [3, 3], "version 1 is converted")
    code, message = model.rejection("sizes", extension("align.Dimensions", {"version": "2"},
                                                     row_splits=ints(0, 2, 1)))
    check(code == grpc.StatusCode.INVALID_ARGUMENT and "never decrease" in message,
          "an invariant of version 2")
    code, _ = model.rejection("sizes", extension("align.Dimensions", {"version": "3"},
                                               row_splits=ints(0, 2)))
    check(code == grpc.StatusCode.INVALID_ARGUMENT, "nothing converts version 3")


def close(found, wanted):
    return all(abs(a - b) < 1e-4 for a, b in zip(found, wanted)) and len(found) == len(wanted)


def test_distribution(channel):
    model = Model(channel, "distribution")
    normal = extension("dist.Normal", loc=floats(0, 1), scale=floats(1, 2))
    categorical = extension("dist.Categorical", logits=floats(0, 0, 0, 0))
    check(elements_of(model("mean", normal)) == [0, 1], "the mean of Normal")
    check(close(elements_of(model("log_prob", normal, floats(0, 1))), [-0.918939, -1.612086]),
          "log_prob of Normal")
    check(close(elements_of(model("entropy", categorical)), [1.386294]), "entropy of Categorical")
    index = ints_scalar(2)
    check(close(elements_of(model("log_prob", categorical, index)), [-1.386294]),
          "log_prob of Categorical")
    drawn = elements_of(model("sample", normal, ints_scalar(7), plain(2000)))
    check(len(drawn) == 4000 and abs(sum(drawn[0::2]) / 2000) < 0.1, "samples of Normal")
    check(abs(sum(drawn[1::2]) / 2000 - 1) < 0.2, "each with its own loc")
    check(drawn == elements_of(model("sample", normal, ints_scalar(7), plain(2000))),
          "are those of the seed")
    check(drawn != elements_of(model("sample", normal, plain(8), plain(2000))),
          "and others for another")
    uneven = extension("dist.Categorical", logits=floats(0, math.log(3), -math.inf))
    drawn = elements_of(model("sample", uneven, plain(7), plain(2000)))
    check(set(drawn) == {0, 1} and abs(drawn.count(1) / 2000 - 0.75) < 0.05,
          "samples of Categorical")
    made = model("scaled", model("shifted", normal, plain(1.0)), plain(-3.0))
    check(elements_of(component(made, "loc")) == [-3, -6], "Normal shifted and scaled")
    check(elements_of(component(made, "scale")) == [3, 6], "with a scale above 0")
    answer = model("surprise", json_text('{"loc": [0], "scale": [1]}'), floats(0))
    check(close(elements_of(answer), [0.918939]), "JSON under a declared type")
    code, _ = model.rejection("scaled", categorical, plain(2.0))
    check(code == grpc.StatusCode.UNIMPLEMENTED, "Categorical is not scaled")
    code, message = model.rejection("mean", extension("dist.Normal", loc=floats(0),
                                                    scale=floats(-1)))
    check(code == grpc.StatusCode.INVALID_ARGUMENT and "scale is above 0" in message,
          "a scale below 0")
    code, message = model.rejection("mean", floats(1))
    check(code == grpc.StatusCode.INVALID_ARGUMENT and "Normal or Categorical" in message,
          "a value that is not a distribution")


GRAPH = """{
  "nodes": [{"name": "a", "state": 1}, {"name": "b", "state": 2}, {"name": "c", "state": 3}],
  "edges": [{"weight": 10}, {"weight": 1}, {"weight": 1}],
  "source": [1, 0, 2], "incoming": [0, 1, 3, 3]
}"""


def test_digraph(channel):
    model = Model(channel, "digraph")
    nodes = model("two_steps", json_text(GRAPH))  # b -> a, a -> b, c -> b
    states = nodes.structured.fields["state"]
    check(elements_of(states) == [40, 20, 0], "states go along edges, twice")
    code, message = model.rejection("two_steps", json_text(GRAPH.replace("[1, 0, 2]", "[1, 0, 3]")))
    check(code == grpc.StatusCode.INVALID_ARGUMENT and "number of a node" in message,
          "a source that is not a node")


INTERVALS = '''
"""Intervals, an example of a type of one's own"""


class shop.Interval:
    """All numbers from low to high."""
    unit: static
    low: float32[...]
    high: float32[...]

    @invariant
    def ordered(x, /):
        """low is nowhere above high"""
        return reduce_all(x.low <= x.high)

    @override(mul, inputs=[shop.Interval, tensor])
    def scaled_interval(x, by, /):
        return shop.Interval(x.low * by, x.high * by, unit=x.unit)

    @conversion(shop.Interval<unit="inch">())
    def from_inches(x, /):
        return shop.Interval(x.low * 2.54, x.high * 2.54, unit="cm")


def width(x: shop.Interval<unit="cm">(low: float32[?], high: float32[?]), /):
    return x.high - x.low


def scale(x, by, /):
    return x * by
'''


def interval(unit, low, high):
    return extension("shop.Interval", {"unit": f'"{unit}"'}, low=floats(low), high=floats(high))


def test_own_type():
    """A model with a type of its own, which no server was built for."""
    with tempfile.TemporaryDirectory() as models:
        folder = os.path.join(models, "intervals", "1")
        os.makedirs(folder)
        with open(os.path.join(folder, "model.signet"), "w", encoding="utf-8") as file:
            file.write(INTERVALS)
        with running(models=models) as server, grpc.insecure_channel(server.address) as channel:
            model = Model(channel, "intervals")
            answer = model("width", interval("cm", 1, 3))
            check(elements_of(answer) == [2], "a type that came with its model")
            answer = elements_of(model("width", interval("inch", 1, 3)))
            check(abs(answer[0] - 5.08) < 1e-5, "an argument is converted")
            made = model("scale", interval("inch", 1, 3), plain(2.0))
            check(elements_of(component(made, "high")) == [6], "an op means what its override says")
            check(made.extension.statics["unit"].literal.string == b"inch", "statics are kept")
            code, message = model.rejection("width", interval("cm", 3, 1))
            check(code == grpc.StatusCode.INVALID_ARGUMENT and
                  "low is nowhere above high" in message, "its invariant is checked")
            code, _ = model.rejection("width", interval("furlong", 1, 3))
            check(code == grpc.StatusCode.INVALID_ARGUMENT, "nothing converts furlongs")
            code, message = model.rejection("scale", plain(2.0), interval("cm", 1, 3))
            check(code == grpc.StatusCode.UNIMPLEMENTED and "scaled_interval" in message,
                  "the error names what was tried")


def test_versions():
    """Values of earlier versions, as messages and as JSON, and what GetModel says of the type."""
    models = os.path.join(SOURCE, "tests/models")
    with running(models=models) as server, grpc.insecure_channel(server.address) as channel:
        model = Model(channel, "versions")
        first = extension("app.Rows", {"version": "1"}, lengths=ints(2, 0, 1))
        check(elements_of(model("limits", first)) == [2, 2, 3], "version 1 is converted twice")
        newest = extension("app.Rows", {"version": "3"}, starts=ints(0, 2), limits=ints(2, 3))
        check(elements_of(model("lengths", newest)) == [2, 1], "and the newest to version 1")
        made = model("downgrade", newest)
        check(made.extension.statics["version"].literal.int == 1, "which may be a result")
        for text in ['{"starts": [0, 2, 2], "limits": [2, 2, 3]}', '{"row_splits": [0, 2, 2, 3]}',
                     '{"lengths": [2, 0, 1]}', "[2, 0, 1]"]:
            check(elements_of(model("limits", json_text(text))) == [2, 2, 3], text)
        check(elements_of(model("lengths", json_text('{"starts": [0], "limits": [4]}'))) == [4],
              "JSON of the newest version for version 1")
        code, _ = model.rejection("limits", json_text('{"rows": [1]}'))
        check(code == grpc.StatusCode.INVALID_ARGUMENT, "JSON of no version")

        request = service_pb2.GetModelRequest(model=service_pb2.ModelSpec(name="versions"))
        described = model.stub.GetModel(request, timeout=30)
        (rows,) = described.extension_types
        (limits,) = [f for f in described.functions if f.name == "limits"]
        # A value built from the declaration alone, and the default passed as it is stated.
        built = extension(rows.name, {rows.statics[0]: "3"},
                          **{component.name: ints(0, 2) for component in rows.components})
        check(elements_of(model("limits", built)) == [0, 2], "a value built from the declaration")
        (parameter,) = limits.type.parameters
        check(parameter.optional, "the parameter may be left out")
        check(model("limits", limits.defaults[parameter.name]) == model("limits"),
              "the stated default is what a call without the argument takes")


def test_names():
    """Keywords of any text, and those of positional-only parameters."""
    with tempfile.TemporaryDirectory() as models:
        folder = os.path.join(models, "names", "1")
        os.makedirs(folder)
        with open(os.path.join(folder, "model.signet"), "w", encoding="utf-8") as file:
            file.write('''
def h(a, /, **kw):
    return (a, kw)


def va(args_0, *args):
    return args


def both(*args, **kw):
    return (args, kw)


def free(x: any):
    return x
''')
        with running(models=models) as server, grpc.insecure_channel(server.address) as channel:
            model = Model(channel, "names")
            made = model("h", plain(1), **{"a": plain(2), "odd key": plain(3), "": json_text("4")})
            keys = made.tuple.elements[1].dict.items
            check({key: value.literal.int for key, value in keys.items()} ==
                  {"a": 2, "odd key": 3, "": 4}, "keywords of any text")
            check(model("va", plain(1), plain(2)) ==
                  values_pb2.Value(tuple=values_pb2.ValueList(elements=[plain(2)])), "args_0, *args")
            made = model("both", json_text("1"), args_0=json_text("2"))
            check(made.tuple.elements[1].dict.items["args_0"] == plain(2), "args_0 of **kw")
            for value in [plain(1), plain("text"), floats(1, 2), plain([1, 2])]:
                check(model("free", value) == value, "any accepts every argument")
            check(model("free", json_text('{"b": [1]}')).dict.items["b"] == plain([1]), "JSON too")
            code, _ = model.rejection("h", plain(1), **{"k" * 300: plain(2)})
            check(code == grpc.StatusCode.INVALID_ARGUMENT, "a keyword that is too long")
            words = [os.environ["SIGNET_CLI"], "--address", server.address, "call", "names", "h",
                     "1", '"odd key"=3', "a=4"]
            answer = subprocess.run(words, capture_output=True, text=True, check=True).stdout
            check('"odd key"' in answer, "a quoted keyword on the command line")


with running() as example_server, grpc.insecure_channel(example_server.address) as example_channel:
    test_masked(example_channel)
    test_labeled(example_channel)
    test_csr(example_channel)
    test_alignment(example_channel)
    test_distribution(example_channel)
    test_digraph(example_channel)
test_own_type()
test_versions()
test_names()
