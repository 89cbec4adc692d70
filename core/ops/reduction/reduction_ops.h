// Reduction ops: combine the elements along some axes into one element, or into running values.
//
// One line per op, or per table of ops in one file. To add an op, write its file next to this
// header and a line here.

#pragma once

#include "core/ops/def/op_list.h"

// clang-format off
#define SIGNET_REDUCTION_OPS(OP, TABLE) \
  OP(Argmax)                            \
  OP(Argmin)                            \
  OP(Cumprod)                           \
  OP(Cumsum)                            \
  OP(CumulativeLogsumexp)               \
  OP(TopK)                              \
  TABLE(ReductionOps)
// clang-format on

namespace signet {

SIGNET_REDUCTION_OPS(SIGNET_DECLARE_OP, SIGNET_DECLARE_OP_TABLE)

}  // namespace signet
