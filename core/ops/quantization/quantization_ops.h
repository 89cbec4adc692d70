// Quantization ops: conversions of numbers to small integers with a scale and a zero point.
//
// One line per op, or per table of ops in one file. To add an op, write its file next to this
// header and a line here.

#pragma once

#include "core/ops/def/op_list.h"

// clang-format off
#define SIGNET_QUANTIZATION_OPS(OP, TABLE) \
  OP(RoundTo)                              \
  TABLE(QuantizationOps)
// clang-format on

namespace signet {

SIGNET_QUANTIZATION_OPS(SIGNET_DECLARE_OP, SIGNET_DECLARE_OP_TABLE)

}  // namespace signet
