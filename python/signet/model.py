"""A model whose functions are attributes: of a server, or of this process."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from signet import errors, names
from signet.served_function import Function
from signet.known_model import ModelInfo, ModelName
from signet.tracebacks import boundary

if TYPE_CHECKING:
    from signet.client import Client


class ServedModel:
    """A model of a server. `model.score(...)` calls its function `score`, as does `model["score"](...)`.

    A model with one function can be called itself. `signet.info(model)` tells what the server says of the model.
    """

    _function_class = Function

    def __init__(self, client: Client, model: ModelName) -> None:
        self._client, self._model = client, model

    @property
    def __doc__(self) -> str:  # type: ignore[override]
        try:
            return self._client._model_info(self._model).help()
        except errors.Error as error:
            return f"The model `{self._model}` is not available: {error}"

    @boundary
    def __getattr__(self, name: str) -> Function:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self[name]
        except KeyError as error:
            raise AttributeError(error.args[0]) from None

    @boundary
    def __getitem__(self, name: str) -> Function:
        info = self._client._model_info(self._model)
        if name not in info.functions:
            info = self._client._model_info(self._model, max_age=1.0)
        if name not in info.functions:
            nearest = names.nearest(name, info.functions)
            hint = f"; the nearest is `{nearest}`" if nearest is not None else f"; it has {names.list_names(info.functions)}"
            raise KeyError(f"model `{self._model}` has no function `{name}`{hint}")
        return self._function_class(self._client, self._model, name)

    @boundary
    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        return self._only_function()(*args, **kwargs)

    def _only_function(self) -> Function:
        """The function of a model that has one."""
        functions = list(self)
        if len(functions) != 1:
            raise errors.make("INVALID_ARGUMENT", f"model `{self._model}` has {len(functions)} functions, {names.list_names(functions)}; "
                              f"call one of them, such as `{self._model.name}.{functions[0]}(...)`")
        return self[functions[0]]

    def __dir__(self) -> list[str]:
        return list(self)

    def __iter__(self) -> Any:
        return iter(self._client._model_info(self._model).functions)

    def __repr__(self) -> str:
        return f"<signet model {self._model} at {self._client.address}>"

    def _repr_html_(self) -> str:
        from signet import html

        known = self._client._known(self._model)
        functions = known.functions.values() if known is not None else ()
        return html.of_model(repr(self), [(each.name, each.signature, each.doc) for each in functions])

    def __reduce__(self) -> Any:
        return type(self), (self._client, self._model)


@boundary
def info(model: ServedModel) -> ModelInfo:
    """What is known of a model: its version, labels, documentation, and functions."""
    return model._client._model_info(model._model)
