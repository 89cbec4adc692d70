// FieldNamesOf: converts labels of classes and keys of maps to names of fields.
//
//   `setosa` => `setosa`      0 => `class_0`      `very good` => `class_very_good`
//
// A label that is a valid field name is unchanged. Otherwise, the name is `class_` and the label,
// with an underscore for each character that is not a letter or a digit. Such a name gets a suffix
// `_2`, `_3`, ... if another label has it. Thread-safe.

#pragma once

#include <span>
#include <string>
#include <vector>

namespace signet {

std::vector<std::string> FieldNamesOf(std::span<const std::string> labels);

}  // namespace signet
