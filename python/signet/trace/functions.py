"""Functions of models, written in Python: `@signet.function`."""

from __future__ import annotations

import functools
import inspect
import re
import textwrap
import threading
from collections.abc import Callable, Mapping, Sequence
from types import CodeType, FunctionType as PythonFunction
from typing import Any

from signet import engine, errors
from signet.names import list_names, nearest
from signet.trace import notation, tracer
from signet.trace.errors import TraceError, of_engine, trace_error
from signet.trace.tracer import Library, Scope, Traced
from signet.tracebacks import boundary
from signet.types import format_literal, join_parameters, notation_name
from signet.values.extension import CLASSES, classes_in

_KINDS = inspect.Parameter


class ModelFunction:
    """A function of a model, written in Python. It is traced once, before its first use: its body is called with traced values.

    A call runs the function in this process, and in a function that is traced it calls the function of the model.
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
        self._signature_text, self._defaults, self._hints = self._read_signature(signature)
        self._hints.update(hints or {})
        self._batch = list(batch)
        self.__doc_text, self._parameter_docs, self._examples = parse_doc(function.__doc__ or "")
        self._check_parameter_docs()
        self._lock = threading.RLock()
        self._traced: Traced | None = None
        self._is_tracing = False
        self._model: Any = None  # of this function alone, and of the children of the extension types of its parameters
        self._children: list[type] = []
        self._num_classes = 0  # that were declared when the children were looked up
        self._start(Library())  # checks the signature
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
            return written, defaults, hints
        def text_of(parameter: inspect.Parameter) -> str:
            text, cls = notation.type_text(parameter.annotation, f"parameter `{parameter.name}` of `{self.__name__}`", scope)
            if text is not None and cls is None:
                self._annotations[parameter.name] = text
            hints[parameter.name] = cls if cls is not None else notation.dtype_hint(text)
            if cls is not None and text is None:
                self._open_classes.append(parameter.name)
            part = notation_name(parameter.name) + (f": {text}" if text is not None else "")
            if parameter.default is _KINDS.empty:
                return part
            shown = _default_text(parameter.default)
            if shown == "...":
                defaults[parameter.name] = self._default_bytes(parameter.default, text or "", f"default of `{parameter.name}`")
            return f"{part} = {shown}"

        joined = join_parameters(signature.parameters.values(), text_of)
        result, cls = notation.type_text(signature.return_annotation, f"result of `{self.__name__}`", scope)
        if result is not None and cls is None:
            self._annotations[""] = result
        return f"({joined})" + (f" -> {result}" if result is not None else ""), defaults, hints

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

    def _start(self, library: Library) -> Any:
        for cls in self._classes():
            library.add_type(cls, with_functions=False)
        try:
            trace = engine.run(engine.core().Trace.start, library.core, self.__name__, self._signature_text, self._defaults)
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
        """The trace of the function, which is made once."""
        with self._lock:
            if self._traced is None:
                if self._is_tracing:
                    raise trace_error(f"`{self.__name__}` calls itself; functions of models cannot be recursive, and signet.while_loop repeats")
                self._is_tracing = True
                try:
                    self._traced = self._trace()
                finally:
                    self._is_tracing = False
            return self._traced

    def traced_unless_in_progress(self) -> Traced | None:
        return None if self._is_tracing else self.traced()

    def _trace(self) -> Traced:
        library = Library()
        scope = Scope(self.__name__, self._start(library), library)
        for cls in self._classes():
            scope.use_type(cls)
        with scope:
            symbols = self._symbols(scope, scope.trace.parameters())
            self._check_classes(symbols)
            result = call_with_symbols(self._function, symbols)
            number = result_number(scope, result, self.__name__)
        try:
            handle = engine.run(scope.trace.finish, number, self.__doc_text, self._parameter_docs, self._examples, self._batch)
        except errors.Error as error:
            out = of_engine(error)
            if error.message.startswith("result: "):
                out.add_note(f'  File "{self._function.__code__.co_filename}", line {self._function.__code__.co_firstlineno}, '
                             f"in {self.__name__}")
            raise out from None
        code = self._function.__code__
        return scope.traced(handle, f"{code.co_filename}:{code.co_firstlineno}")

    def _check_classes(self, symbols: dict[str, Any]) -> None:
        """Adds checks of parameters whose annotation is a class with static attributes, which no type of the notation leaves open."""
        from signet import ops

        for name in self._open_classes:
            definition = self._hints[name].__signet_definition__
            ops.check_true(ops.is_a(symbols[name], type=definition.name), message=f"argument `{name}`: expected a value of `{definition.name}`")

    def _symbols(self, scope: Scope, numbers: list[int]) -> dict[str, Any]:
        """The values with which the body is called, by the names of the parameters."""
        return {name: self._symbol(scope, number, name) for name, number in zip(inspect.signature(self._function).parameters, numbers)}

    def _symbol(self, scope: Scope, number: int, name: str) -> Any:
        from signet.trace.symbol import Symbol

        scope.take_name(name)
        out = Symbol(scope, number, name, self._hints.get(name))
        parameter = inspect.signature(self._function).parameters.get(name)
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

    def _local(self) -> Any:
        from signet.trace.model import Model

        if self.__name__.startswith("_"):
            raise trace_error(f"`{self.__name__}` is only for the functions of its model, because its name starts with `_`; call it in one of "
                              "them, or rename it", TypeError)
        with self._lock:
            if self._model is None or self._num_classes != len(CLASSES):
                # A value of a child is a value of its parent, also if the child is declared after the function.
                children = [cls for cls in CLASSES.values() if any(issubclass(cls, each) and cls is not each for each in self._classes())]
                if self._model is None or self._children != children:
                    self._model = Model("", self, name=self.__name__, types=children)
                self._children, self._num_classes = children, len(CLASSES)
        return self._model[self.__name__]

    @boundary
    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        if tracer.current() is None:
            return self._local()(*args, **kwargs)
        try:
            inspect.signature(self._function).bind(*args, **kwargs)
        except TypeError as error:
            raise trace_error(f"`{self.__name__}`: {error}, in `{self._signature_text}`", TypeError) from None
        scope = tracer.current()
        assert scope is not None
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
        return getattr(self._local(), name)

    @property
    def __signature__(self) -> Any:
        return self._local().__signature__

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
