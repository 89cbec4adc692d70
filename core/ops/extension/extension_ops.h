// Extension ops: extension types, checks, and questions about types.
//
// One line per op, or per table of ops in one file. To add an op, write its file next to this
// header and a line here.

#pragma once

#include "core/ops/def/op_list.h"

// clang-format off
#define SIGNET_EXTENSION_OPS(OP, TABLE) \
  OP(Apply)                             \
  OP(CheckTrue)                         \
  OP(Decline)                           \
  OP(IsSame)                            \
  OP(MakeExtension)                     \
  TABLE(TypeQuestionOps)
// clang-format on

namespace signet {

SIGNET_EXTENSION_OPS(SIGNET_DECLARE_OP, SIGNET_DECLARE_OP_TABLE)

}  // namespace signet
