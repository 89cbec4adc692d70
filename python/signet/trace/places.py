"""Places in the source code of the user: where a node was made, and the name of the variable that it is assigned to."""

from __future__ import annotations

import ast
import dis
import functools
import linecache
import os
import sys
from dataclasses import dataclass
from types import CodeType, FrameType
from typing import Any

import numpy as np

from signet.tracebacks import is_ours

RESULT = "result"  # the name of what a function returns

Span = tuple[int, int, int, int]  # first line, first column, last line, last column; lines start with 1, columns with 0


@dataclass(frozen=True)
class Place:
    """Where a call is written."""

    file: str
    line: int
    span: Span | None
    function: str

    def text(self) -> str:
        """The place as Python shows it in a traceback, with the expression marked."""
        out = f'  File "{self.file}", line {self.line}, in {self.function}'
        source = linecache.getline(self.file, self.line).rstrip("\n")
        if not source.strip():
            return out
        indent = len(source) - len(source.lstrip())
        out += f"\n    {source.strip()}"
        if self.span is not None and self.span[0] == self.span[2] == self.line:
            begin = len(source.encode()[: self.span[1]].decode(errors="replace")) - indent
            end = len(source.encode()[: self.span[3]].decode(errors="replace")) - indent
            out += "\n    " + " " * begin + "^" * max(end - begin, 1)
        return out


@functools.lru_cache(maxsize=1024)
def relative_file(file: str) -> str:
    """The path of a file below the directory from which Python imports it, which does not name the machine."""
    folders = [os.path.abspath(folder) + os.sep for folder in sys.path]
    longest = max((folder for folder in folders if file.startswith(folder)), key=len, default=os.path.dirname(file) + os.sep)
    return file.removeprefix(longest)


def user_frame(entry: FrameType | None) -> FrameType | None:
    """The innermost frame that is not of this package, of those that the frame `entry` has called."""
    return _user_frame(sys._getframe(1), entry)


def _user_frame(frame: FrameType | None, entry: FrameType | None) -> FrameType | None:
    while frame is not None and frame is not entry and is_ours(frame.f_code.co_filename):
        frame = frame.f_back
    return None if frame is entry else frame


@functools.lru_cache(maxsize=1024)
def _positions(code: CodeType) -> list[Any]:
    return list(code.co_positions()) if hasattr(code, "co_positions") else []  # since Python 3.11


def _span_of(frame: FrameType) -> Span | None:
    positions = _positions(frame.f_code)
    at = frame.f_lasti // 2
    if at >= len(positions) or None in positions[at]:
        return None
    first, last, begin, end = positions[at]
    return first, begin, last, end


def place_of(frame: FrameType) -> Place:
    return Place(frame.f_code.co_filename, frame.f_lineno, _span_of(frame), frame.f_code.co_name)


def _inside(inner: Span, outer: Span) -> bool:
    return (outer[0], outer[1]) <= (inner[0], inner[1]) and (inner[2], inner[3]) <= (outer[2], outer[3])


class _Names(ast.NodeVisitor):
    """The variables that expressions of a file are assigned to, by line."""

    def __init__(self) -> None:
        self.by_line: dict[int, list[tuple[Span, str]]] = {}

    def _add(self, value: ast.expr, name: str) -> None:
        if value.end_lineno is None or value.end_col_offset is None:
            return
        span = (value.lineno, value.col_offset, value.end_lineno, value.end_col_offset)
        for line in range(span[0], span[2] + 1):
            self.by_line.setdefault(line, []).append((span, name))

    def _assign(self, target: ast.expr, value: ast.expr) -> None:
        if isinstance(target, ast.Name):
            self._add(value, target.id)
        elif isinstance(target, (ast.Tuple, ast.List)):
            if isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == len(target.elts):
                for each, part in zip(target.elts, value.elts):
                    self._assign(each, part)
                return
            named = [each.id for each in target.elts if isinstance(each, ast.Name) and each.id != "_"]
            if named:
                self._add(value, named[0])

    def visit_Assign(self, node: ast.Assign) -> None:
        self._assign(node.targets[0], node.value)
        self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self._assign(node.target, node.value)
        self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        if isinstance(node.target, ast.Name) and node.end_lineno is not None and node.end_col_offset is not None:
            span = (node.lineno, node.col_offset, node.end_lineno, node.end_col_offset)
            self.by_line.setdefault(node.lineno, []).append((span, node.target.id))
        self.generic_visit(node)

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        self._assign(node.target, node.value)
        self.generic_visit(node)

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self._add(node.body, RESULT)
        self.generic_visit(node)

    def visit_Return(self, node: ast.Return) -> None:
        if node.value is not None:
            self._add(node.value, RESULT)
        self.generic_visit(node)


@functools.lru_cache(maxsize=256)
def _names_in(source: str) -> dict[int, list[tuple[Span, str]]]:
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return {}
    found = _Names()
    found.visit(tree)
    return found.by_line


_names_of_code: dict[CodeType, dict[int, list[tuple[Span, str]]]] = {}


def _names_of(frame: FrameType) -> dict[int, list[tuple[Span, str]]]:
    code = frame.f_code
    names = _names_of_code.get(code)
    if names is None:
        if len(_names_of_code) >= 4096:
            _names_of_code.clear()
        names = _names_in("".join(linecache.getlines(code.co_filename, frame.f_globals)))
        _names_of_code[code] = names
    return names


