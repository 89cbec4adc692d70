// CsvParser, CsvWriter: convert the rows of comma-separated values to and from JSON records.
//
//   id,name,tags                          {"id": 1, "name": "soup", "tags": ["hot", "thick"]}
//   1,soup,"[""hot"", ""thick""]"     =>
//
// The first row of a file contains the names of the columns. The type of the rows decides how a
// cell is read: the cell of a string field is its text; a cell of any other field is a number,
// `true`, `false`, or JSON (for lists and records). An empty cell without quotes is an empty text
// if the field is a string without a default and is not optional; otherwise, the field is missing.
// A number may have a `+` and leading zeros. Text is UTF-8. Cells are quoted as RFC 4180 describes.
// Not thread-safe.

#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "signet/status.h"
#include "signet/type_spec.h"

namespace signet {

// The cells of one row. A cell that is empty and not quoted has no value.
using CsvRow = std::vector<std::optional<std::string>>;

// Splits the bytes of a file into rows.
class CsvParser {
 public:
  CsvParser();
  ~CsvParser();
  CsvParser(const CsvParser&) = delete;
  CsvParser& operator=(const CsvParser&) = delete;

  // Parses the next bytes of the file and appends the rows that they complete to `rows`. Rejects
  // quotes that RFC 4180 does not allow.
  Status Parse(std::string_view bytes, std::deque<CsvRow>& rows);
  // Ends the file. A last row without a line break is complete then.
  Status Finish(std::deque<CsvRow>& rows);
  // The number of bytes in the row that is not complete yet.
  size_t pending_bytes() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Returns INVALID_ARGUMENT if the text of a cell is not UTF-8.
Status CheckCsvText(const std::optional<std::string>& cell);

// Returns `row` as the JSON text of one record, or of one plain value if `rows` is not a structured
// type. `rows` is the type of all rows together, such as `[{id: int64[]}]`, or null if any value is
// accepted. `columns` are the names of the cells. Returns INVALID_ARGUMENT for text that is not
// UTF-8.
StatusOr<std::string> JsonFromCsvRow(const CsvRow& row, const std::vector<std::string>& columns,
                                     const TypeSpec& rows);

// Writes JSON records as CSV. All records have the columns of the first one.
class CsvWriter {
 public:
  // Converts one JSON text per line to rows. The first call that has a line also writes the names
  // of the columns. Returns FAILED_PRECONDITION if a record has a column that the first one does
  // not have.
  StatusOr<std::string> Write(std::string_view json_lines);

 private:
  std::vector<std::string> columns_;  // empty before the first row
};

}  // namespace signet
