#include "core/kernels/all_kernels.h"

#include <string>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "core/kernels/fused_elementwise.h"
#include "core/kernels/math_kernels.h"
#include "core/kernels/tabular_kernels.h"

namespace signet {
namespace {

constexpr std::span<const KernelDef> (*kFamilies[])() = {
    // Arithmetic.
    BitKernels,
    CastKernels,
    ConvIntegerKernels,
    CsrKernels,
    DeterminantKernels,
    ElementwiseKernels,
    FusedElementwiseKernels,
    LinearAttentionKernels,
    MatmulKernels,
    MatmulIntegerKernels,
    NormalizationKernels,
    OrderKernels,
    QuantizationKernels,
    RecurrentKernels,
    ReductionKernels,
    SelectKernels,
    SignalKernels,
    SoftmaxKernels,
    TabularKernels,
    TreeEnsembleKernels,

    // Shapes, indexing, strings, structures, segments.
    BucketKernels,
    CheckKernels,
    GatherKernels,
    JoiningKernels,
    LookupKernels,
    NgramKernels,
    NgramWeightKernels,
    RandomNumberKernels,
    RandomOrderKernels,
    RegexKernels,
    RowCutKernels,
    RowGroupKernels,
    RowJoinKernels,
    RowOrderKernels,
    RowProductKernels,
    RowSplitKernels,
    RowViewKernels,
    ScatterKernels,
    SegmentKernels,
    UniqueKernels,
    ViewKernels,
    WalkKernels,
    PadKernels,
    CountingKernels,
    SortingKernels,
    SparseKernels,
    StringKernels,
    TextKernels,
    TokenizeKernels,

    // Images.
    ConvKernels,
    ConvTransposeKernels,
    DecodeImageKernels,
    PoolingKernels,
    RegionKernels,
    ResizeKernels,
    SamplingKernels,
};

}  // namespace

std::span<const KernelDef> AllKernels() {
  static const auto* const all = [] {
    auto* kernels = new std::vector<KernelDef>;
    for (auto family : kFamilies) {
      auto rows = family();
      kernels->insert(kernels->end(), rows.begin(), rows.end());
    }
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
