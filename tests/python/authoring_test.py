"""Functions of models, written in Python: signatures, names, captures, and what a model of them does."""

import copy
import functools
import inspect
import os
import pickle
import random
import subprocess
import sys
import threading
import warnings
from typing import Annotated

import numpy as np
import pytest
from conftest import SOURCE, Server, example
from model_files import flower_network, write_onnx

import signet
from signet import ops
from signet.wire.encode import Message

pytest.importorskip("signet._core")

PEOPLE = "[{name: string[], age: float32[], scores: float32[(?)]}]"
ROWS = [{"name": "Ann", "age": 40, "scores": [1, 2]}, {"name": "Bo", "age": 20, "scores": []}]


def body_of(model, name):
    """The statements of a function in model.signet."""
    text = model.to_text()
    start = text.index(f"def {name}(")
    lines = text[start:].split("\n")
    end = next((i for i, line in enumerate(lines[1:], 1) if line and not line.startswith((" ", ")"))), len(lines))
    first = next(i for i, line in enumerate(lines) if line.endswith(":"))
    return [line.strip() for line in lines[first + 1 : end] if line.strip()]


# --- what a function becomes ------------------------------------------------------------------------------

def test_statements_become_statements():
    @signet.function
    def total(people: PEOPLE, /, *, rate: "float32[]" = 0.5) -> "float32[?]":
        sums = ops.reduce_sum(people.scores, axes=1) * (1 + rate)
        return sums + people.age

    model = signet.Model("", total)
    assert body_of(model, "total") == ["sums = reduce_sum(people.scores, axes=1) * (1 + rate)", "return sums + people.age"]
    assert model.total(ROWS).tolist() == [44.5, 20]
    assert total(ROWS, rate=1).tolist() == [46, 20]


def test_helpers_are_inlined_and_functions_are_called():
    def helper(x):
        doubled = x * 2
        return doubled + 1

    @signet.function
    def shared(x: "float32[?]"):
        return x - 1

    @signet.function
    def f(x: "float32[?]"):
        y = helper(x)
        z = shared(x=y)
        return z

    model = signet.Model("", f)
    assert body_of(model, "f") == ["doubled = x * 2", "y = doubled + 1", "z = shared(x=y)", "return z"]
    assert list(model) == ["f", "shared"]
    assert f([1, 2]).tolist() == [2, 4]


def test_python_runs_while_the_function_is_traced():
    printed = []

    @signet.function
    def power(x: "float32[?]"):
        printed.append("traced")
        y = x
        for _ in range(3):
            y = y * x
        return y

    assert power([2]).tolist() == [16]
    assert power([3]).tolist() == [81]
    assert printed == ["traced"]


def test_parts_of_values():
    @signet.function
    def parts(people: PEOPLE, pair: "tuple(float32[?], string[])", free):
        first, second = pair
        return {"names": people["name"], "first": people[0].age, "slice": first[1:], "text": second, "free": free["a"], "count": len(pair),
                "names of fields": [name for name in ("a", "b")], "none": None}

    result = parts(ROWS, (np.float32([1, 2]), "x"), {"a": 3})
    assert result["names"].tolist() == ["Ann", "Bo"]
    assert (result["first"], result["slice"].tolist(), result["text"], result["free"], result["count"]) == (40, [2], "x", 3, 2)
    assert result["names of fields"] == ["a", "b"] and result["none"] is None


def test_tuples_and_dicts_of_known_lengths():
    @signet.function
    def f(pair: "tuple(float32[], string[], int32[])", parts: "dict(a: float32[], b: float32[])"):
        return pair[1:], pair[::-2], ["a" in parts, "c" in parts], [parts[name] for name in parts]

    assert f((1, "x", 2), {"a": 3, "b": 4}) == (("x", 2), (2, 1), [True, False], [3, 4])


def test_computed_indices():
    @signet.function
    def f(x: "float32[?, ?]", i: "int64[]", j: "int64[]"):
        return x[i], x[i, j], x[:, j], x[j][i], x[..., None]

    x = np.float32([[1, 2], [3, 4]])
    row, element, column, other, wide = f(x, 1, 0)
    assert (row.tolist(), element, column.tolist(), other, wide.shape) == ([3, 4], 3, [1, 3], 2, (2, 2, 1))


