// AllKernels: the list of kernel families, each a table of one or more files of this folder.
//
// To add a family, declare its table here and name it in all_kernels.cc.

#pragma once

#include <span>

#include "core/kernels/kernel.h"

namespace signet {

// Arithmetic.
std::span<const KernelDef> CastKernels();
std::span<const KernelDef> ElementwiseKernels();
std::span<const KernelDef> SelectKernels();

// Shapes, indexing, strings, structures, segments.
std::span<const KernelDef> GatherKernels();
std::span<const KernelDef> JoiningKernels();
std::span<const KernelDef> LookupKernels();
std::span<const KernelDef> RowSplitKernels();
std::span<const KernelDef> SegmentKernels();
std::span<const KernelDef> ViewKernels();

}  // namespace signet
