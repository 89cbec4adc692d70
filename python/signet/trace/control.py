"""Control flow: functions that the engine calls once, depending on a value, or repeatedly. For functions that are traced."""

from __future__ import annotations

import dataclasses
import inspect
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from signet import engine
from signet.trace import tracer
from signet.trace.errors import TraceError, trace_error, run
from signet.trace.functions import ModelFunction, result_number
from signet.trace.operators import Operators
from signet.trace.tracer import Scope
from signet.tracebacks import boundary
from signet.types import (DictType, ExtensionType, NamedTupleType, RaggedType, SequenceType, SparseType, StructuredType, TensorType, Type)


@dataclass(frozen=True)
class Chosen:
    """An argument that states whether it is an attribute or an input of an op."""

    value: Any
    as_attribute: bool


def plain(value: Any) -> Chosen:
    """`value` as an attribute of an op: it must be known when the function is specialized. `ops.top_k(x, k=signet.plain(k))`"""
    return Chosen(value, True)


def dynamic(value: Any) -> Chosen:
    """`value` as an input of an op, even if it is a plain value: `ops.top_k(x, k=signet.dynamic(3))`"""
    return Chosen(value, False)


@boundary
def cond(condition: Any, then: Callable[..., Any], else_: Callable[..., Any], *args: Any) -> Any:
    """The result of `then(*args)` if the condition is True, and of `else_(*args)` otherwise."""
    scope = _scope("cond", "an `if` of Python")
    _check_functions("cond", "condition, then, else_", then=then, else_=else_)
    values = [scope.symbol_of(each) for each in args]
    bodies = _Bodies(scope, "cond", {"then": then, "else": else_}, [_Given.of(each) for each in values])
    return bodies.call_one([condition, *values, *bodies.lifted], bodies.names)


@boundary
def case(index: Any, functions: Sequence[Callable[..., Any]], *args: Any) -> Any:
    """The result of `functions[index](*args)`. An index outside of the functions selects the last."""
    scope = _scope("case", "`functions[index](...)`")
    if not isinstance(functions, Sequence):
        raise trace_error(f"`case`: `functions` must be a list of functions, found {functions!r}; write `signet.case(index, functions, ...)`", TypeError)
    values = [scope.symbol_of(each) for each in args]
    bodies = _Bodies(scope, "case", {f"case_{i}": each for i, each in enumerate(functions)}, [_Given.of(each) for each in values])
    return bodies.call_one([index, *values, *bodies.lifted], {"functions": list(bodies.names.values())})


@boundary
def while_loop(condition: Callable[..., Any], body: Callable[..., Any], *variables: Any, max_steps: Any = None) -> Any:
    """Repeats `variables = body(*variables)` while `condition(*variables)` is True, and returns the variables.

    The body returns a tuple, and so does the loop; if there is one variable, both return the variable itself.
    """
    scope = _scope("while_loop", "a `while` of Python")
    _check_functions("while_loop", "condition, body, *variables", condition=condition, body=body)
    if not variables:
        raise trace_error("`while_loop`: expected at least one variable", TypeError)
    values = [scope.symbol_of(each) for each in variables]
    given = [_Given.open(each) for each in values]
    bodies = _Bodies(scope, "while", {"condition": condition, "body": body}, given)
    attributes: dict[str, Any] = {**bodies.names, "fixed": len(bodies.lifted)}
    if max_steps is not None:
        attributes["max_steps"] = max_steps
    out = scope.call("while", [*values, *bodies.lifted], attributes)[: len(values)]
    return out[0] if len(out) == 1 else tuple(out)


@boundary
def map(function: Callable[..., Any], *xs: Any, ragged: bool = False) -> Any:
    """The results of the function for the elements of `xs` along their first dimension, stacked."""
    scope = _scope("map", "a comprehension of Python")
    _check_functions("map", "function, *xs", function=function)
    values = _elements(scope, "map", xs)
    bodies = _Bodies(scope, "map", {"function": function}, [_Given.element(each) for each in values])
    return scope.call("map", [*values, *bodies.lifted], {**bodies.names, "ragged": ragged, "fixed": len(bodies.lifted)})[0]


