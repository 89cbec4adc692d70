// TabularKernels: the kernels of core/ops/tabular_ops.h. Part of the list in all_kernels.cc.

#pragma once

#include <span>

#include "core/kernels/kernel.h"

namespace signet {

std::span<const KernelDef> NgramWeightKernels();
std::span<const KernelDef> TabularKernels();  // distances, norms, pairs of classes
std::span<const KernelDef> TreeEnsembleKernels();

}  // namespace signet
