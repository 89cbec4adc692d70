"""The wheel: it contains all modules, and a program that has only the wheel calls a server."""

import os
import subprocess
import sys

import pytest
from conftest import SOURCE

import signet

pytest.importorskip("setuptools")
pytest.importorskip("wheel")


def test_a_program_calls_a_server_with_the_wheel(server, tmp_path):
    package = os.path.dirname(os.path.dirname(signet.__file__))
    made = subprocess.run([sys.executable, os.path.join(SOURCE, "python/make_wheel.py"), package, str(tmp_path / "dist")],
                          capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stderr
    (wheel,) = (tmp_path / "dist").iterdir()
    assert wheel.name == "signet_serving-0.1.0-py3-none-any.whl"
    program = f"import signet; print(signet.__file__); print(signet.connect({server.address!r}, wait=30).half_plus_two([1.0]))"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, cwd=tmp_path,
                         env={**os.environ, "PYTHONPATH": str(wheel)})
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.splitlines()[0].startswith(str(wheel)) and ran.stdout.splitlines()[1] == "[2.5]"
