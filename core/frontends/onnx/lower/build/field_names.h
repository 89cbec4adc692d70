// FieldNames: classes and keys of maps as names of fields.
//
//   `setosa` => `setosa`      0 => `class_0`      `very good` => `class_very_good`
//
// A label that is a field name is one; of others, `class_` and the label, with an underscore for
// what is no letter or digit. A name that is taken gets `_2`, `_3`, ... Stateless; thread-safe.

#pragma once

#include <span>
#include <string>
#include <vector>

namespace signet {

std::vector<std::string> FieldNamesOf(std::span<const std::string> labels);

}  // namespace signet
