// Catalog: all kernels, one for each op that is not only expanded.

#pragma once

#include <span>
#include <string_view>

#include "core/kernels/def/kernel.h"

namespace signet {

// Returns null if the op has no kernel.
KernelFactory LookupKernel(std::string_view op);
std::span<const KernelDef> AllKernels();

}  // namespace signet
