// ConstrainParameters: assigns types from a list to the parameters of a signature, like
// input_signature of tf.function.
//
//   (x, *rest, y = 3) with float32[?], int64[], int64[]
//   =>  (x: float32[?], rest_0: int64[], rest_1: int64[], /, *, y: 3 = ...)
//
// Importers use it for models that have such a list. Rules: docs/reference/function-types.md.
// Stateless; thread-safe.

#pragma once

#include <span>

#include "core/function/canonicalize.h"

namespace signet {

// Assigns from the left. `self` is skipped, *args receives all remaining constraints, and **kwargs
// is dropped. A parameter without a constraint gets the type of its default value. Reasons of
// errors: MISSING_CONSTRAINT, EXTRA_CONSTRAINTS, KEYWORD_ONLY_WITHOUT_DEFAULT, and those of
// FunctionType::Make.
StatusOr<FunctionType> ConstrainParameters(const FunctionType& type,
                                           std::span<const TypeSpec> constraints,
                                           const Defaults& defaults);

}  // namespace signet
