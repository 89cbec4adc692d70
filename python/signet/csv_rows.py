"""CSV rows to and from JSON lines, by the rules of the command line (docs/reference/cli.md)."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from signet import errors, names
from signet.types import StructuredType, Type

Cells = list["str | None"]  # a cell that is empty and not quoted has no value

_CELL = re.compile(r'(?:"((?:[^"]|"")*)"|([^",]*))(,|$)', re.DOTALL)
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_INTEGER = re.compile(r"[+-]?[0-9]+")
_VALUE_COLUMN = "value"  # of results that are not records


class CsvReader:
    """The rows of a CSV file as JSON texts under the type of all rows. `path` is for messages."""

    def __init__(self, path: str, type_: Type | None) -> None:
        self._path, self._type = path, type_
        self.rows = 0  # that were read, without the header

    def lines(self, file: Iterable[bytes]) -> Iterator[str]:
        """The rows of a file, of which `file` yields the lines."""
        rows = self._cells(file)
        header = next(rows, None)
        if header is None:
            return
        write = self._writer([cell or "" for cell in header])
        for cells in rows:
            self.rows += 1
            if len(cells) != len(header):
                raise self.error(f"expected {len(header)} cells, as the first row has, found {len(cells)}")
            yield write(cells)

    def error(self, message: str) -> errors.Error:
        return errors.make("INVALID_ARGUMENT", f"`{self._path}`: row {self.rows}: {message}", reason="NOT_CONVERTIBLE")

    def _cells(self, file: Iterable[bytes]) -> Iterator[Cells]:
        text, is_first = "", True
        for data in file:
            try:
                line = data.decode("utf-8-sig" if is_first else "utf-8")
            except UnicodeDecodeError as error:
                self.rows += not is_first
                raise self.error(f"expected a text in UTF-8, found the byte 0x{data[error.start]:02x}; convert the file, for example with "
                                 "`iconv -f WINDOWS-1252 -t UTF-8`") from None
            is_first = False
            text += line
            if text.count('"') % 2:  # a cell with a line break
                continue
            text = text[:-2] if text.endswith("\r\n") else text[:-1] if text.endswith("\n") else text
            if text:
                yield self._split(text)
            text = ""
        if text:
            self.rows += 1
            raise self.error("expected a quote at the end of a cell")

    def _split(self, text: str) -> Cells:
        if '"' not in text:
            return [cell or None for cell in text.split(",")]
        out: Cells = []
        at = 0
        while True:
            found = _CELL.match(text, at)
            if found is None:
                self.rows += 1
                raise self.error('expected a quote at the start of a cell only, with `""` for a quote within it')
            quoted, plain, end = found.groups()
            out.append(quoted.replace('""', '"') if quoted is not None else plain or None)
            if not end:
                return out
            at = found.end()

    def _writer(self, header: list[str]) -> Callable[[Cells], str]:
        """A function that writes the JSON text of a row."""
        if self._type is not None and not isinstance(self._type, StructuredType):
            if len(header) != 1:
                raise self.error(f"expected one column for rows of `{self._type!r}`, found {len(header)}")
            write = _text_cell if _is_text(self._type, 1) else _cell
            return lambda cells: "null" if cells[0] is None else write(cells[0])
        fields: Mapping[str, Type] = self._type.fields if self._type is not None else {}
        optional = self._type.optional if self._type is not None else frozenset()
        columns = []
        for column in header:
            name = column if column in fields or names.field_name(column) not in fields else names.field_name(column)
            field = fields.get(name)
            is_text = field is not None and _is_text(field, 2 if name in optional else 1)
            may_be_missing = name in optional or getattr(field, "has_default", False)
            columns.append((json.dumps(name, ensure_ascii=False) + ":", _text_cell if is_text else _cell, is_text and not may_be_missing))

        def write_record(cells: Cells) -> str:
            return "{" + ",".join([key + write(cell or "") for cell, (key, write, is_empty_text) in zip(cells, columns)
                                   if cell is not None or is_empty_text]) + "}"

        return write_record


def _is_text(type_: Type, rank: int) -> bool:
    """Whether each row has one text."""
    return getattr(type_, "dtype", "") == "string" and len(getattr(type_, "shape", None) or ()) == rank


def _text_cell(cell: str) -> str:
    return json.dumps(cell, ensure_ascii=False)


def _cell(cell: str) -> str:
    """The JSON text of a cell that is a number, `true`, `false`, or JSON. Others are texts, so that the error of the server has them."""
    if _NUMBER.fullmatch(cell):
        return cell
    if _INTEGER.fullmatch(cell):  # such as 01 and +1
        return ("-" if cell[0] == "-" else "") + (cell.lstrip("+-").lstrip("0") or "0")
    if cell[:1] in ("[", "{", '"') or cell == "null":
        try:
            json.loads(cell, parse_constant=_not_json)
            return cell.replace("\n", " ").replace("\r", " ")
        except ValueError:
            return _text_cell(cell)
    if cell.lower() in ("true", "false"):
        return cell.lower()
    try:
        number = float(cell) if cell.strip() == cell and "_" not in cell else None
    except ValueError:
        number = None
    return repr(number) if number is not None and number - number == 0 else _text_cell(cell)


def _not_json(text: str) -> Any:
    raise ValueError(text)


class _Text(str):
    """The text of a number."""


class CsvWriter:
    """Writes JSON lines as CSV. All records have the columns of the first one."""

    def __init__(self) -> None:
        self._columns: list[str] = []

    def write(self, lines: bytes) -> str:
        out = []
        for line in lines.decode("utf-8", "replace").split("\n"):
            if not line:
                continue
            record = json.loads(line, parse_float=_Text, parse_int=_Text)
            if not isinstance(record, dict):
                record = {_VALUE_COLUMN: record}
            if not self._columns:
                self._columns = list(record)
                out.append(",".join(map(_csv_cell, self._columns)))
            out.append(",".join([_csv_cell(record.get(column)) for column in self._columns]))
            for name in record.keys() - set(self._columns) if len(record) > len(self._columns) else ():
                raise errors.make("FAILED_PRECONDITION", f"column `{names.printable(name)}` is not in the first result; use .ndjson for such results")
        return "".join([line + "\n" for line in out])


def _csv_cell(value: Any) -> str:
    if type(value) is _Text:
        return value
    if value is None:
        return ""
    if not isinstance(value, str):
        value = json.dumps(_plain(value), ensure_ascii=False, separators=(",", ":"))
    if value and value[0] != " " and value[-1] != " " and not any(char in value for char in ',"\r\n'):
        return value
    return '"' + value.replace('"', '""') + '"'


def _plain(value: Any) -> Any:
    """A value with numbers in place of their texts."""
    if type(value) is _Text:
        return json.loads(value)
    if isinstance(value, list):
        return [_plain(each) for each in value]
    return {key: _plain(each) for key, each in value.items()} if isinstance(value, dict) else value
