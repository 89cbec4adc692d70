#include "core/ops/array_ops.h"

namespace signet {

std::vector<OpDef> ArrayOps() {
  std::vector<OpDef> ops = RowJoinOps();
  for (auto make : {BatchGather, Bitcast, GatherElements, GatherNd, Pick, ScatterElements,
                    ScatterNd, Unique, Where}) {
    ops.push_back(make());
  }
  return ops;
}

}  // namespace signet