@boundary
def scan(function: Callable[..., Any], initial: Any, *xs: Any, reverse: bool = False, ragged: bool = False) -> Any:
    """Calls `carried, output = function(carried, *elements)` for the elements of `xs`, and returns the last `carried` and the
    stacked outputs."""
    scope = _scope("scan", "a loop of Python")
    _check_functions("scan", "function, initial, *xs", function=function)
    first, values = scope.symbol_of(initial), _elements(scope, "scan", xs)
    bodies = _Bodies(scope, "scan", {"function": function}, [_Given.open(first), *(_Given.element(each) for each in values)])
    carried, outputs = scope.call("scan", [first, *values, *bodies.lifted],
                                  {**bodies.names, "reverse": reverse, "ragged": ragged, "fixed": len(bodies.lifted)})
    return carried, outputs


@boundary
def reduce(function: Callable[..., Any], initial: Any, *xs: Any) -> Any:
    """Calls `carried = function(carried, *elements)` for the elements of `xs`, and returns the last `carried`."""
    scope = _scope("reduce", "functools.reduce")
    _check_functions("reduce", "function, initial, *xs", function=function)
    first, values = scope.symbol_of(initial), _elements(scope, "reduce", xs)
    bodies = _Bodies(scope, "reduce", {"function": function}, [_Given.open(first), *(_Given.element(each) for each in values)])
    return scope.call("reduce", [first, *values, *bodies.lifted], {**bodies.names, "fixed": len(bodies.lifted)})[0]


@boundary
def decline(*values: Any) -> Any:
    """The result of a handler that does not handle a call: the next one is tried."""
    return _scope("decline", "an exception").call("decline", list(values), {})[0]


def _scope(name: str, instead: str) -> Scope:
    scope = tracer.current()
    if scope is None:
        raise trace_error(f"`signet.{name}` is for functions that are traced (`@signet.function`); elsewhere, use {instead}", RuntimeError)
    return scope


def _elements(scope: Scope, name: str, xs: tuple[Any, ...]) -> list[Any]:
    if not xs:
        raise trace_error(f"`signet.{name}`: expected at least one value with elements, found none", TypeError)
    return [scope.symbol_of(each) for each in xs]


def _check_functions(name: str, parameters: str, **functions: Any) -> None:
    for role, function in functions.items():
        if not callable(function) or isinstance(function, Operators):
            raise trace_error(f"`{name}`: `{role}` must be a function, such as `lambda: x`, found {function!r}; write "
                              f"`signet.{name}({parameters})`", TypeError)


# --- the functions that an op calls -----------------------------------------------------------------------

@dataclass(frozen=True)
class _Given:
    """What is known of an argument of a nested function."""

    type_bytes: bytes | None
    hint: Any
    is_plain: bool = False

    @classmethod
    def of(cls, symbol: Any) -> _Given:
        return cls(symbol._type_bytes(), symbol._hint, symbol._is_plain_parameter())

    @classmethod
    def element(cls, symbol: Any) -> _Given:
        data = symbol._scope.trace.element_type_of(symbol._id)
        return cls(data, symbol._hint if isinstance(symbol._hint, type) else None)

    @classmethod
    def open(cls, symbol: Any) -> _Given:
        """A value that may have other sizes in the next round, so that its type is not known to the engine."""
        from signet.trace.symbol import known_type

        type_ = known_type(symbol)
        return cls(None, symbol._hint if type_ is None else open_type(type_), symbol._is_plain_parameter())


def open_type(type_: Type) -> Type | None:
    """The type with unknown sizes. None for a plain value, which may become a tensor."""
    if isinstance(type_, (TensorType, RaggedType, SparseType)):
        return dataclasses.replace(type_, shape=None)
    if isinstance(type_, StructuredType):
        return dataclasses.replace(type_, shape=(None,) * len(type_.shape), fields=_opened(type_.fields))
    if isinstance(type_, NamedTupleType):
        return dataclasses.replace(type_, fields=_opened(type_.fields))
    if isinstance(type_, DictType):
        return DictType(_opened(type_.items))
    if isinstance(type_, SequenceType) and type_.kind == "tuple":
        return SequenceType("tuple", tuple(open_type(each) or Type("any") for each in type_.elements))
    if isinstance(type_, ExtensionType):
        return dataclasses.replace(type_, components=_opened(type_.components))
    return None


def _opened(fields: Mapping[str, Type]) -> dict[str, Type]:
    return {name: open_type(each) or Type("any") for name, each in fields.items()}


