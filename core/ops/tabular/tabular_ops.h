// Tabular ops: ops on rows of tables, for decision trees, support vector machines, and n-gram
// weights.
//
// One line per op, or per table of ops in one file. To add an op, write its file next to this
// header and a line here.

#pragma once

#include "core/ops/def/op_list.h"

// clang-format off
#define SIGNET_TABULAR_OPS(OP, TABLE) \
  OP(CouplePairs)                     \
  OP(NgramWeights)                    \
  OP(NormalizeRows)                   \
  OP(ParseCsv)                        \
  OP(ParseExamples)                   \
  OP(ParseFeatureLists)               \
  OP(SquaredDistances)                \
  TABLE(TensorMessageOps)             \
  OP(TreeEnsemble)                    \
  OP(VotePairs)
// clang-format on

namespace signet {

SIGNET_TABULAR_OPS(SIGNET_DECLARE_OP, SIGNET_DECLARE_OP_TABLE)

}  // namespace signet
