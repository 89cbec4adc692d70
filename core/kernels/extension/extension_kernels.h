// Extension kernels: the kernels of core/ops/extension.
//
// One line per file. A file contains the kernels of the op file with its name.

#pragma once

#include "core/kernels/def/kernel_list.h"

// clang-format off
#define SIGNET_EXTENSION_KERNELS(TABLE) \
  TABLE(CheckTrueKernels)               \
  TABLE(IsSameKernels)
// clang-format on

namespace signet {

SIGNET_EXTENSION_KERNELS(SIGNET_DECLARE_KERNELS)

}  // namespace signet
