"""Models in this process: of functions that are written in Python, or of files."""

from __future__ import annotations

import atexit
import errno
import os
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import FunctionType as PythonFunction
from typing import Any, Optional, Union

from signet import engine, errors
from signet.served_function import Function
from signet.known_model import ModelName
from signet.local import LocalClient
from signet.model import ServedModel
from signet.trace import child_process, tracer
from signet.trace.errors import of_engine, trace_error
from signet.trace.functions import ModelFunction
from signet.trace.imports import ImportedModel
from signet.trace.tracer import Library, Traced, add_places, check_arrays
from signet.tracebacks import boundary, warn

CHECKED_BYTES = 16 << 10  # of captures whose arrays are compared before each call; the others are compared when a model is made or saved
CAPTURES_WARNED = 256 << 20
MODEL_FILES = ("model.signet", "model.pb", "model.onnx", "saved_model.pb", "saved_model.pbtxt", "frozen_graph.pb")

Files = Union[str, "os.PathLike[str]"]


class LocalFunction(Function):
    # A function of a model in this process. In a function that is traced, a call of it becomes part of that function.

    __doc__ = Function.__dict__["__doc__"]  # a class has its own otherwise

    @boundary
    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        scope = tracer.current()
        if scope is None:
            return self._call(args, kwargs).result
        self._info().binder.bind(len(args), list(kwargs))
        client: Any = self._client
        if client.imported is None:
            client.imported = ImportedModel(client.core_model, self._model.name)
        traced = client.imported.traced(self._name)
        scope.use(traced)
        attributes: dict[str, Any] = {"function": traced.handle.name, **({"keywords": list(kwargs)} if kwargs else {})}
        return scope.call("call", [*args, *kwargs.values()], attributes, self._name)[0]