def test_attributes_of_tensors():
    @signet.function
    def f(x: "float32[2, 3]", lists: "ragged float32[?, (?)]", n: "float32[?]"):
        assert (x.shape, x.dtype, x.ndim, len(x)) == ((2, 3), "float32", 2, 2)
        assert repr(signet.type_of(x)) == "float32[2, 3]"
        return x.T, lists.values, lists.row_splits, n.shape

    turned, values, splits, shape = f(np.zeros((2, 3), np.float32), [[1], [2, 3]], [1, 2, 3, 4])
    assert turned.shape == (3, 2)
    assert (values.tolist(), splits.tolist(), shape.tolist()) == ([1, 2, 3], [0, 1, 3], [4])


def test_operators():
    @signet.function
    def f(x: "int32[]", y: "int32[]", p: "bool[]"):
        return [x + y, x - y, x * y, x // y, x % y, x**2, -x, +x, abs(-x), x < y, x <= y, x > y, x >= y, x == y, x != y, x & y, x | y, x ^ y,
                ~x, p & True, p | False, p ^ True, ~p, 1 + x, 10 - x, 2 * x, 7 // x, 7 % x, 2**x, 3 & x]

    def plain(x, y, p):
        return [x + y, x - y, x * y, x // y, x % y, x**2, -x, +x, abs(-x), x < y, x <= y, x > y, x >= y, x == y, x != y, x & y, x | y, x ^ y,
                ~x, p & True, p | False, p ^ True, not p, 1 + x, 10 - x, 2 * x, 7 // x, 7 % x, 2**x, 3 & x]

    assert [each.item() if hasattr(each, "item") else each for each in f(5, 3, True)] == plain(5, 3, True)


def test_functions_of_numpy():
    @signet.function
    def f(x: "float32[?]"):
        return np.exp(x), np.add(np.float32([1, 2]), x), np.float32([1, 2]) * x, np.maximum(x, np.float32(1.5))

    exp, added, product, most = f([1, 2])
    assert np.allclose(exp, np.exp([1, 2])) and added.tolist() == [2, 4] and product.tolist() == [1, 4] and most.tolist() == [1.5, 2]


# --- signatures -------------------------------------------------------------------------------------------

def test_annotations():
    @signet.function
    def f(a: "float32[n, 3]", b: signet.Type("int32[?]"), c: signet.float32, d: signet.float32["n", 3], e: signet.float32[None, 3],
          g: signet.float32[...], h: Annotated[signet.Tensor, "bool[]"], i: signet.Any, j, k: np.int64, l: np.dtype("float64")):
        return a

    assert str(inspect.signature(f)) == ("(a: float32[n, 3], b: int32[?], c: float32[], d: float32[n, 3], e: float32[?, 3], g: float32[...], "
                                         "h: bool[], i, j, k: int64[], l: float64[])")


def test_annotations_as_text(tmp_path):
    source = tmp_path / "future_annotations.py"
    source.write_text("from __future__ import annotations\nimport signet\nimport numpy as np\nTYPE = '[{a: int32[]}]'\n\n"
                      "@signet.function\ndef f(x: 'float32[?]', y: TYPE, z: signet.float32[3], any_: np.int32) -> TYPE:\n"
                      "    return y\n")
    sys.path.insert(0, str(tmp_path))
    try:
        import future_annotations
    finally:
        sys.path.remove(str(tmp_path))
    assert str(inspect.signature(future_annotations.f)) == ("(x: float32[?], y: [{a: int32[]}], z: float32[3], any_: int32[]) "
                                                            "-> [{a: int32[]}]")


def test_signature_in_the_notation():
    @signet.function(signature="(x: float32[n, 3], /, k = 2) -> float32[?]")
    def f(x, k):
        return ops.reduce_sum(x, axes=1)

    assert f(np.ones((2, 3), np.float32)).tolist() == [3, 3]
    with pytest.raises(signet.TraceError, match="not as both"):
        signet.function(signature="(x)")(_annotated)


def _annotated(x: "float32[]"):
    return x


def test_five_kinds_of_parameters():
    @signet.function
    def f(a, /, b, *args, c=1, **kwargs):
        return {"a": a, "b": b, "args": args, "c": c, "kwargs": kwargs}

    assert f(1, 2, 3, 4, c=5, d=6) == {"a": 1, "b": 2, "args": (3, 4), "c": 5, "kwargs": {"d": 6}}
    assert f(1, b=2) == {"a": 1, "b": 2, "args": (), "c": 1, "kwargs": {}}
    with pytest.raises(signet.BindingError, match="no argument for `b`"):
        f(1)


def test_defaults():
    table = np.arange(3, dtype=np.float32)

    @signet.function
    def f(a=1, b=2.5, c="x", d=None, e=True, g=[1, 2], h=(1, "y"), i={"k": 1}, x: "float32[?]" = table, y: "float32[2]" = [1, 2]):  # noqa: B006
        return [a, b, c, d, e, g, h, i, x, y]

    result = f()
    assert result[:8] == [1, 2.5, "x", None, True, [1, 2], (1, "y"), {"k": 1}]
    assert result[8].tolist() == [0, 1, 2] and result[9].tolist() == [1, 2]
    assert inspect.signature(f).parameters["a"].default == 1


def test_defaults_are_converted_to_the_types_of_their_parameters():
    @signet.function
    def f(x: "float32[?]" = [1, 2], y: "float32[?]" = np.array([1.5]), z: "ragged int32[?, (?)]" = [[1], []], rows: PEOPLE = []):  # noqa: B006
        return x, y, z, rows

    x, y, z, rows = f()
    assert x.tolist() == [1, 2] and y.dtype == np.float32 and z.to_py() == [[1], []] and rows.nrows == 0

    def wrong(x: "float32[?]" = ["a"]):  # noqa: B006
        return x

    def a_set(x={1}):  # noqa: B006
        return x

    for function, message in ((wrong, r"default of `x`: .*expected a number for `float32`"), (a_set, "default of `x`: a value of the class `set`")):
        with pytest.raises(signet.TraceError, match=message):
            signet.function(function)


def test_functions_that_cannot_be_called():
    with pytest.raises(TypeError, match="expected a function of Python, found functools.partial"):
        signet.function(functools.partial(len))

    @signet.function
    def _helper(x: "float32[]"):
        return x

    with pytest.raises(signet.TraceError, match="`_helper` is only for the functions of its model, because its name starts with `_`"):
        _helper(1)


def test_random_signatures_are_the_same_locally_and_on_a_server():
    draw = random.Random(7)
    kinds = inspect.Parameter
    types = [None, '"float32[?]"', '"int32[]"', '"string[?]"', '"[{a: int32[], b: string[(?)]}]"', '"ragged float32[?, (?)]"', "signet.float32"]
    source = []
    for i in range(200):
        parts, has_default = [], False
        for j, kind in enumerate(sorted(draw.choices([kinds.POSITIONAL_ONLY, kinds.POSITIONAL_OR_KEYWORD, kinds.KEYWORD_ONLY], k=draw.randint(1, 5)))):
            if kind == kinds.KEYWORD_ONLY and "*" not in "".join(part[:1] for part in parts):
                parts.append("*args" if draw.random() < 0.3 else "*")
            type_ = draw.choice(types)
            wants_default = draw.random() < 0.4 or (has_default and kind != kinds.KEYWORD_ONLY)
            text = f"p{j}" + (f": {type_}" if type_ else "")
            if wants_default:
                has_default = has_default or kind != kinds.KEYWORD_ONLY
                text += " = " + {None: draw.choice(["1", "'x'", "None", "[1, 2]"]), '"int32[]"': "3", "signet.float32": "0.5"}.get(type_, "signet.parse('%s')" % {
                    '"float32[?]"': "float32[2] [1, 2]", '"string[?]"': 'string[1] ["x"]',
                    '"[{a: int32[], b: string[(?)]}]"': '[{a: int32[], b: string[(?)]}] [{a: 1, b: ["c"]}]',
                    '"ragged float32[?, (?)]"': "ragged float32[1, (?)] [[1]]"}.get(type_, ""))
            if kind == kinds.POSITIONAL_ONLY:
                at = parts.index("/") if "/" in parts else len(parts)
                parts[at:at + 1] = [text, "/"]
            else:
                parts.append(text)
        if draw.random() < 0.2:
            parts.append("**kwargs")
        source.append(f"@signet.function\ndef f{i}({', '.join(parts)}):\n    return 1\n")
    scope = {"signet": signet}
    exec("\n".join(source), scope)
    functions = [scope[f"f{i}"] for i in range(200)]
    model = signet.Model("", *functions)
    with model.serve(name="signatures") as served:
        for function in functions:
            written = inspect.signature(function._function)
            local, remote = inspect.signature(function), inspect.signature(getattr(served, function.__name__))
            assert str(local) == str(remote)
            assert [(p.name, p.kind) for p in remote.parameters.values()] == [(p.name, p.kind) for p in written.parameters.values()]
            for name, parameter in written.parameters.items():
                assert (parameter.default is kinds.empty) == (remote.parameters[name].default is kinds.empty)


def test_documentation():
    @signet.function
    def f(x: "float32[?]", k=1, *rest):
        """Adds.

        More text.

        Args:
            x: the numbers,
                note: and more
            k: what is added
            *rest: not used
        Example: '[1, 2]' k=3
        """
        return x + k

    info = signet.info(signet.Model("Model", f)).functions["f"]
    assert info.doc == "Adds.\n\nMore text."
    assert info.parameter_docs == {"x": "the numbers, note: and more", "k": "what is added", "rest": "not used"}
    assert info.examples == ("'[1, 2]' k=3",)


def test_documentation_of_an_unknown_parameter_is_rejected():
    with pytest.raises(signet.TraceError, match="`f`: `Args:` documents `amuont`, which is not a parameter; the nearest is `amount`"):
        @signet.function
        def f(amount, k=1):
            """Adds.

            Args:
                k: what is added
                amuont: to what
            """
            return amount + k


def test_the_text_of_a_type_is_checked():
    with pytest.raises(ValueError, match="column 10: expected `,` or `]`, found the end"):
        signet.Type("float32[?")
    with pytest.raises(ValueError, match="column 12: expected the end of the type, found `x`"):
        signet.Type("float32[?] x")
    assert repr(signet.Type("float32[n, 3]")) == "float32[n, 3]" == repr(signet.float32["n", 3])


# --- captures ---------------------------------------------------------------------------------------------

WEIGHTS = np.arange(64, dtype=np.float32)


def test_captures_are_called_as_their_variables():
    local = np.ones(64, np.float32)
    small = np.float32([1, 2])

    @signet.function
    def f(x: "float32[64]"):
        return x * WEIGHTS + local + WEIGHTS.copy() + x[:2].shape[0] * 0 + ops.reduce_sum(small)

    model = signet.Model("", f)
    assert model.captures() == {"WEIGHTS": ("float32[64]", 256), "local": ("float32[64]", 256)}
    assert "float32[2] [1.0, 2.0]" in model.to_text()


def test_other_values_of_one_name_get_another_name():
    def make(value):
        weights = np.full(64, value, np.float32)

        @signet.function
        def f(x: "float32[64]"):
            return x + weights

        f.__name__ = f"f{value}"
        return f

    first, second = make(1), make(2)
    model = signet.Model("", first, second)
    assert list(model.captures()) == ["weights", "weights_2"]
    assert model.f2(np.zeros(64, np.float32))[0] == 2


def test_named_captures():
    layer = signet.capture("layer.0.w", np.float32([1, 2, 3]))

    @signet.function
    def f(x: "float32[3]"):
        return x * layer

    model = signet.Model("", f)
    assert list(model.captures()) == ["layer.0.w"]
    assert f([1, 1, 1]).tolist() == [1, 2, 3]


def test_arrays_that_change_are_reported(tmp_path):
    table = np.zeros(64, np.float32)

    @signet.function
    def f(x: "float32[64]"):
        return x + table

    model = signet.Model("", f)
    table[0] = 1
    for use in (lambda: f(table), lambda: model.f(table), lambda: model.save(tmp_path / "1"), lambda: signet.Model("", f)):
        with pytest.raises(signet.TraceError, match="capture `table`: the array has changed"):
            use()


def test_values_of_other_kinds_are_constants():
    ragged = signet.Ragged.from_rows([[1, 2], [3]])
    people = signet.from_py([{"a": 1, "b": ["x"]}])

    @signet.function
    def f():
        return ragged, people, people.a

    rows, structures, column = f()
    assert rows.to_py() == [[1, 2], [3]] and structures.to_py() == [{"a": 1, "b": ["x"]}] and column.tolist() == [1]


def test_zeros_of_both_signs_are_different_constants():
    @signet.function
    def f():
        return [ops.div(1, np.zeros(64, np.float32))[0], ops.div(1, -np.zeros(64, np.float32))[0]]

    assert f() == [np.inf, -np.inf]


def test_texts_that_are_not_utf_8():
    @signet.function
    def f(x: "string[?]", end="\udcff"):
        return [ops.string_join(x, separator="\udcfe"), end, "\udcfd"]

    assert f(["a", "b"]) == ["a\udcfeb", "\udcff", "\udcfd"]
    assert ops.string_join(np.array(["a", "b"]), separator="\udcff") == "a\udcffb"
    with pytest.raises(signet.InvalidArgument, match="lone surrogate"):
        ops.string_join(np.array(["a", "b"]), separator="\ud800")


def test_copies_of_traced_values():
    @signet.function
    def f(x: "float32[?]"):
        return copy.deepcopy({"a": x, "b": copy.copy(x)})

    assert f([1.0])["b"].tolist() == [1]


# --- models -----------------------------------------------------------------------------------------------

@signet.function
def scored(x: "float32[?]", k=2):
    """Scores."""
    return ops.top_k(x * WEIGHTS[0] + x, k=k).values


def test_save_and_load(tmp_path):
    @signet.function
    def f(x: "float32[64]"):
        return x * WEIGHTS

    model = signet.Model("Doc", f, metadata={"key": "text"})
    folder = tmp_path / "models" / "m" / "1"
    model.save(folder)
    assert sorted(path.name for path in folder.iterdir()) == ["captures.safetensors", "model.signet", "sources.tsv"]
    first = (folder / "model.signet").read_bytes(), (folder / "captures.safetensors").read_bytes()
    model.save(folder)
    assert first == ((folder / "model.signet").read_bytes(), (folder / "captures.safetensors").read_bytes())
    model.save(folder, binary=True)
    assert sorted(path.name for path in folder.iterdir()) == ["captures.safetensors", "model.pb", "sources.tsv"]
    for path in (folder, folder.parent):
        loaded = signet.load(path)
        assert loaded.f(np.ones(64, np.float32)).tolist() == WEIGHTS.tolist()
        assert signet.info(loaded).metadata == {"key": "text"} and signet.info(loaded).doc == "Doc"
    signet.Model("", scored).save(folder)
    assert sorted(path.name for path in folder.iterdir()) == ["model.signet", "sources.tsv"]
    assert signet.load(folder).scored([1, 3, 2]).tolist() == [3, 2]


def test_saved_models_have_the_lines_of_the_program(tmp_path):
    @signet.function
    def product(x, y):
        z = x @ y
        return z

    @signet.function
    def f(x: "float32[?, ?]", y: "float32[?, ?]"):
        w = product(x, y)
        return w + 1

    model = signet.Model("", f)
    line = product._function.__code__.co_firstlineno
    expected = rf"; at authoring_test.py:{line + 2}, called at authoring_test.py:{line + 7}$"
    wrong = np.ones((3, 4), np.float32)
    folder = tmp_path / "m" / "1"
    with model.serve() as served:
        with pytest.raises(signet.InvalidArgument, match=expected):
            served.f(wrong, wrong)
    for binary in (False, True):
        model.save(folder, binary=binary)
        loaded = signet.load(folder)
        with pytest.raises(signet.InvalidArgument, match=expected):
            loaded.f(wrong, wrong)
        assert (loaded.save(tmp_path / "copy") / "sources.tsv").read_bytes() == (folder / "sources.tsv").read_bytes()
    model.save(folder, debug=False)
    assert sorted(path.name for path in folder.iterdir()) == ["model.signet"]
    with pytest.raises(signet.InvalidArgument, match="found 4 and 3$"):
        signet.load(folder).f(wrong, wrong)


def test_the_example_of_recipes_writes_the_same_files(tmp_path):
    path = os.path.join(SOURCE, "examples/python/recipes.py")
    subprocess.run([sys.executable, path, str(tmp_path)], check=True, timeout=60)
    for name in ("model.signet", "captures.safetensors"):
        with open(os.path.join(SOURCE, "examples/models/recipes/1", name), "rb") as file:
            assert (tmp_path / "recipes" / "1" / name).read_bytes() == file.read(), name


def test_functions_of_models_have_the_documentation_of_their_functions(tmp_path):
    @signet.function
    def twice(x: "float32[]"):
        """Doubles a number."""
        return x * 2

    model = signet.Model("", twice)
    for function in (model.twice, signet.load(model.save(tmp_path / "1")).twice):
        assert function.__doc__.startswith("Doubles a number.\n\ntwice(x: float32[])")


def test_wrong_arguments_of_models():
    @signet.function
    def same(x):
        return x

    with pytest.raises(ValueError, match="expected the path of a directory, such as `models/orders/1`, found an empty text"):
        signet.Model("", same).save("")
    with pytest.raises(ValueError, match="name: expected a name of at most 128 letters, digits, .* found 'a b'"):
        signet.Model("", same).serve("a b")
    with pytest.raises(TypeError, match="metadata: expected texts by name, found 'a': 1"):
        signet.Model("", same, metadata={"a": 1})


def test_save_errors(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match="file"):
        signet.Model("", scored).save(tmp_path / "file" / "1")
    with pytest.raises(FileNotFoundError, match="nowhere"):
        signet.load(tmp_path / "nowhere")


def test_serve(monkeypatch):
    model = signet.Model("", scored)
    with model.serve(name="scores") as served:
        assert served.scored([1, 3, 2]).tolist() == scored([1, 3, 2]).tolist()
        assert served.scored([1, 3, 2], k=1).tolist() == [3]
        address = served._client.address
    with pytest.raises(signet.Unavailable):
        signet.connect(address, retries=0).scores.scored([1])
    with pytest.raises(signet.Unavailable, match="not_a_flag"):
        with model.serve(arguments=["--not_a_flag"]):
            pass
    monkeypatch.setenv("SIGNET_SERVER", "/nowhere/signet-server")
    with pytest.raises(FileNotFoundError, match="/nowhere"):
        with model.serve():
            pass


def test_what_functions_of_served_models_have():
    assert list(scored.map([([1.0, 3.0],), ([2.0, 4.0],)])) is not None
    assert [each.tolist() for each in scored.map([([1, 3],), signet.Args([2, 4], k=1)])] == [[3, 1], [4]]
    assert scored.with_options(timeout=5)([1, 3]).tolist() == [3, 1]
    assert repr(scored.output_type(signet.Type("float32[5]"))) == "float32[2]"
    assert "scored" in scored.explain([1, 2])
    assert scored.call([1, 3]).model_version == 1
    assert scored.__doc__ == "Scores." and scored.__name__ == "scored"
    assert signet.Model("Scores of words", scored).__doc__.startswith("Scores of words\n\nFunctions:\n    scored(")


def test_pickle_needs_no_source():
    data = pickle.dumps([scored, signet.Model("", scored)])
    program = "import pickle, sys; f, m = pickle.loads(sys.stdin.buffer.read()); print(f([1, 3, 2]).tolist(), m.scored([1, 3, 2], k=1).tolist())"
    ran = subprocess.run([sys.executable, "-c", program], input=data, capture_output=True, check=True)
    assert ran.stdout.decode().strip() == "[3.0, 2.0] [3.0]"


def test_pickle_of_ops_results_and_errors():
    assert pickle.loads(pickle.dumps(ops.add)) is ops.add and copy.deepcopy(ops.add) is ops.add
    best = pickle.loads(pickle.dumps(ops.top_k([1.0, 3.0], k=1)))
    assert best.indices.tolist() == [1] and type(best) is type(ops.top_k([1.0], k=1))

    @signet.function
    def f(x: "float32[?]"):
        return bool(x)

    with pytest.raises(signet.TraceError) as caught:
        f([1])
    copied = pickle.loads(pickle.dumps(caught.value))
    assert type(copied) is type(caught.value) and isinstance(copied, TypeError) and str(copied) == str(caught.value)


def test_names_of_functions_that_are_names_of_methods():
    @signet.function
    def save(x):
        return x

    @signet.function
    def serve(x):
        return x

    model = signet.Model("", save, serve)
    assert model.save(1) == 1 and model.serve(2) == 2 and model["save"](3) == 3


def test_errors_when_a_function_runs_have_the_line():
    @signet.function
    def f(x: "float32[?]", y: "float32[?]"):
        z = x + y
        return z

    with pytest.raises(signet.InvalidArgument) as caught:
        f([1, 2], [1, 2, 3])
    assert "node `z`" in str(caught.value)
    notes = "".join(getattr(caught.value, "__notes__", ()))
    assert "z = x + y" in notes and "^^^^^" in notes


def test_threads_trace_their_own_functions():
    faults = []

    def work(number):
        @signet.function
        def f(x: "float32[?]"):
            y = x
            for _ in range(20):
                y = y + number
            return y

        if f([0]).tolist() != [20.0 * number]:
            faults.append(number)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(16)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert not faults


def test_interrupt_ends_a_local_call():
    program = """
import _thread, signal, threading, time
import numpy as np
import signet

@signet.function
def endless(n: "int64[]"):
    return signet.while_loop(lambda i: i >= 0, lambda i: (i + 1) % 1000000007, n)

signet.Model("", endless)
import os
threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
start = time.monotonic()
try:
    endless.with_options(timeout=60)(1)
except KeyboardInterrupt:
    print("interrupted", time.monotonic() - start < 30)
"""
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False, timeout=100)
    assert ran.stdout.decode().split() == ["interrupted", "True"], ran.stderr.decode()


def test_without_the_engine():
    program = """
import sys
sys.modules["signet._core"] = None
import signet
client = signet.connect("localhost:1")
try:
    @signet.function
    def f(x):
        return x
except ImportError as error:
    print("wheel" in str(error))
"""
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)
    assert ran.stdout.decode().strip() == "True", ran.stderr.decode()


