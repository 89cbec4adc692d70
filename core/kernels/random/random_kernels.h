// Random kernels: the kernels of core/ops/random.
//
// One line per file. A file contains the kernels of the op file with its name.

#pragma once

#include "core/kernels/def/kernel_list.h"

// clang-format off
#define SIGNET_RANDOM_KERNELS(TABLE) \
  TABLE(RandomNumberKernels)         \
  TABLE(RandomOrderKernels)
// clang-format on

namespace signet {

SIGNET_RANDOM_KERNELS(SIGNET_DECLARE_KERNELS)

}  // namespace signet
