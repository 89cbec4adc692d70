"""The ops of the engine, as functions: `ops.reduce_sum(x, axes=0)`.

In a function that is traced, a call adds a node to it. Elsewhere, it runs at once, on arrays, numbers, lists, and values of signet.
`help(ops.gather)` shows the entry of an op, and `dir(ops)` lists the names. Names that are reserved words of Python have a `_` at
the end: `ops.move_axis(x, from_=0, to=1)`.
"""

from __future__ import annotations

import collections
import functools
import inspect
import json
import keyword
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from signet import engine, errors
from signet import names as names_of_signet
from signet.trace import tracer
from signet.trace.errors import trace_error, with_advice
from signet.tracebacks import boundary
from signet.types import Type

_FAMILIES_ELSEWHERE = frozenset(("control",))  # signet.cond, signet.map, ..
_CONTROL = frozenset(("case", "cond", "decline", "map", "reduce", "scan", "while_loop"))
_NOT_HERE = frozenset(("make_extension", "get_item", "apply", "make_list", "make_tuple"))  # expressions of Python


def python_name(name: str) -> str:
    return f"{name}_" if keyword.iskeyword(name) else name


@functools.lru_cache(maxsize=1)
def catalog() -> dict[str, dict[str, Any]]:
    """The entries of all ops, as `signet ops --json` prints them."""
    return {entry["name"]: entry for entry in json.loads(engine.core().ops())}


@functools.lru_cache(maxsize=1)
def _ops() -> dict[str, Op]:
    return {name: Op(entry) for name, entry in catalog().items()
            if entry["family"] not in _FAMILIES_ELSEWHERE and name not in _NOT_HERE}


@boundary
def __getattr__(name: str) -> Op:
    if name.startswith("__"):
        raise AttributeError(name)
    op = _ops().get(name)
    if op is None:
        raise trace_error(f"signet.ops has no op `{name}`; {hint(name)}", AttributeError)
    return op


def __dir__() -> list[str]:
    return sorted(_ops())


def op_named(name: str, num_values: int = 1) -> Op | None:
    """The op that has this name in numpy, TensorFlow, or PyTorch, for a call with `num_values` values; or the op of this name."""
    familiar = engine.core().familiar_op(name, num_values)
    return _ops().get(familiar or name)


def hint(name: str, num_values: int = 1) -> str:
    """Which op has a similar name, or has this name in numpy, TensorFlow, or PyTorch."""
    expression: str = engine.core().familiar_expression(name)
    if expression:
        return "write `" + re.sub(r"\b([a-z_]\w*)\(", r"ops.\1(", expression).replace("=int64", '="int64"').replace("=float32", '="float32"') + "`"
    op = op_named(name, num_values)
    if op is not None:
        return f"the op is `ops.{op.name}`"
    if name in _CONTROL:
        return f"the function is `signet.{name}`"
    for prefix in ("string", "reduce", "ragged", "sparse", "struct", "image"):
        if f"{prefix}_{name}" in _ops():
            return f"the op is `ops.{prefix}_{name}`"
    try:
        engine.run(engine.core().find_op, name)
    except errors.Error as error:
        nearest = re.search(r"the nearest is `(\w+)`", error.message)
        if nearest is not None and names_of_signet.nearest(name, [nearest.group(1)]) is not None and nearest.group(1) in _ops():
            return f"the nearest is `ops.{nearest.group(1)}`"
        return "`dir(signet.ops)` lists the ops"
    return f"the op is `ops.{name}`"


