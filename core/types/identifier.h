// Identifier: checks the names of fields, parameters, and types. Names are ASCII, without a
// trailing newline.

#pragma once

#include <string>
#include <string_view>

namespace signet {

// Returns true for a letter or underscore, followed by letters, digits, and underscores.
bool IsIdentifier(std::string_view text);

// Returns true for a letter, followed by letters, digits, and underscores (docs/reference/types.md,
// structured).
bool IsFieldName(std::string_view text);

// Returns true for `project.Type`: at least two words joined by dots (RFC extension types).
bool IsTypeName(std::string_view text);

// Returns true for reserved words of Python. Only a positional-only parameter may have such a name.
bool IsPythonKeyword(std::string_view text);

// Joins `path` and `name`: "a" + "b" => "a.b"; "" + "b" => "b".
std::string JoinPath(std::string_view path, std::string_view name);

}  // namespace signet
