// DefaultValue: the value that a type declares for null and missing values.
//
//   {age: float32[] = nan, tags: string[(?)] = []}      (float32[?, 1] = nan)
//
// A literal replaces a missing element, and a list replaces a missing value as a whole. Defaults
// are notes (TypeNotes): types with and without them are equal, and only text formats and record
// formats read them. A default is stored as a literal type or as nested list types of literals.

#pragma once

#include <string>

#include "signet/type_spec.h"

namespace signet {

// Returns true if `type` is a literal or a list of such types.
bool IsDefaultValue(const TypeSpec& type);

// Checks that the default value of `type`, if it has one, is a value that `type` accepts. The first
// `outer_rank` dimensions are the dimensions of the structure that contains it.
Status CheckDefaultValue(const TypeSpec& type, int outer_rank);

// Returns the default for a missing value of `type` as a whole: a list, or a literal if the value
// is one element. The first `outer_rank` dimensions are the dimensions of the structure that
// contains it. Returns null if the type declares no default.
TypeSpec DefaultOfWhole(const TypeSpec& type, int outer_rank);
// Returns the default for a missing element, a literal type, or null if the type declares none.
TypeSpec DefaultOfElement(const TypeSpec& type);

// Appends ` = nan`, ` = [1, 2]`.
void AppendDefaultValue(const TypeSpec& default_value, std::string& out);
// Appends `(float32[?] = nan)`. Returns false, and appends nothing, if the type has no default.
bool AppendWithDefault(const TypeSpecRep& type, std::string& out);

}  // namespace signet
