#include "core/ops/random_ops.h"

namespace signet {

std::vector<OpDef> RandomOps() { return {RandomPermutation(), RandomShuffle()}; }

}  // namespace signet
