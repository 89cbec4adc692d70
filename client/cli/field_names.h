// RenameFields: replaces names of fields in JSON records.
//
//   {"petal.width": 1.5}   =>   {"petal_width": 1.5}
//
// Stateless; thread-safe.

#pragma once

#include <map>
#include <string>
#include <string_view>

namespace signet {

// The names of fields by other names that records may have for them.
using FieldNames = std::map<std::string, std::string, std::less<>>;

// Returns `text`, a JSON record, a list of records, or records in lines, with other names of the
// fields of the records. Returns the rest of a text that is not JSON unchanged.
std::string RenameFields(std::string_view text, const FieldNames& names);

}  // namespace signet
