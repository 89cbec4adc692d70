"""Extension: a value of a type that a model defines."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from signet.types import format_static
from signet.values import arrays


class Extension:
    """A value of an extension type: its static attributes, and its components. Both are attributes of the object."""

    __slots__ = ("_components", "_name", "_statics")
    _components: dict[str, Any]
    _name: str
    _statics: dict[str, Any]

    def __init__(self, name: str, statics: Mapping[str, Any] = {}, components: Mapping[str, Any] = {}) -> None:  # noqa: B006
        set_ = object.__setattr__
        set_(self, "_name", name)
        set_(self, "_statics", dict(statics))
        set_(self, "_components", dict(components))

    @property
    def name(self) -> str:
        return self._name

    @property
    def statics(self) -> dict[str, Any]:
        return self._statics

    @property
    def components(self) -> dict[str, Any]:
        return self._components

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("__"):
            for parts in (self._components, self._statics):
                if name in parts:
                    return parts[name]
        raise AttributeError(f"`{self._name}` has no component or static attribute `{name}`; it has "
                             + ", ".join(f"`{each}`" for each in [*self._statics, *self._components]))

    def __getitem__(self, name: str) -> Any:
        if not isinstance(name, str):
            raise TypeError(f"a value of `{self._name}` has no elements; its parts have names, as in `x[\"{next(iter(self._components), 'name')}\"]`")
        if name not in self._components and name not in self._statics:
            raise KeyError(name)
        return self._components[name] if name in self._components else self._statics[name]

    def __reduce__(self) -> Any:
        return Extension, (self._name, self._statics, self._components)

    @property
    def type(self) -> Any:
        """The type, of which nothing is open."""
        from signet.types import ExtensionType, TextType
        from signet.values.structured import type_of_column

        return ExtensionType(self._name, {name: TextType(format_static(value)) for name, value in self._statics.items()},
                             {name: type_of_column(part) for name, part in self._components.items()})

    def to_pandas(self) -> Any:
        """A DataFrame with a column for each component. All components have the same number of rows."""
        from signet.values.structured import Structured

        return Structured(self._components).to_pandas()

    def to_py(self) -> dict[str, Any]:
        parts = {**self._statics, **{name: arrays.to_py(part) for name, part in self._components.items()}}
        return {"$type": self._name, **parts}

    def _repr_html_(self) -> str:
        from signet import html

        return html.of_extension(self)

    def equals(self, other: Any) -> bool:
        return (isinstance(other, Extension) and self._name == other._name and arrays.same(self._statics, other._statics)
                and list(self._components) == list(other._components) and arrays.same(self._components, other._components))

    def __repr__(self) -> str:
        statics = ", ".join(f"{key}={format_static(value)}" for key, value in self._statics.items())
        parts = ", ".join(f"{key}={value!r}" for key, value in self._components.items())
        return f"{self._name}{'<' + statics + '>' if statics else ''}({parts})"


# The classes of extension types of this program, by name (signet.extension_type).
CLASSES: dict[str, Any] = {}


def class_of(name: str) -> Any:
    """The class of an extension type; None if this program declares none."""
    return CLASSES.get(name)


def classes_in(text: str) -> list[Any]:
    """The classes of the extension types that a text in the notation names."""
    return [CLASSES[name] for name in dict.fromkeys(re.findall(r"[A-Za-z_]\w*(?:\.\w+)+", text)) if name in CLASSES]


def of_parts(cls: Any, statics: dict[str, Any], components: dict[str, Any]) -> Extension:
    """A value of a class, without the checks of its constructor."""
    out: Extension = object.__new__(cls)
    Extension.__init__(out, cls.__signet_definition__.name, statics, components)
    return out


def make(name: str, statics: dict[str, Any], components: dict[str, Any]) -> Extension:
    """A value of the class of the type, or an Extension if the program declares none that has these parts."""
    cls = CLASSES.get(name)
    if cls is not None:
        definition = cls.__signet_definition__
        if set(definition.statics) == statics.keys() and list(definition.components) == list(components):
            return of_parts(cls, {key: statics[key] for key in definition.statics}, components)
    return Extension(name, statics, components)


def classes_among(values: Iterable[Any]) -> list[type]:
    """The classes of extension types that `signet.extension_type` declared and that occur among the values."""
    classes: dict[str, type] = {}
    if CLASSES:
        for value in values:
            _collect(value, classes)
    return list(classes.values())


def _collect(value: Any, classes: dict[str, type]) -> None:
    if isinstance(value, (list, tuple)):
        for each in value:
            _collect(each, classes)
    elif isinstance(value, dict):
        for each in value.values():
            _collect(each, classes)
    elif isinstance(value, type) and hasattr(value, "__signet_definition__"):
        classes[value.__signet_definition__.name] = value
    elif isinstance(value, Extension):
        cls = CLASSES.get(value._name)
        if cls is not None:
            classes[value._name] = cls
        for each in value._components.values():
            _collect(each, classes)
