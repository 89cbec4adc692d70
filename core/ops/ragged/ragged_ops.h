// Ragged ops: rows of varying length, row splits, and segments.
//
// One line per op, or per table of ops in one file. To add an op, write its file next to this
// header and a line here.

#pragma once

#include "core/ops/def/op_list.h"

// clang-format off
#define SIGNET_RAGGED_OPS(OP, TABLE) \
  OP(EmbeddingLookup)                \
  OP(FlatPositions)                  \
  OP(RaggedFromDense)                \
  OP(RaggedFromRowSplits)            \
  OP(RaggedFromSparse)               \
  OP(RaggedRowSplits)                \
  OP(RaggedToDense)                  \
  OP(RaggedToSparse)                 \
  OP(RaggedValues)                   \
  OP(RepeatRows)                     \
  OP(SegmentSoftmax)                 \
  OP(SegmentTopK)                    \
  TABLE(CrossOps)                    \
  TABLE(PaddedRowOps)                \
  TABLE(RaggedRangeOps)              \
  TABLE(RowCutOps)                   \
  TABLE(RowDimOps)                   \
  TABLE(RowGroupOps)                 \
  TABLE(RowJoinOps)                  \
  TABLE(RowSplitOps)                 \
  TABLE(RowViewOps)                  \
  TABLE(SegmentOrderOps)             \
  TABLE(SegmentReductionOps)
// clang-format on

namespace signet {

SIGNET_RAGGED_OPS(SIGNET_DECLARE_OP, SIGNET_DECLARE_OP_TABLE)

}  // namespace signet
