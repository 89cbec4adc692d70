// AxisSet: a set of axes that an op reduces, and functions that read it from a call. Stateless.

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

// Returns the set of `axes` for a value of `rank`. None means all axes, and a negative axis counts
// from the end. Returns an error if an axis is out of range or a duplicate.
StatusOr<AxisSet> AxesOf(const std::optional<std::vector<int64_t>>& axes, int rank);

// The axes of a call, from its attribute or from its input.
struct ReducedAxes {
  std::optional<std::vector<int64_t>> known;  // absent: all axes, unless `computed` is true
  bool computed = false;                      // true if the axes are known only when the op runs
  bool empty_is_all = false;                  // true if an empty list means all axes
  int64_t length = -1;                        // -1: unknown
};
StatusOr<ReducedAxes> ReadReducedAxes(const OpCall& call);

// Returns the shape of the result if `axes` are reduced. These dimensions are removed, or are 1 if
// `keepdims` is true.
PartialShape ReducedShape(const PartialShape& shape, AxisSet axes, bool keepdims);

}  // namespace signet
