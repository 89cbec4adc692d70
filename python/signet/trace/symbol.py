"""Symbol: a value in a function that is being traced. It stands for the values that the function will compute."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import Any

from signet import engine, names, ops
from signet.trace import places, tracer
from signet.trace.errors import trace_error, run
from signet.trace.operators import Operators, not_of_numpy
from signet.trace.tracer import Scope
from signet.tracebacks import bounded
from signet.types import (DictType, ExtensionType, LiteralType, NamedTupleType, RaggedType, SequenceType, SparseType, StructuredType,
                          TensorType, Type)

# Attributes of tensors and ragged values. They may also be names of fields.
_OF_TENSORS = frozenset(("T", "dtype", "ndim", "row_splits", "shape", "values"))
_UNKNOWN = object()
# Functions of Python that iterate, and for which there are ops.
_OF_ELEMENTS = frozenset(("all", "any", "max", "min", "sum"))


@bounded
class Symbol(Operators):
    """A traced value: operators, indices, and fields of it are ops of the function that is traced."""

    __slots__ = ("_cached_type", "_hint", "_id", "_reference", "_scope")
    _cached_type: Any
    _hint: Any
    _id: int
    _reference: str
    _scope: Scope

    def __init__(self, scope: Scope, number: int, reference: str, hint: Any = None) -> None:
        set_ = object.__setattr__
        set_(self, "_scope", scope)
        set_(self, "_id", number)
        set_(self, "_reference", reference)  # its name in the function, such as `total` or `orders.items[0]`
        set_(self, "_hint", hint)  # a type, or a class of an extension type: what is known where the engine knows nothing
        set_(self, "_cached_type", _UNKNOWN)

    def _type_bytes(self) -> bytes | None:
        data: bytes | None = self._scope.trace.type_of(self._id)
        return data

    def __repr__(self) -> str:
        type_ = known_type(self)
        return f"<traced value {self._reference}{'' if type_ is None else f': {type_!r}'}>"

    def _is_plain_parameter(self) -> bool:
        """Whether the value may be a plain value, which an attribute takes."""
        return self._id in self._scope.plain_ids

    # --- parts --------------------------------------------------------------------------------------------

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # fields with such names are `x["_name"]`
            raise AttributeError(name)
        scope = _here(self)
        type_ = known_type(self)
        fields = _fields(type_)
        if isinstance(type_, ExtensionType) and name in type_.statics and name not in type_.components:
            return plain_value(type_.statics[name])
        if fields is None or name not in fields:
            cls = _class_of(self, type_)
            if cls is not None and name not in cls.__signet_definition__.names():
                return cls.__signet_definition__.method(cls, name, self)
            if isinstance(type_, (TensorType, RaggedType, SparseType)):
                return _of_tensor(self, type_, name)
            if fields is not None and type_ is not None:
                nearest = names.nearest(name, fields)
                inside = next((f"{each}.{name}" for each in fields if name in (_fields(fields[each]) or ())), None)
                hint = f"; did you mean `{inside}`?" if inside is not None else f"; the nearest is `{nearest}`" if nearest is not None else \
                    f"; it has {names.list_names(fields)}"
                raise trace_error(f"{self!r} has no field `{name}`{hint}", AttributeError)
            if type_ is None and cls is None and name in _OF_TENSORS:
                raise trace_error(f"`.{name}` of a value whose type is not known: write `x[\"{name}\"]` for a field, or `{_OP_OF[name]}` for the "
                              "attribute of a tensor; or give the parameter a type", AttributeError)
        if isinstance(type_, SequenceType):
            raise trace_error(f"{self!r} has no field `{name}`; its elements have numbers, as in `x[0]`", AttributeError)
        return self._field(name)

    def _field(self, name: str) -> Any:
        scope = _here(self)
        text = f".{name}" if name.isidentifier() else f"[{names.quote(name)}]"
        out = scope.index("struct_get", self, text, [], {"field": name})
        cls = _class_of(self, known_type(self))
        if cls is not None and name in cls.__signet_definition__.statics:
            out._scope.plain_ids.add(out._id)
        elif cls is not None:
            object.__setattr__(out, "_hint", cls.__signet_definition__.hint(name))
        return out

    def __getitem__(self, keys: Any) -> Any:
        if isinstance(keys, str):
            return self._field(keys)
        scope = _here(self)
        type_ = known_type(self)
        if isinstance(keys, int) and not isinstance(keys, bool) and isinstance(type_, SequenceType):
            if not -len(type_.elements) <= keys < len(type_.elements):
                raise trace_error(f"{self!r} has {len(type_.elements)} elements, and no element {keys}", IndexError)
        if isinstance(keys, slice) and isinstance(type_, SequenceType):
            elements = [self[i] for i in range(len(type_.elements))[keys]]
            return elements if type_.kind == "list" else tuple(elements)
        listed: list[Any] = []
        inputs: list[Symbol] = []
        references: list[str] = []
        for key in keys if isinstance(keys, tuple) else (keys,):
            if isinstance(key, Symbol):
                listed.append((len(inputs),))
                inputs.append(key)
                references.append(key._reference)
            elif isinstance(key, slice):
                listed.append(_slice_key(key, inputs, references))
            elif key is None or key is ... or isinstance(key, str):
                listed.append(key)
            elif (index := _index_of(key)) is not None:
                listed.append(index)
            else:
                raise trace_error(f"an index: expected an integer, a slice, `...`, None, a name, or a traced integer, found a value of the class "
                                  f"`{type(key).__name__}`; `ops.gather` selects several elements", TypeError)
        text = run(engine.core().keys_text, listed, references)
        return scope.index("get_item", self, text, inputs, {"key": listed})

    def __iter__(self) -> Iterator[Any]:
        type_ = known_type(self)
        if isinstance(type_, SequenceType):
            return iter([self[i] for i in range(len(type_.elements))])
        if isinstance(type_, DictType):
            return iter(list(type_.items))
        if isinstance(type_, NamedTupleType):
            return iter([self[name] for name in type_.fields])
        frame = places.user_frame(self._scope.entry)
        called = places.called_name(frame) if frame is not None else None
        if called in _OF_ELEMENTS:
            raise trace_error(f"`{called}` does not take traced values; {ops.hint(called)}", TypeError)
        raise trace_error(f"{self!r} cannot be iterated while the function is traced, because its elements are not known yet; `signet.map` calls "
                      "a function for each element, and `ops.unstack` returns the elements if their number is known", TypeError)

    def __len__(self) -> int:
        type_ = known_type(self)
        size = None
        if isinstance(type_, SequenceType):
            size = len(type_.elements)
        elif isinstance(type_, (DictType, NamedTupleType)):
            size = len(_fields(type_) or ())
        elif isinstance(type_, (TensorType, RaggedType, SparseType, StructuredType)) and type_.shape:
            size = type_.shape[0]
        if size is None:
            raise trace_error(f"the length of {self!r} is not known while the function is traced; `ops.size(x)` and `ops.shape(x)[0]` compute it",
                          TypeError)
        return size

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        base, _, name = self._reference.rpartition(".")
        raise trace_error(f"{self!r} is not a function" + (f"; if `{name}` is a method of an extension type, call it with its class, as in "
                                                       f"`Class.{name}({base}, ...)`, because the type of `{base}` is not known here"
                                                       if base else ""), TypeError)

    # --- what traced values cannot do ---------------------------------------------------------------------

    def __setattr__(self, name: str, value: Any) -> None:
        raise trace_error(f"`x.{name} = ...`: values cannot be changed; `ops.struct_update(x, {name}=...)` returns a changed structure", TypeError)

    def __setitem__(self, key: Any, value: Any) -> None:
        raise trace_error("`x[...] = ...`: values cannot be changed; `ops.scatter` and `ops.struct_update` return changed values", TypeError)

    def __delattr__(self, name: str) -> None:
        raise trace_error(f"`del x.{name}`: values cannot be changed; `ops.struct_without` returns a structure without a field", TypeError)

    def __bool__(self) -> bool:
        frame = places.user_frame(self._scope.entry)
        word = places.condition_of(frame) if frame is not None else None
        raise trace_error(f"{self!r} is not True or False while the function is traced{_INSTEAD_OF.get(word or '', _INSTEAD_OF_ALL)}", TypeError)

    def __str__(self) -> str:
        frame = places.user_frame(None)
        is_shown = frame is not None and (places.is_call_of(frame, "print") or frame.f_globals.get("__name__") == "logging")
        if tracer.current() is None or is_shown:
            return repr(self)
        raise _no_text(self)

    def __format__(self, spec: str) -> str:
        if tracer.current() is None:
            return format(repr(self), spec)
        raise _no_text(self)

    def __round__(self, digits: Any = None) -> Any:
        instead = f"`ops.round({self._reference})` rounds to integers"
        if digits is not None:
            instead += f", and `ops.round(x * 10.0**{digits}) / 10.0**{digits}` to {digits} decimal places"
        raise trace_error(f"`round` does not take traced values; {instead}", TypeError)

    def __contains__(self, value: Any) -> bool:
        type_ = known_type(self)
        if isinstance(type_, DictType) and isinstance(value, str):
            return value in type_.items
        raise trace_error("`value in x` is not known while the function is traced; `ops.reduce_any(x == value)` computes it", TypeError)

    def __hash__(self) -> int:  # type: ignore[override]
        raise trace_error(f"{self!r} cannot be a key of a dict or an element of a set, because its value is not known yet", TypeError)

    def __int__(self) -> int:
        raise _no_number(self, "int")

    def __float__(self) -> float:
        raise _no_number(self, "float")

    def __complex__(self) -> complex:
        raise _no_number(self, "complex")

    def __index__(self) -> int:
        raise trace_error(f"{self!r} is not a number while the function is traced; to select elements of an array by a traced index, call "
                      "`ops.gather(array, x)`", TypeError)

    def __array__(self, *unused: Any, **options: Any) -> Any:
        raise trace_error(f"{self!r} is not an array while the function is traced; use `signet.ops` instead of functions of numpy, and "
                      "`ops.gather(array, x)` instead of `array[x]`", TypeError)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        raise not_of_numpy(function, args, kwargs)

    def __copy__(self) -> Symbol:
        return self  # which never changes

    def __deepcopy__(self, memo: Any) -> Symbol:
        return self

    def __reduce__(self) -> Any:
        raise trace_error(f"{self!r} cannot be pickled; it exists only while the function is traced", TypeError)


_OP_OF = {"T": "ops.transpose(x)", "dtype": "ops.dtype_of(x)", "ndim": "ops.rank(x)", "row_splits": "ops.ragged_row_splits(x)",
          "shape": "ops.shape(x)", "values": "ops.ragged_values(x)"}


# What to write instead of a word of Python that needs True or False.
_INSTEAD_OF = {
    "if": "; use `signet.cond` or `ops.select` instead of `if`",
    "while": "; use `signet.while_loop` instead of `while`",
    "and": "; use `&` instead of `and`, with parentheses around comparisons",
    "or": "; use `|` instead of `or`, with parentheses around comparisons",
    "not": "; use `~` instead of `not`",
    "a < x < b": "; write `(a < x) & (x < b)` instead of `a < x < b`",
    "in": "; write `(x == a) | (x == b)` instead of `x in (a, b)`",
    "assert": "; `ops.check_true(x, message=...)` checks a value in each call",
    "max": "; use `ops.maximum(x, y)` instead of `max`",
    "min": "; use `ops.minimum(x, y)` instead of `min`",
    "any": "; use `|` between the values instead of `any`",
    "all": "; use `&` between the values instead of `all`",
    "sorted": "; use `ops.sort` instead of `sorted`",
    "bool": "; comparisons such as `x != 0` compute bools",
}
_INSTEAD_OF_ALL = (": use `signet.cond` or `ops.select` instead of `if`, `&`, `|`, and `~` instead of `and`, `or`, and `not`, two comparisons "
                   "joined by `&` instead of `a < x < b`, and `signet.while_loop` instead of `while`")


def _no_text(symbol: Symbol) -> Exception:
    return trace_error(f"`{symbol._reference}` has no text while the function is traced; `ops.string_concat` joins texts, and `ops.number_to_string` "
                   "makes texts of numbers. To look at the traced value, use `print(x)` or `repr(x)`", TypeError)


def _no_number(symbol: Symbol, name: str) -> Exception:
    return trace_error(f"{symbol!r} is not a number while the function is traced, so `{name}` and the functions of the module `math` do not take "
                   "it; use `ops.cast`, or an op such as `ops.sqrt`", TypeError)


def _here(symbol: Symbol) -> Scope:
    """The scope that adds a node for a part of `symbol`."""
    scope = tracer.current()
    if scope is None:
        raise tracer.is_over(symbol)
    return scope


def _index_of(key: Any) -> int | None:
    """The integer of a key that is one; None for others, such as bools and arrays of integers."""
    try:
        return None if isinstance(key, bool) else operator.index(key)
    except TypeError:
        return None


def _slice_key(key: slice, inputs: list[Symbol], references: list[str]) -> slice:
    """The slice as a key of `get_item`. Its traced bounds become inputs, and are replaced by tuples of their numbers."""
    bounds: list[Any] = []
    for bound in (key.start, key.stop, key.step):
        if isinstance(bound, Symbol) and bound is not key.step:
            bounds.append((len(inputs),))
            inputs.append(bound)
            references.append(bound._reference)
        elif not isinstance(bound, Symbol) and (bound is None or hasattr(bound, "__index__")):
            bounds.append(None if bound is None else bound.__index__())
        else:
            raise trace_error(f"a slice: expected integers, traced integers, or None, and a plain integer as the step, found {bound!r}",
                              TypeError)
    return slice(*bounds)


def known_type(value: Any) -> Type | None:
    """The type of a traced value, as far as it is known; None if it is not known."""
    if type(value) is not Symbol:
        return None
    if value._cached_type is _UNKNOWN:
        type_ = tracer.type_of_bytes(value._type_bytes())
        if type_ is None and isinstance(value._hint, Type):
            type_ = value._hint
        object.__setattr__(value, "_cached_type", type_)
    found: Type | None = value._cached_type
    return found


def _class_of(symbol: Symbol, type_: Type | None) -> Any:
    """The class of an extension value."""
    from signet.values.extension import class_of

    if isinstance(type_, ExtensionType):
        return class_of(type_.name)
    return symbol._hint if isinstance(symbol._hint, type) else None


def _fields(type_: Type | None) -> Any:
    if isinstance(type_, DictType):
        return type_.items
    if isinstance(type_, (StructuredType, NamedTupleType)):
        return type_.fields
    return type_.components if isinstance(type_, ExtensionType) else None


def plain_value(type_: Type) -> Any:
    """The value of a literal type, or of a nest of literals."""
    if isinstance(type_, LiteralType):
        return type_.value
    if isinstance(type_, SequenceType):
        elements = [plain_value(each) for each in type_.elements]
        return elements if type_.kind == "list" else tuple(elements)
    assert isinstance(type_, DictType)
    return {name: plain_value(item) for name, item in type_.items.items()}


def _of_tensor(symbol: Symbol, type_: Any, name: str) -> Any:
    if name == "dtype":
        return type_.dtype
    if name == "ndim":
        return len(type_.shape) if type_.shape is not None else ops.rank(symbol)
    if name == "shape":
        is_known = isinstance(type_, TensorType) and type_.shape is not None and None not in type_.shape
        return type_.shape if is_known else ops.shape(symbol)
    if name == "T":
        return ops.transpose(symbol)
    if isinstance(type_, RaggedType) and name in ("values", "row_splits"):
        return ops.ragged_values(symbol) if name == "values" else ops.ragged_row_splits(symbol)
    if isinstance(type_, SparseType) and name in ("indices", "values", "dense_shape"):
        return getattr(ops.sparse_components(symbol), name)
    raise trace_error(f"{symbol!r} has no attribute `{name}`; {ops.hint(name)}", AttributeError)
