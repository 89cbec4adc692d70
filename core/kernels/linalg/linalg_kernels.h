// Kernels of linear algebra: the kernels of core/ops/linalg.
//
// One line per file. A file contains the kernels of the op file with its name. These files also
// contain the kernels of other op files:
//
//   matmul.cc: linear

#pragma once

#include "core/kernels/def/kernel_list.h"

// clang-format off
#define SIGNET_LINALG_KERNELS(TABLE) \
  TABLE(DeterminantKernels)          \
  TABLE(MatmulIntegerKernels)        \
  TABLE(MatmulKernels)
// clang-format on

namespace signet {

SIGNET_LINALG_KERNELS(SIGNET_DECLARE_KERNELS)

}  // namespace signet
