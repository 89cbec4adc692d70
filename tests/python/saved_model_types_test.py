"""Extension types of TensorFlow: a server declares those that a SavedModel names, and clients send their values."""

import json
import os
import subprocess

import numpy as np
import pytest
from conftest import Server

import signet

FLOATS = "tensor_spec_value { shape { dim { size: -1 } } dtype: DT_FLOAT }"
RAGGED = ("type_spec_value { type_spec_class: RAGGED_TENSOR_SPEC type_state { tuple_value { "
          "values { tensor_shape_value { dim { size: -1 } dim { size: -1 } } } values { tensor_dtype_value: DT_FLOAT } "
          "values { int64_value: 1 } values { tensor_dtype_value: DT_INT64 } } } }")


def tuple_of(*values):
    return "tuple_value { " + " ".join(f"values {{ {value} }}" for value in values) + " }"


def extension(name, **fields):
    pairs = [tuple_of(f"string_value: '{field}'", value) for field, value in fields.items()]
    return f"type_spec_value {{ type_spec_class: EXTENSION_TYPE_SPEC type_spec_class_name: '{name}.Spec' type_state {{ {tuple_of(*pairs)} }} }}"


def masked(unit, mask):
    return extension("shop.Masked", values=RAGGED, unit=unit, mask=mask, limits=extension("Limits", low=FLOATS))


def function(name, op):
    """A function of the library that applies `op` to the flat values, and returns them with the other tensors."""
    inputs = {"flat": "DT_FLOAT", "splits": "DT_INT64", "low": "DT_FLOAT"}
    args = " ".join(f"input_arg {{ name: '{key}' type: {dtype} }}" for key, dtype in inputs.items())
    outs = " ".join(f"output_arg {{ name: 'out_{key}' type: {dtype} }}" for key, dtype in inputs.items())
    return (f"function {{ signature {{ name: '{name}' {args} {outs} }} node_def {{ name: 'y' op: '{op}' input: 'flat' }} "
            "ret { key: 'out_flat' value: 'y:y:0' } ret { key: 'out_splits' value: 'splits' } ret { key: 'out_low' value: 'low' } }")


def trace(name, kind):
    return (f"concrete_functions {{ key: '{name}' value {{ canonicalized_input_signature {{ {tuple_of(tuple_of(kind), 'dict_value { }')} }} "
            f"output_signature {{ {kind} }} }} }}")


KG = masked("string_value: 'kg'", "none_value { }")
PAIR = masked(tuple_of("int64_value: 1", "string_value: 'x'"), "tensor_dtype_value: DT_BOOL")
SPEC = ("function_spec { fullargspec { named_tuple_value { name: 'FullArgSpec' values { key: 'args' value { list_value { "
        "values { string_value: 'x' } } } } } } }")
MODEL = (
    "saved_model_schema_version: 1 meta_graphs { meta_info_def { tags: 'serve' } graph_def { versions { producer: 1000 } library { "
    + function("negative", "Neg") + function("square", "Square") +
    " } } object_graph_def { nodes { children { node_id: 1 local_name: 'either' } children { node_id: 2 local_name: 'one' } "
    "user_object { identifier: '_generic_user_object' } } "
    f"nodes {{ function {{ concrete_functions: 'negative' concrete_functions: 'square' {SPEC} }} }} "
    f"nodes {{ function {{ concrete_functions: 'square' {SPEC} }} }} "
    + trace("negative", KG) + trace("square", PAIR) + " } }")


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """The model as it is, and as `signet import` writes it."""
    folder = tmp_path_factory.mktemp("models")
    version = folder / "tf" / "1"
    version.mkdir(parents=True)
    (version / "saved_model.pbtxt").write_text(MODEL, encoding="utf-8")
    subprocess.run([os.environ["SIGNET_CLI"], "import", str(version), str(folder / "imported" / "1")], check=True)
    server = Server(models=str(folder))
    try:
        with signet.connect(server.address, wait=30) as client:
            yield folder, server.address, client
    finally:
        server.stop()


def value(unit="kg", mask=None):
    limits = signet.Extension("saved_model.Limits", {}, {"low": np.float32([5])})
    return signet.Extension("shop.Masked", {"unit": unit, "mask": mask},
                            {"values": signet.parse("ragged float32[2, (?)] [[1, 2], []]"), "limits": limits})


@pytest.mark.parametrize("name", ["tf", "imported"])
def test_static_attributes_select_the_trace(served, name):
    model = served[2][name]
    made = model.either(value())
    assert isinstance(made, signet.Extension) and made.name == "shop.Masked"
    assert (made.unit, made.mask, made["values"].to_py(), made.limits.low.tolist()) == ("kg", None, [[-1, -2], []], [5])
    made = model.either(value((1, "x"), "bool"))
    assert (made.unit, made["values"].to_py()) == ((1, "x"), [[1, 4], []])
    assert model.one(value((1, "x"), "bool"))["values"].to_py() == [[1, 4], []]
    with pytest.raises(signet.InvalidArgument, match="argument `.*`: expected `shop.Masked<"):
        model.either(value("g"))
    with pytest.raises(signet.InvalidArgument):
        model.one(value())


@pytest.mark.parametrize("name", ["tf", "imported"])
def test_json(served, name):
    model = served[2][name]
    text = '{"$type": "shop.Masked", "unit": "kg", "mask": null, "values": [[1, 2], []], "limits": {"low": [5]}}'
    assert model.either(signet.json(text))["values"].to_py() == [[-1, -2], []]
    # The type of the parameter states what the text leaves out.
    short = '{"values": [[1, 2], []], "limits": {"low": [5]}}'
    assert model.one(signet.json(short))["values"].to_py() == [[1, 4], []]
    out = subprocess.run([os.environ["SIGNET_CLI"], "call", name, "one", short, "--address", served[1]],
                         check=True, capture_output=True, text=True).stdout
    assert json.loads(out) == {"$type": "shop.Masked", "mask": "bool", "unit": [1, "x"], "values": [[1, 4], []],
                               "limits": {"$type": "saved_model.Limits", "low": [5]}}
    # A result is an argument, too.
    again = subprocess.run([os.environ["SIGNET_CLI"], "call", name, "one", out, "--address", served[1]],
                           check=True, capture_output=True, text=True).stdout
    assert json.loads(again)["values"] == [[1, 16], []]


def test_the_types_are_listed(served):
    folder, _, client = served
    for name in ("tf", "imported"):
        assert sorted(signet.info(client[name]).extension_types) == ["saved_model.Limits", "shop.Masked"]
    text = subprocess.run([os.environ["SIGNET_CLI"], "inspect", str(folder / "tf" / "1")], check=True, capture_output=True, text=True).stdout
    assert "  shop.Masked<unit, mask>(values: ragged<rank=1> float32[...], limits: saved_model.Limits(low: float32[...]))\n" in text
    source = (folder / "imported" / "1" / "model.signet").read_text(encoding="utf-8")
    assert ("class shop.Masked:\n    \"\"\"Extension type of TensorFlow.\"\"\"\n    unit: static\n    mask: static\n"
            "    values: ragged<rank=1> float32[...]\n    limits: saved_model.Limits(low: float32[...])\n") in source
