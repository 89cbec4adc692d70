// The kernel of fused_elementwise.

#pragma once

#include "core/kernels/kernel.h"

namespace signet {

std::span<const KernelDef> FusedElementwiseKernels();

}  // namespace signet
