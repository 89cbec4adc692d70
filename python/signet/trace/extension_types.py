"""Extension types: classes whose values are tensors with a meaning, and functions that define what ops do with them."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import operator
import re
import sys
import threading
import typing
from collections.abc import Callable, Sequence
from types import FunctionType as PythonFunction
from typing import Any

import numpy as np

from signet import engine, errors, ops
from signet.trace import notation, tracer
from signet.trace.errors import of_engine, trace_error
from signet.trace.functions import ModelFunction
from signet.trace.operators import Operators
from signet.trace.redefinition import fingerprint, warn_of_other_source
from signet.trace.tracer import Library, Scope
from signet.tracebacks import boundary
from signet.types import RaggedType, StructuredType, Type, format_static, notation_name
from signet.values import Extension, Ragged
from signet.values.extension import CLASSES, classes_among, classes_in, of_parts
from signet.values.from_py import from_py
from signet.wire import decode
from signet.wire.convert import Conversion

_STATIC_CLASSES = (str, int, float, bool, tuple, list, bytes, dict)


class Definition:
    """What the class of an extension type declares."""

    def __init__(self, cls: type, name: str, batches: bool, older: Sequence[str]) -> None:
        self.name, self.batches, self.older = name, batches, list(older)
        self.doc = inspect.cleandoc(cls.__doc__ or "")
        parents = [base for base in cls.__mro__[1:] if "__signet_definition__" in base.__dict__]
        self.parent: Any = parents[0] if parents else None
        inherited: Definition | None = self.parent.__signet_definition__ if parents else None
        self.statics: list[str] = list(inherited.statics) if inherited else []
        self.static_classes: dict[str, type] = dict(inherited.static_classes) if inherited else {}
        self.components: dict[str, str] = dict(inherited.components) if inherited else {}
        self.hints: dict[str, Any] = dict(inherited.hints) if inherited else {}  # classes of components
        self.order: list[str] = list(inherited.order) if inherited else []
        self.defaults: dict[str, Any] = dict(inherited.defaults) if inherited else {}
        self.invariants: list[ModelFunction] = []
        self.overrides: list[tuple[str, str, ModelFunction, list[str]]] = []
        self.conversions: list[tuple[str, ModelFunction]] = []
        self.version = 0  # changes when a handler is registered
        self.fingerprint = fingerprint(cls)
        scope = {**vars(sys.modules.get(cls.__module__, object)), **vars(cls)}
        for field, annotation in cls.__dict__.get("__annotations__", {}).items():
            self._add_field(field, annotation, scope)
            if field in cls.__dict__:
                self.defaults[field] = cls.__dict__[field]

    def _add_field(self, field: str, annotation: Any, scope: dict[str, Any]) -> None:
        evaluated = annotation
        if isinstance(annotation, str):
            try:
                evaluated = eval(annotation, dict(scope))
            except Exception:
                evaluated = annotation
        if field not in self.order:
            self.order.append(field)
        static = evaluated if evaluated in _STATIC_CLASSES else typing.get_origin(evaluated)
        if static in _STATIC_CLASSES:
            if field not in self.statics:
                self.statics.append(field)
            self.static_classes[field] = static
            return
        text, cls = notation.type_text(annotation, f"component `{field}` of `{self.name}`", scope)
        self.components[field] = text or ""
        if cls is not None:
            self.hints[field] = cls

    def hint(self, component: str) -> Any:
        """What is known of a component: the class of an extension type, or a type with unknown sizes."""
        return self.hints.get(component) or notation.dtype_hint(self.components.get(component))

    def names(self) -> list[str]:
        return [*self.statics, *self.components]

    def signature(self) -> inspect.Signature:
        """The signature of the class. A child may add parts without a default after parts with one."""
        parameters = [inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=self.defaults.get(name, inspect.Parameter.empty),
                                        annotation=self.static_classes.get(name) or self.hints.get(name) or self.components[name] or notation.ANY)
                      for name in self.order]
        return inspect.Signature(parameters, __validate_parameters__=False)

    def dataclass_fields(self) -> dict[str, Any]:
        """The fields for `dataclasses.fields` and `dataclasses.replace`."""
        fields = []
        for parameter in self.signature().parameters.values():
            has_default = parameter.default is not inspect.Parameter.empty
            default: dict[str, Any] = {"default_factory": functools.partial(operator.getitem, self.defaults, parameter.name)} if has_default else {}
            fields.append((parameter.name, parameter.annotation, dataclasses.field(**default)))
        made: Any = dataclasses.make_dataclass("Fields", fields, init=False, repr=False, eq=False)
        return dict(made.__dataclass_fields__)

    def types_used(self) -> list[Any]:
        texts = [*self.components.values(), *(source for source, _ in self.conversions), *self.older]
        named = [each for text in texts for each in classes_in(text) if each.__signet_definition__.name != self.name]
        return list(dict.fromkeys([*self.hints.values(), *named]))

    def version_of_all(self) -> tuple[int, ...]:
        """Changes when a handler of the class, or of a parent, is registered."""
        return (self.version, *(self.parent.__signet_definition__.version_of_all() if self.parent is not None else ()))

    def functions(self) -> list[ModelFunction]:
        return [*self.invariants, *(each[2] for each in self.overrides), *(each[1] for each in self.conversions)]

    def declaration(self) -> dict[str, Any]:
        """The declaration as the engine takes it."""
        parent = self.parent.__signet_definition__ if self.parent is not None else None
        return {"name": self.name, "doc": self.doc, "statics": self.statics, "components": list(self.components.items()),
                "parent": parent.name if parent else "", "batches": self.batches, "invariants": [each.__name__ for each in self.invariants],
                "overrides": [(op, family, each.__name__, inputs) for op, family, each, inputs in self.overrides],
                "conversions": [(source, each.__name__) for source, each in self.conversions], "older": self.older}

    def type_text(self, where: str, statics: dict[str, Any] | None = None, components: dict[str, Any] | None = None) -> str:
        """The type in the notation."""
        given = statics or {}
        missing = [name for name in self.statics if name not in given]
        if missing:
            raise trace_error(f"{where}: `{self.name}` has the static attribute `{missing[0]}`, which is part of the type; state it with "
                          f"`signet.type_of({self.name.rpartition('.')[2]}, {missing[0]}=...)`, or leave out the annotation", TypeError)
        inside = ", ".join(f"{notation_name(name)}: {(components or {}).get(name) or text or 'any'}" for name, text in self.components.items())
        shown = ", ".join(f"{name}={format_static(given[name])}" for name in sorted(self.statics))
        return f"{self.name}{f'<{shown}>' if shown else ''}({inside})"

    def method(self, cls: type, name: str, value: Any) -> Any:
        """Returns the method `name` of the class, bound to `value`."""
        found = inspect.getattr_static(cls, name, None)
        if found is None:
            from signet import names

            nearest = names.nearest(name, self.names())
            hint = f"; the nearest is `{nearest}`" if nearest else f"; it has {names.list_names(self.names())}"
            raise trace_error(f"`{self.name}` has no component, static attribute, or method `{name}`{hint}", AttributeError)
        return found.__get__(value, cls) if hasattr(found, "__get__") else found


class ExtensionValue(Extension, Operators):
    """A value of a class that `signet.extension_type` made. It cannot be changed."""

    __slots__ = ()
    __signet_definition__: Any

    @boundary
    def __new__(cls, /, *args: Any, **kwargs: Any) -> Any:
        return _make(cls, args, kwargs)

    def __init__(self, /, *args: Any, **kwargs: Any) -> None:  # _make has set the parts
        pass

    @boundary
    def __setattr__(self, name: str, value: Any) -> None:
        raise dataclasses.FrozenInstanceError(f"a value of `{self._name}` cannot be changed; make a new one")

    @boundary
    def __delattr__(self, name: str) -> None:
        raise dataclasses.FrozenInstanceError(f"a value of `{self._name}` cannot be changed; make a new one")

    def __reduce__(self) -> Any:
        return of_parts, (type(self), self._statics, self._components)


def _make(cls: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    definition: Definition = cls.__signet_definition__
    order = definition.order
    if len(args) > len(order):
        raise trace_error(f"`{definition.name}`: expected at most {len(order)} arguments, found {len(args)}", TypeError)
    parts = dict(zip(order, args))
    for name, value in kwargs.items():
        if name not in order or name in parts:
            from signet import names

            what = "is given by position and by name" if name in parts else f"is not a part; it has {names.list_names(order)}"
            raise trace_error(f"`{definition.name}`: `{name}` {what}", TypeError)
        parts[name] = value
    missing = [name for name in order if name not in parts and name not in definition.defaults]
    if missing:
        raise trace_error(f"`{definition.name}`: no argument for `{missing[0]}`", TypeError)
    parts = {name: parts.get(name, definition.defaults.get(name)) for name in order}
    for name, expected in definition.static_classes.items():
        parts[name] = _static(parts[name], expected, f"`{definition.name}`: static attribute `{name}`")
    scope = tracer.current()
    if scope is not None:
        return _make_in_trace(scope, cls, parts)
    statics = {name: parts[name] for name in definition.statics}
    components = {name: value_under_type(parts[name], definition.components[name], f"`{definition.name}`: component `{name}`")
                  for name in definition.components}
    value = of_parts(cls, statics, components)
    if not engine.is_there():
        return value  # the server checks it
    return ops.run("make_extension", list(components.values()), {"type": definition.name, "statics": statics}, [cls])[0]


def _make_in_trace(scope: Scope, cls: Any, parts: dict[str, Any]) -> Any:
    definition: Definition = cls.__signet_definition__
    scope.use_type(cls)
    statics: Any = {name: parts[name] for name in definition.statics}
    if not tracer.is_plain(statics):
        statics = scope.symbol_of(statics)
    for name, text in definition.components.items():
        if tracer.is_plain(parts[name]) and text not in ("", "any"):
            try:
                parts[name] = value_under_type(parts[name], text, f"`{definition.name}`: component `{name}`")
            except errors.Error as error:
                raise of_engine(error) from None
    out = scope.call("make_extension", [parts[name] for name in definition.components],
                     {"type": definition.name, **({"statics": statics} if definition.statics else {})}, definition.name.rpartition(".")[2])[0]
    object.__setattr__(out, "_hint", cls)
    return out


def traced_value(value: ExtensionValue) -> Any:
    """A value that was made outside of the trace, as a traced value."""
    return type(value)(**value._statics, **value._components)


def _static(value: Any, expected: type, where: str) -> Any:
    """A static attribute, which has the class of its annotation. A traced value is checked when the function is specialized."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, Operators):
        return value
    is_bool = isinstance(value, bool) and expected is not bool
    if not is_bool and isinstance(value, (expected, int) if expected is float else expected):
        return value
    raise trace_error(f"{where}: expected a value of the class `{expected.__name__}`, found {value!r}", TypeError)


