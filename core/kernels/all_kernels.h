// AllKernels: the list of kernel families, each a table of one or more files of this folder.
//
// To add a family, declare its table here and name it in all_kernels.cc.

#pragma once

#include <span>

#include "core/kernels/kernel.h"

namespace signet {

// Arithmetic.
std::span<const KernelDef> BitKernels();  // bitwise_and and its like, shifts
std::span<const KernelDef> CastKernels();
std::span<const KernelDef> ConvIntegerKernels();
std::span<const KernelDef> CsrKernels();
std::span<const KernelDef> ElementwiseKernels();
std::span<const KernelDef> LinearAttentionKernels();
std::span<const KernelDef> MatmulKernels();
std::span<const KernelDef> MatmulIntegerKernels();
std::span<const KernelDef> OrderKernels();  // argmax, argmin, top_k, cumsum
std::span<const KernelDef> QuantizationKernels();
std::span<const KernelDef> RecurrentKernels();
std::span<const KernelDef> ReductionKernels();
std::span<const KernelDef> SelectKernels();
std::span<const KernelDef> SoftmaxKernels();

// Shapes, indexing, strings, structures, segments.
std::span<const KernelDef> BucketKernels();
std::span<const KernelDef> CheckKernels();  // check_true, is_same
std::span<const KernelDef> GatherKernels();
std::span<const KernelDef> JoiningKernels();
std::span<const KernelDef> LookupKernels();
std::span<const KernelDef> NgramKernels();
std::span<const KernelDef> RandomNumberKernels();
std::span<const KernelDef> RandomOrderKernels();
std::span<const KernelDef> RegexKernels();
std::span<const KernelDef> RowCutKernels();
std::span<const KernelDef> RowGroupKernels();
std::span<const KernelDef> RowJoinKernels();
std::span<const KernelDef> RowOrderKernels();
std::span<const KernelDef> RowProductKernels();
std::span<const KernelDef> RowSplitKernels();
std::span<const KernelDef> RowViewKernels();
std::span<const KernelDef> ScatterKernels();
std::span<const KernelDef> SegmentKernels();
std::span<const KernelDef> UniqueKernels();
std::span<const KernelDef> ViewKernels();
std::span<const KernelDef> WalkKernels();
std::span<const KernelDef> PadKernels();
std::span<const KernelDef> CountingKernels();
std::span<const KernelDef> SortingKernels();
std::span<const KernelDef> SparseKernels();
std::span<const KernelDef> StringKernels();
std::span<const KernelDef> TextKernels();
std::span<const KernelDef> TokenizeKernels();

// Images.
std::span<const KernelDef> ConvKernels();
std::span<const KernelDef> ConvTransposeKernels();
std::span<const KernelDef> DecodeImageKernels();
std::span<const KernelDef> PoolingKernels();
std::span<const KernelDef> RegionKernels();
std::span<const KernelDef> ResizeKernels();
std::span<const KernelDef> SamplingKernels();

}  // namespace signet
