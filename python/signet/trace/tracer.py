"""Scopes: the functions that are being traced. What the user's program does with traced values adds nodes to the innermost one."""

from __future__ import annotations

import re
import sys
import threading
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import FrameType
from typing import TYPE_CHECKING, Any, Optional

import numpy as np

from signet import engine, errors
from signet.trace import places
from signet.trace.errors import TraceError, of_engine, trace_error, run
from signet.trace.places import Place
from signet.tracebacks import warn
from signet.types import RaggedType, TensorType, Type, from_message
from signet.values import Extension, Ragged, Sparse, Structured
from signet.values.arrays import same_array
from signet.wire.convert import Conversion, as_array

if TYPE_CHECKING:
    from signet.trace.symbol import Symbol

SMALL_BYTES = 64  # arrays below are written in the body; others are captures
NODES_WARNED = 10_000

# Ops whose results are bools, unless an extension type defines them otherwise.
_GIVE_BOOLS = frozenset(("equal", "greater", "greater_equal", "is_finite", "is_inf", "is_nan", "is_same", "less", "less_equal", "logical_and",
                         "logical_not", "logical_or", "logical_xor", "not_equal", "reduce_all", "reduce_any"))

_PLAIN = (bool, int, float, str, bytes, type(None))


def bytes_of_value(value: Any, path: str) -> bytes:
    """The serialized signet.v1.Value of a Python value, with the types that it has itself."""
    return Conversion(exact=True).argument(value, None, path).to_bytes()


def _constant(value: Any, name: str) -> bytes:
    """The bytes of a value that is met in a body."""
    try:
        return bytes_of_value(value, name)
    except errors.Error as error:
        error.message = error.message.replace("argument `", "value `", 1)
        raise of_engine(error) from None


def _array_of(value: Any) -> Optional[np.ndarray[Any, Any]]:
    """The array of a value that is met in a body; None for values of signet, and for values that are not arrays."""
    try:
        return None if isinstance(value, (Ragged, Sparse, Structured, Extension)) else as_array(value)
    except (ValueError, TypeError) as error:
        raise trace_error(f"a value of the class `{type(value).__name__}`: {error}", type(error)) from None


def type_of_bytes(data: bytes | None) -> Type | None:
    from signet.v1 import types_pb2

    return None if data is None else from_message(types_pb2.TypeSpec.FromString(data))


@dataclass
class WatchedArray:
    """An array of the user that became a capture. Changing it later would change nothing, so that is an error."""

    array: Any
    name: str
    digest: int

    @classmethod
    def of(cls, array: Any, name: str) -> WatchedArray:
        return cls(array, name, _digest(array))

    def check(self) -> None:
        if _digest(self.array) != self.digest:
            raise trace_error(f"capture `{self.name}`: the array has changed after the function was traced; the function uses the former "
                          "elements. Make a new array, and trace the function again.")


def check_arrays(arrays: Iterable[WatchedArray]) -> None:
    for each in arrays:
        each.check()


def _digest(array: Any) -> int:
    if array.dtype == object:
        return hash(tuple(array.reshape(-1).tolist()))
    return zlib.crc32(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)


@dataclass
class Traced:
    """A function that was traced, and all that it refers to."""

    handle: Any  # signet._core.TracedFunction
    uses: list[Traced]
    types: list[Any]  # classes of extension types
    places: dict[str, Place]  # of nodes, by name
    arrays: list[WatchedArray]
    source: str = ""  # the file and the line of its definition, if it is one of this program
    owner: Any = None  # what reserves the name of the function, if it is one of another model