def test_the_client_loads_little():
    program = "import sys, signet; print([m for m in ('pandas', 'grpc', 'signet._core', 'dask', 'pyarrow', 'IPython') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, check=True).stdout.decode().strip() == "[]"


# --- models of files in functions -------------------------------------------------------------------------

def onnx_network():
    """The bytes of an ONNX model: y = Relu(x @ w)."""
    def value(name, columns):
        shape = Message().message(1, Message().text(2, "rows")).message(1, Message().integer(1, columns))
        return Message().text(1, name).message(2, Message().message(1, Message().integer(1, 1).message(2, shape)))

    def node(op, inputs, output):
        out = Message()
        for each in inputs:
            out.text(1, each)
        return out.text(2, output).text(4, op)

    weights = Message().integer(1, 3).integer(1, 2).integer(2, 1).text(8, "w").data(9, (np.arange(6, dtype="<f4") - 2).tobytes())
    graph = Message().message(1, node("MatMul", ["x", "w"], "h")).message(1, node("Relu", ["h"], "y")).text(2, "net")
    graph.message(5, weights).message(11, value("x", 3)).message(12, value("y", 2))
    return Message().integer(1, 8).message(7, graph).message(8, Message().integer(2, 13)).to_bytes()


def test_functions_of_an_onnx_model_in_a_function(tmp_path):
    path = tmp_path / "net.onnx"
    path.write_bytes(onnx_network())
    net = signet.from_onnx(path)

    @signet.function
    def score(people: "[{age: float32[], height: float32[], weight: float32[]}]") -> "[{age: float32[], score: float32[2]}]":
        features = ops.stack(people.age, people.height, people.weight, axis=1)
        return ops.struct_make(age=people.age, score=net.main(features))

    rows = [{"age": 1, "height": 2, "weight": 3}, {"age": 3, "height": 2, "weight": 1}]
    model = signet.Model("Features and a network", score)
    expected = net.main(np.float32([[1, 2, 3], [3, 2, 1]]))
    assert [row["score"] for row in model.score(rows).to_py()] == expected.tolist()
    assert list(model) == ["score"]
    model.save(tmp_path / "joint" / "1")
    assert [row["score"] for row in signet.load(tmp_path / "joint").score(rows).to_py()] == expected.tolist()


