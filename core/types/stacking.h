// Stacking: the type of a batch of values of one type, and back.
//
//   StackedType({ids: int64[?]}, 8)  =>  {ids: int64[?]}[8]
//   StackedType(ragged<rank=0> int64[?], 8)  =>  ragged int64[8, (?)]
//
// A batch of tensors, ragged, sparse or structured values has one dimension more, in front; that of
// a nest is a nest of batches, and of an extension type the type with batches as components.
// Literals, which are the same in every value of a type, stay as they are. The type says how a
// column batches, not the values: a vector declared ragged may have another length in each value.
// Rules: docs/reference/types.md, stacking. Stateless; thread-safe.

#pragma once

#include <string>
#include <vector>

#include "signet/type_spec.h"

namespace signet {

// The type of `n` values of `spec` in a batch; kUnknownDim: any number of them. A ragged type of
// ragged rank 0 gets its first row partition. Refuses `any`.
StatusOr<TypeSpec> StackedType(const TypeSpec& spec, int64_t n);

// The type of one value of a batch. A ragged type with one row partition becomes one of ragged rank
// 0; without any, or where a single scalar is left, a tensor type. Refuses types that have no
// dimension to take away: tensors and structures of rank 0; and `any`.
StatusOr<TypeSpec> UnstackedType(const TypeSpec& spec);

// The paths of the leaves: tensors, ragged and sparse values, of nests, structures (fields by name)
// and extension values, depth first: the order in which a batch keeps its columns.
//   {m: {p: string[], q: bool[]}, z: int32[]}  =>  `m.p`, `m.q`, `z`;  a leaf itself  =>  ``
std::vector<std::string> BoxedLayout(const TypeSpec& spec);

}  // namespace signet