@dataclass
class Library:
    """What a function or a model refers to: functions, and extension types with the functions that define ops on them."""

    core: Any = field(default_factory=lambda: engine.core().Library())
    functions: dict[str, Traced] = field(default_factory=dict)
    types: dict[str, Any] = field(default_factory=dict)

    def add(self, traced: Traced) -> None:
        name = traced.handle.name
        known = self.functions.get(name)
        if known is not None and known.handle is traced.handle:
            return
        if known is not None:
            raise _same_names(known, traced)
        self.functions[name] = traced
        run(self.core.add_function, traced.handle)
        for cls in traced.types:
            self.add_type(cls)
        for used in traced.uses:
            self.add(used)

    def source_lines(self) -> str:
        """The file and the line of each node, as sources.tsv contains them (core/model/native/source_lines.h)."""
        return "".join(f"{name}\t{node}\t{places.relative_file(place.file)}\t{place.line}\n"
                       for name, traced in sorted(self.functions.items()) for node, place in sorted(traced.places.items())
                       if not any(char in node or char in place.file for char in "\t\n"))

    def add_type(self, cls: Any, with_functions: bool = True) -> None:
        """Adds an extension type, and the functions of its declaration."""
        definition = cls.__signet_definition__
        if definition.name not in self.types:
            if definition.parent is not None:
                self.add_type(definition.parent, with_functions)
            for used in definition.types_used():
                self.add_type(used, with_functions)
            self.types[definition.name] = cls
            run(self.core.add_type, definition.declaration())
        elif self.types[definition.name] is not cls:
            raise trace_error(f"two extension types are called `{definition.name}`")
        if with_functions:
            for function in definition.functions():
                traced = function.traced_unless_in_progress()
                if traced is not None:
                    self.add(traced)

    def arrays(self, most_bytes: float = float("inf")) -> list[WatchedArray]:
        """The arrays that became captures, up to `most_bytes` together."""
        out, left = [], most_bytes
        for watched in (each for traced in self.functions.values() for each in traced.arrays):
            if watched.array.nbytes <= left:
                out.append(watched)
                left -= watched.array.nbytes
        return out


class _Stack(threading.local):
    def __init__(self) -> None:
        self.scopes: list[Scope] = []


_stack = _Stack()


def current() -> Scope | None:
    """The scope of the function that this thread traces."""
    return _stack.scopes[-1] if _stack.scopes else None


