// Sparse ops: entries of sparse values, and conversions to and from tensors.
//
// One line per op, or per table of ops in one file. To add an op, write its file next to this
// header and a line here.

#pragma once

#include "core/ops/def/op_list.h"

// clang-format off
#define SIGNET_SPARSE_OPS(OP, TABLE) \
  OP(SparseFillEmptyRows)            \
  OP(SparseResetShape)               \
  OP(SparseRetain)                   \
  TABLE(SparseConversionOps)         \
  TABLE(SparseEntryOps)
// clang-format on

namespace signet {

SIGNET_SPARSE_OPS(SIGNET_DECLARE_OP, SIGNET_DECLARE_OP_TABLE)

}  // namespace signet
