"""Models in this process: the engine answers the messages that a server would receive."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from signet import engine, errors, names
from signet.client import Client
from signet.options import Options
from signet.wire import decode, encode

_MAIN_THREAD = threading.main_thread().ident


class LocalChannel:
    """Takes the place of a connection to a server."""

    address = "this process"

    def __init__(self, core_model: Any, explain_error: Callable[[errors.Error], None], before_call: Callable[[], None]) -> None:
        self.core_model, self._explain_error, self._before_call = core_model, explain_error, before_call

    def call(self, method: str, message: encode.Message, options: Options, where: str) -> bytes | memoryview:
        try:
            if method == "Call":
                self._before_call()
                seconds = options.timeout or 0.0
                response: bytes | memoryview = engine.run(self.core_model.call, message.parts, seconds, threading.get_ident() == _MAIN_THREAD)
                return response
            if method == "Explain":
                return bytes(engine.run(self.core_model.explain, message.parts))
        except errors.Error as error:
            error.function = where
            self._explain_error(error)
            raise
        if method == "GetModel":
            return bytes(self.core_model.describe())
        raise errors.make("UNIMPLEMENTED", f"`{method}` is for models of a server")

    def stream(self, method: str, requests: Iterator[bytes], options: Options) -> Any:
        return _LocalStream(self, requests, options)

    def close(self) -> None:
        pass


class _LocalStream:
    """The responses of a stream of calls, each of which runs when its response is read."""

    def __init__(self, channel: LocalChannel, requests: Iterator[bytes], options: Options) -> None:
        self._channel, self._requests, self._options = channel, requests, options

    def __next__(self) -> bytes:
        number, call = 0, encode.Message()
        request = next(self._requests)  # StopIteration is the end
        for field, content in decode.fields_of(memoryview(request)):
            if field == 1:
                assert isinstance(content, int)
                number = content
            elif field == 2:
                assert not isinstance(content, int)
                call._add(content)
        out = encode.Message().integer(1, number)
        try:
            response = self._channel.call("Call", call, self._options, "")
        except errors.Error as error:
            message = encode.Message().integer(1, errors.CODES.index(error.code))
            for field, text in ((2, error.message), (3, error.reason), (4, error.field), (5, error.constraint)):
                message.text(field, text)
            return out.message(3, message).to_bytes()
        return out.data(2, response).to_bytes()

    def cancel(self) -> None:
        pass


class LocalClient(Client):
    """A client of one model in this process."""

    def __init__(self, core_model: Any, explain_error: Callable[[errors.Error], None] = lambda error: None,
                 before_call: Callable[[], None] = lambda: None) -> None:
        self._start(LocalChannel(core_model, explain_error, before_call), Options(timeout=None))
        self.imported: Any = None  # the ImportedModel of trace/imports.py, once a traced function calls a function

    @property
    def core_model(self) -> Any:
        return self._channel.core_model

    def _names(self) -> list[str]:
        from signet.v1 import service_pb2

        return [service_pb2.GetModelResponse.FromString(self.core_model.describe()).name]

    def model_bytes(self) -> dict[str, bytes]:
        """The files of the model."""
        import tempfile

        with tempfile.TemporaryDirectory() as folder:
            engine.run(self.core_model.save, folder, True)
            return {path.name: path.read_bytes() for path in Path(folder).iterdir()}

    def __repr__(self) -> str:
        return f"<signet client of {names.list_names(self._names())} in this process>"