class Scope:
    """A function that is being traced. A nested function, which a control op calls, has an `outer` scope."""

    def __init__(self, name: str, core_trace: Any, library: Library, outer: Scope | None = None) -> None:
        self.name, self.trace, self.library, self.outer = name, core_trace, library, outer
        self.entry: FrameType | None = None  # the frame that calls the function of the user
        self.uses: dict[str, Traced] = {}
        self.types: dict[str, Any] = {}
        self.places: dict[str, Place] = {}
        self.arrays: list[WatchedArray] = []
        self.is_over = False
        self.lifted: list[Symbol] = []  # values of the outer scope
        self.plain_ids: set[int] = set()  # values that may be plain: parameters without a type, and static attributes
        self._lifted_ids: dict[int, int] = {}  # by the number in the outer scope
        self.nested_names: set[str] = set()
        self._names: set[str] = set()
        self._numbers: dict[str, int] = {}  # the next number after a name that is taken
        self._parts: dict[str, int] = {}
        self._existing: dict[tuple[int | str, ...], Any] = {}
        self._captures: dict[tuple[int, str | None], tuple[Any, int]] = {}  # by identity and dtype

    def __enter__(self) -> Scope:
        _stack.scopes.append(self)
        self.entry = sys._getframe(1)
        return self

    def __exit__(self, *unused: object) -> None:
        _stack.scopes.pop()
        self.entry = None
        self.is_over = True

    # --- names --------------------------------------------------------------------------------------------

    def take_name(self, name: str) -> str:
        """`name`, or `name_2` and so on if it is taken."""
        free, number = name, self._numbers.get(name, 2)
        while free in self._names:
            free, number = f"{name}_{number}", number + 1
        self._numbers[name] = number
        self._names.add(free)
        return free

    def _node_name(self, frame: FrameType | None, otherwise: str, is_part: bool = False) -> str:
        found = places.variable_of(frame, self.entry) if frame is not None else None
        if found is None:
            return self.take_name(otherwise)
        variable, is_whole = found
        if is_whole and not is_part:
            return self.take_name(variable)
        self._parts[variable] = number = self._parts.get(variable, 0) + 1
        return self.take_name(f"{variable}_{number}")

    # --- nodes --------------------------------------------------------------------------------------------

    def call(self, op: str, inputs: Sequence[Any], attributes: Mapping[str, Any], label: str | None = None,
             has_one_dtype: bool = False) -> list[Symbol]:
        """Adds a node. Attributes that are traced values are computed. `label` is the name of the node outside of assignments. If
        `has_one_dtype`, arrays of numpy with its default dtypes get the dtype of the traced inputs."""
        frame = places.user_frame(self.entry)
        dtype = _dtype_of_symbols(inputs) if has_one_dtype else None
        ids = [self.input(each, frame, dtype) for each in inputs]
        plain, computed = {}, []
        for name, value in attributes.items():
            if is_symbol(value):
                computed.append((name, self.input(value, frame)))
            else:
                plain[name] = value
        return self._add(op, ids, plain, computed, self._node_name(frame, label or op), frame)

    def index(self, op: str, base: Any, text: str, inputs: Sequence[Any], attributes: Mapping[str, Any]) -> Symbol:
        """Adds a node for a field or an index. Inside an expression it is called by its text, and exists once."""
        frame = places.user_frame(self.entry)
        found = places.variable_of(frame, self.entry) if frame is not None else None
        ids = [self.input(each, frame) for each in (base, *inputs)]
        key: tuple[int | str, ...] = (*ids, text)  # values of different functions may have the same reference
        if found is not None and found[1] and found[0] != places.RESULT:
            name = self.take_name(found[0])
        elif key in self._existing:
            existing: Symbol = self._existing[key]
            return existing
        else:
            name = self.take_name(_reference(base) + text)
        out = self._add(op, ids, dict(attributes), [], name, frame)[0]
        self._existing.setdefault(key, out)
        return out

    def _add(self, op: str, ids: list[int], plain: dict[str, Any], computed: list[tuple[str, int]], name: str,
             frame: FrameType | None) -> list[Symbol]:
        from signet.trace.symbol import Symbol

        try:
            outputs = engine.run(self.trace.call, name, op, ids, plain, computed)
        except errors.Error as error:
            raise self._placed(error) from None
        if frame is not None:
            self.places[name] = places.place_of(frame)
        if len(self.places) == NODES_WARNED:
            warn(f"`{self.name}` has {NODES_WARNED} nodes; a loop of Python adds its nodes in each round. signet.map, scan, and "
                 "while_loop add them once")
        hint = "bool" if op in _GIVE_BOOLS else None
        return [Symbol(self, each, name if i == 0 else f"{name}_{i}", hint) for i, each in enumerate(outputs)]

    def _placed(self, error: Any) -> TraceError:
        out = of_engine(error)
        add_places(out, self.library)
        return out

    # --- inputs -------------------------------------------------------------------------------------------

    def input(self, value: Any, frame: Optional[FrameType] = None, dtype: str | None = None) -> int:
        """The number of a value in this trace: of a traced value, or of a constant, a capture, or a nest. `dtype` is that of arrays whose
        dtype is a default of numpy."""
        from signet.trace.operators import Capture

        if is_symbol(value):
            return self._number_of(value)
        if hasattr(value, "_signet_op"):
            raise trace_error(f"`{value._signet_op}` has the outputs {', '.join(f'`{each}`' for each in value._fields)}; use one of them, such as "
                              f"`.{value._fields[0]}`, or a tuple of them", TypeError)
        if isinstance(value, _PLAIN) and not isinstance(value, np.generic):
            return int(run(self.trace.plain, value))
        if isinstance(value, (list, tuple, Mapping)) and not hasattr(value, "_fields"):
            return self._nest(value, frame)
        if isinstance(value, Extension) and type(value) is not Extension:
            from signet.trace.extension_types import ExtensionValue, traced_value

            assert isinstance(value, ExtensionValue)
            return self._number_of(traced_value(value))
        if isinstance(value, Capture):
            known = self._captures.get((id(value.value), None))
            return known[1] if known is not None and known[0] is value.value else self.capture(value.name, value.value)
        array = _array_of(value)
        if array is None and not isinstance(value, (Ragged, Sparse, Structured, Extension)):
            raise trace_error(f"expected a traced value, a number, a text, an array, or a list, tuple, or dict of these, found a value of the "
                          f"class `{type(value).__name__}`", TypeError)
        if array is not None and array.nbytes < SMALL_BYTES:
            return int(run(self.trace.constant, _constant(_with_dtype(array, dtype), "constant")))
        if array is None or not _is_converted(array, dtype):
            dtype = None
        known = self._captures.get((id(value), dtype))
        if known is not None and known[0] is value:
            return known[1]
        name = places.variable_holding(frame or places.user_frame(self.entry), value)
        if name is None and array is not None:
            for (_, other_dtype), (other, number) in self._captures.items():
                if isinstance(other, np.ndarray) and other_dtype == dtype and same_array(other, array):
                    return number
        if name is None and array is not None and array.ndim > 0:
            name = places.variable_with_elements(frame or places.user_frame(self.entry), array)
        return self.capture(name or "constant", value, dtype)

    def capture(self, name: str, value: Any, dtype: str | None = None) -> int:
        array = _array_of(value)
        stored = value if array is None else _with_dtype(array, dtype)
        number = int(run(self.trace.capture, name, _constant(stored, name)))
        if isinstance(value, np.ndarray):
            self.arrays.append(WatchedArray.of(value, name))
        self._captures[id(value), dtype] = (value, number)
        return number

    def result(self, value: Any) -> int:
        """The number of what the function returns."""
        is_nest = isinstance(value, (list, tuple, Mapping)) and not hasattr(value, "_fields")
        return self._nest(value, None, self.take_name(places.RESULT)) if is_nest else self.input(value)

    def _nest(self, value: Any, frame: Optional[FrameType], name: str | None = None) -> int:
        if is_plain(value):
            return int(run(self.trace.plain, value))
        keys = list(value) if isinstance(value, Mapping) else []
        if not all(isinstance(key, str) for key in keys):
            wrong = next(key for key in keys if not isinstance(key, str))
            raise trace_error(f"expected a dict whose keys are texts, found the key {wrong!r}", TypeError)
        ids = [self.input(each, frame) for each in (value.values() if keys else value)]
        op, attributes = ("make_dict", {"names": keys}) if keys else ("make_list" if isinstance(value, list) else "make_tuple", {})
        return self._add(op, ids, attributes, [], name or self._node_name(frame, op, is_part=True), frame)[0]._id

    def _number_of(self, value: Symbol) -> int:
        if value._scope is self:
            return value._id
        return self._lift(value)

    def _lift(self, value: Symbol) -> int:
        """The parameter of a nested function for a value of a function around it."""
        scope = value._scope
        if scope.is_over:
            raise is_over(value)
        outer: Scope | None = self.outer
        while outer is not None and outer is not scope:
            outer = outer.outer
        if outer is None:
            raise trace_error(f"the value {_shown(value)} of the function `{scope.name}` is used in another function, `{self.name}`; pass it as "
                          "an argument")
        assert self.outer is not None
        inner = value if self.outer is scope else self.outer.symbol_of(value)
        if inner._id in self._lifted_ids:
            return self._lifted_ids[inner._id]
        name = self.take_name(_identifier(value._reference))
        number = int(run(self.trace.add_parameter, name, inner._type_bytes()))
        self._lifted_ids[inner._id] = number
        if inner._is_plain_parameter():
            self.plain_ids.add(number)
        self.lifted.append(inner)
        return number

    def symbol_of(self, value: Any) -> Symbol:
        """A value as a traced value of this scope."""
        from signet.trace.symbol import Symbol

        if is_symbol(value) and value._scope is self:
            same: Symbol = value
            return same
        frame = places.user_frame(self.entry)
        hint = value._hint if is_symbol(value) else None
        return Symbol(self, self.input(value, frame), value._reference if is_symbol(value) else "constant", hint)

    def use(self, traced: Traced) -> None:
        """States that this function refers to another."""
        self.library.add(traced)
        self.uses.setdefault(traced.handle.name, traced)

    def use_type(self, cls: Any) -> None:
        name = cls.__signet_definition__.name
        if name not in self.types:
            self.library.add_type(cls)
            self.types[name] = cls

    def traced(self, handle: Any, source: str = "") -> Traced:
        return Traced(handle, list(self.uses.values()), list(self.types.values()), self.places, self.arrays, source)