def test_a_joint_model_agrees_with_two_separate_calls(tmp_path):
    flowers = example("flowers")
    iris = str(tmp_path / "iris.onnx")
    write_onnx(iris, flower_network())
    network = signet.from_onnx(iris)
    joint, gardens = flowers.make_model(iris), flowers.make_gardens(20)
    joint.save(tmp_path / "models" / "flowers" / "1")
    network.save(tmp_path / "models" / "network" / "1")
    server = Server(models=str(tmp_path / "models"))
    with signet.connect(server.address, wait=30) as client:
        answers = client.flowers.species(gardens).to_py()
        assert answers == flowers.in_two_calls(client.flowers, client.network, gardens) == joint.species(gardens).to_py()
    server.stop()
    assert {flower["species"] for garden in answers for flower in garden["flowers"]} == set(flowers.SPECIES)


IMPORTING = '''"""Features and a network"""

import "net.onnx" as net


def score(people: [{age: float32[], height: float32[], weight: float32[]}]) -> [{age: float32[], score: float32[2]}]:
    features = stack(people.age, people.height, people.weight, axis=1)
    return struct_make(age=people.age, score=net.main(features))


def twice(x: float32[?, 3]):
    return net(x) * 2


def either(p: bool[], x: float32[?, 3]):
    return cond(p, x, then=net.main, else=twice)
'''


