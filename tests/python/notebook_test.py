"""The notebook in examples/python runs, and shows tables and plots."""

import json
import os
import subprocess
import sys

import pytest
from conftest import SOURCE

for module in ("signet._core", "nbconvert", "ipykernel", "matplotlib", "pandas"):
    pytest.importorskip(module)


def test_the_notebook_runs(tmp_path):
    notebook = os.path.join(SOURCE, "examples/python/orders.ipynb")
    ran = subprocess.run([sys.executable, "-m", "nbconvert", "--to", "notebook", "--execute", "--output-dir", str(tmp_path), notebook],
                         capture_output=True, text=True, check=False, env={**os.environ, "HOME": str(tmp_path), "JUPYTER_PLATFORM_DIRS": "1"})
    assert ran.returncode == 0, ran.stderr[-3000:]
    with open(tmp_path / "orders.ipynb", encoding="utf-8") as file:
        cells = json.load(file)["cells"]
    outputs = [output for cell in cells for output in cell.get("outputs", ())]
    shown = json.dumps(outputs)
    assert "200 rows" in shown  # the table of the records
    assert any("image/png" in output.get("data", {}) for output in outputs)
    assert "the same: True" in shown