def _dtype_of_symbols(inputs: Sequence[Any]) -> str | None:
    """The dtype of the first traced value whose type is known."""
    from signet.trace.symbol import known_type

    return next((type_.dtype for each in inputs if isinstance(type_ := known_type(each), (TensorType, RaggedType))), None)


def _is_converted(array: Any, dtype: str | None) -> bool:
    """Whether an array has a default dtype of numpy, which a program rarely states, and the values next to it have another dtype."""
    if dtype is None or str(array.dtype) == dtype:
        return False
    is_float = dtype in ("float16", "bfloat16", "float32", "float64")
    return (array.dtype == np.float64 and is_float) or (array.dtype == np.int64 and (is_float or "int" in dtype))


def _with_dtype(array: Any, dtype: str | None) -> Any:
    from signet.trace.extension_types import value_under_type

    if not _is_converted(array, dtype):
        return array
    return value_under_type(array, f"{dtype}[...]", "constant") if dtype == "bfloat16" else _cast_exactly(array, np.dtype(dtype))


def _cast_exactly(array: Any, dtype: Any) -> Any:
    """The array with the dtype, or as it is, if integers do not fit."""
    cast = array.astype(dtype)
    return cast if dtype.kind == "f" or np.array_equal(cast, array) else array


def add_places(error: Any, library: Library) -> None:
    """Adds to an error the lines of the program where the nodes that it names were written."""
    if any("File" in note for note in getattr(error, "__notes__", ())):
        return
    for function, node in re.findall(r"`?([A-Za-z_]\w*)`?: node `([^`]*)`", error.message):
        traced = library.functions.get(function)
        place = traced.places.get(node) if traced is not None else None
        if place is not None:
            error.add_note(place.text())


