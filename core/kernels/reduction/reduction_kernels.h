// Reduction kernels: the kernels of core/ops/reduction.
//
// One line per file. A file contains the kernels of the op file with its name. These files also
// contain the kernels of other op files:
//
//   order.cc: argmax, cumsum, top_k

#pragma once

#include "core/kernels/def/kernel_list.h"

// clang-format off
#define SIGNET_REDUCTION_KERNELS(TABLE) \
  TABLE(OrderKernels)                   \
  TABLE(ReductionKernels)
// clang-format on

namespace signet {

SIGNET_REDUCTION_KERNELS(SIGNET_DECLARE_KERNELS)

}  // namespace signet
