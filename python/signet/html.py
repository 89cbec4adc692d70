"""How notebooks show clients, models, functions, and values. Only what is shown is formatted, and nothing asks a server."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

MOST_ROWS, MOST_COLUMNS, MOST_ITEMS, LONGEST_TEXT = 20, 12, 6, 60

_CELL = 'style="text-align:left;vertical-align:top;padding:2px 8px"'


def escaped(text: str, longest: int = LONGEST_TEXT) -> str:
    shown = text if len(text) <= longest else text[: longest - 2] + ".."
    return html.escape(shown.encode("utf-8", "replace").decode("utf-8"))


def table(headers: Sequence[str], rows: Iterable[Sequence[str]], caption: str) -> str:
    """A table. The cells are HTML."""
    head = "".join(f"<th {_CELL}>{escaped(each)}</th>" for each in headers)
    body = "".join("<tr>" + "".join(f"<td {_CELL}>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<div><div><code>{caption}</code></div><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"


def cell(value: Any, depth: int = 0) -> str:
    """A value inside a table. Nested values are folded."""
    from signet.values import Extension, Ragged, Sparse, Structured

    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if isinstance(value, (str, bytes)):
        return escaped(value if isinstance(value, str) else repr(value))
    if isinstance(value, (np.generic, int, float, bool, type(None))):
        return escaped(f"{value:.6g}" if isinstance(value, (float, np.floating)) else str(value))
    if isinstance(value, Structured) and value.rank == 0:
        names = value.field_names[:MOST_ITEMS]
        more = "" if len(value.field_names) <= MOST_ITEMS else ", .."
        return "{" + ", ".join(f"{escaped(name)}: {cell(value[name], depth + 1) if depth < 2 else '..'}" for name in names) + more + "}"
    if isinstance(value, (np.ndarray, Ragged, Structured, list, tuple)):
        count = len(value)
        if depth >= 2:
            return f"{count} elements"
        items = ", ".join(cell(value[i], depth + 1) for i in range(min(count, MOST_ITEMS)))
        text = f"[{items}{', ..' if count > MOST_ITEMS else ''}]"
        return text if count <= MOST_ITEMS and depth == 0 else f"<details><summary>{count} elements</summary>{text}</details>" if depth == 0 else text
    if isinstance(value, Extension):
        return escaped(value._name)
    if isinstance(value, Sparse):
        return escaped(f"{len(value.values)} entries")
    return escaped(repr(value))


def _caption(title: str, type_: str, shown: int, count: int) -> str:
    more = f" &middot; {shown} of {count} rows" if shown < count else f" &middot; {count} rows"
    return f"{escaped(title)} {escaped(type_, 200)}{more}"


def _type_of(value: Any) -> str:
    """The type of a structure, or of its first fields, because more are not shown."""
    if len(value.field_names) > MOST_COLUMNS:
        value = value.with_only(*value.field_names[:MOST_COLUMNS])
    return repr(value.type)


def of_structured(value: Any) -> str:
    if value.rank == 0:
        names = value.field_names[:MOST_ROWS]
        return table(["field", "value"], ([escaped(name), cell(value[name])] for name in names), f"Structured {escaped(_type_of(value), 200)}")
    names, count = value.field_names[:MOST_COLUMNS], len(value)
    shown = min(count, MOST_ROWS)
    headers = ["", *names, *([".."] if len(value.field_names) > MOST_COLUMNS else [])]
    if value.rank > 1:
        rows = ([str(i), cell(value[i])] for i in range(shown))
        return table(["", "records"], rows, _caption("Structured", _type_of(value), shown, count))
    more = [".."] if len(value.field_names) > MOST_COLUMNS else []
    rows = ([str(i), *(cell(value[name][i]) for name in names), *more] for i in range(shown))
    return table(headers, rows, _caption("Structured", _type_of(value), shown, count))


def of_ragged(value: Any) -> str:
    shown = min(len(value), MOST_ROWS)
    return table(["", "row"], ([str(i), cell(value[i])] for i in range(shown)), _caption("Ragged", repr(value.type), shown, len(value)))


def of_sparse(value: Any) -> str:
    count = len(value.values)
    shown = min(count, MOST_ROWS)
    rows = ([escaped(str(value.indices[i].tolist())), cell(value.values[i])] for i in range(shown))
    return table(["index", "value"], rows, f"Sparse, {count} entries in {escaped(str(list(value.dense_shape)))}")


def of_extension(value: Any) -> str:
    parts = [*value._statics.items(), *value._components.items()][:MOST_ROWS]
    return table(["part", "value"], ([escaped(name), cell(part)] for name, part in parts), escaped(value._name))


def of_function(name: str, signature: str, doc: str) -> str:
    text = escaped(doc, 2000).replace("\n", "<br>")
    return f"<div><code>{escaped(signature, 2000)}</code><p>{text}</p></div>" if signature else f"<div><code>{escaped(name)}</code></div>"


def of_model(title: str, functions: Iterable[tuple[str, str, str]]) -> str:
    rows = ([f"<code>{escaped(name)}</code>", f"<code>{escaped(signature, 200)}</code>", escaped(doc.partition(chr(10))[0], 120)]
            for name, signature, doc in functions)
    return table(["function", "signature", ""], rows, escaped(title, 200))
