// Vision ops: convolutions, pooling, regions, and images.
//
// One line per op, or per table of ops in one file. To add an op, write its file next to this
// header and a line here.

#pragma once

#include "core/ops/def/op_list.h"

// clang-format off
#define SIGNET_VISION_OPS(OP, TABLE) \
  OP(AffineGrid)                     \
  OP(AveragePool)                    \
  OP(Conv)                           \
  OP(ConvInteger)                    \
  OP(ConvTranspose)                  \
  OP(DecodeImage)                    \
  OP(DeformConv)                     \
  OP(GridSample)                     \
  OP(LpPool)                         \
  OP(MaxPool)                        \
  OP(MaxRoiPool)                     \
  OP(MaxUnpool)                      \
  OP(NonMaxSuppression)              \
  OP(Resize)                         \
  OP(RoiAlign)                       \
  OP(SoftNonMaxSuppression)
// clang-format on

namespace signet {

SIGNET_VISION_OPS(SIGNET_DECLARE_OP, SIGNET_DECLARE_OP_TABLE)

}  // namespace signet
