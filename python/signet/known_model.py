"""What a client knows of a model: its version and its functions. It is asked for once, and again if a call does not fit."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Optional

from signet.binding import Binder
from signet.types import FunctionType, Type, function_type
from signet.wire import encode
from signet.wire.decode import Reading, reads_response


class ModelName(NamedTuple):
    """The model of a call: a name, and a version or a label. Without these, it is the newest version."""

    name: str
    version: Optional[int] = None
    label: Optional[str] = None

    @classmethod
    def parse(cls, text: str) -> ModelName:
        """Reads `recipes`, `recipes/3`, or `recipes:stable`."""
        name, slash, version = text.partition("/")
        if slash:
            if not version.isdigit():
                raise ValueError(f"model {text!r}: expected a number after the slash; `{name}:LABEL` is a label")
            return cls(name, version=int(version))
        name, colon, label = text.partition(":")
        return cls(name, label=label) if colon else cls(text)

    def message(self) -> encode.Message:
        return encode.model_spec(self.name, self.version, self.label)

    def __str__(self) -> str:
        if self.version is not None:
            return f"{self.name}/{self.version}"
        return self.name if self.label is None else f"{self.name}:{self.label}"


@dataclass(frozen=True)
class FunctionInfo:
    """A function, as the server describes it."""

    name: str
    doc: str
    signature: str  # in the notation
    type: FunctionType
    parameter_docs: dict[str, str]
    examples: tuple[str, ...]
    binder: Binder = field(repr=False, compare=False)

    def help(self) -> str:
        """The text of help(): documentation, parameters, and examples."""
        parts = [self.doc] if self.doc else []
        parts.append(self.signature)
        if self.parameter_docs:
            parts.append("Args:\n" + "\n".join(f"    {name}: {text}" for name, text in self.parameter_docs.items()))
        if self.examples:
            parts.append("Examples, as words of the command line:\n" + "\n".join(f"    {example}" for example in self.examples))
        return "\n\n".join(parts)


@dataclass(frozen=True)
class ModelInfo:
    """A model, as the server describes it: `signet.info(client.recipes)`."""

    name: str
    version: int
    versions: tuple[int, ...]
    labels: dict[str, int]
    doc: str
    functions: dict[str, FunctionInfo]
    metadata: dict[str, str]
    extension_types: dict[str, str]  # their documentation
    message_bytes: int  # the longest request that the server takes
    read_at: float = field(default_factory=time.monotonic, repr=False, compare=False)

    def help(self) -> str:
        """The text of help(): documentation, functions, and extension types, each with the first line of its documentation."""
        parts = [self.doc] if self.doc else []
        parts.append(_listed("Functions:", [(each.signature, each.doc) for each in self.functions.values()]))
        if self.extension_types:
            parts.append(_listed("Extension types:", self.extension_types.items()))
        return "\n\n".join(parts)

    @property
    def age(self) -> float:
        return time.monotonic() - self.read_at


def _listed(title: str, items: Iterable[tuple[str, str]]) -> str:
    lines = [title]
    for text, doc in items:
        lines += [f"    {text}", *(f"        {line}" for line in doc.splitlines()[:1])]
    return "\n".join(lines)


@reads_response
def model_info(data: bytes) -> ModelInfo:
    """Reads a GetModelResponse."""
    from signet.v1 import service_pb2

    response = service_pb2.GetModelResponse.FromString(data)
    functions = {}
    for each in response.functions:
        defaults = {name: _value(value) for name, value in each.defaults.items()}
        type_ = function_type(each.type, each.signature, defaults)
        docs = {name: each.parameter_docs[name] for name in type_.parameters if name in each.parameter_docs}
        functions[each.name] = FunctionInfo(each.name, each.doc, each.signature, type_, docs, tuple(each.examples),
                                            Binder(type_, each.signature))
    return ModelInfo(response.name, response.version, tuple(response.versions), dict(response.labels), response.doc, functions,
                     dict(response.metadata), {each.name: each.doc for each in response.extension_types}, response.limits.message_bytes)


@reads_response
def model_docs(data: bytes) -> dict[str, str]:
    """The names and the documentation of the models in a ListModelsResponse."""
    from signet.v1 import service_pb2

    return {each.name: each.doc for each in service_pb2.ListModelsResponse.FromString(data).models}


def _value(message: Any) -> Any:
    value = Reading().value(memoryview(message.SerializeToString()))
    return value.item() if hasattr(value, "dtype") and getattr(value, "ndim", 1) == 0 else value


def type_text(type_: Type | None) -> str:
    return "any" if type_ is None else repr(type_)
