"""The client for asyncio: `async with signet.aio.connect(...) as client: await client.recipes.score(...)`."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import AsyncIterable, AsyncIterator, Iterable
from typing import Any, Union

from signet import client as blocking
from signet import errors
from signet.channel import SERVICE, error_of, pause_before, too_late
from signet.known_model import ModelName
from signet.model import ServedModel
from signet.options import Options
from signet.target import Address
from signet.served_function import Answer, Args, without_byte
from signet.served_function import Function as BlockingFunction
from signet.stream import check_calls, of_call
from signet.tracebacks import boundary


def connect(address: Address | None = None, **settings: Any) -> Client:
    """A client for asyncio. The settings are those of signet.connect, without `wait`."""
    return Client(blocking.connect(address, **settings))


class Client:
    """A client whose functions are coroutines. It makes a channel in the event loop that runs its first call."""

    def __init__(self, client: blocking.Client) -> None:
        self._client = client
        self._loop: asyncio.AbstractEventLoop | None = None
        self._channel: Any = None

    @property
    def address(self) -> str:
        return self._client.address

    def __getattr__(self, name: str) -> Model:
        if name.startswith("_"):
            raise AttributeError(name)
        return Model(self, ModelName(name))

    def __getitem__(self, model: str) -> Model:
        return Model(self, ModelName.parse(model))

    def _open(self) -> Any:
        import grpc

        loop = asyncio.get_running_loop()
        if self._loop is not loop:
            self._channel = self._client._channel.open_with(grpc.aio)
            self._loop = loop
        return self._channel

    async def _send(self, method: str, request: bytes, options: Options, where: str) -> bytes:
        import grpc

        channel = self._open()
        end = None if options.timeout is None else time.monotonic() + options.timeout
        send = channel.unary_unary(SERVICE + method)
        for attempt in range(options.retries + 1):
            left = None if end is None else end - time.monotonic()
            if left is not None and left <= 0:
                raise too_late(self.address, where, options)
            try:
                response: bytes = await send(request, timeout=left, metadata=self._client._channel.metadata(options))
                return response
            except grpc.RpcError as failed:
                pause = pause_before(attempt, failed) if attempt < options.retries else None
                if pause is None or (end is not None and time.monotonic() + pause >= end):
                    raise error_of(failed, self.address, where, options.timeout) from None
            await asyncio.sleep(pause)
        raise AssertionError("a loop that ends with a return or an error")

    async def close(self) -> None:
        if self._channel is not None:
            await self._channel.close()
        self._channel, self._loop = None, None
        self._client.close()

    async def __aenter__(self) -> Client:
        return self

    async def __aexit__(self, *unused: object) -> None:
        await self.close()

    def __repr__(self) -> str:
        return f"<signet client for asyncio of {self.address}>"


class Model:
    """A model whose functions are coroutines."""

    def __init__(self, client: Client, model: ModelName) -> None:
        self._client, self._model = client, model

    def __getattr__(self, name: str) -> Function:
        if name.startswith("_"):
            raise AttributeError(name)
        return self[name]

    def __getitem__(self, name: str) -> Function:
        return Function(self._client, BlockingFunction(self._client._client, self._model, name))

    @boundary
    async def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        """Calls the function of a model that has only one."""
        model = ServedModel(self._client._client, self._model)
        function = await asyncio.get_running_loop().run_in_executor(None, model._only_function)
        return await Function(self._client, function)(*args, **kwargs)


class Function:
    """A function of a model, as a coroutine."""

    def __init__(self, client: Client, function: BlockingFunction) -> None:
        self._client, self._function = client, function

    def __repr__(self) -> str:
        return repr(self._function).replace("<signet function", "<signet function for asyncio", 1)

    def with_options(self, **options: Any) -> Function:
        return Function(self._client, self._function.with_options(**options))

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("_") and hasattr(BlockingFunction, name):
            raise AttributeError(f"functions for asyncio have `call`, `map`, and `with_options`; `{name}` is for signet.connect, as in "
                                 f"`await asyncio.to_thread(client.{self._function.__qualname__}.{name}, ...)`")
        raise AttributeError(f"functions for asyncio have no attribute `{name}`")

    @boundary
    async def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        return (await self.call(*args, **kwargs)).result

    @boundary
    async def call(self, /, *args: Any, **kwargs: Any) -> Answer:
        function = self._function
        options = function._options()
        # What is known of the model is read by a thread the first time, so that the event loop does not wait.
        if function._model not in self._client._client._models:
            await asyncio.get_running_loop().run_in_executor(None, function._info)
        try:
            request = function._request(args, kwargs, options, options.result_format).to_bytes()
            start = time.perf_counter()
            response = await self._client._send("Call", request, options, function.__qualname__)
        except errors.Error as error:
            raise function._placed(without_byte(error, args, kwargs)) from None
        seconds = time.perf_counter() - start
        result, version = function._read(response, options)
        return Answer(result, version, seconds, len(request), len(response))

    async def map(self, calls: Union[Iterable[Any], AsyncIterable[Any]], *, max_in_flight: int = 16,
                  errors: str = "raise") -> AsyncIterator[Any]:
        """The results of many calls, in order. At most `max_in_flight` calls are sent and not answered."""
        check_calls(calls)
        if errors not in ("raise", "return"):
            raise ValueError(f"errors: expected 'raise' or 'return', found {errors!r}")
        pending: list[asyncio.Task[Any]] = []
        done = itertools.count()
        try:
            async for given in _each(calls):
                args = given if isinstance(given, Args) else Args(*given) if type(given) is tuple else Args(given)
                pending.append(asyncio.ensure_future(self(*args.positional, **args.keyword)))
                if len(pending) >= max_in_flight:
                    yield await _outcome(pending.pop(0), errors, next(done))
            while pending:
                yield await _outcome(pending.pop(0), errors, next(done))
        finally:
            for task in pending:
                task.cancel()


async def _each(calls: Any) -> AsyncIterator[Any]:
    if hasattr(calls, "__aiter__"):
        async for each in calls:
            yield each
    else:
        for each in calls:
            yield each


async def _outcome(task: asyncio.Task[Any], on_error: str, number: int) -> Any:
    try:
        return await task
    except errors.Error as error:
        if on_error == "raise":
            raise of_call(number, error)
        return error
