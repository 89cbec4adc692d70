// Elementwise ops: each element of the result depends on one element of each input.
//
// One line per op, or per table of ops in one file. To add an op, write its file next to this
// header and a line here.

#pragma once

#include "core/ops/def/op_list.h"

// clang-format off
#define SIGNET_ELEMENTWISE_OPS(OP, TABLE) \
  OP(Bitcast)                             \
  OP(Cast)                                \
  OP(Clip)                                \
  OP(FusedElementwise)                    \
  OP(Pick)                                \
  OP(Select)                              \
  TABLE(ElementwiseOps)                   \
  TABLE(SpecialFunctionOps)
// clang-format on

namespace signet {

SIGNET_ELEMENTWISE_OPS(SIGNET_DECLARE_OP, SIGNET_DECLARE_OP_TABLE)

}  // namespace signet
