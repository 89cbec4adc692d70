// ForFewRows: makes a kernel for the product of a few rows and a small constant matrix. Stateless.

#pragma once

#include <memory>

#include "core/kernels/def/kernel.h"

namespace signet {

// Returns a kernel of matmul or linear for few rows and a small constant matrix. It runs
// `otherwise` for other shapes. If the request does not fit, returns `otherwise`.
StatusOr<std::unique_ptr<Kernel>> ForFewRows(const KernelRequest& request,
                                             std::unique_ptr<Kernel> otherwise);

}  // namespace signet
