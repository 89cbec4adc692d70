// Elementwise kernels: the kernels of core/ops/elementwise.
//
// One line per file. A file contains the kernels of the op file with its name. These files also
// contain the kernels of other op files:
//
//   bits.cc: elementwise
//   cast.cc: bitcast
//   elementwise.cc: clip

#pragma once

#include "core/kernels/def/kernel_list.h"

// clang-format off
#define SIGNET_ELEMENTWISE_KERNELS(TABLE) \
  TABLE(BitKernels)                       \
  TABLE(CastKernels)                      \
  TABLE(ElementwiseKernels)               \
  TABLE(FusedElementwiseKernels)          \
  TABLE(PickKernels)                      \
  TABLE(SelectKernels)                    \
  TABLE(SpecialFunctionKernels)
// clang-format on

namespace signet {

SIGNET_ELEMENTWISE_KERNELS(SIGNET_DECLARE_KERNELS)

}  // namespace signet