def test_a_model_in_the_language_imports_an_onnx_model(tmp_path):
    folder = tmp_path / "joint" / "1"
    folder.mkdir(parents=True)
    (folder / "net.onnx").write_bytes(onnx_network())
    (folder / "model.signet").write_text(IMPORTING)
    net, model = signet.load(folder / "net.onnx"), signet.load(folder)
    x = np.float32([[1, 2, 3], [3, 2, 1]])
    rows = [{"age": 1, "height": 2, "weight": 3}, {"age": 3, "height": 2, "weight": 1}]
    assert [row["score"] for row in model.score(rows).to_py()] == net.main(x).tolist()
    assert model.twice(x).tolist() == (net.main(x) * 2).tolist()
    assert model.either(True, x).tolist() == net.main(x).tolist()
    assert list(model) == ["score", "twice", "either"]
    copy = model.save(tmp_path / "copy" / "1")
    assert sorted(path.name for path in copy.iterdir()) in (["captures.safetensors", "model.signet"], ["model.signet"])
    assert signet.load(copy).twice(x).tolist() == (net.main(x) * 2).tolist()
    for command in (["check", str(folder)], ["fmt", "--check", str(folder / "model.signet")], ["inspect", str(folder)]):
        ran = subprocess.run([os.environ["SIGNET_CLI"], *command], capture_output=True, text=True, check=False)
        assert ran.returncode == 0, ran.stdout + ran.stderr


