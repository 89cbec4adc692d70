// Stacking: converts between the type of one value and the type of a batch of such values.
//
//   StackedType({ids: int64[?]}, 8)  =>  {ids: int64[?]}[8]
//   StackedType(ragged<rank=0> int64[?], 8)  =>  ragged int64[8, (?)]
//
// A batch of tensors, ragged, sparse, or structured values has one more leading dimension. A batch
// of nests is a nest of batches. A batch of extension values has the extension type with batches as
// components. Literals stay as they are, because every value of the type has the same literals. The
// type alone determines how a column is batched: a vector that is declared ragged may have another
// length in each value. Rules: docs/reference/types.md, stacking. Stateless; thread-safe.

#pragma once

#include <string>
#include <vector>

#include "signet/type_spec.h"

namespace signet {

// Returns the type of a batch of `n` values of `spec`; kUnknownDim means any number of values. A
// ragged type of ragged rank 0 gets its first row partition. Returns an error for `any`.
StatusOr<TypeSpec> StackedType(const TypeSpec& spec, int64_t n);

// Returns the type of one value of a batch. A ragged type with one row partition is converted to
// ragged rank 0. A ragged type without partitions, or with a single scalar left, is converted to a
// tensor type. Returns an error for types without a dimension to remove (tensors and structures of
// rank 0) and for `any`.
StatusOr<TypeSpec> UnstackedType(const TypeSpec& spec);

// Returns the paths of the leaves in the order in which a batch stores its columns, depth first.
// Leaves are tensors, ragged and sparse values in nests, structures (fields by name), and extension
// values.
//   {m: {p: string[], q: bool[]}, z: int32[]}  =>  `m.p`, `m.q`, `z`;  a leaf itself  =>  ``
std::vector<std::string> BoxedLayout(const TypeSpec& spec);

}  // namespace signet
