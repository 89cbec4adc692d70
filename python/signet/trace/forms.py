"""The forms of a function with literal parameters, and the function of a model that dispatches on them.

    def total(x, mode: signet.Literal["sum", "mean"] = "sum"):   =>   def total(x, mode="sum"):
        ...                                                             return call(x, mode, functions=[_total_mode_sum, _total_mode_mean])

    def _total_mode_sum(x, mode: "sum"):
        ...

The function of a model has a form for each value that the function states: the default, None, and the values of `signet.Literal[...]`.
A parameter whose default is None and that has a type also has the form of values of the type. A parameter without a type also accepts
values that are not stated, if the function can be traced without knowing them. If that holds for all of them, there is one form, which
is the function itself.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Optional

import numpy as np

from signet import errors
from signet.trace import literals, notation
from signet.trace.errors import run, trace_error
from signet.trace.literals import MOST_FORMS, Form, LiteralParameter, LiteralValue
from signet.trace.tracer import Library, Scope, Traced
from signet.types import notation_name

MOST_CHARACTERS = 96  # in the name of a form that states its values

if TYPE_CHECKING:
    from signet.trace.functions import ModelFunction


def is_general(function: ModelFunction) -> bool:
    """Whether one form, in which all literal parameters are traced values, is the function."""
    function.traced()
    return not function._dispatches


def dispatching(function: ModelFunction) -> Traced:
    """The function of a model, which calls the form for the arguments."""
    parameters = list(function._literals.values())
    if not any(each.listed is not None or each.has_type or each.is_none_by_default for each in parameters):
        general = _traced_if_possible(function, None)
        if general is not None:
            return general
    function._dispatches = True
    candidates: dict[Form, Traced] = {}
    for form in _product(function, [_options(function, each) for each in parameters]):
        is_open = [given is None and not each.has_type for each, given in zip(parameters, form)]
        traced = _traced_if_possible(function, form) if any(is_open) else function.traced_form(form)
        if traced is not None:
            candidates[form] = traced
            continue
        for stated in _product(function, [each.values if is_one else [given] for each, given, is_one in zip(parameters, form, is_open)]):
            candidates[stated] = function.traced_form(stated)
    return _made(function, list(candidates.values()))


def _product(function: ModelFunction, options: Sequence[Sequence[Optional[LiteralValue]]]) -> list[Form]:
    forms = list(itertools.islice(itertools.product(*options), MOST_FORMS + 1))
    if len(forms) > MOST_FORMS:
        raise trace_error(f"`{function.__name__}`: the values of its literal parameters have more than {MOST_FORMS} combinations, each of which is "
                          "traced; list fewer values, or give a parameter a type", ValueError)
    return forms


def _traced_if_possible(function: ModelFunction, form: Optional[Form]) -> Traced | None:
    """The trace with traced values in place of plain ones; None if the program needs to know them."""
    unknown = {parameter.name: parameter for parameter, given in zip(function._literals.values(), form or [None] * len(function._literals))
               if given is None}
    guessed = {name for name, each in unknown.items() if not each.is_none_by_default}  # which are plain values in most calls
    if guessed and literals.tested_by_identity(function._function, guessed):
        return None
    try:
        return function.trace_form(None) if form is None else function.traced_form(form)
    except Exception:  # any error of the program; with plain values, it is raised again if it has another cause
        return None


def _options(function: ModelFunction, parameter: LiteralParameter) -> list[Optional[LiteralValue]]:
    """What a parameter may be in the forms of the function."""
    if parameter.listed is not None:
        return list(parameter.listed)
    if parameter.has_type:
        return [*parameter.values, None]
    others = tuple(None if each is parameter else each.values[0] for each in function._literals.values())
    accepts_others = _traced_if_possible(function, others) is not None
    if not accepts_others:
        return list(parameter.values)
    return [*parameter.values, None] if parameter.is_none_by_default else [None]


def _made(function: ModelFunction, candidates: list[Traced]) -> Traced:
    library = Library()
    scope = Scope(function.__name__, function._start(library, function._signature_text), library)
    for cls in function._classes():
        scope.use_type(cls)
    with scope:
        numbers = scope.trace.parameters()
        symbols = list(function._symbols(scope, numbers).values())
        for each in candidates:
            scope.use(each)
        result = scope.call("call", symbols, {"functions": [each.handle.name for each in candidates]}, "result")[0]
        number = scope.result(result)
    return function.finish(scope, number)


def call(function: ModelFunction, scope: Scope, form: Form, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    """Calls a form in a function that is traced."""
    from signet.trace.symbol import Symbol

    candidate = function.traced_form(form)
    scope.use(candidate)
    bound = function._python_signature.bind(*args, **kwargs)
    bound.apply_defaults()
    inputs = []
    for name, parameter in function._python_signature.parameters.items():
        value = bound.arguments[name]
        if name in function._literals:
            given = form[list(function._literals).index(name)]
            value = value if given is None else literals.plain_of(given.value)
        elif value is parameter.default and name in function._defaults and not isinstance(value, np.ndarray):
            value = Symbol(scope, int(run(scope.trace.constant, function._defaults[name])), name)
        inputs.append(value)
    return scope.call("call", inputs, {"function": candidate.handle.name}, function.__name__)[0]


def name_of(function: ModelFunction, form: Form) -> str:
    """The name of a form in the model, such as `_total_mode_sum`."""
    parts = [f"{name}_{given.identifier if given is not None else 'value'}" for name, given in zip(function._literals, form)]
    stem = f"_{function.__name__.lstrip('_')}"
    name = f"{stem}_{'_'.join(parts)}"
    if len(name) > MOST_CHARACTERS:
        name = f"{stem}_form"
    taken = {each.handle.name for known, each in function._traced_forms.items() if known != form}
    return next(each for each in _numbered(name) if each not in taken)


def _numbered(name: str) -> Iterator[str]:
    yield name
    yield from (f"{name}_{number}" for number in itertools.count(2))


def signature_of_call(function: ModelFunction, form: Form) -> str:
    """The signature for calls of one form in this process."""
    types = {parameter.name: parameter.type_text for parameter, given in zip(function._literals.values(), form)
             if given is None and parameter.type_text is not None}
    return notation.with_types(function._signature_text, types) if types else function._signature_text


def signature_of_candidate(function: ModelFunction, form: Form) -> str:
    """The signature of a form that the function of the model calls: all parameters are positional and required."""
    given = dict(zip(function._literals, form))
    parts = []
    for name, type_text, _ in notation.parts_of_parameters(function._signature_text):
        if name in given:
            value = given[name]
            type_text = function._literals[name].type_text if value is None else value.notation
        parts.append(notation_name(name) + (f": {type_text}" if type_text is not None else ""))
    return f"({', '.join(parts)})" + notation.result_of(function._signature_text)


def add_advice(error: errors.Error, function: ModelFunction, form: Form) -> None:
    """Adds a note to an error in a form with traced values, which may need plain values."""
    unknown = [f"`{name}`" for name, given in zip(function._literals, form) if given is None]
    if unknown:
        error.add_note(f"{' and '.join(unknown)} of `{function.__name__}` is not a plain value in this call; Python can decide on plain values, such as "
                       "3 and \"sum\", for each of which the function is traced")
