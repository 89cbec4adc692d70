"""Stubs for editors and type checkers.

    python3 -m signet.stubs localhost:8500 recipes > recipes.pyi     the functions of a model that a server serves
    python3 -m signet.stubs models/recipes/1 recipes > recipes.pyi   those of a model in files; needs signet._core
    python3 -m signet.stubs ops > ops.pyi                            signet.ops; the build writes it into the package
"""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Callable
from typing import Any

from signet.types import (AnyType, DictType, ExtensionType, LiteralType, NamedTupleType, RaggedType, SequenceType, SparseType,
                          StructuredType, TensorType, Type, join_parameters)

def _text(doc: str, indent: str) -> str:
    escaped = doc.replace("\\", "\\\\").replace('"""', '\\"\\"\\"').replace("\n", f"\n{indent}").replace(f"\n{indent}\n", "\n\n")
    return f'{indent}"""{escaped}\n{indent}"""\n'


def _parameters(signature: inspect.Signature, annotation: Callable[[Any], str]) -> str:
    def text_of(parameter: inspect.Parameter) -> str:
        return f"{parameter.name}: {annotation(parameter)}" + ("" if parameter.default is inspect.Parameter.empty else " = ...")

    return join_parameters(signature.parameters.values(), text_of)


def ops_stub() -> str:
    """The stub of signet.ops, of the catalog of the engine."""
    from signet import ops

    lines = ['"""The ops of the engine, as functions."""\n\nfrom typing import Any, NamedTuple\n']
    lines.append("class Op:\n    name: str\n    family: str\n    def __call__(self, /, *args: Any, **kwargs: Any) -> Any: ...\n")
    lines.append("def hint(name: str, num_values: int = 1) -> str: ...\ndef op_named(name: str, num_values: int = 1) -> Any: ...\ndef attribute(value: Any) -> Any: ...\ndef catalog() -> dict[str, dict[str, Any]]: ...\n"
                 "def python_name(name: str) -> str: ...\n"
                 "def run(op: str, inputs: list[Any], attributes: Any, types: Any = ...) -> list[Any]: ...\n")
    for name in dir(ops):
        op = getattr(ops, name)
        outputs = [each.rstrip("?") for each in op._outputs]
        result = "Any"
        if outputs and outputs[-1].endswith("..."):
            result = "tuple[Any, ...]"
        elif outputs and not op._outputs[-1].endswith("?"):
            result = "".join(word.capitalize() for word in name.split("_"))
            lines.append(f"class {result}(NamedTuple):\n" + "".join(f"    {each}: Any\n" for each in outputs))
        lines.append(f"def {name}({_parameters(inspect.signature(op), lambda parameter: 'Any')}) -> {result}:\n" + _text(op.__doc__, "    "))
    return "\n".join(lines)


def class_of(type_: Type | None, is_result: bool) -> str:
    """The class of the values of a type: of those that a function returns, or of those that it takes."""
    if type_ is None or isinstance(type_, AnyType) or not is_result:
        return "Any"
    if isinstance(type_, TensorType):
        return "Any" if not type_.shape else "np.ndarray[Any, Any]"
    known = {RaggedType: "signet.Ragged", StructuredType: "signet.Structured", SparseType: "signet.Sparse", ExtensionType: "signet.Extension",
             DictType: "dict[str, Any]", NamedTupleType: "Any", LiteralType: "Any"}
    if isinstance(type_, SequenceType):
        if type_.kind == "list":
            return "list[Any]"
        return f"tuple[{', '.join(class_of(each, True) for each in type_.elements) or '()'}]"
    return known.get(type(type_), "Any")


def model_stub(model: Any) -> str:
    """The stub of the functions of a model."""
    from signet.model import info

    described = info(model)
    lines = [_text(described.doc or f"The functions of the model {described.name}.", ""), "from typing import Any\n\nimport numpy as np\nimport signet\n"]
    for function in described.functions.values():
        type_ = function.type
        result = type_.return_annotation
        shown = class_of(None if result is inspect.Signature.empty else result, True)
        parameters = _parameters(type_, lambda parameter: class_of(parameter.type_constraint, False))
        lines.append(f"def {function.name}({parameters}) -> {shown}:\n" + _text(function.help(), "    "))
    return "\n".join(lines)


def main(arguments: list[str]) -> int:
    if arguments == ["ops"]:
        print(ops_stub())
        return 0
    if len(arguments) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    where, name = arguments
    if os.path.exists(where):
        from signet.trace.model import load

        print(model_stub(load(where, name)))
    else:
        from signet.client import connect

        print(model_stub(connect(where)[name]))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
