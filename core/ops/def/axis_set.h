// AxisSet: the axes that an op reduces, and how ops name them. Stateless.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/ops/def/op_def.h"
#include "signet/shape.h"

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

// The shape left when `axes` are reduced: dropped, or kept as 1.
PartialShape ReducedShape(const PartialShape& shape, AxisSet axes, bool keepdims);

}  // namespace signet
