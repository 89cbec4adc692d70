"""A client of a server: its models are attributes."""

from __future__ import annotations

import contextlib
import contextvars
import dataclasses
import os
import threading
from collections.abc import Iterator, Sequence
from typing import Any

from signet import errors, names
from signet.channel import Channel
from signet.known_model import FunctionInfo, ModelInfo, ModelName, model_docs, model_info
from signet.model import ServedModel
from signet.options import Options
from signet.target import Address, Target
from signet.tracebacks import boundary
from signet.wire import encode

REFRESH_SECONDS = 1.0  # what is known of a model that is not pinned is read again if it is older and does not fit


@boundary
def connect(address: Address | None = None, *, balance: str | None = None, wait: float | None = None, token: str | None = None,
            credentials: Any = None, server_name: str | None = None, metadata: Sequence[tuple[str, str]] = (), **options: Any) -> Client:
    """A client of the server at `address`: `host:port` or `unix:PATH`, by default $SIGNET_ADDRESS or localhost:8500.

    A list of addresses, or a text such as `a:8500,b:8500`, is several servers, which take turns. A server that does not answer, or is not
    healthy, is left out. `balance="round_robin"` does the same for all addresses of a host name, and `balance="pick_first"` uses the first
    server of a list that answers.

    Nothing is sent before the first call. `wait=30` waits for at most 30 seconds until the server serves. `credentials` are those
    of grpc.ssl_channel_credentials, `server_name` is the name in the certificate if it is not that of the address, `token` is a bearer
    token, and `options` are those of signet.Options.
    """
    if address is None or address == "":
        address = os.environ.get("SIGNET_ADDRESS") or "localhost:8500"
    client = Client(address, balance=balance, token=token, credentials=credentials, server_name=server_name, metadata=metadata,
                    options=Options().replaced(options))
    if wait is not None:
        client._channel.wait_until_serving(wait)
    return client


class Client:
    """A client of a server, or of several servers that take turns. `client.recipes.score(...)` calls the function `score` of the model `recipes`.

    `client["recipes/3"]` is a version of a model, and `client["recipes:stable"]` is a label. A client can be used by several threads,
    after a fork, and in other processes to which it is pickled.
    """

    def __init__(self, address: Address, *, balance: str | None = None, token: str | None = None, credentials: Any = None,
                 server_name: str | None = None, metadata: Sequence[tuple[str, str]] = (), options: Options = Options()) -> None:
        headers = (*metadata, ("authorization", f"Bearer {token}")) if token else tuple(metadata)
        target = Target.parse(address, balance, server_name, has_tls=credentials is not None)
        self._start(Channel(target, credentials, headers), options)

    def _start(self, channel: Any, options: Options) -> None:
        self._channel = channel
        self._default_options = options
        self._block_options: contextvars.ContextVar[Options | None] = contextvars.ContextVar("signet_options", default=None)
        self._lock = threading.Lock()
        self._models: dict[ModelName, ModelInfo] = {}

    @property
    def address(self) -> str:
        return self._channel.address

    @boundary
    def __getattr__(self, name: str) -> ServedModel:
        if name.startswith("_"):
            raise AttributeError(name)
        known = self._names()
        if name not in known:
            nearest = names.nearest(name, known)
            hint = f"; the nearest is `{nearest}`" if nearest is not None else f"; it has {names.list_names(known)}"
            raise AttributeError(f"the server at {self.address} has no model `{name}`{hint}")
        return ServedModel(self, ModelName(name))

    @boundary
    def __getitem__(self, model: str) -> ServedModel:
        return ServedModel(self, ModelName.parse(model))

    def __dir__(self) -> list[str]:
        try:
            return [*super().__dir__(), *self._names()]
        except errors.Error:
            return list(super().__dir__())

    @boundary
    def models(self) -> dict[str, str]:
        """The names of the models, with the first line of their documentation."""
        return model_docs(self._channel.call("ListModels", encode.Message(), self._current_options(), "ListModels"))

    def _names(self) -> list[str]:
        return list(self.models())

    @contextlib.contextmanager
    def options(self, **options: Any) -> Iterator[None]:
        """Changes the options of the calls in a block: `with client.options(timeout=5): ...`"""
        token = self._block_options.set(self._current_options().replaced(options))
        try:
            yield
        finally:
            self._block_options.reset(token)

    def _current_options(self) -> Options:
        return self._block_options.get() or self._default_options

    # --- what is known of models --------------------------------------------------------------------------

    def _model_info(self, model: ModelName, max_age: float | None = None) -> ModelInfo:
        known = self._models.get(model)
        if known is not None and (max_age is None or model.version is not None or known.age <= max_age):
            return known
        request = encode.Message().message(1, model.message())
        try:
            read = model_info(self._channel.call("GetModel", request, self._current_options(), str(model)))
        except errors.Error as error:
            error.model, error.function, error.address = str(model), "", self.address
            raise
        with self._lock:
            if known is not None and known.version == read.version and known.functions == read.functions:
                read = dataclasses.replace(read, functions=known.functions)
            self._models[model] = read
        return read

    def _known(self, model: ModelName) -> ModelInfo | None:
        """What is known of a model without asking the server."""
        return self._models.get(model)

    def _function(self, model: ModelName, name: str) -> FunctionInfo:
        info = self._model_info(model)
        if name not in info.functions:
            info = self._model_info(model, max_age=0.0)
        if name not in info.functions:
            raise errors.make("NOT_FOUND", f"model `{model}` has no function `{name}`; it has {names.list_names(info.functions)}",
                              reason="FUNCTION_NOT_FOUND", model=str(model), function=name)
        return info.functions[name]

    def _reread(self, model: ModelName, name: str) -> FunctionInfo | None:
        """The function as the server describes it now; None if what is known of it is new."""
        known = self._models.get(model)
        if model.version is not None or (known is not None and known.age <= REFRESH_SECONDS):
            return None
        return self._model_info(model, max_age=REFRESH_SECONDS).functions.get(name)

    def _note_version(self, model: ModelName, version: int) -> None:
        known = self._models.get(model)
        if known is not None and known.version != version:
            with self._lock:
                self._models.pop(model, None)

    # --- the end ------------------------------------------------------------------------------------------

    def close(self) -> None:
        """Closes the connection. A later call opens it again."""
        self._channel.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *unused: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<signet client of {self.address}>"

    def _repr_html_(self) -> str:
        from signet import html

        known = [(info.name, f"version {info.version}", info.doc) for info in self._models.values()]
        return html.table(["model that was used", "", ""], ([html.escaped(cell) for cell in row] for row in known), html.escaped(repr(self)))

    def __reduce__(self) -> Any:
        return _rebuild, (self._channel, self._default_options)


def _rebuild(channel: Channel, options: Options) -> Client:
    out = Client.__new__(Client)
    out._start(channel, options)
    return out
