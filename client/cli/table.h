// Table: a value, as JSON tells it, in rows and columns, for people.
//
//   title   ids
//   soup    1, 2, 3
//   bread   4
//
// A vector of structures has a row for each; a dict of lists of one length has a row for each
// element; other dicts, structures and tuples have a row for each item, and anything else is one
// column. Long lists and texts are shortened: `1, 2, 3, ... (10)`. Stateless.

#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace signet {

// Of a JSON text, as ValueToJson writes it.
std::string RenderJsonTable(const std::string& json);

// The same for records that arrive one after the other, a JSON text per line. The first 1000
// records decide which columns there are and how wide they are, so that memory stays bounded.
class JsonTable {
 public:
  // Return the text to print next.
  std::string Add(std::string_view json_lines);
  std::string Finish();

 private:
  std::string Flush();

  std::vector<std::string> columns_;            // empty for values that are not records
  std::vector<std::vector<std::string>> rows_;  // not printed yet
  std::vector<size_t> widths_;                  // empty until the first rows are printed
  bool is_begun_ = false;
};

// Rows of cells as aligned columns; the last column is not padded.
std::string AlignColumns(const std::vector<std::vector<std::string>>& rows);

}  // namespace signet