def value_under_type(value: Any, text: str, where: str) -> Any:
    """A component or a default under its type, with the rules for arguments of calls."""
    type_ = _type_of_text(text)
    is_plain = isinstance(value, (list, tuple, int, float, str, type(None))) and not isinstance(value, np.generic)
    if isinstance(value, (Extension, bytes)) or (isinstance(value, dict) and not isinstance(type_, StructuredType)):
        return value
    if type_ is None and is_plain:
        if isinstance(value, (list, tuple)):
            return from_py(list(value))
        return value if value is None else np.asarray(value, np.float32 if isinstance(value, float) else object if isinstance(value, str) else None)[()]
    try:
        if (is_plain or isinstance(value, dict)) and engine.is_there():
            return from_py(value, type_)
        given = value if not is_plain else Ragged.from_rows(value) if isinstance(type_, RaggedType) else np.asarray(value)
        return decode.Reading().value(memoryview(Conversion().argument(given, type_, where).to_bytes()))
    except errors.Error as error:
        message = re.sub(r"^byte \d+: ", "", error.message.removeprefix(f"argument `{where}`: "))
        raise errors.make(error.code, f"{where}: {message}", reason=error.reason) from None


@functools.lru_cache(maxsize=1024)
def _type_of_text(text: str) -> Type | None:
    """The type of a component; None for any type."""
    if not text or text == "any":
        return None
    if not engine.is_there():
        return notation.dtype_hint(text)
    try:
        return tracer.type_of_bytes(engine.run(engine.core().read_type, text)[0])
    except errors.Error:
        return notation.dtype_hint(text)


