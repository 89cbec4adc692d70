"""The wheels: a program that has only a wheel calls a server, and one with the engine runs functions of its own."""

import os
import subprocess
import sys
import zipfile

import pytest
from conftest import SOURCE

import signet

pytest.importorskip("setuptools")
pytest.importorskip("wheel")

CALL = """
import signet
print(signet.__file__)
print(signet.connect("{address}", wait=30).half_plus_two([1.0]))
try:
    @signet.function
    def double(x: "float32[?]"):
        return x * 2
    print(double([1, 2]))
except ImportError as error:
    print(error)
"""


@pytest.fixture(scope="module")
def wheels(tmp_path_factory):
    package = os.path.dirname(os.path.dirname(signet.__file__))
    folder = tmp_path_factory.mktemp("dist")
    made = subprocess.run([sys.executable, os.path.join(SOURCE, "python/make_wheel.py"), package, str(folder)],
                          capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stderr
    return {path.name.rpartition("-")[2].partition("_")[0].removesuffix(".whl"): path for path in folder.iterdir()}


def run(server, path, folder):
    """Runs the program with the package in `path` only."""
    ran = subprocess.run([sys.executable, "-c", CALL.format(address=server.address)], capture_output=True, text=True, check=False, cwd=folder,
                         env={**os.environ, "PYTHONPATH": str(path)})
    assert ran.returncode == 0, ran.stderr
    file, *lines = ran.stdout.splitlines()
    assert file.startswith(str(path))
    return lines


def test_the_wheel_for_any_platform_has_the_client(wheels, server, tmp_path):
    assert wheels["any"].name == f"signet_serving-{signet.__version__}-py3-none-any.whl"
    called, rejected = run(server, wheels["any"], tmp_path)
    assert called == "[2.5]" and "install the wheel for your platform" in rejected


def test_the_metadata_of_the_wheels(wheels):
    for path in wheels.values():
        with zipfile.ZipFile(path) as wheel:
            folder = f"signet_serving-{signet.__version__}.dist-info"
            metadata = wheel.read(f"{folder}/METADATA").decode()
            assert any(name.startswith(folder) and name.endswith("LICENSE") for name in wheel.namelist())
        for line in ("License: Apache-2.0", "Description-Content-Type: text/markdown", "Classifier: Typing :: Typed", "Requires-Dist: protobuf"):
            assert f"\n{line}" in metadata
        assert "protobuf>=4.21" in metadata.replace("(", "").replace(" ", "") and "import signet" in metadata


def test_the_wheel_for_this_platform_has_the_engine(wheels, server, tmp_path):
    pytest.importorskip("signet._core")
    installed = tmp_path / "installed"
    with zipfile.ZipFile(wheels["linux"]) as wheel:
        wheel.extractall(installed)
    assert f"cp{sys.version_info.major}{sys.version_info.minor}" in wheels["linux"].name
    assert run(server, installed, tmp_path) == ["[2.5]", "[2. 4.]"]
