// Reductions: how ops name the axes that they reduce. Stateless.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/base/status.h"
#include "core/ops/op.h"
#include "core/types/shape.h"
#include "core/values/tensor.h"

namespace signet {

// A set of axes: bit i is axis i.
using AxisSet = uint64_t;
inline constexpr int kMaxReducedRank = 62;

inline bool HasAxis(AxisSet axes, int axis) { return ((axes >> axis) & 1) != 0; }

// `axes` of a value of `rank`: None is all of them; below 0 counts from the end. Refuses an axis
// out of range or named twice.
StatusOr<AxisSet> AxesOf(const std::optional<std::vector<int64_t>>& axes, int rank);

// The axes of a call, from its attribute or its input.
struct ReducedAxes {
  std::optional<std::vector<int64_t>> known;  // none: all, unless they are computed
  bool computed = false;                      // known when it runs
  bool empty_is_all = false;
  int64_t length = -1;  // -1: unknown
};
StatusOr<ReducedAxes> ReadReducedAxes(const OpCall& call);

// The attribute `default` of a mean, which replaces the mean of no elements, as a scalar of
// `dtype`. Returns a tensor without a value if the attribute is absent or None. Rejects what is not
// a number that `dtype` can hold.
StatusOr<Tensor> MeanOfNothing(const Attributes& attributes, DType dtype);

// The shape left when `axes` are reduced: dropped, or kept as 1.
PartialShape ReducedShape(const PartialShape& shape, AxisSet axes, bool keepdims);

}  // namespace signet