@boundary
def extension_type(name: str, *, batching: str = "by_component", older: Sequence[str] = ()) -> Callable[[type], Any]:
    """Makes a class an extension type, `project.Type`.

        @signet.extension_type("masked.MaskedTensor")
        class MaskedTensor:
            values: signet.Any
            mask: "bool[...]"

    Annotations that are types are components, and those that are classes of Python, such as `str`, are static attributes. With
    `batching="never"`, ops do not stack values of the type. `older` are complete types of former versions.
    """
    if not isinstance(name, str):
        shown = getattr(name, "__name__", "Masked")
        raise trace_error(f"signet.extension_type: expected a name, found {name!r}; write `@signet.extension_type(\"project.{shown}\")`", TypeError)
    if batching not in ("by_component", "never"):
        raise ValueError(f"batching: expected 'by_component' or 'never', found {batching!r}")

    @boundary
    def decorate(cls: type) -> Any:
        if not isinstance(cls, type):
            raise trace_error(f"signet.extension_type: expected a class, found {cls!r}", TypeError)
        definition = Definition(cls, name, batching != "never", older)
        known = CLASSES.get(name)
        if known is not None and (known.__module__, known.__qualname__) != (cls.__module__, cls.__qualname__):
            raise trace_error(f"extension type `{name}` is already declared by the class `{known.__module__}.{known.__qualname__}`", ValueError)
        bases = tuple(base for base in cls.__bases__ if base is not object) or (ExtensionValue,)
        members = {key: value for key, value in cls.__dict__.items() if key not in ("__dict__", "__weakref__", "__annotations__")}
        invariants = [value for value in members.values() if isinstance(value, _Invariant)]
        for field in definition.names():
            members[field] = property(functools.partial(_part, field), doc="")
        members.update({"__slots__": (), "__signet_definition__": definition, "__signature__": definition.signature(),
                        "__dataclass_fields__": definition.dataclass_fields(), "__match_args__": tuple(definition.order),
                        "__module__": cls.__module__, "__qualname__": cls.__qualname__})
        for key, value in members.items():
            if isinstance(value, PythonFunction) and not key.startswith("__"):
                members[key] = _method(value)
        made = type(cls.__name__, bases, members)
        for value in members.values():
            if hasattr(value, "_signet_owner"):
                value._signet_owner.append(made)
        for each in invariants:
            short = cls.__name__
            definition.invariants.append(ModelFunction(each.function, name=f"_{short}_{each.function.__name__}",
                                                       hints={next(iter(inspect.signature(each.function).parameters)): made}))
        if engine.is_there():
            Library().add_type(made, with_functions=False)  # checks the declaration
        CLASSES[name] = made
        if known is not None:
            warn_of_other_source(name, known.__signet_definition__.fingerprint, definition.fingerprint)
        return made

    return decorate