class _Bodies:
    """The functions that one op calls. `names` are their names in the model. `lifted` are the values of the functions around them that
    any of them uses: each function receives all of these values, after the other arguments."""

    def __init__(self, scope: Scope, op: str, functions: Mapping[str, Any], given: list[_Given]) -> None:
        self._scope, self._op = scope, op
        self.lifted: list[Any] = []
        self.names: dict[str, str] = {}
        self.types: dict[str, Type | None] = {}  # of the results, as far as they are known
        self._places = {role: _place_of(each) for role, each in functions.items()}
        if all(isinstance(each, ModelFunction) for each in functions.values()):
            self.names = {role: each._signet_use() for role, each in functions.items()}
            return
        traced = {role: self._trace(role, each, given) for role, each in functions.items()}
        for inner, _ in traced.values():
            for symbol in inner.lifted:
                if all(symbol._id != each._id for each in self.lifted):
                    self.lifted.append(symbol)
        for role, (inner, result) in traced.items():
            for symbol in self.lifted:
                inner.symbol_of(symbol)
            places = [next(i for i, each in enumerate(inner.lifted) if each._id == symbol._id) for symbol in self.lifted]
            order = [*range(len(given)), *(len(given) + each for each in places)]
            handle = run(inner.trace.finish_nested, result, order)
            scope.use(inner.traced(handle))
            self.names[role] = inner.name

    def call_one(self, inputs: Sequence[Any], attributes: Mapping[str, Any]) -> Any:
        """The result of an op that calls one of the functions. An error states their results if these differ."""
        try:
            return self._scope.call(self._op, inputs, attributes)[0]
        except TraceError as error:
            if len(set(self.types.values())) < 2 or None in self.types.values():
                raise
            results = ", and ".join(f"`{role}`{self._places[role]} returns `{type_!r}`" for role, type_ in self.types.items())
            raise trace_error(f"`{self._op}`: the functions return different types: {results}: {error.message}", TypeError) from None

    def _trace(self, role: str, function: Any, given: list[_Given]) -> tuple[Scope, int]:
        if not callable(function) or isinstance(function, Operators):
            raise trace_error(f"`{self._op}`: `{role}` must be a function, such as `lambda: x`, found {function!r}", TypeError)
        try:
            signature = inspect.signature(function)
        except (TypeError, ValueError):
            raise trace_error(f"`{self._op}`: `{role}` must be a function with a signature, such as `lambda x: x`, found {function!r}",
                              TypeError) from None
        try:
            signature.bind(*given)
        except TypeError as error:
            raise trace_error(f"`{self._op}`: the function `{_name_of(function, role)}` is called with {len(given)} arguments: {error}",
                          TypeError) from None
        parameters = [each.name for each in signature.parameters.values() if each.kind <= inspect.Parameter.POSITIONAL_OR_KEYWORD]
        names = [*parameters[: len(given)], *(f"arg{i}" for i in range(len(parameters), len(given)))]
        if isinstance(function, ModelFunction):
            names = [f"arg{i}" for i in range(len(given))]
        scope = self._scope
        name = full = f"_{scope.name.lstrip('_')}_{_name_of(function, role)}"
        number = 2
        while full in scope.library.functions or full in _open_names(scope):
            full, number = f"{name}_{number}", number + 1
        core_trace = run(engine.core().Trace.start_nested, scope.library.core, full,
                         [(each, what.type_bytes) for each, what in zip(names, given)])
        inner = Scope(full, core_trace, scope.library, scope)
        _open_names(scope).add(full)
        symbols = [_symbol(inner, each, number, what) for each, number, what in zip(names, core_trace.parameters(), given)]
        with inner:
            result = result_number(inner, function(*symbols), _name_of(function, role))
        self.types[role] = tracer.type_of_bytes(inner.trace.type_of(result))
        return inner, result


def _open_names(scope: Scope) -> set[str]:
    """The names of nested functions that are being traced."""
    while scope.outer is not None:
        scope = scope.outer
    return scope.nested_names


def _symbol(scope: Scope, name: str, number: int, given: _Given) -> Any:
    from signet.trace.symbol import Symbol

    scope.take_name(name)
    if given.is_plain:
        scope.plain_ids.add(number)
    return Symbol(scope, number, name, given.hint)


def _place_of(function: Any) -> str:
    """Where a function is written, for an error; empty if that is not known."""
    code = getattr(inspect.unwrap(function), "__code__", None) if callable(function) else None
    return "" if code is None else f", at {os.path.basename(code.co_filename)}:{code.co_firstlineno},"


def _name_of(function: Any, role: str) -> str:
    name = getattr(function, "__name__", role)
    return name if name.isidentifier() else role
