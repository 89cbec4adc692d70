// Sparse kernels: the kernels of core/ops/sparse.
//
// One line per file. A file contains the kernels of the op file with its name. These files also
// contain the kernels of other op files:
//
//   csr_matmul.cc: sparse_entries

#pragma once

#include "core/kernels/def/kernel_list.h"

// clang-format off
#define SIGNET_SPARSE_KERNELS(TABLE) \
  TABLE(CsrKernels)                  \
  TABLE(SparseKernels)
// clang-format on

namespace signet {

SIGNET_SPARSE_KERNELS(SIGNET_DECLARE_KERNELS)

}  // namespace signet
