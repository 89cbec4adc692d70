// CastTo: converts an argument to the constraint of its parameter.
//
//   CastTo([1, 2.5], float32[?])  =>  float32[2] [1.0, 2.5]
//   CastTo(2.5, int32[])          =>  DTYPE_MISMATCH
//
// Plain values (numbers, booleans, text, and nested lists and tuples of them) are converted to
// tensors of the constraint's dtype. Containers are cast element by element. A tensor with the
// dtype and rank of a ragged constraint is converted to a ragged value. The converter converts
// values of extension types, and row splits from int32 to int64. `any` accepts every value as it
// is, and `any(T)` accepts what T accepts.
//
// The type of any other value must be a subtype of the constraint: dtypes do not change, and
// nothing is reshaped or broadcast. The type of a placeholder (a type in place of a value) must be
// a subtype, too; the result is a placeholder of the constraint. Rules:
// docs/reference/function-types.md, casting. Stateless; thread-safe.

#pragma once

#include <string_view>

#include "core/function/converter.h"
#include "signet/value.h"

namespace signet {

// Returns the value itself if nothing has to change. Reasons of errors: DTYPE_MISMATCH,
// SHAPE_MISMATCH, STRUCTURE_MISMATCH, LITERAL_MISMATCH, NOT_CONVERTIBLE, NOT_RECTANGULAR,
// OUT_OF_RANGE, TYPE_MISMATCH. If `path` is given (`recipe`), the error starts with the argument at
// fault, and FieldOf returns its full path: `recipe.ids[2]`.
StatusOr<Value> CastTo(Value value, const TypeSpec& constraint, std::string_view path = {},
                       const Converter* converter = nullptr);

// Returns true if a value of type `spec` needs no cast for `constraint`: it is a subtype, where
// `any` stands for every type.
bool Satisfies(const TypeSpec& spec, const TypeSpec& constraint);
// Returns true if `any` occurs in `spec`, so that the type does not say what its values are.
bool ContainsAny(const TypeSpec& spec);

}  // namespace signet
