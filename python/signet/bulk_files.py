"""The files of `bulk`: rows that are read in parts, and results that appear under their name when they are complete."""

from __future__ import annotations

import contextlib
import itertools
import os
import re
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from types import TracebackType
from typing import Any

from signet import errors
from signet.csv_rows import CsvReader, CsvWriter
from signet.formats import arrow, json_lines
from signet.types import Type

TABLES = (".csv", ".parquet", ".feather")  # whose results are DataFrames
LINES = (".ndjson", ".jsonl")
BYTES_PER_CALL = 2 << 20  # about; if the caller does not state the number of rows


@dataclass(frozen=True)
class Part:
    """The rows of one call. `lines` has the JSON lines of rows of a file."""

    first: int
    count: int
    rows: Any
    lines: bytes = b""


def check_ending(path: Any, known: tuple[str, ...]) -> str:
    ending = os.path.splitext(os.fspath(path))[1].lower()
    if ending not in known:
        raise ValueError(f"`{os.fspath(path)}`: expected a file name that ends in {', '.join(known[:-1])}, or {known[-1]}")
    return ending


def check_distinct(source: Any, out: Any) -> None:
    """Raises ValueError if the results would replace the rows: if both names are of one file, also by links."""
    whole = os.path.realpath(out)
    for path in (whole, whole + _Output.SUFFIX):
        with contextlib.suppress(OSError):
            if os.path.samefile(source, path) and (path == whole or not os.path.islink(path)):
                raise ValueError(f"out: expected another file than that of the rows, found `{os.fspath(out)}` for both")


# --- rows ---------------------------------------------------------------------------------------------------

def parts_of_lines(path: Any, rows_per_call: int | None) -> Iterator[Part]:
    """The rows of a file of JSON lines."""
    with open(path, "rb") as file:
        yield from _parts((line for line in file if line.strip()), rows_per_call)


def parts_of_csv(path: Any, type_: Type | None, rows_per_call: int | None) -> Iterator[Part]:
    with open(path, "rb") as file:
        yield from _parts((line.encode() + b"\n" for line in CsvReader(os.fspath(path), type_).lines(file)), rows_per_call)


def _parts(lines: Iterator[bytes], rows_per_call: int | None) -> Iterator[Part]:
    start, found, size = 0, list[bytes](), 0
    for line in lines:
        found.append(line)
        size += len(line)
        if len(found) == rows_per_call or (rows_per_call is None and size >= BYTES_PER_CALL):
            yield _part(start, found)
            start, found, size = start + len(found), [], 0
    if found or start == 0:
        yield _part(start, found)


def _part(first: int, lines: list[bytes]) -> Part:
    data = b"".join(lines)
    return Part(first, len(lines), json_lines(data), data)


def part_of_arrow(path: Any) -> Part:
    return Part(0, -1, arrow(path))


def error_in_file(error: errors.Error, path: Any, part: Part) -> errors.Error:
    """The error of a part of a file, with the number of the row in the file. The first row is row 1, as on the command line."""
    where = f"`{os.fspath(path)}`: "
    if part.count >= 0:
        message, row = error.message, None
        in_value = re.search(r"`\[(\d+)\](\.?)", message)
        at_byte = re.search(r"byte (\d+): ", message)
        if in_value is not None:
            row = int(in_value.group(1))
            rest = message[in_value.end() :]
            message = message[: in_value.start()] + (rest[3:] if rest.startswith("`: ") else "`" + rest)
        elif at_byte is not None:
            row = part.lines.count(b"\n", 0, int(at_byte.group(1)))
        elif part.count == 1:
            row = 0
        if at_byte is not None:
            message = message.replace(at_byte.group(0), "", 1)
        where += f"row {part.first + row + 1}: " if row is not None else f"rows {part.first + 1} to {part.first + part.count}: "
        error.message, error.field = message, re.sub(r"\[\d+\]", "", error.field, count=1)
    error.message = where + error.message
    error.args = (error.message, *error.args[1:])
    return error


# --- results ------------------------------------------------------------------------------------------------

class _Output:
    """A file of results. It is written under a name that ends with SUFFIX, and has its name when the block ends without an error."""

    SUFFIX = ".part"

    def __init__(self, path: Any) -> None:
        self.whole = os.path.realpath(path)  # of a link, the file that it names
        self.part = self.whole + self.SUFFIX

    def __enter__(self) -> str:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self.part)  # which may be a link to another file
        return self.part

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        if kind is None:
            with contextlib.suppress(OSError):
                shutil.copymode(self.whole, self.part)
            os.replace(self.part, self.whole)
        else:
            with contextlib.suppress(OSError):
                os.unlink(self.part)


def write_lines(path: Any, results: Iterator[bytes]) -> None:
    """Writes results that are JSON lines, as JSON lines or as CSV."""
    is_csv = check_ending(path, (*LINES, ".csv")) == ".csv"
    first = list(itertools.islice(results, 1))  # whose error comes before anything is written
    writer = CsvWriter()
    with _Output(path) as part, open(part, "xb") as file:
        for lines in itertools.chain(first, results):
            file.write(writer.write(lines).encode() if is_csv else lines)


def write_frames(path: Any, frames: Iterable[Any]) -> None:
    """Writes DataFrames in the format of a table that pandas writes."""
    import pandas

    ending = check_ending(path, TABLES)
    whole = pandas.concat(list(frames), ignore_index=ending == ".feather")
    with _Output(path) as part:
        whole.to_parquet(part) if ending == ".parquet" else whole.to_feather(part)
