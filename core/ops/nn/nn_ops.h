// NN ops: normalizations, softmax, attention, and recurrent layers of neural networks.
//
// One line per op, or per table of ops in one file. To add an op, write its file next to this
// header and a line here.

#pragma once

#include "core/ops/def/op_list.h"

// clang-format off
#define SIGNET_NN_OPS(OP, TABLE) \
  OP(LinearAttention)            \
  OP(LogSoftmax)                 \
  OP(LstmSteps)                  \
  OP(Softmax)                    \
  TABLE(NormalizationOps)        \
  TABLE(RecurrentOps)
// clang-format on

namespace signet {

SIGNET_NN_OPS(SIGNET_DECLARE_OP, SIGNET_DECLARE_OP_TABLE)

}  // namespace signet
