#include "core/ops/tabular_ops.h"

namespace signet {

std::vector<OpDef> TabularOps() {
  std::vector<OpDef> ops;
  for (auto make :
       {CouplePairs, NgramWeights, NormalizeRows, SquaredDistances, TreeEnsemble, VotePairs}) {
    ops.push_back(make());
  }
  return ops;
}

}  // namespace signet
