// Index rows: the dimensions of a tensor, ragged value or structure taken as a whole, sliced, or of
// one element each. What all three have in common is done once, by position (rows.h).
//
//   IndexRows(ragged int64[5, (?)], {all, slice -2:})   =>  ragged int64[5, (?)]
//   IndexRows([{a: int64[]}][5], {element 3})           =>  {a: int64[]}

#pragma once

#include <span>

#include "core/ops/def/op_def.h"
#include "signet/index_key.h"

namespace signet {

// What is taken of one dimension; or no dimension at all, but a new one of size 1.
struct Selector {
  enum class Kind : uint8_t { kAll, kSlice, kElement, kNewAxis };

  Kind kind = Kind::kAll;
  SliceKey slice = {};    // kSlice
  GraphValue index = {};  // kElement: int64[], below 0 counted from the end
};

// Labels are those of get_item. Refuses, by the type alone: more selectors than dimensions (C3),
// and an element of a dimension whose rows differ in length, unless one element is taken of each
// before (C4). OUT_OF_RANGE (C2) for an element that is not there. UNIMPLEMENTED for a rank not
// known.
StatusOr<GraphValue> IndexRows(OpBuilder& build, const GraphValue& x,
                               std::span<const Selector> selectors);

}  // namespace signet
