// Shape kernels: the kernels of core/ops/shape.
//
// One line per file. A file contains the kernels of the op file with its name. These files also
// contain the kernels of other op files:
//
//   concat.cc: stack

#pragma once

#include "core/kernels/def/kernel_list.h"

// clang-format off
#define SIGNET_SHAPE_KERNELS(TABLE) \
  TABLE(BroadcastToKernels)         \
  TABLE(ExpandDimsKernels)          \
  TABLE(FilledLikeKernels)          \
  TABLE(FlattenKernels)             \
  TABLE(IdentityKernels)            \
  TABLE(JoiningKernels)             \
  TABLE(PadKernels)                 \
  TABLE(RangeKernels)               \
  TABLE(ReshapeKernels)             \
  TABLE(ReverseKernels)             \
  TABLE(SizesKernels)               \
  TABLE(SplitKernels)               \
  TABLE(SqueezeKernels)             \
  TABLE(TileKernels)                \
  TABLE(TransposeKernels)           \
  TABLE(UnstackKernels)
// clang-format on

namespace signet {

SIGNET_SHAPE_KERNELS(SIGNET_DECLARE_KERNELS)

}  // namespace signet
