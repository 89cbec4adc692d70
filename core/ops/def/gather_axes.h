// GatherAxes: the axis along which `gather` selects, and the number of leading batch dimensions.

#pragma once

#include <optional>

#include "signet/attributes.h"

namespace signet {

struct GatherAxes {
  int axis = 0;
  int batch_dims = 0;  // at most `axis`, and at most the rank of the indices
};

// The values of the attributes `axis` and `batch_dims`. An absent axis means the first axis after
// the batch dimensions.
struct GatherRequest {
  std::optional<int64_t> axis;
  int64_t batch_dims = 0;  // negative: counts from the rank of the indices

  // Returns the axes for values and indices of these ranks. Returns an error if an axis is out of
  // range (C2) or is a batch dimension (C4).
  StatusOr<GatherAxes> For(int rank, int index_rank) const;
};
StatusOr<GatherRequest> ReadGather(const Attributes& attributes);

}  // namespace signet
