// Cast: makes an argument into what its parameter's constraint wants.
//
//   CastTo([1, 2.5], float32[?])  =>  float32[2] [1.0, 2.5]
//   CastTo(2.5, int32[])          =>  refused
//
// Plain values (numbers, booleans, text, nested lists and tuples of them) become tensors of the
// constraint's dtype; containers are cast element by element; a tensor of the dtype and rank of a
// ragged constraint becomes ragged; the converter converts values of extension types and row splits
// from int32 to int64. `any` accepts every value as it is, and `any(T)` accepts what T accepts.
// Everything else must be below the constraint as it is: no dtype is changed, nothing reshaped or
// broadcast. A placeholder (a type in place of a value) must be below too, and becomes a
// placeholder of the constraint. Rules: docs/reference/function-types.md, casting. Stateless;
// thread-safe.

#pragma once

#include <string_view>

#include "core/function/converter.h"
#include "signet/value.h"

namespace signet {

// The value itself when nothing has to change. Reasons: DTYPE_MISMATCH, SHAPE_MISMATCH,
// STRUCTURE_MISMATCH, LITERAL_MISMATCH, NOT_CONVERTIBLE, NOT_RECTANGULAR, OUT_OF_RANGE,
// TYPE_MISMATCH. With `path` (`recipe`), the refusal starts with the argument at fault, and FieldOf
// has its whole path: "argument `recipe.ids[2]`: `float32[]`; takes `int64[]`".
StatusOr<Value> CastTo(Value value, const TypeSpec& constraint, std::string_view path = {},
                       const Converter* converter = nullptr);

// Returns true if a value of type `spec` needs no cast for `constraint`: it is a subtype, where
// `any` stands for every type.
bool Satisfies(const TypeSpec& spec, const TypeSpec& constraint);
// Returns true if `any` occurs in `spec`, so that the type does not say what its values are.
bool ContainsAny(const TypeSpec& spec);

}  // namespace signet
