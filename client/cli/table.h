// RenderJsonTable: formats a JSON value as rows and columns, for people.
//
//   title   ids
//   soup    1, 2, 3
//   bread   4
//
// A list of objects has one row per object. An object whose items are lists of equal length has one
// row per element. Any other object has one row per item, and any other value is one column. Long
// lists and texts are cut: `1, 2, 3, ... (10)`. RenderJsonTable is stateless; JsonTable is not
// thread-safe.

#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace signet {

// Formats one JSON text.
std::string RenderJsonTable(const std::string& json);

// Formats records that arrive one after the other, one JSON text per line. The first 1000 records
// determine the columns and their widths, so that memory stays bounded.
class JsonTable {
 public:
  // Both return the text to print next.
  std::string Add(std::string_view json_lines);
  std::string Finish();

 private:
  std::string Flush();

  std::vector<std::string> columns_;            // empty for values that are not records
  std::vector<std::vector<std::string>> rows_;  // not printed yet
  std::vector<size_t> widths_;                  // empty until the first rows are printed
  bool is_begun_ = false;
};

// Formats rows of cells as aligned columns. The last column is not padded.
std::string AlignColumns(const std::vector<std::vector<std::string>>& rows);

}  // namespace signet
