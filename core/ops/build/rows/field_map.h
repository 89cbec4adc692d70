// FieldMap: computes a field from the flat values of other fields, element by element. Implements
// `struct_map`.
//
//   parent {"docs"}, fields {"a", "b"}, name "c", and add as the function:
//     x: [{docs: [{a: int32[(?)], b: int32[(?)]}]}]
//     =>  [{docs: [{a: int32[(?)], b: int32[(?)], c: int32[(?)]}]}]
// core/graph executes the op, because it can call functions of a model. core/eager uses it for
// functions in C++. Source: map_values in struct2tensor.

#pragma once

#include <string>
#include <vector>

#include <absl/functional/function_ref.h>

#include "core/ops/build/rows/field_paths.h"

namespace signet {

struct FieldMap {
  FieldPath parent;                 // the path of the structure that contains all fields
  std::vector<std::string> fields;  // the fields that are the arguments of the function
  std::string name;  // the name of the new field, which replaces a field of this name
};

// Receives one vector per field, all of the same length, and returns a value with this number of
// rows.
using FieldFunction = absl::FunctionRef<StatusOr<GraphValue>(std::span<const GraphValue> vectors)>;

StatusOr<GraphValue> MapFields(OpBuilder& build, const GraphValue& x, const FieldMap& map,
                               FieldFunction function);

}  // namespace signet
