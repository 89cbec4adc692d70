// Control ops: calls of functions, branches, and loops.
//
// One line per op, or per table of ops in one file. To add an op, write its file next to this
// header and a line here.

#pragma once

#include "core/ops/def/op_list.h"

// clang-format off
#define SIGNET_CONTROL_OPS(OP, TABLE) \
  OP(Call)                            \
  OP(Cond)                            \
  TABLE(ControlFlowOps)
// clang-format on

namespace signet {

SIGNET_CONTROL_OPS(SIGNET_DECLARE_OP, SIGNET_DECLARE_OP_TABLE)

}  // namespace signet
