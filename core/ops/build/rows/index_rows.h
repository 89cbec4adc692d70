// IndexRows: indexes a tensor, a ragged value, or a structure. Each dimension is kept, sliced, or
// reduced to one element. All three kinds of values are indexed by position (rows.h).
//
//   IndexRows(ragged int64[5, (?)], {all, slice -2:})   =>  ragged int64[5, (?)]
//   IndexRows([{a: int64[]}][5], {element 3})           =>  {a: int64[]}

#pragma once

#include <span>

#include "core/ops/def/op_def.h"
#include "signet/index_key.h"

namespace signet {

// The selection from one dimension, or a new dimension of size 1.
struct Selector {
  enum class Kind : uint8_t { kAll, kSlice, kElement, kNewAxis };

  Kind kind = Kind::kAll;
  SliceKey slice = {};    // kSlice
  GraphValue index = {};  // kElement: int64[], which counts from the end if it is less than 0
  // kSlice: computed bounds, int64[]. Next to ragged rows, they may be int64[rows], one per row.
  GraphValue start = {};
  GraphValue stop = {};

  bool is_computed() const { return start.spec || stop.spec; }
};

// Indexes `x`. The labels of errors are those of get_item. Rejects, depending only on the type,
// more selectors than dimensions (C3), and an element of a dimension whose rows differ in length,
// unless one element of each dimension before is selected (C4). OUT_OF_RANGE (C2) for an element
// that does not exist. UNIMPLEMENTED for an unknown rank.
StatusOr<GraphValue> IndexRows(OpBuilder& build, const GraphValue& x,
                               std::span<const Selector> selectors);

}  // namespace signet
