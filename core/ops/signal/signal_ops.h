// Signal ops: ops that compute spectra.
//
// One line per op, or per table of ops in one file. To add an op, write its file next to this
// header and a line here.

#pragma once

#include "core/ops/def/op_list.h"

// clang-format off
#define SIGNET_SIGNAL_OPS(OP, TABLE) \
  TABLE(SignalOps)
// clang-format on

namespace signet {

SIGNET_SIGNAL_OPS(SIGNET_DECLARE_OP, SIGNET_DECLARE_OP_TABLE)

}  // namespace signet
