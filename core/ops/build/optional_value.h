// OptionalValue: a value that may be absent. Whether it is present is known only at run time.
//
//   None      with  float32[2]  =>  onnx.Optional(present: bool[], value: float32[2])
//   None      by itself         =>  onnx.Optional(present: False, value: None)
//   float32[2] by itself        =>  onnx.Optional(present: True, value: float32[2])
//
// The graph of a function computes both components. If `present` is false, `value` is a placeholder
// that no op reads. A function returns an optional value as the value or as None
// (core/runtime/returned_value.h). Stateless; thread-safe.

#pragma once

#include "core/ops/def/op_def.h"

namespace signet {

// Returns true if `spec` is the type of an optional value. Arguments of calls are checked, too:
// `present` is a bool literal or `bool[]`.
bool IsOptionalValue(const TypeSpec& spec);
TypeSpec OptionalType(TypeSpec present, TypeSpec value);
// Returns the optional type for `value`, which may be None. An optional type is returned as it is.
TypeSpec AsOptional(const TypeSpec& value);
GraphValue AsOptional(const GraphValue& value);
// Return the components.
GraphValue PresentOf(const GraphValue& optional);
GraphValue ValueOf(const GraphValue& optional);

// Makes a placeholder of `type` for an absent value. Unknown sizes are 0. UNIMPLEMENTED for types
// that cannot be optional in ONNX.
StatusOr<GraphValue> MakePlaceholder(OpBuilder& build, const TypeSpec& type);

}  // namespace signet
