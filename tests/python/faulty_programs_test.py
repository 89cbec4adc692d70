"""Faulty programs: the traceback ends where a person would point, marked here with ⟦ and ⟧, and the message says what to do."""

import os
import re

import pytest

import signet
from signet import errors

pytest.importorskip("signet._core")

HEAD = """import math
import numpy as np
import signet
from signet import ops


PEOPLE = "[{name: string[], age: float32[], scores: float32[(?)]}]"
table = np.arange(100, dtype=np.float32)

"""


def in_body(statements, signature='x: "float32[?, 3]", y: "float32[4, 5]", n: "int32[]", people: PEOPLE, free, p: "bool[]"'):
    body = "\n".join(f"    {line}" for line in statements.split("\n"))
    return f"@signet.function\ndef f({signature}):\n{body}\n\nsignet.Model('', f)\n"


PROGRAMS = {
    # Control flow of Python on traced values.
    "if": (in_body("⟦if p:\n    return x⟧\nreturn x"), TypeError, "signet.cond"),
    "if of a comparison": (in_body("if ⟦n > 0⟧:\n    return x\nreturn x"), TypeError, "ops.select"),
    "while": (in_body("while ⟦n < 10⟧:\n    n = n + 1\nreturn n"), TypeError, "signet.while_loop"),
    "or": (in_body("return ⟦p or p⟧"), TypeError, "`|`"),
    "not": (in_body("return ⟦not p⟧"), TypeError, "`~`"),
    "chained comparison": (in_body("return ⟦0 < n < 5⟧"), TypeError, "write `.a < x. & .x < b.`"),
    "in": (in_body("return ⟦3 in n⟧"), TypeError, "reduce_any"),
    "for over a tensor": (in_body("⟦for row in x:\n    pass⟧\nreturn x"), TypeError, "signet.map"),
    "for over records": (in_body("return ⟦[p.age for p in people]⟧"), TypeError, "signet.map"),
    "unpacking a tensor": (in_body("⟦a, b⟧ = x\nreturn a"), TypeError, "unstack"),
    "len": (in_body("return ⟦len(x)⟧"), TypeError, "ops.size"),
    "int": (in_body("return ⟦int(n)⟧"), TypeError, "ops.cast"),
    "range of a traced value": (in_body("return [x for _ in ⟦range(n)⟧]"), TypeError, "not a number"),
    "math": (in_body("return ⟦math.sqrt(n)⟧"), TypeError, "ops.sqrt"),
    "assert": (in_body("assert ⟦n > 0⟧\nreturn n"), TypeError, "ops.check_true"),
    # What values cannot do.
    "item assignment": (in_body("⟦x[0]⟧ = 1\nreturn x"), TypeError, "scatter"),
    "field assignment": (in_body("⟦people.age⟧ = x\nreturn people"), TypeError, "struct_update"),
    "a key of a dict": (in_body("return ⟦{x: 1}⟧"), TypeError, "key of a dict"),
    "np.asarray": (in_body("return ⟦np.asarray(x)⟧"), TypeError, "signet.ops"),
    "a function of numpy": (in_body("return ⟦np.concatenate([x, x])⟧"), TypeError, "concat"),
    "an array at a traced index": (in_body("return ⟦table[n]⟧"), TypeError, "ops.gather"),
    "a map of nothing": (in_body("return ⟦signet.map(lambda: x)⟧"), TypeError, "`signet.map`: expected at least one value with elements"),
    "a reduction of nothing": (in_body("return ⟦signet.reduce(lambda c: c, n)⟧"), TypeError, "`signet.reduce`: expected at least one value"),
    "an array as an index": (in_body("return ⟦x[np.array([0, 1])]⟧"), TypeError, "a value of the class `ndarray`; `ops.gather`"),
    "masked elements": (in_body("return ⟦x + np.ma.array([1.0], mask=[True])⟧"), ValueError, "some elements are masked"),
    "missing values": (in_body("return ⟦x + np.array([None])⟧"), TypeError, "value `constant`: expected texts, found 1 missing value"),
    "a class as a value": (in_body("return ⟦x + np.float32⟧"), TypeError, "found a value of the class `type`"),
    "half of a character": (in_body(r"return ⟦ops.equal(free, '\ud800')⟧"), ValueError, "lone surrogate"),
    "a call of a value": (in_body("return ⟦x(1)⟧"), TypeError, "not a function"),
    # Types.
    "sizes that do not fit": (in_body("z = ⟦x @ y⟧\nreturn z"), ValueError, "matmul"),
    "in a helper": ("def helper(a, b):\n    return ⟦a @ b⟧\n\n" + in_body("return helper(x, y)"), ValueError, "matmul"),
    "three helpers deep": ("def one(a, b):\n    return ⟦a @ b⟧\n\ndef two(a, b):\n    return one(a, b)\n\ndef three(a, b):\n    return two(a, b)\n\n"
                           + in_body("return three(x, y)"), ValueError, "matmul"),
    "dtypes that do not fit": (in_body("return ⟦x + n⟧"), ValueError, "float32"),
    "a division of other dtypes": (in_body("return ⟦x / n⟧"), ValueError, "float32"),
    "and of floats": (in_body("return ⟦x & x⟧"), TypeError, "expected bools or integers"),
    "and of unknown dtypes": (in_body("return ⟦free & free⟧"), TypeError, "logical_and"),
    "an unknown field": (in_body("return ⟦people.agee⟧"), AttributeError, "nearest is `age`"),
    "an ambiguous attribute": (in_body("return ⟦free.shape⟧"), AttributeError, "ops.shape"),
    "an attribute that tensors do not have": (in_body("return ⟦x.mean⟧"), AttributeError, "ops.reduce_mean"),
    "an unknown op": (in_body("return ⟦ops.reduce_summ⟧(x)"), AttributeError, "reduce_sum"),
    "an unknown attribute of an op": (in_body("return ⟦ops.reduce_sum(x, axis=0)⟧"), TypeError, "nearest is `axes`"),
    "an axis that does not exist": (in_body("return ⟦ops.reduce_sum(x, axes=5)⟧"), ValueError, "axis"),
    "too few inputs": (in_body("return ⟦ops.gather(x)⟧"), TypeError, "indices"),
    "an object of another class": (in_body("return ⟦x + object()⟧"), TypeError, "class `object`"),
    "all outputs of an op": (in_body("return ⟦ops.neg(ops.top_k(x, k=1))⟧"), TypeError, "use one of them, such as `.values`"),
    "a result of all outputs": ("@signet.function\ndef f(x):\n    return ops.top_k(x, k=1)\n\n⟦signet.Model('', f)⟧\n", TypeError,
                                "result of `f`: `top_k` has the outputs `values`, `indices`; use one"),
    "concat of a list": (in_body("return ⟦ops.concat([x, x], axis=0)⟧"), TypeError, r"`ops.concat\(x, y, axis=0\)`, or `ops.concat\(\*values, axis=0\)`"),
    "stack of a tuple": (in_body("return ⟦ops.stack((n, n))⟧"), TypeError, r"`ops.stack\(x, y\)`"),
    "concat of a list at once": ("⟦ops.concat([table, table])⟧\n", TypeError, r"`ops.concat\(x, y\)`"),
    "stack of a list at once": ("⟦ops.stack([table, table], axis=1)⟧\n", TypeError, r"`ops.stack\(x, y, axis=1\)`"),
    "a set": (in_body("return ⟦ops.concat(x, {1})⟧"), TypeError, "class `set`"),
    "a float as index": (in_body("return ⟦x[1.5]⟧"), TypeError, "class `float`"),
    "a bound that is a float": (in_body("return ⟦x[:1.5]⟧"), TypeError, "integers, traced integers, or None"),
    "a bound that is a traced bool": (in_body("return ⟦x[:p]⟧"), ValueError, "expected an integer"),
    "a traced step": (in_body("return ⟦x[::n]⟧"), TypeError, "a plain integer as the step"),
    # Functions.
    "in a branch": (in_body("return signet.cond(p, lambda: ⟦x @ y⟧, lambda: x)"), ValueError, "matmul"),
    "in the body of map": (in_body("return signet.map(lambda row: ⟦row.agee⟧, people)"), AttributeError, "age"),
    "map of a value and a function": (in_body("return ⟦signet.map(x, lambda row: row)⟧"), TypeError, r"`function` must be.*write `signet.map\(function, "),
    "scan of a value and a function": (in_body("return ⟦signet.scan(0.0, lambda a, b: (a, b), x)⟧"), TypeError, r"signet.scan\(function, initial, "),
    "reduce of a value and a function": (in_body("return ⟦signet.reduce(0.0, lambda a, b: a, x)⟧"), TypeError, r"signet.reduce\(function, initial, "),
    "while_loop of a value and functions": (in_body("return ⟦signet.while_loop(n, lambda i: i < 3, lambda i: i)⟧"), TypeError,
                                            r"`condition` must be.*signet.while_loop\(condition, body, "),
    "case of functions and an index": (in_body("return ⟦signet.case([lambda: x], n)⟧"), TypeError, r"signet.case\(index, functions, "),
    "a nested function with other parameters": (in_body("return ⟦signet.cond(p, lambda a: a, lambda: x)⟧"), TypeError, "called with 0 arguments"),
    "recursion": ("@signet.function\ndef f(x):\n    return ⟦f(x)⟧\n\nsignet.Model('', f)\n", ValueError, "calls itself"),
    "a call without an argument": ("@signet.function\ndef g(a, b):\n    return a + b\n\n" + in_body("return ⟦g(x)⟧"), TypeError, "missing a required"),
    "an unknown argument of cond": (in_body("return ⟦signet.cond(p, then=lambda: x, orelse=lambda: x)⟧"), TypeError,
                                   r"`\(condition, then, else_, \*args\)`"),
    "a missing branch": (in_body("return ⟦signet.cond(p, lambda: x)⟧"), TypeError, "'else_'"),
    "an unknown argument of map": (in_body("return ⟦signet.map(lambda row: row, x, raged=True)⟧"), TypeError, "nearest is `ragged`"),
    "an unknown argument of while_loop": (in_body("return ⟦signet.while_loop(lambda i: i < 3, lambda i: i + 1, n, maxsteps=3)⟧"), TypeError,
                                          "nearest is `max_steps`"),
    "an unknown argument of function": ("@⟦signet.function(batchh=['x'])⟧\ndef f(x):\n    return x\n", TypeError, "nearest is `batch`"),
    "an unknown argument of Model": ("@signet.function\ndef f(x):\n    return x\n\n⟦signet.Model('', f, metdata={})⟧\n", TypeError,
                                     "nearest is `metadata`"),
    "an unknown argument of save": ("@signet.function\ndef f(x):\n    return x\n\nmodel = signet.Model('', f)\n⟦model.save('m', binray=True)⟧\n",
                                    TypeError, "nearest is `binary`"),
    "a function of numpy as an op": ("⟦signet.dispatch_for(np.multiply, signet.Tensor)⟧\n", TypeError, "the op is `ops.mul`"),
    "a class as a function": ("⟦signet.function(signet.Type)⟧\n", TypeError, "expected a function of Python, found <class"),
    "a conversion to a class of Python": ("⟦signet.conversion('float32[?]', to=float)(lambda x: x)⟧\n", TypeError, "`to`: expected the class of an ext"),
    "a function as an extension type": ("⟦signet.extension_type('a.B')(len)⟧\n", TypeError, "expected a class, found <built-in"),
    "a text that is not a value": ("⟦signet.parse('float32[2] [1, 2, 3]')⟧\n", ValueError, "a list of 3"),
    "a call with another type": ('@signet.function\ndef g(a: "string[]"):\n    return a\n\n' + in_body("return ⟦g(x)⟧"), ValueError, "string"),
    "a value of another trace": ("kept = []\n\n@signet.function\ndef g(a):\n    kept.append(a)\n    return a\n\nsignet.Model('', g)\n\n"
                                 + in_body("return ⟦x + kept[0]⟧"), ValueError, "which is over"),
    "a value after the trace": ("kept = []\n\n@signet.function\ndef g(a):\n    kept.append(a)\n    return a\n\nsignet.Model('', g)\n"
                                "⟦kept[0].b⟧\n", ValueError, "which is over"),
    # Whole functions: the traceback ends where the function is made, or where the model is.
    "no return": ("@signet.function\ndef f(x):\n    x + 1\n\n⟦signet.Model('', f)⟧\n", ValueError, "returns None"),
    "a class of Python as a type": ("@⟦signet.function⟧\ndef f(x: float):\n    return x\n", TypeError, 'did you mean `"float32\\[\\]"`'),
    "an unknown dtype": ('@⟦signet.function⟧\ndef f(x: "float23[?]"):\n    return x\n', ValueError, "float23"),
    "a default that does not fit": ('@⟦signet.function⟧\ndef f(x: "int8[]" = 300):\n    return x\n', ValueError, "int8"),
    "a result of another type": ('@signet.function\ndef f(x: "float32[?]") -> "int32[?]":\n    return x\n\n⟦signet.Model(\'\', f)⟧\n', ValueError,
                                 "expected `int32"),
    "an async function": ("@⟦signet.function⟧\nasync def f(x):\n    return x\n", TypeError, "async def"),
    "a generator": ("@⟦signet.function⟧\ndef f(x):\n    yield x\n", TypeError, "generator"),
    "a lambda": ("⟦signet.function(lambda x: x)⟧\n", TypeError, "no name"),
    "two functions of one name": ("@signet.function\ndef f(x):\n    return x\n\ng = f\n\n@signet.function\ndef f(x):\n    return x + 1\n\n"
                                  "⟦signet.Model('', f, g)⟧\n", ValueError, "have the name `f`, at .*program.py:16 and .*program.py:10"),
}