def _same_names(*traced: Traced) -> TraceError:
    sources = [each.source for each in traced if each.source]
    where = f", at {' and '.join(sources)}" if len(sources) == len(traced) else ""
    return trace_error(f"two functions of the model have the name `{traced[0].handle.name}`{where}; rename one. If it was defined again, define the "
                       "functions that call it again, too", ValueError)


def with_hint(value: Any, hint: Any) -> Any:
    """A traced value of unknown type, with what the program knows of it; other values as they are."""
    from signet.trace.symbol import Symbol

    if not is_symbol(value) or value._hint is not None or value._type_bytes() is not None:
        return value
    return Symbol(value._scope, value._id, value._reference, hint)


def is_symbol(value: Any) -> bool:
    from signet.trace.symbol import Symbol

    return type(value) is Symbol


def is_plain(value: Any) -> bool:
    """Whether a value is a literal, or a nest of literals."""
    if isinstance(value, (list, tuple)) and not hasattr(value, "_fields"):
        return all(map(is_plain, value))
    if isinstance(value, dict):
        return all(isinstance(key, str) and is_plain(item) for key, item in value.items())
    return isinstance(value, _PLAIN) and not isinstance(value, np.generic)


def _reference(value: Any) -> str:
    return str(value._reference) if is_symbol(value) else "constant"


def is_over(value: Symbol) -> TraceError:
    return trace_error(f"the value {_shown(value)} is used after the trace of `{value._scope.name}`, which is over; values of a trace are "
                   "returned, or passed to the functions that use them")


def _shown(value: Symbol) -> str:
    place = value._scope.places.get(value._reference)
    return f"`{value._reference}`" + (f", made in {place.file}:{place.line}," if place is not None else "")


def _identifier(text: str) -> str:
    out = "".join(char if char.isalnum() or char == "_" else "_" for char in text).strip("_")
    return out if out.isidentifier() else f"value_{out}" if out else "value"
