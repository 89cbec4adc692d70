// SliceRange: the part of each dimension that `slice` takes, as Python's indexing clips it.

#pragma once

#include <vector>

#include "core/ops/def/int_list.h"

namespace signet {

// What `slice` was asked, by axis given; `limits` or `sizes` may be absent.
struct SliceRequest {
  IntList starts;
  IntList limits;
  std::optional<std::vector<int64_t>> sizes;
  std::optional<std::vector<int64_t>> steps;
  std::optional<std::vector<int64_t>> axes;
  bool computes_axes = false;  // they, or the steps, are inputs not known by now
  bool computes_steps = false;
};
StatusOr<SliceRequest> ReadSlice(const OpCall& call);

// Elements start, start + step, ... of one dimension: `count` of them.
struct SliceRange {
  int64_t start = 0;
  int64_t step = 1;
  int64_t count = 0;
};

// x[start:limit:step] of a dimension of `size`.
SliceRange ClippedSlice(int64_t start, int64_t limit, int64_t step, int64_t size);

// One range a dimension of a tensor with sizes `dims`, for starts and limits known by now (empty
// limits: to the end). C2 to C5.
StatusOr<std::vector<SliceRange>> SliceRanges(const SliceRequest& request,
                                              std::span<const int64_t> dims,
                                              std::span<const int64_t> starts,
                                              std::span<const int64_t> limits);

}  // namespace signet
