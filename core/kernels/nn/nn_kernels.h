// Kernels of neural networks: the kernels of core/ops/nn.
//
// One line per file. A file contains the kernels of the op file with its name.

#pragma once

#include "core/kernels/def/kernel_list.h"

// clang-format off
#define SIGNET_NN_KERNELS(TABLE) \
  TABLE(LinearAttentionKernels)  \
  TABLE(LstmStepsKernels)        \
  TABLE(NormalizationKernels)    \
  TABLE(RecurrentKernels)        \
  TABLE(SoftmaxKernels)
// clang-format on

namespace signet {

SIGNET_NN_KERNELS(SIGNET_DECLARE_KERNELS)

}  // namespace signet
