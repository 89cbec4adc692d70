// ForFewRows: a kernel for the product of a few rows and a small matrix that is known. Stateless.

#pragma once

#include <memory>

#include "core/kernels/def/kernel.h"

namespace signet {

// A kernel of matmul or linear for a small matrix that is known, and few rows; `otherwise` runs
// where that does not fit.
StatusOr<std::unique_ptr<Kernel>> ForFewRows(const KernelRequest& request,
                                             std::unique_ptr<Kernel> otherwise);

}  // namespace signet