def _part(name: str, value: Any) -> Any:
    """A component or a static attribute. The class may define `__getitem__` itself."""
    return Extension.__getitem__(value, name) if isinstance(value, Extension) else value[name]


def _method(function: Any) -> Any:
    """The method, for which a traced value of unknown type has the type of the class."""
    owner: list[type] = []

    @functools.wraps(function)
    def call(self: Any, /, *args: Any, **kwargs: Any) -> Any:
        return function(tracer.with_hint(self, owner[0]), *args, **kwargs)

    call._signet_owner = owner  # type: ignore[attr-defined]
    return call


class _Invariant:
    """A method that is True for every value of the class."""

    def __init__(self, function: Any) -> None:
        self.function = function

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self.function.__get__(instance, owner)


@boundary
def invariant(function: Callable[[Any], Any]) -> Any:
    """Declares that a method returns True for every value. The first line of its documentation is the error message."""
    return _Invariant(function)


# --- what ops mean ----------------------------------------------------------------------------------------

class _AppliedOp:
    """The op that a handler handles. Calling it applies the op to other values, with the attributes of the call, or with others."""

    def __init__(self, op: Any, attributes: Any) -> None:
        self.name, self.attributes = op, attributes

    def __call__(self, *values: Any, **attributes: Any) -> Any:
        scope = tracer.current()
        assert scope is not None
        given = scope.symbol_of(attributes) if attributes else self.attributes
        return scope.call("apply", list(values), {"op": self.name, "attributes": given})[0]