class Model(ServedModel):
    """A model in this process.

        model = signet.Model("Prices of orders", price, discount)
        model.price(orders)                       # runs here, as does price(orders)
        model.save("models/orders/1")             # model.signet, and captures.safetensors
        with model.serve() as served:             # a signet-server, until the block ends
            served.price(orders)

    `functions` are functions with `@signet.function`. A function called `save`, `serve`, or `to_text` takes the place of the method.
    """

    _function_class = LocalFunction

    @boundary
    def __init__(self, doc: str = "", *functions: Any, metadata: Mapping[str, str] | None = None, types: Sequence[Any] = (),
                 name: str = "model") -> None:
        if callable(doc):
            raise trace_error(f"signet.Model: the first argument is the documentation, found {doc!r}; write `signet.Model(\"...\", "
                              f"{getattr(doc, '__name__', 'f')})`", TypeError)
        if not isinstance(doc, str):
            raise trace_error(f"signet.Model: expected the documentation as a text, found {doc!r}", TypeError)
        if not functions and not types:
            raise trace_error("signet.Model: expected at least one function, as in `signet.Model(\"Prices\", price)`", ValueError)
        for key, text in (metadata or {}).items():
            if not isinstance(key, str) or not isinstance(text, str):
                raise trace_error(f"signet.Model: metadata: expected texts by name, found {key!r}: {text!r}", TypeError)
        library = Library()
        for each in functions:
            library.add(each if isinstance(each, Traced) else (each if isinstance(each, ModelFunction) else _made(each)).traced())
        for cls in types:
            library.add_type(cls)
        check_arrays(library.arrays())
        _warn_of_captures(library)
        try:
            core_model = engine.run(engine.core().Model.make, library.core, doc, dict(metadata or {}), name)
        except errors.Error as error:
            out = of_engine(error)
            add_places(out, library)
            raise out from None
        self._setup(core_model, name, library)

    def _setup(self, core_model: Any, name: str, library: Library | None) -> None:
        self._library = library
        if library is None:
            client = LocalClient(core_model)
        else:
            used, small = library, library.arrays(CHECKED_BYTES)
            client = LocalClient(core_model, lambda error: add_places(error, used), lambda: check_arrays(small))
        super().__init__(client, ModelName(name))
        self.__dict__["__doc__"] = client._model_info(self._model).help()
        for each in self:
            if each in ("save", "serve", "to_text", "captures"):
                self.__dict__[each] = self[each]

    @classmethod
    def _of_core(cls, core_model: Any, name: str) -> Model:
        out: Model = cls.__new__(cls)
        out._setup(core_model, name, None)
        return out

    def __repr__(self) -> str:
        return f"<signet model `{self._model}` in this process, with the functions {', '.join(self)}>"

    def __dir__(self) -> list[str]:
        return [*self, "captures", "save", "serve", "to_text"]

    def __reduce__(self) -> Any:
        client: Any = self._client
        return _model_of_files, (client.model_bytes(), self._model.name)

    def to_text(self) -> str:
        """The text of model.signet."""
        client: Any = self._client
        return str(engine.run(client.core_model.text))

    def captures(self) -> dict[str, tuple[str, int]]:
        """The types of the captures, and their sizes in bytes, by name."""
        client: Any = self._client
        return {name: (text, size) for name, text, size in client.core_model.captures()}

    @boundary
    def save(self, folder: Files, *, binary: bool = False, debug: bool = True) -> Path:
        """Writes the model: model.signet, or model.pb if `binary`, and captures.safetensors. `folder` is that of a version, such as
        `models/orders/1`, or that of a model with one version, such as `models/orders`, which servers read as version 1. Files of a former
        model are replaced. sources.tsv contains the lines of the program, which errors of a server then name; `debug=False` omits it."""
        if self._library is not None:
            check_arrays(self._library.arrays())
        client: Any = self._client
        if not os.fspath(folder):
            raise ValueError("expected the path of a directory, such as `models/orders/1`, found an empty text")
        target = Path(folder)
        versions = sorted(each.name for each in target.iterdir() if each.is_dir() and each.name.isdigit()) if target.is_dir() else []
        if versions and not target.name.isdigit():
            raise errors.make("FAILED_PRECONDITION", f"`{target}` is the directory of a model, with the versions {', '.join(versions)}; save a version, "
                              f"as in `model.save(\"{target / str(int(max(versions, key=int)) + 1)}\")`")
        _check_version(target)
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise OSError(error.errno, f"cannot make the directory of the model: {error.strerror}", str(target.parent)) from None
        with tempfile.TemporaryDirectory(prefix=f".{target.name}.", dir=target.parent) as made:
            engine.run(client.core_model.save, made, binary)
            if not debug:
                Path(made, "sources.tsv").unlink(missing_ok=True)
            elif self._library is not None:
                Path(made, "sources.tsv").write_text(self._library.source_lines(), encoding="utf-8")
            target.mkdir(exist_ok=True)
            written = {path.name for path in Path(made).iterdir()}
            for name in sorted(written):  # captures.safetensors before the file that uses them
                os.replace(Path(made) / name, target / name)
        for name in {"model.signet", "model.pb", "captures.safetensors", "sources.tsv"} - written:
            (target / name).unlink(missing_ok=True)
        return target

    @boundary
    def serve(self, name: str | None = None, *, arguments: Sequence[str] = ()) -> Serving:
        """A server of this model on a free port, for a `with` block: the block gets the served model. `arguments` are further
        arguments of signet-server. In a notebook, `server = model.serve()`, `served = server.start()`, and `server.stop()` do the same."""
        name = name or self._model.name
        if not re.fullmatch(r"[A-Za-z0-9_.-]{1,128}", name):
            raise ValueError(f"name: expected a name of at most 128 letters, digits, `_`, `-`, and `.`, found {name!r}")
        return Serving(self, name, arguments)


def _check_version(folder: Path) -> None:
    """Warns of names that resemble versions, which servers skip."""
    digits = folder.name.lstrip("vV0")
    if folder.name.isdigit() and not folder.name.startswith("0") or not re.fullmatch("[vV]?[0-9]+", folder.name):
        return
    warn(f"`{folder}`: servers skip this directory, because a version is a positive integer, as in `{folder.parent / (digits or '1')}`")


