// ReturnedValue: converts results whose types are not known before the run.
//
// The graph of an ONNX model marks such results with extension types
// (core/ops/build/optional_value.h and core/ops/build/rows/open_list.h). Callers receive the values
// without the marks:
//
//   onnx.Optional(present: bool[], value: float32[2])  =>  None, or float32[2]
//   onnx.Sequence(elements: a mixed list)              =>  list(float32[], float32[3], ...)
//   onnx.Sequence(elements: float32[?, 2])             =>  float32[?, 2]
//
// Only the run knows the type of the first two; a *run-time type* is one of them, or a nest that
// contains one. The third one is decided when the function is specialized. Stateless; thread-safe.

#pragma once

#include "signet/value.h"

namespace signet {

// Returns true if `spec` is a mark or a nest that contains one.
bool HasReturnMark(const TypeSpec& spec);

// Removes the marks that are not run-time types. Values of both types have the same components.
TypeSpec WithoutStaticMarks(const TypeSpec& spec);

// Returns `spec` with each mark replaced by `any`, the type that a model declares for it, because
// another call may return another type.
TypeSpec StatedType(const TypeSpec& spec);

// Converts a value whose type WithoutStaticMarks returned. Returns RESOURCE_EXHAUSTED for lists of
// more than 65536 elements.
StatusOr<Value> ConvertReturned(const Value& value);

}  // namespace signet
