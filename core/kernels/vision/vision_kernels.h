// Vision kernels: the kernels of core/ops/vision.
//
// One line per file. A file contains the kernels of the op file with its name. These files also
// contain the kernels of other op files:
//
//   conv_transpose.cc: conv
//   sampling.cc: regions

#pragma once

#include "core/kernels/def/kernel_list.h"

// clang-format off
#define SIGNET_VISION_KERNELS(TABLE) \
  TABLE(ConvIntegerKernels)          \
  TABLE(ConvKernels)                 \
  TABLE(ConvTransposeKernels)        \
  TABLE(DecodeImageKernels)          \
  TABLE(PoolingKernels)              \
  TABLE(RegionKernels)               \
  TABLE(ResizeKernels)               \
  TABLE(SamplingKernels)             \
  TABLE(SoftNonMaxSuppressionKernels)
// clang-format on

namespace signet {

SIGNET_VISION_KERNELS(SIGNET_DECLARE_KERNELS)

}  // namespace signet
