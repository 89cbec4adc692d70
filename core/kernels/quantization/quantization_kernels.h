// Quantization kernels: the kernels of core/ops/quantization.
//
// One line per file. A file contains the kernels of the op file with its name.

#pragma once

#include "core/kernels/def/kernel_list.h"

// clang-format off
#define SIGNET_QUANTIZATION_KERNELS(TABLE) \
  TABLE(QuantizationKernels)               \
  TABLE(RoundToKernels)
// clang-format on

namespace signet {

SIGNET_QUANTIZATION_KERNELS(SIGNET_DECLARE_KERNELS)

}  // namespace signet