class Serving:
    """A signet-server that serves a model until the end of a `with` block, or from `start` to `stop`. It ends with this program, however
    that ends. `address` is where it listens."""

    def __init__(self, model: Model, name: str, arguments: Sequence[str]) -> None:
        self._model, self._name, self._arguments = model, name, list(arguments)
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._process: Optional[subprocess.Popen[bytes]] = None
        self._client: Any = None
        self._served: ServedModel | None = None

    @property
    def address(self) -> str:
        """The address for `signet.connect`."""
        if self._client is None:
            raise RuntimeError("the server has not started; `start()` starts it")
        address: str = self._client.address
        return address

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        raise AttributeError(f"a server has no attribute `{name}`; its model has the functions: write `with model.serve() as served: "
                             f"served.{name}(...)`, or `served = server.start()`")

    def __repr__(self) -> str:
        state = "not running" if self._client is None else f"at {self._client.address}"
        return f"<signet-server of the model {self._name}, {state}>"

    @boundary
    def start(self) -> ServedModel:
        """Starts the server, unless it runs, and returns the served model."""
        if self._served is None:
            self._served = self._start()
            atexit.register(self.stop)
        return self._served

    def stop(self) -> None:
        """Stops the server, if it runs."""
        atexit.unregister(self.stop)
        self._served = None
        self._stop()

    @boundary
    def __enter__(self) -> ServedModel:
        return self.start()

    def __exit__(self, *unused: object) -> None:
        self.stop()

    def _start(self) -> ServedModel:
        from signet.client import connect

        binary = server_binary()
        self._folder = tempfile.TemporaryDirectory(prefix="signet-")
        try:
            models = Path(self._folder.name)
            self._model.save(models / self._name / "1")
            port_file = models / "port"
            with open(models / "server.log", "wb") as log:
                self._process = child_process.start([binary, "--models", str(models), "--listen", "localhost:0", "--port_file", str(port_file),
                                                     *self._arguments], log)
            self._client = connect(f"localhost:{self._port(port_file, models / 'server.log')}", wait=60)
            return ServedModel(self._client, ModelName(self._name))
        except BaseException:
            self._stop()
            raise

    def _port(self, file: Path, log: Path) -> int:
        """The port, once the server has written it."""
        assert self._process is not None
        while True:
            if self._process.poll() is not None:
                raise errors.make("UNAVAILABLE", f"signet-server ended with status {self._process.returncode}: "
                                  + log.read_text(errors="replace").strip()[-2000:])
            text = file.read_text() if file.exists() else ""
            if text.strip().isdigit() and text.endswith("\n"):
                return int(text)
            time.sleep(0.02)

    def _stop(self) -> None:
        if self._client is not None:
            self._client.close()
            self._client = None
        if self._process is not None:
            self._process.terminate()
            try:
                self._process.wait(10)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
            self._process = None
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None


def server_binary() -> str:
    """The path of signet-server: $SIGNET_SERVER, the PATH, or the directory where this package was built."""
    named = os.environ.get("SIGNET_SERVER")
    if named:
        if not os.access(named, os.X_OK):
            raise FileNotFoundError(f"SIGNET_SERVER: expected the path of signet-server, found {named!r}")
        return named
    here = Path(os.path.abspath(__file__)).parents[2]  # links are not followed: the directory of the package
    tried = [shutil.which("signet-server"), here.parent / "server" / "signet-server", here.parent / "signet-server"]
    for path in tried:
        if path is not None and os.access(path, os.X_OK):
            return str(path)
    raise FileNotFoundError("signet-server is not in PATH, nor at $SIGNET_SERVER, nor at " + ", nor at ".join(map(str, tried[1:]))
                            + "; `./dev build` builds it")


def _made(function: Any) -> ModelFunction:
    if isinstance(function, PythonFunction):
        return ModelFunction(function)
    hint = "; write `*` before a list of functions" if isinstance(function, (list, tuple)) else ""
    raise trace_error(f"signet.Model: expected functions with @signet.function, found {function!r}{hint}", TypeError)


def _warn_of_captures(library: Library) -> None:
    size = sum(each.array.nbytes for each in library.arrays())
    if size > CAPTURES_WARNED:
        warn(f"the captures of the model have {size >> 20} MiB together")


@boundary
def load(path: Files, name: str | None = None) -> Model:
    """A model of files, in this process: the directory of a version, the directory of a model, whose newest version it is, or the file of
    a model, such as model.onnx or saved_model.pb. Needs signet._core."""
    found = Path(path)
    if not found.exists():
        raise FileNotFoundError(errno.ENOENT, "no such file or directory", str(path))
    if found.is_dir() and not any((found / each).exists() for each in MODEL_FILES):
        versions = [each for each in found.iterdir() if each.name.isdigit() and each.is_dir()]
        if versions:
            found = max(versions, key=lambda each: int(each.name))
    label = name or (found.parent.name if found.name.isdigit() else found.stem) or "model"
    return Model._of_core(engine.run(engine.core().Model.load, str(found), label), label)


@boundary
def from_onnx(path: Files, name: str | None = None) -> Model:
    """The model of an ONNX file, in this process. Its functions can be called in functions that are traced."""
    return load(path, name)


def _model_of_files(files: Mapping[str, bytes], name: str) -> Model:
    with tempfile.TemporaryDirectory() as folder:
        for each, data in files.items():
            (Path(folder) / each).write_bytes(data)
        return load(folder, name)


def function_of_model(files: Mapping[str, bytes], name: str) -> Any:
    return _model_of_files(files, name)[name]




