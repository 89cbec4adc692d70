"""Functions of models, written in Python: `@signet.function`."""

from __future__ import annotations

import ast
import functools
import inspect
import re
import textwrap
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from types import CodeType, FunctionType as PythonFunction
from typing import Any

import numpy as np

from signet import engine, errors
from signet.names import list_names, nearest
from signet.served_function import PLAIN_VALUES_WARNED, PlainValueWarning, type_or_value
from signet.trace import forms, literals, notation, places, tracer
from signet.trace.baked_values import BakedValues
from signet.trace.errors import TraceError, of_engine, trace_error
from signet.trace.literals import Form, LiteralParameter, LiteralValue
from signet.trace.tracer import Library, Scope, Traced, WatchedArray
from signet.tracebacks import boundary, warn
from signet.types import format_literal, join_parameters, notation_name, with_double_quotes
from signet.values.extension import CLASSES, classes_among, classes_in

_KINDS = inspect.Parameter
_MOST_MODELS = 64  # of a function, for calls in this process
_OF_ONE_CALL = frozenset(("call", "explain", "output_type", "warm"))  # methods of functions with the arguments of one call
_MOST_TRACING = 32  # forms of a function that call each other


class ModelFunction:
    """A function of a model, written in Python. It is traced before its first use: its body is called with traced values.

    Arguments of literal parameters (literals.py) are plain values of Python in the body, so that the function is traced once for each
    of them. A call runs the function in this process, and in a function that is traced it calls the function of the model.
    """

    def __init__(self, function: Callable[..., Any], signature: str | None = None, batch: Sequence[str] = (), name: str | None = None,
                 hints: Mapping[str, Any] | None = None) -> None:
        if not isinstance(function, PythonFunction):
            raise trace_error(f"signet.function: expected a function of Python, found {function!r}", TypeError)
        self._function = function
        self.__name__ = name or function.__name__
        self.__qualname__ = function.__qualname__
        self.__module__ = function.__module__
        self._check_function()
        self._annotations: dict[str, str] = {}  # in the notation, by parameter; that of the result is ""
        self._open_classes: list[str] = []  # parameters with the class of an extension type, but any static attributes
        self._literals: dict[str, LiteralParameter] = {}
        self._default_arrays: dict[str, WatchedArray] = {}  # by parameter, under the name of the variable
        self._signature_text, self._defaults, self._hints = self._read_signature(signature)
        if hints is not None:  # a function of an extension type, which the engine calls
            self._hints.update(hints)
            self._literals = {}
        self._batch = list(batch)
        self.__doc_text, self._parameter_docs, self._examples = parse_doc(function.__doc__ or "")
        self._check_parameter_docs()
        self._lock = threading.RLock()
        self._traced: Traced | None = None
        self._traced_forms: dict[Form, Traced] = {}  # that other functions call
        self._tracing: list[tuple[str, Form | None]] = []  # the names and forms that are being traced
        self._models: OrderedDict[Any, Any] = OrderedDict()  # of this function alone, for calls in this process
        self._dispatches = False  # whether the function of a model has several forms
        self._num_forms = 0  # that were called in this process
        self._python_signature = inspect.signature(function)
        self._has_open = any(each.annotation is _KINDS.empty for each in self._python_signature.parameters.values())
        self._start(Library(), self._signature_text)  # checks the signature
        if signature is not None:
            self._check_parameters(signature)

    # --- the signature ------------------------------------------------------------------------------------

    def _check_function(self) -> None:
        function, name = self._function, self.__name__
        what = None
        if inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function):
            what = "an `async def` function; its body is not run by an event loop"
        elif inspect.isgeneratorfunction(function):
            what = "a generator; return a list or a tuple"
        elif not name.isidentifier():
            what = "a lambda, which has no name; use `def`, or pass it to signet.cond, signet.map, and so on"
        if what is not None:
            raise trace_error(f"signet.function: `{name}` is {what}", TypeError)

    def _read_signature(self, written: str | None) -> tuple[str, dict[str, bytes], dict[str, Any]]:
        """The signature in the notation, the defaults that it does not write, and the classes of parameters."""
        function = self._function
        scope = {**function.__globals__, **_closure(function)}
        signature = inspect.signature(function)
        hints: dict[str, Any] = {}
        defaults: dict[str, bytes] = {}
        if written is not None:
            if signature.return_annotation is not inspect.Signature.empty or any(
                    each.annotation is not _KINDS.empty for each in signature.parameters.values()):
                raise trace_error(f"`{self.__name__}`: types are written as annotations or as `signature=`, not as both", TypeError)
            written = with_double_quotes(written)
            self._read_literals_of(written)
            return written, defaults, hints

        def text_of(parameter: inspect.Parameter) -> str:
            listed = notation.literals_of(parameter.annotation, scope)
            if listed is not None:
                return self._add_listed(parameter, listed)
            text, cls = notation.type_text(parameter.annotation, f"parameter `{parameter.name}` of `{self.__name__}`", scope)
            if text is not None and cls is None:
                self._annotations[parameter.name] = text
            hints[parameter.name] = cls if cls is not None else notation.dtype_hint(text)
            if cls is not None and text is None:
                self._open_classes.append(parameter.name)
            has_type = text is not None or cls is not None
            if parameter.default is None or (not has_type and tracer.is_plain(parameter.default)):
                given = LiteralValue.of(parameter.default)
                self._literals[parameter.name] = LiteralParameter(parameter.name, given, type_text=text, cls=cls)
                text = None  # it may be None, too
            part = notation_name(parameter.name) + (f": {text}" if text is not None else "")
            if parameter.default is _KINDS.empty:
                return part
            shown = _default_text(parameter.default)
            if isinstance(parameter.default, np.ndarray):
                variable = places.variable_holding(places.user_frame(None), parameter.default) or f"{parameter.name}_default"
                self._default_arrays[parameter.name] = WatchedArray.of(parameter.default, variable)
            if shown == "...":
                defaults[parameter.name] = self._default_bytes(parameter.default, text or "", f"default of `{parameter.name}`")
            return f"{part} = {shown}"

        joined = join_parameters(signature.parameters.values(), text_of)
        result, cls = notation.type_text(signature.return_annotation, f"result of `{self.__name__}`", scope)
        if result is not None and cls is None:
            self._annotations[""] = result
        return f"({joined})" + (f" -> {result}" if result is not None else ""), defaults, hints

    def _add_listed(self, parameter: inspect.Parameter, values: tuple[Any, ...]) -> str:
        """The text of a parameter whose annotation lists its values."""
        where = f"parameter `{parameter.name}` of `{self.__name__}`"
        listed = tuple(map(LiteralValue.of, values))
        name = notation_name(parameter.name)
        if parameter.default is _KINDS.empty:
            self._literals[parameter.name] = LiteralParameter(parameter.name, None, listed)
            return name
        if not tracer.is_plain(parameter.default) or LiteralValue.of(parameter.default) not in listed:
            raise trace_error(f"{where}: expected a default that `signet.Literal[...]` lists, found {parameter.default!r}", ValueError)
        self._literals[parameter.name] = LiteralParameter(parameter.name, LiteralValue.of(parameter.default), listed)
        return f"{name} = {_default_text(parameter.default)}"

    def _read_literals_of(self, written: str) -> None:
        """Finds the literal parameters of a signature in the notation: those without a type and with a plain default."""
        for name, type_text, default in notation.parts_of_parameters(written):
            if type_text is not None or default is None:
                continue
            try:
                value = ast.literal_eval(default)
            except (ValueError, SyntaxError):
                continue
            if tracer.is_plain(value):
                self._literals[name] = LiteralParameter(name, LiteralValue.of(value))

    @staticmethod
    def _default_bytes(value: Any, type_text: str, where: str) -> bytes:
        """A default that the signature cannot state, under the type of its parameter."""
        from signet.trace.extension_types import value_under_type

        try:
            under_type = value if type_text in ("", "any") else value_under_type(value, type_text, where)
            return tracer.bytes_of_value(under_type, where)
        except errors.Error as error:
            error.message = error.message.replace(f"argument `{where}`", where)
            raise of_engine(error) from None

    def _check_parameters(self, written: str) -> None:
        """Checks that a signature in the notation has the parameters of the function."""
        stated = notation.parameters_of(written)
        own = [(each.name, each.kind) for each in inspect.signature(self._function).parameters.values()]
        names = [name for name, _ in own]
        if [name for name, _ in stated] != names:
            raise trace_error(f"`{self.__name__}`: signature: expected the parameters of the function, ({', '.join(names)}), found "
                              f"({', '.join(name for name, _ in stated)})")
        for (name, kind), (_, needed) in zip(stated, own):
            is_narrower = needed == _KINDS.POSITIONAL_OR_KEYWORD and kind in (_KINDS.POSITIONAL_ONLY, _KINDS.KEYWORD_ONLY)
            if kind != needed and not is_narrower:
                raise trace_error(f"`{self.__name__}`: signature: `{name}` is {kind.description}, but {needed.description} in the function")

    def _check_parameter_docs(self) -> None:
        known = list(inspect.signature(self._function).parameters)
        for name in self._parameter_docs:
            if name not in known:
                similar = nearest(name, known)
                hint = f"the nearest is `{similar}`" if similar is not None else f"it has {list_names(known)}"
                raise trace_error(f"`{self.__name__}`: `Args:` documents `{name}`, which is not a parameter; {hint}", ValueError)

    def _classes(self) -> list[Any]:
        """The classes of extension types that parameters have."""
        hinted = [each for each in self._hints.values() if isinstance(each, type)]
        return list(dict.fromkeys([*hinted, *classes_in(self._signature_text)]))

    def _start(self, library: Library, signature: str, name: str = "") -> Any:
        for cls in self._classes():
            library.add_type(cls, with_functions=False)
        defaults = self._defaults
        if defaults and signature != self._signature_text:  # the signature of a form, which may have fewer defaults
            optional = {each for each, _, default in notation.parts_of_parameters(signature) if default is not None}
            defaults = {each: value for each, value in defaults.items() if each in optional}
        try:
            trace = engine.run(engine.core().Trace.start, library.core, name or self.__name__, signature, defaults)
        except errors.Error as error:
            raise self._error_of_annotation(library) or of_engine(error) from None
        return trace

    def _error_of_annotation(self, library: Library) -> errors.Error | None:
        """The error of the first annotation that cannot be read; None if all can be read."""
        for parameter, text in self._annotations.items():
            where = f"parameter `{parameter}`" if parameter else "result"
            signature = f"({notation_name(parameter)}: {text})" if parameter else f"() -> {text}"
            begin = len(signature.removesuffix(")" if parameter else "").removesuffix(text))
            try:
                engine.run(engine.core().Trace.start, library.core, self.__name__, signature, {})
            except errors.Error as error:
                found = re.match(r"(?:signature: )?column (\d+): (.*)", error.message, re.DOTALL)
                if found is None:
                    return None
                at, message = int(found.group(1)) - begin, found.group(2)
                if at > len(text) and parameter:
                    message = message.replace("found `)`", "found the end")
                advice = notation.advice(text)
                if advice:
                    message = message.partition("; ")[0] + advice
                return trace_error(f"{where} of `{self.__name__}`: annotation `{text}`: column {at}: {message}", ValueError, reason=error.reason)
        return None

    # --- tracing ------------------------------------------------------------------------------------------

    def traced(self) -> Traced:
        """The function of a model. If it has literal parameters, it calls the trace of the form of the arguments (forms.py)."""
        with self._lock:
            if self._traced is None:
                self._traced = self.trace_form(None) if not self._literals else forms.dispatching(self)
            return self._traced

    def traced_unless_in_progress(self) -> Traced | None:
        return None if self._tracing else self.traced()

    def traced_form(self, form: Form) -> Traced:
        """The trace of a form under a name of its own, which is made once."""
        with self._lock:
            if form not in self._traced_forms:
                self._traced_forms[form] = self.trace_form(form, forms.name_of(self, form), forms.signature_of_candidate(self, form))
            return self._traced_forms[form]

    def trace_form(self, form: Form | None, name: str = "", signature: str = "") -> Traced:
        """Traces the function, with plain values of Python for the literal parameters. None: all are traced values."""
        with self._lock:
            key = name, form
            if key in self._tracing or len(self._tracing) >= _MOST_TRACING:
                raise trace_error(f"`{self.__name__}` calls itself; functions of models cannot be recursive, and signet.while_loop repeats")
            self._tracing.append(key)
            try:
                library = Library()
                scope = Scope(name or self.__name__, self._start(library, signature or self._signature_text, name), library)
                return self.finish(scope, self._run_body(scope, form or ()), is_public=not name)
            finally:
                self._tracing.pop()

    def _run_body(self, scope: Scope, form: Form) -> int:
        """Calls the function, and returns the number of its result."""
        for cls in self._classes():
            scope.use_type(cls)
        with scope:
            symbols = self._symbols(scope, scope.trace.parameters())
            symbols.update({name: given.value for name, given in zip(self._literals, form) if given is not None})
            self._check_classes(symbols)
            try:
                with BakedValues(self.__name__, self._function.__code__):
                    result = call_with_symbols(self._function, symbols)
                return result_number(scope, result, self.__name__)
            except TraceError as error:
                forms.add_advice(error, self, form)
                raise

    def finish(self, scope: Scope, number: int, is_public: bool = True) -> Traced:
        """The function that returns the value `number`. `is_public`: with documentation."""
        code = self._function.__code__
        texts = (self.__doc_text, self._parameter_docs, self._examples, self._batch) if is_public else ("", {}, [], [])
        scope.arrays.extend(self._default_arrays.values())
        default_names = {parameter: each.name for parameter, each in self._default_arrays.items()}
        try:
            handle = engine.run(scope.trace.finish, number, *texts, default_names)
        except errors.Error as error:
            out = of_engine(error)
            if error.message.startswith("result: "):
                out.add_note(f'  File "{code.co_filename}", line {code.co_firstlineno}, in {self.__name__}')
            raise out from None
        return scope.traced(handle, f"{code.co_filename}:{code.co_firstlineno}")

    def _check_classes(self, symbols: dict[str, Any]) -> None:
        """Adds checks of parameters whose annotation is a class with static attributes, which no type of the notation leaves open."""
        from signet import ops

        for name in self._open_classes:
            if not tracer.is_symbol(symbols[name]):
                continue  # None
            definition = self._hints[name].__signet_definition__
            ops.check_true(ops.is_a(symbols[name], type=definition.name), message=f"argument `{name}`: expected a value of `{definition.name}`")

    def _symbols(self, scope: Scope, numbers: list[int]) -> dict[str, Any]:
        """The values with which the body is called, by the names of the parameters."""
        return {name: self._symbol(scope, number, name) for name, number in zip(inspect.signature(self._function).parameters, numbers)}

    def _symbol(self, scope: Scope, number: int, name: str) -> Any:
        from signet.trace.symbol import Symbol

        scope.take_name(name)
        out = Symbol(scope, number, name, self._hints.get(name))
        parameter = self._python_signature.parameters.get(name)
        is_variadic = parameter is not None and parameter.kind in (_KINDS.VAR_POSITIONAL, _KINDS.VAR_KEYWORD)
        is_typed = parameter is not None and parameter.annotation is not _KINDS.empty
        if out._type_bytes() is None and out._hint is None and not is_variadic and not is_typed:
            scope.plain_ids.add(number)
        return out

    # --- calling ------------------------------------------------------------------------------------------

    def _signet_use(self) -> str:
        """The name under which the function that is traced refers to this one."""
        scope = tracer.current()
        assert scope is not None
        scope.use(self.traced())
        return self.__name__

    def _form(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Form:
        """The form of a call. Raises TypeError if the arguments do not fit the parameters."""
        bound = self._python_signature.bind(*args, **kwargs).arguments
        form: list[LiteralValue | None] = []
        for parameter in self._literals.values():
            given = literals.given_of(bound[parameter.name]) if parameter.name in bound else parameter.default
            if parameter.has_type and given is not None and given.value is not None:
                given = None  # a value of the type
            parameter.check(given, bound.get(parameter.name))
            form.append(given)
        return tuple(form)

    def _local(self, form: Form | None = None, classes: Sequence[type] = ()) -> Any:
        """The function in a model of this function alone: of the form of a call, or None for the model that `Model("", f)` makes.
        `classes` are the extension types of the arguments."""
        from signet.trace.model import Model

        if self.__name__.startswith("_"):
            raise trace_error(f"`{self.__name__}` is only for the functions of its model, because its name starts with `_`; call it in one of "
                              "them, or rename it", TypeError)
        with self._lock:
            own = self._classes()
            # A value of a child is a value of its parent, also if the child is declared after the function.
            children = [cls for cls in CLASSES.values() if any(issubclass(cls, each) and cls is not each for each in own)] if own else []
            types = list(dict.fromkeys([*children, *classes]))
            key = form, *((cls, cls.__signet_definition__.version_of_all()) for cls in (*own, *types))
            if key in self._models:
                self._models.move_to_end(key)
            else:
                function = self if form is None else self.trace_form(form, signature=forms.signature_of_call(self, form))
                self._models[key] = Model("", function, name=self.__name__, types=types)
                self._note_form(form)
                if len(self._models) > _MOST_MODELS:
                    self._models.popitem(last=False)
            return self._models[key][self.__name__]

    def _note_form(self, form: Form | None) -> None:
        if form is None:
            return
        self._num_forms += 1
        if self._num_forms == PLAIN_VALUES_WARNED:
            shown = ", ".join(f"`{each}`" for each in self._literals)
            warn(f"`{self.__name__}` was traced for {self._num_forms} different plain values of {shown}; give the parameter a type, or pass "
                 "np.float32(x), if there are many", PlainValueWarning)

    def _local_for(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, tuple[Any, ...], dict[str, Any]]:
        """The function that a call in this process runs, and its arguments."""
        form: Form | None = None
        if self._literals:
            try:
                form = self._form(args, kwargs)
            except TypeError as error:
                if isinstance(error, errors.Error):
                    raise
                form = self._stated_form()  # which rejects the call
            else:
                args, kwargs = self._arguments_of(form, args, kwargs)
        return self._local(form, classes_among(self._open_arguments(args, kwargs))), args, kwargs

    def _stated_form(self) -> Form:
        """The form of a call that leaves out all optional arguments."""
        return tuple(each.values[0] for each in self._literals.values())

    def _arguments_of(self, form: Form, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments for the signature of a form (forms.signature_of_call)."""
        bound = self._python_signature.bind(*args, **kwargs)
        for (name, parameter), given in zip(self._literals.items(), form):
            if given is not None and name in bound.arguments:
                bound.arguments[name] = literals.plain_of(given.value)
            if given is None and parameter.has_type:
                bound.apply_defaults()
        return bound.args, bound.kwargs

    def _open_arguments(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> list[Any]:
        """The arguments of parameters without annotations, whose values may be of any class."""
        if not self._has_open:
            return []
        parameters = self._python_signature.parameters
        names = [*parameters]
        given = [*zip([*names, *[""] * len(args)], args), *kwargs.items()]
        return [value for name, value in given if name not in parameters or parameters[name].annotation is _KINDS.empty]

    @boundary
    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        scope = tracer.current()
        if scope is None:
            function, args, kwargs = self._local_for(args, kwargs)
            return function(*args, **kwargs)
        try:
            form = self._form(args, kwargs)
        except errors.Error as error:
            raise of_engine(error) from None
        except TypeError as error:
            raise trace_error(f"`{self.__name__}`: {error}, in `{self._signature_text}`", TypeError) from None
        if self._literals and (self._tracing or not forms.is_general(self)):
            return forms.call(self, scope, form, args, kwargs)
        attributes: dict[str, Any] = {"function": self._signet_use()}
        if kwargs:
            attributes["keywords"] = list(kwargs)
        return scope.call("call", [*args, *kwargs.values()], attributes, self.__name__)[0]

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else functools.partial(self, instance)

    @boundary
    def __getattr__(self, name: str) -> Any:
        """What the functions of served models have: call, map, bulk, explain, with_options, and so on."""
        if name.startswith("_"):
            raise AttributeError(name)
        if name in _OF_ONE_CALL:
            return boundary(functools.partial(self._call_method, name))
        if name == "bulk" and self._literals:
            return self._bulk
        return getattr(self._local(), name)

    def _call_method(self, method: str, /, *args: Any, **kwargs: Any) -> Any:
        if method in ("output_type", "warm"):
            args, kwargs = tuple(map(type_or_value, args)), {name: type_or_value(each) for name, each in kwargs.items()}
        function, args, kwargs = self._local_for(args, kwargs)
        return getattr(function, method)(*args, **kwargs)

    @boundary
    def _bulk(self, /, rows: Any, name: str | None = None, **others: Any) -> Any:
        form = tuple(literals.given_of(others[each]) if each in others else parameter.default for each, parameter in self._literals.items())
        return self._local(form).bulk(rows, name, **others)

    @property
    def __signature__(self) -> Any:
        return self._local(self._stated_form() if self._literals else None).__signature__

    @property
    def __wrapped__(self) -> Callable[..., Any]:
        raise AttributeError("__wrapped__")  # inspect would show the signature of Python

    @property
    def __doc__(self) -> str:  # type: ignore[override]
        return inspect.cleandoc(self._function.__doc__ or "")

    def __repr__(self) -> str:
        return f"<signet function {self.__name__}{self._signature_text}>"

    def __reduce__(self) -> Any:
        from signet.trace.model import function_of_model

        return function_of_model, (self._local()._client.model_bytes(), self.__name__)


@boundary
def function(function: Any = None, *, signature: str | None = None, batch: Sequence[str] = ()) -> Any:
    """Makes a function of Python a function of models.

        @signet.function
        def price(amounts: "float32[?]", /, tax: "float32[]" = 0.2) -> "float32[]":
            return ops.reduce_sum(amounts) * (1 + tax)

    `signature` is the signature in the notation, in place of annotations. `batch` names the parameters that contain rows, so that
    a server may join calls. Needs signet._core.
    """
    engine.core()
    if function is None:
        return boundary(lambda each: ModelFunction(each, signature, batch))
    return ModelFunction(function, signature, batch)


# --- the parts of a trace that nested functions share -----------------------------------------------------

def call_with_symbols(function: Callable[..., Any], symbols: Mapping[str, Any]) -> Any:
    """Calls a function with a value for each parameter. `*args` and `**kwargs` are one value each."""
    parameters = inspect.signature(function).parameters.values()
    if any(each.kind in (_KINDS.VAR_POSITIONAL, _KINDS.VAR_KEYWORD) for each in parameters):
        function = _without_variadics(function)
        parameters = inspect.signature(function).parameters.values()
    positional = [symbols[each.name] for each in parameters if each.kind != _KINDS.KEYWORD_ONLY]
    keyword = {each.name: symbols[each.name] for each in parameters if each.kind == _KINDS.KEYWORD_ONLY}
    return function(*positional, **keyword)


def _without_variadics(function: Any) -> Any:
    """The function with `*args` and `**kwargs` as keyword-only parameters, which are next to them among the local variables."""
    code: CodeType = function.__code__
    count = bool(code.co_flags & inspect.CO_VARARGS) + bool(code.co_flags & inspect.CO_VARKEYWORDS)
    code = code.replace(co_flags=code.co_flags & ~(inspect.CO_VARARGS | inspect.CO_VARKEYWORDS),
                        co_kwonlyargcount=code.co_kwonlyargcount + count)
    return PythonFunction(code, function.__globals__, function.__name__, function.__defaults__, function.__closure__)


def result_number(scope: Scope, result: Any, name: str) -> int:
    if result is None:
        raise trace_error(f"`{name}` returns None; a function of a model returns its result, so `return` may be missing")
    try:
        return scope.result(result)
    except TraceError as error:
        if not isinstance(error, TypeError):
            raise
        # The traceback has no line of the function, because it has returned.
        raise trace_error(f"the result of `{name}`: {error.message}", TypeError) from None


def _closure(function: Any) -> dict[str, Any]:
    out = {}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
        try:
            out[name] = cell.cell_contents
        except ValueError:  # not assigned yet
            pass
    return out


def _default_text(value: Any) -> str:
    """A default in the notation, or `...` for one that is stored."""
    if value is None or isinstance(value, (bool, int, float, str)) and type(value).__module__ == "builtins":
        return format_literal(value)
    return "..."


def parse_doc(doc: str) -> tuple[str, dict[str, str], list[str]]:
    """The documentation of a docstring, of its parameters (`Args:`), and the examples (`Example:`)."""
    text = inspect.cleandoc(doc)
    parameters: dict[str, str] = {}
    examples: list[str] = []
    kept: list[str] = []
    section, last = "", ""
    indent = 0  # of the lines that begin with a parameter
    for line in text.split("\n"):
        head = re.fullmatch(r"(Args|Arguments|Parameters|Examples?):\s*(.*)", line)
        if head is not None:
            section, last = "args" if head.group(1)[0] in "AP" else "example", ""
            if section == "example" and head.group(2):
                examples.append(head.group(2).strip())
            continue
        if section and line and not line[0].isspace():
            section = ""
        if section == "example" and line.strip():
            examples.append(line.strip())
        elif section == "args" and line.strip():
            found = re.fullmatch(r"\s+\**(\w+)\s*:\s*(.*)", line)
            depth = len(line) - len(line.lstrip())
            if found is not None and (not last or depth <= indent):
                indent = depth
                last = found.group(1)
                parameters[last] = found.group(2).strip()
            elif last:
                parameters[last] += " " + line.strip()
        elif not section:
            kept.append(line)
    return textwrap.dedent("\n".join(kept)).strip(), parameters, examples