def place_of(traceback):
    """The file, the lines, and the columns of the last frame, and the files of all frames."""
    files = []
    while traceback is not None:
        files.append(traceback.tb_frame.f_code.co_filename)
        last, traceback = traceback, traceback.tb_next
    positions = list(last.tb_frame.f_code.co_positions())[last.tb_lasti // 2]
    return files, positions


@pytest.mark.parametrize("name", PROGRAMS)
def test_error_is_where_a_person_would_point(name, tmp_path):
    program, kind, message = PROGRAMS[name]
    marked = HEAD + program
    begin, end = marked.index("⟦"), marked.index("⟧") - 1
    source = marked.replace("⟦", "").replace("⟧", "")
    path = tmp_path / "program.py"
    path.write_text(source, encoding="utf-8")
    with pytest.raises((errors.Error, AttributeError, TypeError)) as caught:
        exec(compile(source, str(path), "exec"), {"__name__": "program"})
    error = caught.value
    assert isinstance(error, kind), type(error).__mro__
    assert re.search(message, str(error)), str(error)
    files, (line, end_line, column, end_column) = place_of(error.__traceback__.tb_next)
    assert set(files) == {str(path)}, files  # none of the frames of the package
    lines = source.split("\n")
    found = "\n".join(lines[line - 1 : end_line])
    offset = sum(len(each) + 1 for each in lines[: line - 1])
    last = sum(len(each) + 1 for each in lines[: end_line - 1])
    assert (offset + column, last + end_column) == (begin, end), f"points at {source[offset + column : last + end_column]!r} in {found!r}"


@pytest.mark.parametrize("name", signet.__all__)
def test_no_public_function_shows_frames_of_the_package_for_an_unknown_argument(name):
    function = getattr(signet, name)
    if not callable(function):
        return
    try:
        function(no_such_argument=1)
    except Exception as error:
        files, _ = place_of(error.__traceback__)
        assert set(files) == {__file__}, files


def test_recursion_of_a_helper_shows_no_frames_of_the_package():
    def helper(x):
        return helper(x - 1)

    @signet.function
    def f(x):
        return helper(x)

    with pytest.raises(RecursionError) as caught:
        signet.Model("", f)
    files, _ = place_of(caught.value.__traceback__)
    assert set(files) == {__file__}


def test_there_are_forty():
    assert len(PROGRAMS) >= 40


def test_full_traceback(monkeypatch):
    monkeypatch.setenv("SIGNET_TRACEBACK", "full")

    @signet.function
    def f(x: "float32[?]"):
        return bool(x)

    with pytest.raises(signet.TraceError) as caught:
        signet.Model("", f)
    files, _ = place_of(caught.value.__traceback__)
    assert any(os.sep + "trace" + os.sep in file for file in files)


def test_exceptions_of_the_program_pass_through():
    class Own(Exception):
        pass

    @signet.function
    def f(x):
        raise Own("mine")

    with pytest.raises(Own, match="mine"):
        signet.Model("", f)
