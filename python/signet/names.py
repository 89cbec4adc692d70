"""How names are printed in messages, and which known name an unknown one resembles; as the server does both."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

LONGEST_SHOWN = 64  # bytes of a name
MOST_LISTED = 8


def to_bytes(text: str) -> bytes:
    """The bytes of a text. Bytes that are not UTF-8 are surrogate escapes in the text."""
    return text.encode("utf-8", "surrogateescape")


def to_text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def _printable_byte(byte: int) -> bytes:
    return b"\\x%02x" % byte if byte < 0x20 or byte == 0x7F else bytes([byte])


def field_name(column: str) -> str:
    """The name of the field for a column: `unit price` is `unit_price`."""
    return re.sub(r"[^0-9A-Za-z_]", "_", column)


def printable(name: str) -> str:
    """A name from outside: control characters are escaped, and long names are shortened."""
    data = name.encode("utf-8", "surrogateescape" if _is_escaped(name) else "replace")
    out = b"".join(map(_printable_byte, data[:LONGEST_SHOWN]))
    if len(data) > LONGEST_SHOWN:
        while out and out[-1] & 0xC0 == 0x80:  # no half of a character at the cut
            out = out[:-1]
        if out and out[-1] & 0x80:
            out = out[:-1]
        out += b"..."
    return out.decode("utf-8", "replace")


def _is_escaped(text: str) -> bool:
    try:
        text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return False
    return True


def list_names(names: Iterable[str]) -> str:
    ordered = sorted(names, key=lambda name: name.encode("utf-8", "replace"))
    if not ordered:
        return "none"
    listed = ", ".join(f"`{printable(name)}`" for name in ordered[:MOST_LISTED])
    left_out = len(ordered) - MOST_LISTED
    return f"{listed} and {left_out} more" if left_out > 0 else listed


def edit_distance(a: Sequence[int], b: Sequence[int]) -> int:
    """Insertions, deletions, replacements, and swaps of neighbors."""
    before_last: list[int] = []
    last = list(range(len(b) + 1))
    for i in range(1, len(a) + 1):
        row = [i]
        for j in range(1, len(b) + 1):
            best = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1]))
            if i > 1 and j > 1 and a[i - 1] == b[j - 2] and a[i - 2] == b[j - 1]:
                best = min(best, before_last[j - 2] + 1)
            row.append(best)
        before_last, last = last, row
    return last[len(b)]


def nearest(name: str, names: Iterable[str]) -> str | None:
    """The first of the most similar names, or None if no name is similar."""
    data = name.encode("utf-8", "replace")
    found, least = None, 0
    if len(data) > LONGEST_SHOWN:
        return None
    for candidate in names:
        other = candidate.encode("utf-8", "replace")
        if len(other) > LONGEST_SHOWN:
            continue
        distance = edit_distance(data, other)
        if distance * 3 <= max(len(data), len(other)) and (found is None or distance < least):
            found, least = candidate, distance
    return found


def quote(data: bytes | str) -> str:
    """A text as a literal of the notation."""
    text = to_text(data) if isinstance(data, bytes) else data
    out = []
    for char in text:
        code = ord(char)
        if char in '"\\':
            out.append("\\" + char)
        elif char in "\n\t":
            out.append("\\n" if char == "\n" else "\\t")
        elif 0xDC80 <= code <= 0xDCFF:
            out.append(f"\\x{code - 0xDC00:02x}")
        elif code < 0x20 or code == 0x7F:
            out.append(_printable_byte(code).decode())
        else:
            out.append(char)
    return '"' + "".join(out) + '"'


def path_join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name
