#include "core/kernels/catalog.h"

#include <string>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "core/kernels/elementwise/elementwise_kernels.h"
#include "core/kernels/extension/extension_kernels.h"
#include "core/kernels/indexing/indexing_kernels.h"
#include "core/kernels/linalg/linalg_kernels.h"
#include "core/kernels/nn/nn_kernels.h"
#include "core/kernels/quantization/quantization_kernels.h"
#include "core/kernels/ragged/ragged_kernels.h"
#include "core/kernels/random/random_kernels.h"
#include "core/kernels/reduction/reduction_kernels.h"
#include "core/kernels/shape/shape_kernels.h"
#include "core/kernels/signal/signal_kernels.h"
#include "core/kernels/sparse/sparse_kernels.h"
#include "core/kernels/tabular/tabular_kernels.h"
#include "core/kernels/text/text_kernels.h"
#include "core/kernels/vision/vision_kernels.h"

namespace signet {

std::span<const KernelDef> AllKernels() {
  static const auto* const all = [] {
    auto* kernels = new std::vector<KernelDef>;
    auto add = [&](std::span<const KernelDef> table) {
      kernels->insert(kernels->end(), table.begin(), table.end());
    };
#define SIGNET_ADD_KERNELS(table) add(table());
    SIGNET_ELEMENTWISE_KERNELS(SIGNET_ADD_KERNELS)
    SIGNET_EXTENSION_KERNELS(SIGNET_ADD_KERNELS)
    SIGNET_INDEXING_KERNELS(SIGNET_ADD_KERNELS)
    SIGNET_LINALG_KERNELS(SIGNET_ADD_KERNELS)
    SIGNET_NN_KERNELS(SIGNET_ADD_KERNELS)
    SIGNET_QUANTIZATION_KERNELS(SIGNET_ADD_KERNELS)
    SIGNET_RAGGED_KERNELS(SIGNET_ADD_KERNELS)
    SIGNET_RANDOM_KERNELS(SIGNET_ADD_KERNELS)
    SIGNET_REDUCTION_KERNELS(SIGNET_ADD_KERNELS)
    SIGNET_SHAPE_KERNELS(SIGNET_ADD_KERNELS)
    SIGNET_SIGNAL_KERNELS(SIGNET_ADD_KERNELS)
    SIGNET_SPARSE_KERNELS(SIGNET_ADD_KERNELS)
    SIGNET_TABULAR_KERNELS(SIGNET_ADD_KERNELS)
    SIGNET_TEXT_KERNELS(SIGNET_ADD_KERNELS)
    SIGNET_VISION_KERNELS(SIGNET_ADD_KERNELS)
    return kernels;
  }();
  return *all;
}

KernelFactory LookupKernel(std::string_view op) {
  static const auto* const by_name = [] {
    auto* made = new absl::flat_hash_map<std::string, KernelFactory>;
    for (const KernelDef& kernel : AllKernels()) made->emplace(kernel.op, kernel.make);
    return made;
  }();
  auto found = by_name->find(absl::string_view(op.data(), op.size()));
  return found == by_name->end() ? nullptr : found->second;
}

}  // namespace signet
