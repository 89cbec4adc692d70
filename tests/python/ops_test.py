"""signet.ops: every case of tests/core/ops, run at once, and in a function that is traced."""

import glob
import inspect
import os
import re

import numpy as np
import pytest

import signet
from conftest import SOURCE
from signet import engine, ops
from signet.trace import control, tracer
from signet.types import value_of_static
from signet.values import Extension, Ragged, Sparse, Structured
from signet.wire import decode

pytest.importorskip("signet._core")

# What Python has no exact value for: bfloat16 is read as float32, and rows of a ragged value have no stated length.
NOT_IN_PYTHON = re.compile(r"bfloat16|nan\(0x|\(\d+\)[,\]]")
# Cases whose call means something else in Python: sizes are known, or a keyword is a field.
OTHER_IN_PYTHON = ("struct_make.cases:24", "struct_update.cases:20")
LEAST_CASES = 2000


def logical_lines(path):
    lines = []
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            line = line.rstrip("\n")
            if not line or line.startswith("#"):
                continue
            if line.startswith(" ") and lines:
                lines[-1] = (lines[-1][0], lines[-1][1] + line)
            else:
                lines.append((number, line))
    return lines


def read_value(text):
    """The value at the start of a text, and the rest. A list of plain values may be written as its type."""
    core = engine.core()
    try:
        data, end = engine.run(core.read_value, text)
        return decode.Reading().value(memoryview(data)), text.encode()[end:].decode()
    except signet.Error:
        return read_static(text)


def read_static(text):
    from signet.v1 import types_pb2

    data, end = engine.run(engine.core().read_type, text)
    return value_of_static(types_pb2.TypeSpec.FromString(data)), text.encode()[end:].decode()


class Case:
    def __init__(self, where, call):
        self.where, self.results, self.label, self.error, self.tolerance = where, None, None, None, None
        self.op, rest = re.match(r"([\w.]+)(.*)", call, re.S).groups()
        self.attributes, self.inputs = {}, []
        while True:
            found = re.match(r"\s*([\w.]+)=", rest)
            if found is None:
                break
            value, rest = read_static(rest[found.end():])
            self.attributes[found.group(1)] = value
        while rest.strip():
            value, rest = read_value(rest)
            self.inputs.append(value)

    def close(self, line):
        if line.startswith("~"):
            self.tolerance = float(line[1:])
        elif line.startswith("->"):
            rest, self.results = line[2:], []
            while rest.strip():
                value, rest = read_value(rest)
                self.results.append(value)
                rest = rest.lstrip().removeprefix(";")
        else:
            self.label, self.error = re.match(r"!!\s*(C\d+)?\s*(.*)", line, re.S).groups()


def read_cases():
    cases, skipped = [], 0
    for path in sorted(glob.glob(os.path.join(SOURCE, "tests/core/ops/**/*.cases"), recursive=True)):
        block = []
        lines = logical_lines(path)
        for i, (number, line) in enumerate(lines):
            block.append(line)
            if i + 1 < len(lines) and lines[i + 1][1].startswith(("->", "!!", "~")):
                continue
            name = re.match(r"[\w.]+", block[0]).group()
            where = f"{os.path.basename(path)}:{number}"
            if name not in dir(ops) or NOT_IN_PYTHON.search(" ".join(block)) or where in OTHER_IN_PYTHON:
                skipped += name in dir(ops)
            else:
                try:
                    case = Case(f"{os.path.relpath(path, SOURCE)}:{number}: {block[0]}", block[0])
                    for each in block[1:]:
                        case.close(each)
                    cases.append(case)
                except (signet.Error, AttributeError, AssertionError):  # a type as an attribute
                    skipped += 1
            block = []
    return cases, skipped


CASES, SKIPPED = read_cases()


def call(case, inputs):
    """Calls the op as its inputs say, not as the classes of Python suggest."""
    op = getattr(ops, case.op)
    both = set(op._inputs) & set(op._attributes)
    given = [control.dynamic(value) if i < len(op._inputs) and op._inputs[i] in both else value for i, value in enumerate(inputs)]
    attributes = {name + "_" if name in ("from", "else") else name: control.plain(value) if name in both else value
                  for name, value in case.attributes.items()}
    return op(*given, **attributes)


def outputs(op, result):
    return list(result) if op._outputs and isinstance(result, tuple) else [result]