@pytest.mark.parametrize("statement, message", [
    ('import "gone.onnx" as net', 'model.signet:1:8: gone.onnx: no such file'),
    ('import "../net.onnx" as net', "1:8: ../net.onnx: expected the name of a file .onnx next to the model"),
    ('import "net.bin" as net', "1:8: net.bin: expected the name of a file .onnx"),
    ('import "broken.onnx" as net', "1:8: broken.onnx: "),
    ('import "net.onnx"', "expected `as NAME` after the file"),
    ("import net", "expected the name of a model in quotation marks"),
    ('import "net.onnx" as f', "the name `f` has another meaning"),
    ('import "net.onnx" as net\nimport "net.onnx" as net', "2:8: the name `net` has another meaning"),
])
def test_imports_that_are_wrong(tmp_path, statement, message):
    (tmp_path / "net.onnx").write_bytes(onnx_network())
    (tmp_path / "broken.onnx").write_bytes(b"not a model")
    (tmp_path / "model.signet").write_text(statement + "\n\ndef f(x):\n    return x\n")
    with pytest.raises(signet.FailedPrecondition) as caught:
        signet.load(tmp_path)
    assert message in str(caught.value)


def test_a_parameter_without_a_type_warns_at_the_sixteenth_number():
    @signet.function
    def scaled(x: "float32[?]", k):
        return x * k

    for i in range(15):
        scaled([1], i)
    with pytest.warns(signet.PlainValueWarning, match="np.float32") as caught:
        scaled([1], 15)
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scaled([1], 16)
        scaled([1], np.float32(17))


