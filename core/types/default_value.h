// Default values: what a type declares to stand for a null or missing value.
//
//   {age: float32[] = nan, tags: string[(?)] = []}      (float32[?, 1] = nan)
//
// A literal stands for a missing element, a list for a missing value as a whole. Defaults are notes
// (TypeNotes): the types with and without them are equal, and only text formats and record formats
// read them. They are kept as a literal type, or nested list types of such.

#pragma once

#include <string>

#include "signet/type_spec.h"

namespace signet {

// Whether `type` is a literal, or a list of such types.
bool IsDefaultValue(const TypeSpec& type);

// Checks that the default value of `type`, if it has one, could be written where a value of the
// type is expected. The first `outer_rank` dimensions are those of the structure around it.
Status CheckDefaultValue(const TypeSpec& type, int outer_rank);

// The default for a missing value of `type` as a whole, of which the first `outer_rank` dimensions
// are those of the structure around it: a list, or a literal where the value is one element. Null
// if the type declares none.
TypeSpec DefaultOfWhole(const TypeSpec& type, int outer_rank);
// The default for a missing element: a literal type. Null if the type declares none.
TypeSpec DefaultOfElement(const TypeSpec& type);

// Appends ` = nan`, ` = [1, 2]`.
void AppendDefaultValue(const TypeSpec& default_value, std::string& out);
// Appends `(float32[?] = nan)`. Returns false, and appends nothing, if the type has no default.
bool AppendWithDefault(const TypeSpecRep& type, std::string& out);

}  // namespace signet
