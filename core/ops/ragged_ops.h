// Ragged ops: ops on rows of varying length.
//
// To add one, declare its maker here, call it in ragged_ops.cc, and describe it in
// docs/ops/ragged.md.

#pragma once

#include <vector>

#include "core/ops/op.h"

namespace signet {

OpDef EmbeddingLookup();
OpDef RaggedFromSparse();
OpDef RaggedToSparse();

std::vector<OpDef> CrossOps();         // cross.cc
std::vector<OpDef> NgramOps();         // ngrams.cc
std::vector<OpDef> RaggedRangeOps();   // ragged_range.cc
std::vector<OpDef> RowDimOps();        // row_dims.cc
std::vector<OpDef> RowGroupOps();      // row_groups.cc
std::vector<OpDef> SegmentOrderOps();  // segment_order.cc

// All of them.
std::vector<OpDef> RaggedOps();

}  // namespace signet
