// SliceRange: the part of a dimension that `slice` selects, clipped as in the indexing of Python.

#pragma once

#include <vector>

#include "core/ops/def/int_list.h"

namespace signet {

// The arguments of `slice`, in the order of the given axes. `limits` or `sizes` may be absent.
struct SliceRequest {
  IntList starts;
  IntList limits;
  std::optional<std::vector<int64_t>> sizes;
  std::optional<std::vector<int64_t>> steps;
  std::optional<std::vector<int64_t>> axes;
  bool computes_axes =
      false;  // the axes, or the steps below, are inputs whose values are not known yet
  bool computes_steps = false;
};
StatusOr<SliceRequest> ReadSlice(const OpCall& call);

// `count` elements of one dimension: start, start + step, ...
struct SliceRange {
  int64_t start = 0;
  int64_t step = 1;
  int64_t count = 0;
};

// Returns the range x[start:limit:step] of a dimension of size `size`.
SliceRange ClippedSlice(int64_t start, int64_t limit, int64_t step, int64_t size);

// Returns one range per dimension of a tensor with sizes `dims`, for known starts and limits. Empty
// limits mean the end of each dimension. Checks C2 to C5.
StatusOr<std::vector<SliceRange>> SliceRanges(const SliceRequest& request,
                                              std::span<const int64_t> dims,
                                              std::span<const int64_t> starts,
                                              std::span<const int64_t> limits);

}  // namespace signet
