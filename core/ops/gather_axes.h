// Gather axes: which dimension `gather` picks from, and how many in front of it the indices share.

#pragma once

#include "core/ops/attributes.h"

namespace signet {

struct GatherAxes {
  int axis = 0;
  int batch_dims = 0;  // at most `axis`, and at most the rank of the indices
};

// What attributes `axis` (None: the first behind the batch) and `batch_dims` say of values and
// indices of these ranks. Refuses axes that are not there (C2) or of the batch (C4).
StatusOr<GatherAxes> ReadGatherAxes(const Attributes& attributes, int rank, int index_rank);

}  // namespace signet
