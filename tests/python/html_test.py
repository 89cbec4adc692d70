"""What notebooks show."""

import time

import numpy as np
import pytest

import signet

pytest.importorskip("signet._core")


def shown(value):
    start = time.perf_counter()
    text = value._repr_html_()
    assert time.perf_counter() - start < 5  # a bound on the work, not on the machine
    assert len(text) <= 64 << 10
    return text


def test_values():
    people = signet.from_py([{"name": "<b>Ann</b>", "scores": [1, 2], "home": {"city": "x" * 100}}, {"name": "Bo", "scores": [], "home": {"city": ""}}])
    text = shown(people)
    assert "&lt;b&gt;Ann" in text and "<b>" not in text and "2 rows" in text
    assert "3 rows" in shown(signet.Ragged.from_rows([[1, 2], [], [3]]))
    assert "[0, 1]" in shown(signet.parse("sparse float32[2, 2] {indices: [[0, 1]], values: [5], dense_shape: [2, 2]}"))
    assert "test.Thing" in shown(signet.Extension("test.Thing", {"k": 1}, {"x": np.float32([1])}))


def test_large_values_are_cut():
    rows = 1_000_000
    many = signet.Structured({"x": np.arange(rows), "y": signet.Ragged(np.zeros(10_000_000, np.int8), np.linspace(0, 10_000_000, rows + 1).astype(np.int64))})
    assert "20 of 1000000 rows" in shown(many)
    wide = signet.Structured({f"field{i}": np.zeros(3) for i in range(4096)})
    assert "field11" in shown(wide) and "field12<" not in shown(wide)
    long = signet.Structured({"text": np.array(["y" * 1_000_000], object)})
    assert len(shown(long)) < 2000


def test_models_and_functions_ask_no_server():
    client = signet.connect("localhost:1")
    assert "localhost:1" in shown(client)
    assert "model" in shown(client["model"])

    @signet.function
    def f(x: "float32[?]"):
        """Documented."""
        return x

    model = signet.Model("", f)
    assert model.f([1]).tolist() == [1]
    assert "f(x: float32[?])" in shown(model) and "Documented." in shown(model.f)
