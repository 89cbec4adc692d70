// Kernels of math ops (core/ops/math_ops.h), for the list in all_kernels.cc.

#pragma once

#include <span>

#include "core/kernels/kernel.h"

namespace signet {

std::span<const KernelDef> DeterminantKernels();
std::span<const KernelDef> NormalizationKernels();
std::span<const KernelDef> SignalKernels();

}  // namespace signet