def same(found, expected, tolerance):
    if isinstance(expected, (np.ndarray, np.generic)):
        if not isinstance(found, (np.ndarray, np.generic)) or found.dtype != expected.dtype or found.shape != expected.shape:
            return False
        if expected.dtype.kind in "fc":
            limit = tolerance or (1e-3 if expected.dtype == np.float16 else 1e-5)
            return np.allclose(found, expected, rtol=limit, atol=limit * 1e-6, equal_nan=True)
        return found.tolist() == expected.tolist()
    if isinstance(expected, Ragged):
        return (isinstance(found, Ragged) and same(found.flat_values, expected.flat_values, tolerance)
                and all(map(np.array_equal, found.nested_row_splits, expected.nested_row_splits)))
    if isinstance(expected, Sparse):
        return isinstance(found, Sparse) and np.array_equal(found.indices, expected.indices) and same(found.values, expected.values, tolerance)
    if isinstance(expected, Structured):
        return isinstance(found, Structured) and same(found.to_py(), expected.to_py(), tolerance)
    if isinstance(expected, Extension):
        return found.equals(expected)
    if isinstance(expected, (list, tuple)):
        return type(found) is type(expected) and len(found) == len(expected) and all(same(*pair, tolerance) for pair in zip(found, expected))
    if isinstance(expected, dict):
        return isinstance(found, dict) and found.keys() == expected.keys() and all(same(found[key], value, tolerance) for key, value in expected.items())
    return found == expected or (found != found and expected != expected)


def what_was_expected(message):
    """The words of a message that do not depend on whether sizes are known."""
    found = re.search(r"expected [a-z]+( [a-z]+)*", message)
    return found.group() if found is not None else re.match(r"[^`\d]*", message).group()


def check(case, run):
    try:
        found = run()
    except signet.Error as error:
        if case.error is None:
            return f"{case.where}: {error}"
        if what_was_expected(case.error) not in error.message:
            return f"{case.where}: expected {case.label} {case.error}, found: {error}"
        return None
    if case.error is not None:
        return f"{case.where}: expected an error, found {found}"
    if len(found) != len(case.results) or not all(same(*pair, case.tolerance) for pair in zip(found, case.results)):
        return f"{case.where}: expected {case.results}, found {found}"
    return None


def test_cases_are_read():
    assert len(CASES) >= LEAST_CASES, (len(CASES), SKIPPED)


def test_ops_run_at_once():
    faults = [each for case in CASES if (each := check(case, lambda: outputs(getattr(ops, case.op), call(case, case.inputs)))) is not None]
    assert not faults, f"{len(faults)} of {len(CASES)}:\n" + "\n".join(faults[:20])


def traced(case):
    """A function of the inputs, which the types of a call are not known to."""
    names = [f"x{i}" for i in range(len(case.inputs))]
    body = f"def made({', '.join(names)}{', /' if names else ''}): return outputs(getattr(ops, case.op), call(case, [{', '.join(names)}]))"
    scope = {"outputs": outputs, "ops": ops, "case": case, "call": call}
    exec(body, scope)
    return signet.function(scope["made"])


def test_ops_run_in_traced_functions():
    faults = []
    for case in CASES:
        open_outputs = getattr(ops, case.op)._outputs[-1:] and getattr(ops, case.op)._outputs[-1].endswith("...")
        plain = any(each is None or isinstance(each, (list, tuple, dict)) for each in case.inputs)
        if open_outputs or plain:  # the number of outputs is not known; a missing input is not an argument
            continue
        fault = check(case, lambda: list(traced(case)(*case.inputs)))
        if fault is not None:
            faults.append(fault)
    assert not faults, f"{len(faults)}:\n" + "\n".join(faults[:20])


def test_every_op_has_a_signature_and_documentation():
    for name in dir(ops):
        op = getattr(ops, name)
        assert isinstance(inspect.signature(op), inspect.Signature)
        assert "Result: " in op.__doc__
    assert str(inspect.signature(ops.gather)) == "(x, indices, axis=None, batch_dims=0)"
    assert str(inspect.signature(ops.concat)) == "(*values, axis=0, ragged=False)"
    assert str(inspect.signature(ops.struct_make)) == "(*, rank=None, **fields)" or "fields" in str(inspect.signature(ops.struct_make))
    assert "from_" in inspect.signature(ops.move_axis).parameters


def test_outputs_have_names():
    top = ops.top_k(np.float32([1, 3, 2]), k=2)
    assert top._fields == ("values", "indices")
    assert top.indices.tolist() == [1, 2]
    values, positions, splits = ops.segment_sort(np.float32([2, 1]), np.int64([0, 2]))
    assert (values.tolist(), positions.tolist(), splits.tolist()) == ([1, 2], [1, 0], [0, 2])
    assert isinstance(ops.max_pool(np.zeros((1, 1, 4), np.float32), kernel=[2]), np.ndarray)


def test_unknown_names_have_hints():
    with pytest.raises(AttributeError, match="no op `reduce_summ`; did you mean `reduce_sum`|no op `reduce_summ`.*reduce_sum"):
        ops.reduce_summ
    with pytest.raises(AttributeError, match="reduce_sum|concat"):
        ops.concatenate
    with pytest.raises(TypeError, match="no input or attribute `axi`; the nearest is `axis`"):
        ops.gather(np.float32([1]), 0, axi=0)
    with pytest.raises(TypeError, match="no argument for `indices`"):
        ops.gather(np.float32([1]))


def test_no_scope_is_left():
    assert tracer.current() is None
