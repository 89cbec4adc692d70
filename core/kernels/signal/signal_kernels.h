// Signal kernels: the kernels of core/ops/signal.
//
// One line per file. A file contains the kernels of the op file with its name.

#pragma once

#include "core/kernels/def/kernel_list.h"

// clang-format off
#define SIGNET_SIGNAL_KERNELS(TABLE) \
  TABLE(SignalKernels)
// clang-format on

namespace signet {

SIGNET_SIGNAL_KERNELS(SIGNET_DECLARE_KERNELS)

}  // namespace signet
