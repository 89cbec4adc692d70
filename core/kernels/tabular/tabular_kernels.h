// Tabular kernels: the kernels of core/ops/tabular.
//
// One line per file. A file contains the kernels of the op file with its name.

#pragma once

#include "core/kernels/def/kernel_list.h"

// clang-format off
#define SIGNET_TABULAR_KERNELS(TABLE) \
  TABLE(NgramWeightKernels)           \
  TABLE(ParseCsvKernels)              \
  TABLE(ParseExamplesKernels)         \
  TABLE(ParseFeatureListsKernels)     \
  TABLE(TabularKernels)               \
  TABLE(TensorMessageKernels)         \
  TABLE(TreeEnsembleKernels)
// clang-format on

namespace signet {

SIGNET_TABULAR_KERNELS(SIGNET_DECLARE_KERNELS)

}  // namespace signet
