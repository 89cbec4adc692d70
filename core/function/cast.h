// Cast: makes an argument into what its parameter's constraint wants.
//
//   CastTo([1, 2.5], float32[?])  =>  float32[2] [1.0, 2.5]
//   CastTo(2.5, int32[])          =>  refused
//
// Plain values (numbers, booleans, text, nested lists and tuples of them) become tensors of the
// constraint's dtype; containers are cast element by element; a tensor of the dtype and rank of a
// ragged constraint becomes ragged; types that declare conversions are asked for them. Everything
// else must be below the constraint as it is: no dtype is changed, nothing reshaped or broadcast. A
// placeholder (a type in
// place of a value) must be below too, and becomes a placeholder of the constraint.
// Rules: docs/function-types.md, casting. Stateless; thread-safe.

#pragma once

#include <string_view>

#include "core/function/converter.h"
#include "core/values/value.h"

namespace signet {

// The value itself when nothing has to change. Reasons: DTYPE_MISMATCH, SHAPE_MISMATCH,
// STRUCTURE_MISMATCH, LITERAL_MISMATCH, NOT_CONVERTIBLE, NOT_RECTANGULAR, OUT_OF_RANGE,
// TYPE_MISMATCH. With `path` (`recipe`), the refusal starts with the argument at fault, and FieldOf
// has its whole path: "argument `recipe.ids[2]`: `float32[]`; takes `int64[]`".
StatusOr<Value> CastTo(Value value, const TypeSpec& constraint, std::string_view path = {},
                       const Converter* converter = nullptr);

}  // namespace signet
