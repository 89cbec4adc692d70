// Identifiers: which texts may name a field, a parameter, a type. ASCII only, no trailing newline.

#pragma once

#include <string>
#include <string_view>

namespace signet {

// A letter or underscore, then letters, digits, underscores.
bool IsIdentifier(std::string_view text);

// A letter, then letters, digits, underscores (docs/reference/types.md, structured).
bool IsFieldName(std::string_view text);

// `project.Type`: word segments, at least two, joined by dots (RFC extension types).
bool IsTypeName(std::string_view text);

// Python's reserved words, which no parameter but a positional-only one may be called.
bool IsPythonKeyword(std::string_view text);

// `name` after `path`: "a" + "b" => "a.b"; "" + "b" => "b".
std::string JoinPath(std::string_view path, std::string_view name);

}  // namespace signet
