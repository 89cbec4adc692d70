// Gather axes: which dimension `gather` picks from, and how many in front of it the indices share.

#pragma once

#include <optional>

#include "signet/attributes.h"

namespace signet {

struct GatherAxes {
  int axis = 0;
  int batch_dims = 0;  // at most `axis`, and at most the rank of the indices
};

// What attributes `axis` (None: the first behind the batch) and `batch_dims` say.
struct GatherRequest {
  std::optional<int64_t> axis;
  int64_t batch_dims = 0;  // below 0: counts from the rank of the indices

  // Of values and indices of these ranks. Refuses axes that are not there (C2) or of the batch
  // (C4).
  StatusOr<GatherAxes> For(int rank, int index_rank) const;
};
StatusOr<GatherRequest> ReadGather(const Attributes& attributes);

}  // namespace signet
