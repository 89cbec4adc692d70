"""Branches and loops in functions that are traced."""

import random

import numpy as np
import pytest

import signet
from signet import ops

pytest.importorskip("signet._core")


def test_cond_lifts_values_of_the_function_around_it():
    @signet.function
    def f(x: "float32[?]", p: "bool[]", k: "float32[]"):
        doubled = x * 2
        return signet.cond(p, lambda y: doubled + y, lambda y: x - k, k)

    assert f([1, 2], True, 10).tolist() == [12, 14]
    assert f([1, 2], False, 10).tolist() == [-9, -8]


def test_branches_of_different_sizes():
    @signet.function
    def f(x: "float32[4]", p: "bool[]") -> "float32[?]":
        return signet.cond(p, lambda: x[:2], lambda: x[:3])

    assert f([1, 2, 3, 4], True).tolist() == [1, 2]
    assert f([1, 2, 3, 4], False).tolist() == [1, 2, 3]


def test_branches_of_different_dtypes_are_refused_with_both_types():
    @signet.function
    def f(p: "bool[]", x: "float32[2]", n: "int32[2]"):
        return signet.cond(p, lambda: x, lambda: n)

    with pytest.raises(signet.TraceError, match=r"(?s)float32\[2\].*int32\[2\]|int32\[2\].*float32\[2\]"):
        signet.Model("", f)


def test_case():
    @signet.function
    def f(i: "int32[]", x: "float32[]"):
        return signet.case(i, [lambda: x, lambda: x * 10, lambda: x * 100])

    assert [f(i, 2).item() for i in range(3)] == [2, 20, 200]


def test_while_loop_of_one_and_of_several_variables():
    @signet.function
    def f(n: "int64[]", step: "int64[]"):
        one = signet.while_loop(lambda i: i < n, lambda i: i + step, np.int64(0))
        i, total = signet.while_loop(lambda i, total: i < n, lambda i, total: (i + step, total + i), np.int64(0), np.int64(0))
        return one, i, total

    assert [each.item() for each in f(10, 3)] == [12, 12, 18]


def test_while_loop_ends_at_max_steps():
    @signet.function
    def f(most=5):
        return signet.while_loop(lambda i: i >= 0, lambda i: i + 1, np.int64(0), max_steps=most)

    assert f() == 5 and f(7) == 7


def test_a_loop_without_an_end_fails():
    @signet.function
    def f(n: "int64[]"):
        return signet.while_loop(lambda i: i >= 0, lambda i: (i + 1) % 1000, n)

    with pytest.raises(signet.ResourceExhausted, match="steps"):
        f(1)


def test_map_scan_and_reduce_lift_values():
    @signet.function
    def f(lists: "ragged float32[?, (?)]", rates: "float32[?]", scale: "float32[]"):
        sums = signet.map(lambda row, rate: ops.reduce_sum(row) * rate * scale, lists, rates)
        last, steps = signet.scan(lambda carried, rate: (carried * rate + scale, carried), np.float32(1), rates)
        return sums, last, steps, signet.reduce(lambda carried, rate: carried + rate * scale, np.float32(0), rates)

    sums, last, steps, total = f([[1, 2], [], [3]], [1, 2, 3], 10)
    assert sums.tolist() == [30, 0, 90]
    assert (last.item(), steps.tolist(), total.item()) == (((1 * 1 + 10) * 2 + 10) * 3 + 10, [1, 11, 32], 60)


def test_nested_maps():
    @signet.function
    def f(x: "float32[?, ?]", k: "float32[]"):
        return signet.map(lambda row: signet.map(lambda each: signet.cond(each > k, lambda: each * k, lambda: each), row), x)

    assert f(np.float32([[1, 5], [7, 2]]), 3).tolist() == [[1, 15], [21, 2]]


def test_indices_of_two_functions_with_one_name_are_different():
    @signet.function
    def f(rows: "int64[?, ?]", start: "int64[]"):
        i = start + 1

        def inner(row):
            second = other(row)
            return row[i] * 10 + second  # with the index of the function around it

        def other(row):
            i = ops.size(row) - 3
            return row[i] * 1

        return signet.map(inner, rows)

    assert f(np.int64([[1, 2, 3, 4], [5, 6, 7, 8]]), 1).tolist() == [32, 76]


