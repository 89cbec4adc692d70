// Shape ops: return and change the shapes of values, and join and split values.
//
// One line per op, or per table of ops in one file. To add an op, write its file next to this
// header and a line here.

#pragma once

#include "core/ops/def/op_list.h"

// clang-format off
#define SIGNET_SHAPE_OPS(OP, TABLE) \
  OP(BroadcastTo)                   \
  OP(Concat)                        \
  OP(ExpandDims)                    \
  OP(Fill)                          \
  OP(Flatten)                       \
  OP(Identity)                      \
  OP(MergeDims)                     \
  OP(MoveAxis)                      \
  OP(OnesLike)                      \
  OP(Pad)                           \
  OP(PartitionOuterDimension)       \
  OP(Range)                         \
  OP(Reshape)                       \
  OP(Reverse)                       \
  OP(SameSize)                      \
  OP(Split)                         \
  OP(Squeeze)                       \
  OP(Stack)                         \
  OP(Tile)                          \
  OP(Transpose)                     \
  OP(Unstack)                       \
  OP(ZerosLike)                     \
  TABLE(SizeOps)
// clang-format on

namespace signet {

SIGNET_SHAPE_OPS(SIGNET_DECLARE_OP, SIGNET_DECLARE_OP_TABLE)

}  // namespace signet