class _HandlerOfSeveral(ModelFunction):
    """A handler of several ops: its first parameter is the op. Keyword-only parameters are attributes of the op."""

    def _read_signature(self, written: str | None) -> tuple[str, dict[str, bytes], dict[str, Any]]:
        parameters = list(inspect.signature(self._function).parameters.values())[1:]
        inputs = [each.name for each in parameters if each.kind <= inspect.Parameter.POSITIONAL_OR_KEYWORD]
        self._given = [*inputs, "op", "attributes", *(each.name for each in parameters if each.kind == inspect.Parameter.KEYWORD_ONLY)]
        return f"({', '.join(inputs)}, /, *, {', '.join(self._given[len(inputs):])})", {}, {}

    def _symbols(self, scope: Scope, numbers: list[int]) -> dict[str, Any]:
        first = next(iter(inspect.signature(self._function).parameters))
        symbols = {name: self._symbol(scope, number, name) for name, number in zip(self._given, numbers)}
        return {**symbols, first: _AppliedOp(symbols["op"], symbols["attributes"])}


def _register(handled: Sequence[tuple[str, str]], kinds: tuple[Any, ...], function: Any, takes_op: bool) -> ModelFunction:
    """Registers a handler for pairs of an op and a family, one of which is empty."""
    owner = next((each for each in kinds if hasattr(each, "__signet_definition__")), None)
    if owner is None:
        raise trace_error("dispatch: expected at least one class of an extension type", TypeError)
    for op, _ in handled:
        if op and op not in ops.catalog():
            raise trace_error(f"dispatch: no op `{op}`; {ops.hint(op)}", ValueError)
    names = list(inspect.signature(function).parameters)[1 if takes_op else 0:]
    hints = {name: kind for name, kind in zip(names, kinds) if hasattr(kind, "__signet_definition__")}
    make = _HandlerOfSeveral if takes_op else ModelFunction
    handler = make(function, name=f"_{function.__name__.lstrip('_')}", hints=hints)
    inputs = [notation.kind_of(each) for each in kinds]
    definition: Definition = owner.__signet_definition__
    for op, family in handled:  # a cell of a notebook that is run again replaces its handler
        same = [i for i, each in enumerate(definition.overrides)
                if (each[0], each[1], each[2].__name__, each[3]) == (op, family, handler.__name__, inputs)]
        if same:
            definition.overrides[same[0]] = (op, family, handler, inputs)
        else:
            definition.overrides.append((op, family, handler, inputs))
    definition.version += 1
    return handler


@boundary
def dispatch_for(op: Any, *kinds: Any) -> Callable[[Any], Any]:
    """Defines an op for inputs of these kinds. Keyword-only parameters are attributes of the op, by name.

        @signet.dispatch_for(ops.reduce_sum, MaskedTensor)
        def masked_sum(x, *, axes, keepdims): ...

    A handler of several ops receives the op first, and applies it with the attributes of the call:

        @signet.dispatch_for((ops.neg, ops.sign), MaskedTensor)
        def masked(op, x): ...
    """
    takes_op = isinstance(op, (list, tuple))
    handled = [(_name_of_op(each), "") for each in (op if takes_op else [op])]
    return _decorator(handled, kinds, takes_op)


