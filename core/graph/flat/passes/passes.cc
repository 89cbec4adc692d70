#include "core/graph/flat/passes/passes.h"

#include "core/graph/flat/passes/fold_normalization_pass.h"
#include "core/graph/flat/passes/fuse_convolution_pass.h"
#include "core/graph/flat/passes/fuse_elementwise_pass.h"
#include "core/graph/flat/passes/fuse_linear_pass.h"
#include "core/graph/flat/passes/merge_scales_pass.h"
#include "core/graph/flat/passes/move_transposes_pass.h"
#include "core/graph/flat/passes/remove_identities_pass.h"

namespace signet {

std::span<const PassGroup> OptimizationPasses() {
  static const auto* const groups = new std::vector<PassGroup>{
      {&kRemoveIdentitiesPass},
      // Once, and before the passes that fuse elementwise ops into convolutions.
      {&kMoveTransposesPass},
      {&kRemoveIdentitiesPass, &kFuseLinearPass, &kFuseConvolutionPass, &kFoldNormalizationPass,
       &kMergeScalesPass},
      // Last, because no other pass matches the ops that it joins.
      {&kFuseElementwisePass},
  };
  return *groups;
}

}  // namespace signet