class Op:
    """An op. Its inputs come first, and then its attributes, by position or by name.

    An argument that may be an input or an attribute, such as `axes`, is an attribute if it is a plain value of Python.
    """

    def __init__(self, entry: dict[str, Any]) -> None:
        self.name: str = entry["name"]
        self.__name__ = self.__qualname__ = self.name
        self.__module__ = "signet.ops"
        self.family: str = entry["family"]
        self._entry = entry
        self._inputs: list[str] = [each["name"] for each in entry["inputs"]]
        self._required = sum(each["kind"] == "required" for each in entry["inputs"])
        self._is_variadic = bool(entry["inputs"]) and entry["inputs"][-1]["kind"] == "any number"
        self._attributes: list[str] = [each["name"] for each in entry["attributes"]]
        self._required_attributes = [each["name"] for each in entry["attributes"] if each["required"]]
        self._takes_fields = self._is_variadic and "names" in self._attributes
        self._outputs: list[str] = entry["outputs"]
        self._has_one_dtype = self.family in ("elementwise", "linalg") or self.name == "select"
        self._joins = self._is_variadic and len(self._inputs) == 1 and "axis" in self._attributes  # concat and stack

    @property
    def __doc__(self) -> str:  # type: ignore[override]
        entry = self._entry
        parts = [f"{entry['summary']}.", entry["description"], f"Result: {entry['result']}"]
        parts += [f"{each['label']}: {each['text']}" for each in entry["constraints"]]
        if entry["composites"]:
            parts.append(f"Composite values: {entry['composites']}")
        if entry["examples"]:
            parts.append("Examples, as `signet ops` shows them:\n\n" + "\n".join(f"    {line}" for each in entry["examples"]
                                                                                for line in each.rstrip().split("\n")))
        return "\n\n".join(part for part in parts if part)

    @functools.cached_property
    def __signature__(self) -> inspect.Signature:
        kinds = inspect.Parameter
        out, taken = [], set()
        last = self._inputs[-1] if self._is_variadic else None
        for entry in self._entry["inputs"]:
            name = python_name(entry["name"])
            taken.add(entry["name"])
            if entry["name"] == last:
                if not self._takes_fields:
                    out.append(kinds(name, kinds.VAR_POSITIONAL))
            else:
                default = kinds.empty if entry["kind"] == "required" else None
                out.append(kinds(name, kinds.POSITIONAL_OR_KEYWORD, default=default))
        has_default = any(each.default is not kinds.empty for each in out)
        for entry in self._entry["attributes"]:
            if entry["name"] in taken or (self._takes_fields and entry["name"] == "names"):
                continue
            is_keyword = last is not None or (entry["required"] and has_default)
            default = kinds.empty if entry["required"] else _shown_default(entry["default"])
            out.append(kinds(python_name(entry["name"]), kinds.KEYWORD_ONLY if is_keyword else kinds.POSITIONAL_OR_KEYWORD, default=default))
            has_default = has_default or not entry["required"]
        if self._takes_fields:
            out.append(kinds("fields", kinds.VAR_KEYWORD))
        return inspect.Signature(sorted(out, key=lambda each: each.kind))

    def __repr__(self) -> str:
        return f"<signet op {self._entry['signature']}>"

    def __reduce__(self) -> Any:
        return __getattr__, (self.name,)

    @boundary
    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        inputs, attributes = self._bind(args, kwargs)
        if self._joins and len(inputs) == 1 and isinstance(inputs[0], (list, tuple)) and not hasattr(inputs[0], "_fields"):
            written = "".join(f", {python_name(name)}={value!r}" for name, value in attributes.items())
            raise trace_error(f"`{self.name}` takes its inputs as arguments, not as a {type(inputs[0]).__name__}: `ops.{self.name}(x, y{written})`, "
                              f"or `ops.{self.name}(*values{written})`", TypeError)
        scope = tracer.current()
        if scope is None:
            try:
                outputs = run(self.name, inputs, attributes)
            except errors.Error as error:
                error.message = with_advice(error.message)
                error.args = (error.message,)
                raise
        else:
            outputs = scope.call(self.name, inputs, {name: attribute(value) for name, value in attributes.items()}, has_one_dtype=self._has_one_dtype)
        return self._result(outputs, attributes)

    def takes(self, count: int) -> bool:
        """Whether a call may have this number of inputs and no attributes."""
        return self._required <= count <= len(self._inputs) and not self._required_attributes

    def _bind(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
        """The inputs and attributes of a call."""
        inputs: dict[str, Any] = {}
        variadic: list[Any] = []
        attributes: dict[str, Any] = {}
        names = [*self._inputs[:-1]] if self._is_variadic else [*self._inputs, *(a for a in self._attributes if a not in self._inputs)]
        if len(args) > len(names) and not self._is_variadic:
            raise trace_error(f"`{self.name}`: expected at most {len(names)} positional arguments, found {len(args)}, in "
                          f"`{self._entry['signature']}`", TypeError)
        for name, value in zip(names, args):
            self._assign(name, value, inputs, attributes)
        variadic += args[len(names):]
        fields: list[str] = []
        for given, value in kwargs.items():
            name = given[:-1] if given.endswith("_") and keyword.iskeyword(given[:-1]) else given
            is_known = name in self._attributes or (name in self._inputs and not (self._is_variadic and name == self._inputs[-1]))
            if self._takes_fields and (not is_known or (name == "names" and not isinstance(value, (list, tuple)))):
                fields.append(name)
                variadic.append(value)
            elif not is_known:
                nearest = names_of_signet.nearest(name, [*self._inputs, *self._attributes])
                raise trace_error(f"`{self.name}`: no input or attribute `{name}`" + (f"; the nearest is `{nearest}`" if nearest else "")
                              + f", in `{self._entry['signature']}`", TypeError)
            else:
                self._assign(name, value, inputs, attributes)
        if fields:
            attributes["names"] = [*attributes.get("names", ()), *fields]
        plain = self._inputs[:-1] if self._is_variadic else self._inputs
        given_inputs = [inputs.get(name) for name in plain]
        missing = [name for name in plain[: self._required] if name not in inputs]
        missing += [name for name in self._required_attributes if name not in attributes and name not in inputs
                    and not (self._takes_fields and name == "names")]
        if missing:
            raise trace_error(f"`{self.name}`: no argument for `{missing[0]}`, in `{self._entry['signature']}`", TypeError)
        if self._takes_fields and "names" in self._required_attributes:
            attributes.setdefault("names", [])
        if not self._is_variadic:
            while len(given_inputs) > self._required and plain[len(given_inputs) - 1] not in inputs:
                given_inputs.pop()
        return [*given_inputs, *variadic], attributes

    def _assign(self, name: str, value: Any, inputs: dict[str, Any], attributes: dict[str, Any]) -> None:
        from signet.trace.control import Chosen

        is_input = name in self._inputs
        if is_input and name in self._attributes:
            if isinstance(value, Chosen):
                is_input, value = not value.as_attribute, value.value
            else:  # a traced value may be a literal of the call, which the engine converts to the attribute
                is_input = not tracer.is_plain(value)
        elif isinstance(value, Chosen):
            value = value.value
        taken = inputs if is_input else attributes
        if name in taken:
            raise trace_error(f"`{self.name}`: `{name}` is given by position and by name", TypeError)
        taken[name] = value

    def _result(self, outputs: list[Any], attributes: Mapping[str, Any]) -> Any:
        if not self._outputs:
            return outputs[0]
        if self._outputs[-1].endswith("..."):
            return tuple(outputs)
        present = [name.rstrip("?") for name in self._outputs if not name.endswith("?") or attributes.get(name[:-1])]
        if len(present) == 1:
            return outputs[0]
        return _output_class(self.name, tuple(present))(*outputs[: len(present)])


@functools.lru_cache(maxsize=None)
def _output_class(op: str, names: tuple[str, ...]) -> Any:
    """The named tuple for the outputs of an op."""
    base = collections.namedtuple("".join(word.capitalize() for word in op.split("_")), names)  # type: ignore[misc]
    return type(base.__name__, (base,), {"__slots__": (), "__module__": "signet.ops", "_signet_op": op,
                                         "__reduce__": lambda self: (_outputs, (op, names, tuple(self)))})


def _outputs(op: str, names: tuple[str, ...], values: tuple[Any, ...]) -> Any:
    return _output_class(op, names)(*values)


class _Default:
    """A default as the notation writes it."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return self._text


def _shown_default(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return {"True": True, "False": False, "None": None}.get(text, _Default(text.replace("list()", "[]").replace("dict()", "{}")))


def attribute(value: Any) -> Any:
    """A value as an attribute: a dtype is its name, and arrays are lists."""
    if isinstance(value, np.dtype) or (isinstance(value, type) and issubclass(value, np.generic)):
        return str(np.dtype(value))
    definition = getattr(value, "__signet_definition__", None)
    if definition is not None and isinstance(value, type):
        return definition.name
    if hasattr(value, "_signet_dtype"):
        return value._signet_dtype
    if isinstance(value, Op):
        return value.name
    if isinstance(value, Type) or value is None or isinstance(value, (bool, int, float, str, bytes)) and not isinstance(value, np.generic):
        return value
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    if isinstance(value, (list, tuple)):
        return [attribute(each) for each in value]
    if isinstance(value, Mapping):
        return {key: attribute(item) for key, item in value.items()}
    traced_name = getattr(value, "_signet_use", None)
    return value if traced_name is None else traced_name()


def run(op: str, inputs: list[Any], attributes: Mapping[str, Any], types: Sequence[Any] = ()) -> list[Any]:
    """Runs an op on values. `types` are classes of extension types that are not among them."""
    from signet.trace.extension_types import eager_library
    from signet.wire import decode
    from signet.wire.convert import Conversion

    convert, reading = Conversion(exact=True), decode.Reading()
    sent = [convert.argument(value, None, f"input {i}").to_bytes() for i, value in enumerate(inputs)]
    plain = {name: attribute(value) for name, value in attributes.items()}
    library = eager_library([*types, *inputs, *attributes.values()])
    return [reading.value(memoryview(data)) for data in engine.run(engine.core().run_op, library, op, sent, plain)]
