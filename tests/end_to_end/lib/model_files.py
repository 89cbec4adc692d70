"""Writes small ONNX files and SavedModels for tests, from text of their protobuf messages."""

import os
import subprocess

ROOT = os.path.join(os.path.dirname(__file__), "../../..")
ONNX_PROTOS = "/usr/include/onnx"  # Debian's libonnx-dev, with which Signet is compiled
ELEMENT_TYPES = {"float32": 1, "int64": 7, "string": 8}


def encode(message, proto, folder, text):
    """The bytes of a message in protobuf's text format."""
    return subprocess.run(["protoc", f"--encode={message}", f"--proto_path={folder}", proto],
                          input=text.encode(), stdout=subprocess.PIPE, check=True).stdout


# --- ONNX -------------------------------------------------------------------------------------------------

def onnx_value(name, dtype, *dims):
    """An input or output. Each dimension is a number or a name."""
    shape = " ".join(f"dim {{ dim_value: {dim} }}" if isinstance(dim, int) else f"dim {{ dim_param: '{dim}' }}" for dim in dims)
    return f"name: '{name}' type {{ tensor_type {{ elem_type: {ELEMENT_TYPES[dtype]} shape {{ {shape} }} }} }}"


def onnx_node(op, inputs, outputs, more=""):
    return (f"node {{ op_type: '{op}' " + " ".join(f"input: '{name}'" for name in inputs) + " "
            + " ".join(f"output: '{name}'" for name in outputs) + f" {more} }}")


def onnx_weights(name, rows):
    """A float32 matrix, or a vector if `rows` is a list of numbers."""
    is_matrix = isinstance(rows[0], (list, tuple))
    dims = f"dims: {len(rows)} " + (f"dims: {len(rows[0])}" if is_matrix else "")
    numbers = [number for row in rows for number in row] if is_matrix else rows
    return f"initializer {{ name: '{name}' data_type: 1 {dims} " + " ".join(f"float_data: {number}" for number in numbers) + " }"


def onnx_text(inputs, outputs, *parts):
    """A model of values, nodes, and weights."""
    return ("ir_version: 8 opset_import { version: 13 } graph { name: 'net' "
            + " ".join(f"input {{ {value} }}" for value in inputs) + " "
            + " ".join(f"output {{ {value} }}" for value in outputs) + " " + " ".join(parts) + " }")


