// Ragged kernels: the kernels of core/ops/ragged.
//
// One line per file. A file contains the kernels of the op file with its name. These files also
// contain the kernels of other op files:
//
//   segment_softmax.cc: segment_order

#pragma once

#include "core/kernels/def/kernel_list.h"

// clang-format off
#define SIGNET_RAGGED_KERNELS(TABLE) \
  TABLE(CrossKernels)                \
  TABLE(PaddedRowsKernels)           \
  TABLE(RaggedRangeKernels)          \
  TABLE(RepeatRowsKernels)           \
  TABLE(RowCutKernels)               \
  TABLE(RowGroupKernels)             \
  TABLE(RowJoinKernels)              \
  TABLE(RowOrderKernels)             \
  TABLE(RowSplitsKernels)            \
  TABLE(RowViewKernels)              \
  TABLE(SegmentReductionsKernels)    \
  TABLE(SegmentSoftmaxKernels)       \
  TABLE(SegmentTopKKernels)
// clang-format on

namespace signet {

SIGNET_RAGGED_KERNELS(SIGNET_DECLARE_KERNELS)

}  // namespace signet
