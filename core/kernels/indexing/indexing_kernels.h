// Indexing kernels: the kernels of core/ops/indexing.
//
// One line per file. A file contains the kernels of the op file with its name. These files also
// contain the kernels of other op files:
//
//   lookup.cc: lookup_value

#pragma once

#include "core/kernels/def/kernel_list.h"

// clang-format off
#define SIGNET_INDEXING_KERNELS(TABLE) \
  TABLE(BooleanMaskKernels)            \
  TABLE(BucketKernels)                 \
  TABLE(GatherElementsKernels)         \
  TABLE(GatherKernels)                 \
  TABLE(GatherNdKernels)               \
  TABLE(LookupKernels)                 \
  TABLE(OneHotKernels)                 \
  TABLE(ScatterKernels)                \
  TABLE(SliceKernels)                  \
  TABLE(SortingKernels)                \
  TABLE(UniqueKernels)                 \
  TABLE(WhereIndicesKernels)
// clang-format on

namespace signet {

SIGNET_INDEXING_KERNELS(SIGNET_DECLARE_KERNELS)

}  // namespace signet
