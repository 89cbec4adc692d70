#include "core/ops/random_ops.h"

namespace signet {

std::vector<OpDef> RandomOps() {
  std::vector<OpDef> ops = RandomNumberOps();
  for (auto make : {RandomPermutation, RandomShuffle}) ops.push_back(make());
  return ops;
}

}  // namespace signet