def variable_of(frame: FrameType, entry: FrameType | None) -> tuple[str, bool] | None:
    """The variable that the expression that `frame` evaluates is assigned to, and whether it is the whole expression.

    The variable of `return` is `result`. In a function that the traced function calls, it is the variable of the call. `entry` is the frame
    that has called the traced function. None if the expression is not part of an assignment, or if its source is not known.
    """
    is_whole = True
    while True:
        found = _assigned_at(frame)
        if found is None:
            return None
        is_whole = is_whole and found[1]
        caller = _user_frame(frame.f_back, entry) if found[0] == RESULT else None
        if caller is None:
            return found[0], is_whole
        frame = caller


def _assigned_at(frame: FrameType) -> tuple[str, bool] | None:
    span = _span_of(frame)
    if span is None:
        return None
    best: tuple[Span, str] | None = None
    for outer, name in _names_of(frame).get(span[0], ()):
        if _inside(span, outer) and (best is None or _inside(outer, best[0])):
            best = (outer, name)
    return None if best is None else (best[1], best[0] == span)


def variable_holding(frame: FrameType | None, value: Any) -> str | None:
    """The name of a variable of the frames of the user, or of their modules, that is this object."""
    while frame is not None:
        if not is_ours(frame.f_code.co_filename):
            for scope in (frame.f_locals, frame.f_globals):
                for name, each in list(scope.items()):
                    if each is value and name.isidentifier() and not name.startswith("_"):
                        return name
            if frame.f_code.co_name == "<module>":
                return None
        frame = frame.f_back
    return None


def variable_with_elements(frame: FrameType | None, array: Any) -> str | None:
    """The name of a variable of the innermost function of the user that has the elements of an array: `TIERS` for `np.array(TIERS)`."""
    if frame is None:
        return None
    code = frame.f_code
    for name in (*code.co_varnames, *code.co_freevars, *code.co_names):
        value = frame.f_locals.get(name, frame.f_globals.get(name))
        if not isinstance(value, (list, tuple, np.ndarray)) or len(value) != len(array) or name.startswith("_"):
            continue
        try:
            if np.array_equal(np.asarray(value), array):
                return name
        except ValueError:  # rows of different lengths
            continue
    return None


# --- what the program does with a value -------------------------------------------------------------------

def is_call_of(frame: FrameType, name: str) -> bool:
    """Whether the instruction that `frame` runs calls a function that is written as this name."""
    called = called_name(frame)
    return called == name if called is not None else name in frame.f_code.co_names and not hasattr(frame.f_code, "co_positions")


def called_name(frame: FrameType) -> str | None:
    """The name of the function that the instruction of `frame` calls: `max` for `max(x, 0)`; None for other instructions."""
    calls, names = _calls_of(frame.f_code)
    start = calls.get(frame.f_lasti)
    return None if start is None else names.get(start)


@functools.lru_cache(maxsize=1024)
def _calls_of(code: CodeType) -> tuple[dict[int, tuple[int, int]], dict[tuple[int, int], str]]:
    """The starts of the calls in the source, by instruction, and the names that are loaded, by their starts."""
    calls: dict[int, tuple[int, int]] = {}
    names: dict[tuple[int, int], str] = {}
    for each in dis.get_instructions(code):
        at = getattr(each, "positions", None)  # since Python 3.11
        if at is None or at.lineno is None or at.col_offset is None:
            continue
        start = (at.lineno, at.col_offset)
        if each.opname.startswith("CALL"):
            calls[each.offset] = start
        elif each.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            names[start] = each.argval
    return calls, names


class _Conditions(ast.NodeVisitor):
    """The expressions of a file that have to be True or False, and what asks for that: `if`, `and`, `a < x < b`, and so on."""

    def __init__(self) -> None:
        self.words: dict[Span, str] = {}

    def _add(self, node: ast.expr, word: str) -> None:
        if node.end_lineno is not None and node.end_col_offset is not None:
            self.words[node.lineno, node.col_offset, node.end_lineno, node.end_col_offset] = word

    def _test(self, node: ast.expr, word: str) -> None:
        self._add(node, word)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            self._test(node.operand, word)

    def generic_visit(self, node: ast.AST) -> None:
        if isinstance(node, ast.If):
            self._test(node.test, "if")
        elif isinstance(node, ast.IfExp):
            self._add(node, "if")  # the place of the jump of `x if not y else z`
            self._test(node.test, "if")
        elif isinstance(node, ast.While):
            self._test(node.test, "while")
        elif isinstance(node, ast.Assert):
            self._test(node.test, "assert")
        elif isinstance(node, ast.comprehension):
            for each in node.ifs:
                self._test(each, "if")
        elif isinstance(node, ast.BoolOp):
            for each in (node, *node.values):
                self._test(each, "and" if isinstance(node.op, ast.And) else "or")
        elif isinstance(node, ast.Compare):
            if any(isinstance(each, (ast.In, ast.NotIn)) for each in node.ops):
                self._add(node, "in")
            elif len(node.ops) > 1:
                self._add(node, "a < x < b")
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            self.words.setdefault((node.lineno, node.col_offset, node.end_lineno or 0, node.end_col_offset or 0), "not")
        super().generic_visit(node)


@functools.lru_cache(maxsize=256)
def _conditions_in(source: str) -> dict[Span, str]:
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return {}
    found = _Conditions()
    found.visit(tree)
    return found.words


def condition_of(frame: FrameType) -> str | None:
    """What asks whether the value of the expression that `frame` evaluates is True: `if`, `and`, `in`, the name of a function, and so on."""
    called = called_name(frame)
    if called is not None:
        return called
    span = _span_of(frame)
    if span is None:
        return None
    return _conditions_in("".join(linecache.getlines(frame.f_code.co_filename, frame.f_globals))).get(span)