def test_values_of_records():
    rows = signet.Structured.from_py([{"a": 1, "b": ["x"]}, {"a": 2, "b": []}], "[{a: float32[], b: string[(?)]}]")
    assert rows.a.dtype == np.float32 and rows.b.to_py() == [["x"], []]
    assert signet.from_py([1, 2], signet.Type("int8[?]")).dtype == np.int8
    with pytest.raises(signet.Error, match="expected"):
        signet.from_py([{"a": "x"}], "[{a: float32[]}]")
    thing = signet.Extension("test.Thing", {"k": 1}, {"x": np.float32([1, 2]), "y": np.array(["a", "b"], object)})
    assert repr(thing.type) == "test.Thing<k=1>(x: float32[2], y: string[2])"
    assert thing.to_pandas().y.tolist() == ["a", "b"]


def test_streams_of_local_functions():
    @signet.function
    def double(x: "float32[?]"):
        return x * 2

    with double.stream() as call:
        futures = [call([i]) for i in range(5)]
    assert [future.result(0).tolist() for future in futures] == [[2 * i] for i in range(5)]


def test_division_is_that_of_python():
    @signet.function
    def quotients(x: "int32[?]", y: "int32[?]"):
        return x / y, x // y, 1 / y, np.divide(x, 4), signet.ops.div(x, y)

    true, floor, inverse, quarter, truncated = quotients([7, -7], [2, 2])
    assert true.dtype == np.float64 and true.tolist() == [3.5, -3.5]
    assert floor.dtype == np.int32 and floor.tolist() == [3, -4]
    assert inverse.tolist() == [0.5, 0.5] and quarter.tolist() == [1.75, -1.75]
    assert truncated.tolist() == [3, -3]
    text = signet.Model("", quotients).to_text()
    assert "x / y" in text and "x // y" in text and "div(x, y)" in text

    @signet.function
    def untyped(x, y):
        return x / y

    assert untyped(np.int64([1]), np.int64([2])).tolist() == [0.5]
    halves = untyped(np.float32([1]), 2)
    assert halves.dtype == np.float32 and halves.tolist() == [0.5]


def test_the_name_of_an_extension_type_is_an_annotation():
    @signet.extension_type("authoring.Pair")
    class Pair:
        left: "float32[]"
        right: signet.Any

    @signet.function
    def left(pair: "authoring.Pair"):
        return pair.left

    assert left(Pair(2, [1])) == 2
    assert "authoring.Pair(left: float32[], right: any)" in str(inspect.signature(left))