def test_records_in_map():
    @signet.function
    def f(people: "[{name: string[], scores: float32[(?)]}]", least: "float32[]"):
        def best(person):
            kept = ops.boolean_mask(person.scores, person.scores >= least)
            return {"name": person.name, "count": ops.size(kept), "best": kept}

        return signet.map(best, people)

    out = f([{"name": "Ann", "scores": [1, 5, 3]}, {"name": "Bo", "scores": []}], 2)
    assert out["name"].tolist() == ["Ann", "Bo"] and out["count"].tolist() == [2, 0] and out["best"].to_py() == [[5, 3], []]


def test_functions_of_the_model_are_branches():
    @signet.function
    def half(x: "float32[]"):
        return x / 2

    @signet.function
    def double(x: "float32[]"):
        return x * 2

    @signet.function
    def f(p: "bool[]", x: "float32[]", y: "float32[]"):
        return signet.cond(p, half, double, x), signet.cond(p, half, lambda x: x + y, x)

    assert [each.item() for each in f(True, 4, 1)] == [2, 2]
    assert [each.item() for each in f(False, 4, 1)] == [8, 5]
    assert sorted(signet.Model("", f)) == ["double", "f", "half"]


def test_structures_are_carried():
    @signet.function
    def f(n: "int64[]"):
        state = {"count": np.int64(0), "names": np.array(["a"], object)}

        def step(i, state):
            return i + 1, {"count": state["count"] + i, "names": ops.concat(state["names"], np.array(["b"], object))}

        _, last = signet.while_loop(lambda i, state: i < n, step, np.int64(0), state)
        return last

    out = f(3)
    assert out["count"] == 3 and out["names"].tolist() == ["a", "b", "b", "b"]


def test_control_ops_are_for_traced_functions():
    for use in (lambda: signet.cond(True, lambda: 1, lambda: 2), lambda: signet.map(lambda x: x, [1]), lambda: signet.decline()):
        with pytest.raises(signet.TraceError, match="traced"):
            use()


def random_program(draw, depth, names):
    """Statements that assign int64 scalars, as source that means the same in plain Python and in a traced function."""
    lines = []
    for _ in range(draw.randint(2, 4)):
        new = f"v{len(names)}"
        a, b = draw.choice(names), draw.choice(names)
        kind = draw.choice(["op", "op", "cond", "loop"]) if depth else "op"
        if kind == "op":
            lines.append(f"{new} = ({a} {draw.choice('+-*')} {b}) % 1009 + {draw.randint(0, 9)}")
        elif kind == "cond":
            then, then_name = random_block(draw, depth - 1, names)
            other, other_name = random_block(draw, depth - 1, names)
            lines += [f"def then_{new}():", *indented(then), f"    return {then_name}", f"def other_{new}():", *indented(other),
                      f"    return {other_name}", f"{new} = cond({a} < {b}, then_{new}, other_{new})"]
        else:
            body, name = random_block(draw, depth - 1, [*names, "i", "acc"])
            lines += [f"def step_{new}(i, acc):", *indented(body), f"    return i + 1, {name}",
                      f"_, {new} = while_loop(lambda i, acc: i < {draw.randint(0, 4)}, step_{new}, zero, {a})"]
        names.append(new)
    return lines


def random_block(draw, depth, names):
    inner = list(names)
    lines = random_program(draw, depth, inner)
    return lines, inner[-1]


def indented(lines):
    return [f"    {line}" for line in lines]


def python_cond(p, then, other):
    return then() if p else other()


def python_while(condition, body, *variables):
    while condition(*variables):
        variables = body(*variables)
    return variables


@pytest.mark.parametrize("seed", range(60))
def test_random_programs_mean_what_they_mean_in_python(seed, tmp_path):
    draw = random.Random(seed)
    names = ["a", "b", "zero"]
    lines = random_program(draw, 2, names)
    source = "\n".join(["def f(a, b):", "    zero = make_zero()", *indented(lines), f"    return {', '.join(names[3:])}, zero"])
    plain = {"cond": python_cond, "while_loop": python_while, "make_zero": lambda: 0}
    exec(source, plain)
    traced = {"cond": signet.cond, "while_loop": signet.while_loop, "make_zero": lambda: np.int64(0)}
    exec(source, traced)
    made = signet.function(signature="(a: int64[], b: int64[])")(traced["f"])
    loaded = signet.load(signet.Model("", made).save(tmp_path / "1"))
    for _ in range(3):
        a, b = draw.randint(0, 100), draw.randint(0, 100)
        expected = list(plain["f"](a, b))
        for function in (made, loaded.f):
            assert [each.item() if hasattr(each, "item") else each for each in function(a, b)] == expected, source