def _name_of_op(op: Any) -> str:
    if isinstance(op, ops.Op):
        return op.name
    if isinstance(op, str):
        return op
    name = getattr(op, "__name__", "")  # of a function of numpy
    raise trace_error(f"dispatch: expected an op, such as `ops.reduce_sum`, found {op!r}" + (f"; {ops.hint(name)}" if name else ""), TypeError)


def _decorator(handled: Sequence[tuple[str, str]], kinds: tuple[Any, ...], takes_op: bool) -> Callable[[Any], Any]:
    return boundary(lambda function: _register(handled, kinds, function, takes_op))


@boundary
def dispatch_for_unary_elementwise(*kinds: Any) -> Callable[[Any], Any]:
    """Defines all ops of one input that work element by element: `def handler(op, x)`."""
    return _decorator([("", "UNARY_ELEMENTWISE")], kinds, True)


@boundary
def dispatch_for_binary_elementwise(*kinds: Any) -> Callable[[Any], Any]:
    """Defines all ops of two inputs that work element by element: `def handler(op, x, y)`."""
    return _decorator([("", "BINARY_ELEMENTWISE")], kinds, True)


@boundary
def dispatch_for_reduction(*kinds: Any) -> Callable[[Any], Any]:
    """Defines all reductions: `def handler(op, x)`."""
    return _decorator([("", "REDUCTION")], kinds, True)


@boundary
def conversion(source: Any, *, to: Any) -> Callable[[Any], Any]:
    """Defines how a value of the type `source` becomes a value of the class `to`, where one is expected."""

    @boundary
    def decorate(function: Any) -> Any:
        if not hasattr(to, "__signet_definition__"):
            raise trace_error(f"signet.conversion: `to`: expected the class of an extension type, found {to!r}", TypeError)
        text, cls = notation.type_text(source, "conversion", {})
        definition: Definition = to.__signet_definition__
        hints = {next(iter(inspect.signature(function).parameters)): cls} if cls is not None else {}
        handler = ModelFunction(function, name=f"_{function.__name__.lstrip('_')}", hints=hints)
        definition.conversions = [each for each in definition.conversions if each[0] != text]
        definition.conversions.append((text or "any", handler))
        definition.version += 1
        return handler

    return decorate


@boundary
def type_of(value: Any, /, **parts: Any) -> Any:
    """The type of a traced value, as far as it is known; of another value; or of a class of an extension type, with its static
    attributes and the types of its components: `type_of(Money, currency="EUR", amount="float32[?]")`."""
    from signet.trace.symbol import Symbol, known_type

    definition: Definition | None = getattr(value, "__signet_definition__", None) if isinstance(value, type) else None
    if definition is not None:
        statics = {name: parts[name] for name in definition.statics if name in parts}
        components = {name: str(part) if isinstance(part, str) else repr(part) for name, part in parts.items() if name not in statics}
        return Type(definition.type_text("signet.type_of", statics, components))
    if isinstance(value, Symbol):
        return known_type(value)
    return value.type if hasattr(value, "type") else Type(_core_type(value))


def _core_type(value: Any) -> str:
    data = tracer.bytes_of_value(value, "value")
    return repr(tracer.type_of_bytes(engine.run(engine.core().type_of_value, data)))


# --- outside of traces ------------------------------------------------------------------------------------

_lock = threading.RLock()
_libraries: dict[tuple[tuple[Any, int], ...], Library] = {}


def eager_library(values: Sequence[Any]) -> Any:
    """The library of the extension types among the values, for an op that runs at once."""
    classes: list[Any] = classes_among(values)
    key = tuple((cls, cls.__signet_definition__.version) for cls in classes)
    with _lock:
        library = _libraries.get(key)
        if library is None:
            library = Library()
            for cls in classes:
                library.add_type(cls)
            if len(_libraries) >= 256:
                _libraries.clear()
            _libraries[key] = library
    return library.core
