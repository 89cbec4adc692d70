"""Extension: a value of a type that a model defines."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from signet.types import format_static
from signet.values import arrays


class Extension:
    """A value of an extension type: its static attributes, and its components. Both are attributes of the object."""

    __slots__ = ("components", "name", "statics")

    def __init__(self, name: str, statics: Mapping[str, Any] = {}, components: Mapping[str, Any] = {}) -> None:  # noqa: B006
        self.name = name
        self.statics = dict(statics)
        self.components = dict(components)

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("__"):
            for parts in (self.components, self.statics):
                if name in parts:
                    return parts[name]
        raise AttributeError(f"`{self.name}` has no component or static attribute `{name}`; it has "
                             + ", ".join(f"`{each}`" for each in [*self.statics, *self.components]))

    def __getitem__(self, name: str) -> Any:
        return self.components[name] if name in self.components else self.statics[name]

    def __reduce__(self) -> Any:
        return Extension, (self.name, self.statics, self.components)

    def to_py(self) -> dict[str, Any]:
        parts = {**self.statics, **{name: arrays.to_py(part) for name, part in self.components.items()}}
        return {"$type": self.name, **parts}

    def equals(self, other: Any) -> bool:
        return (isinstance(other, Extension) and self.name == other.name and arrays.same(self.statics, other.statics)
                and list(self.components) == list(other.components) and arrays.same(self.components, other.components))

    def __repr__(self) -> str:
        statics = ", ".join(f"{key}={format_static(value)}" for key, value in self.statics.items())
        parts = ", ".join(f"{key}={value!r}" for key, value in self.components.items())
        return f"{self.name}{'<' + statics + '>' if statics else ''}({parts})"
