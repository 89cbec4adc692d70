// Coerce: one type for values that come from different branches, or from round after round of a
// loop, and the calls that make each of them a value of it.
//
//   float32[2]            with  float32[3]             =>  float32[?]
//   3                     with  4                      =>  int32[]
//   0                     with  float64[]              =>  float64[]
//   float32[2, 3]         with  ragged float32[2, (?)]  =>  ragged float32[2, (?)]
//   float32[2]            with  sparse float32[3]      =>  sparse float32[?]
//   list(float32[2])      with  list()                 =>  [{element: float32[2]}], an open list
//   list(int32[2])        with  list(int32[], int32[])  =>  a mixed list
//   (core/ops/build/rows/open_list.h) onnx.Optional(..)     with  float32[2]             =>
//   onnx.Optional(..) app.Square(..)        with  app.Circle(..)          =>  app.Shape(..), the
//   parent of both
//
// The most specific common supertype where there is one; else leaf by leaf of nests, structures and
// extension values of one form: literals become tensors of the dtype beside them, or of their own;
// tensors become ragged. A tensor also becomes sparse, with an entry for every element, so that no
// element is lost. Extension values are seen as the nearest parent that they share; else one is
// converted to the type of the other, where that type declares how. Two values of one extension
// type whose static attributes differ join as a parent only if neither is converted to the other.
// Rules: docs/guide/control-flow.md. Stateless.

#pragma once

#include <span>

#include "core/graph/lower/call_expander.h"

namespace signet {

// `types` is not empty; `library` says what extension types there are, and may be null.
// INVALID_ARGUMENT with the two types that have no type in common.
StatusOr<TypeSpec> JoinValueTypes(const FunctionLibrary& library, std::span<const TypeSpec> types);

// `value` as one of `type`, a join of its type with others.
StatusOr<GraphValue> CoerceTo(CallExpander& expander, const GraphValue& value,
                              const TypeSpec& type);

}  // namespace signet
