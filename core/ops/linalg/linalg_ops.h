// Linalg ops: products of matrices, and determinants.
//
// One line per op, or per table of ops in one file. To add an op, write its file next to this
// header and a line here.

#pragma once

#include "core/ops/def/op_list.h"

// clang-format off
#define SIGNET_LINALG_OPS(OP, TABLE) \
  OP(Det)                            \
  OP(Linear)                         \
  OP(Matmul)                         \
  OP(MatmulInteger)
// clang-format on

namespace signet {

SIGNET_LINALG_OPS(SIGNET_DECLARE_OP, SIGNET_DECLARE_OP_TABLE)

}  // namespace signet
