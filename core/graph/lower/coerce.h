// JoinValueTypes, CoerceTo: find one type for the values of several branches, or of the iterations
// of a loop, and convert each value to it.
//
//   float32[2]            with  float32[3]             =>  float32[?]
//   3                     with  4                      =>  int32[]
//   0                     with  float64[]              =>  float64[]
//   float32[2, 3]         with  ragged float32[2, (?)]  =>  ragged float32[2, (?)]
//   float32[2]            with  sparse float32[3]      =>  sparse float32[?]
//   list(float32[2])      with  list()                 =>  [{element: float32[2]}], an open list
//   list(int32[2])        with  list(int32[], int32[])  =>  a mixed list (rows/open_list.h)
//   onnx.Optional(...)    with  float32[2]             =>  onnx.Optional(...)
//   app.Square(...)       with  app.Circle(...)        =>  app.Shape(...), the parent of both
//
//   1. If the types have a common supertype, the most specific one is the join.
//   2. Nests, structures, and extension values of the same form are joined leaf by leaf.
//   3. A literal is converted to a tensor, with the dtype of the other value or its own dtype.
//   4. A tensor is converted to ragged, or to sparse with one entry per element.
//   5. Extension values are converted to their nearest common parent. Without one, a value is
//      converted to the type of the other value, if that type declares the conversion.
//   6. Two values of one extension type with different static attributes are joined as a parent
//      only if neither is converted to the other.
// Source: docs/guide/control-flow.md. Stateless.

#pragma once

#include <span>

#include "core/graph/lower/call_expander.h"

namespace signet {

// Returns the join of `types`, which is not empty. `library` has the extension types. Returns
// INVALID_ARGUMENT with two of the types if they have no common type.
StatusOr<TypeSpec> JoinValueTypes(const FunctionLibrary& library, std::span<const TypeSpec> types);

// Converts `value` to `type`, which is the join of its type and others.
StatusOr<GraphValue> CoerceTo(CallExpander& build, const GraphValue& value, const TypeSpec& type);

}  // namespace signet
