#include "core/kernels/all_kernels.h"

namespace signet {

std::span<const KernelDef> ElementwiseKernels() { return {}; }

}  // namespace signet
