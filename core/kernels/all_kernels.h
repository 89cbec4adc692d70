// AllKernels: the list of kernel families, each a table of one or more files of this folder.
//
// To add a family, declare its table here and name it in all_kernels.cc.

#pragma once

#include <span>

#include "core/kernels/kernel.h"

namespace signet {

// Arithmetic.
std::span<const KernelDef> ElementwiseKernels();

// Shapes, indexing, strings, structures, segments.

}  // namespace signet
