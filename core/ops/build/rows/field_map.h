// FieldMap: a field made of the flat values of others, element by element; what `struct_map` does.
//
//   parent {"docs"}, fields {"a", "b"}, name "c", and add as the function:
//     x: [{docs: [{a: int32[(?)], b: int32[(?)]}]}]
//     =>  [{docs: [{a: int32[(?)], b: int32[(?)], c: int32[(?)]}]}]
//
// The op is carried out by core/graph, which can call functions of a model; core/eager has it for
// functions in C++. Source: struct2tensor, map_values.

#pragma once

#include <string>
#include <vector>

#include <absl/functional/function_ref.h>

#include "core/ops/build/rows/field_paths.h"

namespace signet {

struct FieldMap {
  FieldPath parent;                 // the structure that all is in
  std::vector<std::string> fields;  // the function's arguments
  std::string name;                 // of the field made; there may be one
};

// Gets a vector for each field, all of one length, and gives a value with as many rows.
using FieldFunction = absl::FunctionRef<StatusOr<GraphValue>(std::span<const GraphValue> vectors)>;

StatusOr<GraphValue> MapFields(OpBuilder& build, const GraphValue& x, const FieldMap& map,
                               FieldFunction function);

}  // namespace signet
