// Constrain: a signature's parameters given types from a list, as tf.function's input_signature.
//
//   (x, *rest, y = 3) with float32[?], int64[], int64[]
//   =>  (x: float32[?], rest_0: int64[], rest_1: int64[], /, *, y: 3 = ...)
//
// Used by importers of models that come with such a list. Rules: docs/reference/function-types.md.
// Stateless; thread-safe.

#pragma once

#include <span>

#include "core/function/canonicalize.h"

namespace signet {

// From the left; `self` is left alone, *args takes all constraints that remain, **kwargs is
// dropped; where none is left, the default value's type is taken. Reasons: MISSING_CONSTRAINT,
// EXTRA_CONSTRAINTS, KEYWORD_ONLY_WITHOUT_DEFAULT, and those of FunctionType::Make.
StatusOr<FunctionType> ConstrainParameters(const FunctionType& type,
                                           std::span<const TypeSpec> constraints,
                                           const Defaults& defaults);

}  // namespace signet