def write_onnx(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(encode("onnx.ModelProto", "onnx.proto", ONNX_PROTOS, text))


def flower_network():
    """Softmax(sizes @ weights + bias): the probabilities of three species for sizes of flowers in centimeters."""
    return onnx_text(
        [onnx_value("sizes", "float32", "rows", 4)], [onnx_value("probabilities", "float32", "rows", 3)],
        onnx_weights("weights", [[0, 3, -3], [0, 4, -3], [0.1, 0.1, 0], [0, 0, 0.2]]), onnx_weights("bias", [0, -21.5, 11]),
        onnx_node("Gemm", ["sizes", "weights", "bias"], ["scores"]), onnx_node("Softmax", ["scores"], ["probabilities"]))


def linear_network(scale):
    """The sum of 13 columns, times `scale`."""
    return onnx_text(
        [onnx_value("x", "float32", "rows", 13)], [onnx_value("y", "float32", "rows", 1)],
        onnx_weights("weights", [[scale]] * 13), onnx_node("MatMul", ["x", "weights"], ["y"]))


def text_network():
    """Sums and differences of numbers that are sent as text, as in the examples of Triton, with two inputs and two outputs."""
    inputs = ["INPUT0", "INPUT1"]
    parts = [onnx_node("Cast", [name], [f"{name}_number"], "attribute { name: 'to' type: INT i: 7 }") for name in inputs]
    for op, output in (("Add", "OUTPUT0"), ("Sub", "OUTPUT1")):
        parts += [onnx_node(op, [f"{name}_number" for name in inputs], [f"{output}_number"]),
                  onnx_node("Cast", [f"{output}_number"], [output], "attribute { name: 'to' type: INT i: 8 }")]
    return onnx_text([onnx_value(name, "string", 1, 16) for name in inputs],
                     [onnx_value(name, "string", 1, 16) for name in ("OUTPUT0", "OUTPUT1")], *parts)


# --- SavedModel -------------------------------------------------------------------------------------------

def attribute(name, value):
    return f"attr {{ key: '{name}' value {{ {value} }} }}"


def node(name, op, inputs=(), *attributes):
    return f"name: '{name}' op: '{op}' " + " ".join(f"input: '{each}'" for each in inputs) + " " + " ".join(attributes)


def constant(name, dtype, shape, values=""):
    dims = " ".join(f"dim {{ size: {size} }}" for size in shape)
    return node(name, "Const", (), attribute("dtype", f"type: {dtype}"),
                attribute("value", f"tensor {{ dtype: {dtype} tensor_shape {{ {dims} }} {values} }}"))


def placeholder(name, dtype, shape):
    return node(name, "Placeholder", (), attribute("dtype", f"type: {dtype}"), attribute("shape", f"shape {{ {shape} }}"))


ROWS = "dim { size: -1 }"
COLUMN = "dim { size: -1 } dim { size: 1 }"
FLOAT = attribute("T", "type: DT_FLOAT")


def signature(name, method, source, result):
    """`source` and `result` are the name of a signature's tensor, the tensor, its dtype, and its shape."""
    sides = " ".join(f"{side} {{ key: '{key}' value {{ name: '{tensor}' dtype: {dtype} tensor_shape {{ {shape} }} }} }}"
                     for side, (key, tensor, dtype, shape) in (("inputs", source), ("outputs", result)))
    return f"signature_def {{ key: '{name}' value {{ {sides} method_name: 'tensorflow/serving/{method}' }} }}"


def saved_model_text(nodes, signatures, library=""):
    return ("saved_model_schema_version: 1 meta_graphs { meta_info_def { tags: 'serve' } graph_def { versions { producer: 1000 } "
            + " ".join(f"node {{ {each} }}" for each in nodes) + f" {library} }} " + " ".join(signatures) + " }")


def parsed_examples(version, source, tensor):
    """Nodes that parse serialized examples with the feature `x`. `tensor` names the output of a constant."""
    names, keys = tensor("names"), tensor("keys")
    nodes = [constant("names", "DT_STRING", [0]), constant("missing", "DT_FLOAT", [1], "float_val: 0")]
    shapes = [attribute("Tdense", "list { type: DT_FLOAT }"), attribute("dense_shapes", "list { shape { dim { size: 1 } } }"),
              attribute("sparse_types", "list { }")]
    if version == 1:
        return [*nodes, constant("keys", "DT_STRING", [], "string_val: 'x'"),
                node("examples", "ParseExample", [source, names, keys, tensor("missing")], attribute("Nsparse", "i: 0"),
                     attribute("Ndense", "i: 1"), *shapes)]
    return [*nodes, constant("keys", "DT_STRING", [1], "string_val: 'x'"), constant("none", "DT_STRING", [0]),
            node("examples", "ParseExampleV2", [source, names, tensor("none"), keys, tensor("none"), tensor("missing")],
                 attribute("num_sparse", "i: 0"), attribute("ragged_value_types", "list { }"),
                 attribute("ragged_split_types", "list { }"), *shapes)]


def half_plus_two_of_sessions():
    """x / 2 + 2 in the form of TensorFlow 1: one graph, and signatures that predict, classify, and regress."""
    nodes = [placeholder("tf_example", "DT_STRING", ROWS), *parsed_examples(1, "tf_example", str),
             node("x", "Identity", ["examples"], FLOAT), constant("a", "DT_FLOAT", [], "float_val: 0.5"),
             constant("b", "DT_FLOAT", [], "float_val: 2"), node("half", "Mul", ["x", "a"], FLOAT),
             node("y", "Add", ["half", "b"], FLOAT)]
    examples, result = ("inputs", "tf_example:0", "DT_STRING", ROWS), ("y:0", "DT_FLOAT", COLUMN)
    return saved_model_text(nodes, [
        signature("serving_default", "predict", ("x", "x:0", "DT_FLOAT", COLUMN), ("y", *result)),
        signature("classify_x_to_y", "classify", examples, ("scores", *result)),
        signature("regress_x_to_y", "regress", examples, ("outputs", *result))])


def half_plus_two_of_functions():
    """x / 2 + 2 in the form of TensorFlow 2: signatures that call functions of the library. Their method is `predict`."""
    def function(name, dtype, argument, nodes):
        body = " ".join(f"node_def {{ {each} }}" for each in nodes)
        return (f"function {{ signature {{ name: '{name}' input_arg {{ name: '{argument}' type: {dtype} }} "
                f"output_arg {{ name: 'result' type: DT_FLOAT }} }} {body} ret {{ key: 'result' value: 'y:z:0' }} }}")

    def computed(x):
        return [constant("a", "DT_FLOAT", [], "float_val: 0.5"), constant("b", "DT_FLOAT", [], "float_val: 2"),
                node("half", "Mul", [x, "a:output:0"], FLOAT), node("y", "AddV2", ["half:z:0", "b:output:0"], FLOAT)]

    library = "library { " + function("half_plus_two", "DT_FLOAT", "x", computed("x")) + " " + function(
        "half_plus_two_of_examples", "DT_STRING", "inputs",
        [*parsed_examples(2, "inputs", lambda name: f"{name}:output:0"), *computed("examples:dense_values:0")]) + " }"

    def called(name, source, dtype, target):
        return node(name, "StatefulPartitionedCall", [source], attribute("Tin", f"list {{ type: {dtype} }}"),
                    attribute("Tout", "list { type: DT_FLOAT }"), attribute("f", f"func {{ name: '{target}' }}"))

    nodes = [placeholder("serving_default_x", "DT_FLOAT", COLUMN), called("y", "serving_default_x", "DT_FLOAT", "half_plus_two"),
             placeholder("regress_inputs", "DT_STRING", ROWS),
             called("regressed", "regress_inputs", "DT_STRING", "half_plus_two_of_examples")]
    return saved_model_text(nodes, [
        signature("serving_default", "predict", ("x", "serving_default_x:0", "DT_FLOAT", COLUMN), ("y", "y:0", "DT_FLOAT", COLUMN)),
        signature("regress_x_to_y", "predict", ("inputs", "regress_inputs:0", "DT_STRING", ROWS),
                  ("outputs", "regressed:0", "DT_FLOAT", COLUMN))], library)


def write_saved_model(folder, text):
    """Writes folder/saved_model.pb."""
    os.makedirs(folder)
    with open(os.path.join(folder, "saved_model.pb"), "wb") as file:
        file.write(encode("tensorflow.SavedModel", "tensorflow/saved_model.proto", os.path.join(ROOT, "proto"), text))
