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
#include <vector>

namespace signet {

// Of a JSON text, as ValueToJson writes it.
std::string RenderJsonTable(const std::string& json);

// Rows of cells as aligned columns; the last column is not padded.
std::string AlignColumns(const std::vector<std::vector<std::string>>& rows);

}  // namespace signet
