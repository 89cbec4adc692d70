#include "core/kernels/conv_layout.h"

#include <algorithm>

#include "core/ops/inference.h"

namespace signet {

StatusOr<ConvSizes> ConvSizesOf(const Shape& x, const Shape& w, int64_t groups,
                                const Window& window) {
  ConvSizes sizes{.batch = x.dim(0),
                  .groups = groups,
                  .in = w.dim(1),
                  .out = w.dim(0) / groups,
                  .taps = 1,
                  .axes = {}};
  for (int axis = 0; axis < window.rank(); ++axis) {
    auto slot = static_cast<size_t>(kMaxSpatialRank - window.rank() + axis);
    SIGNET_ASSIGN_OR_RETURN(sizes.axes[slot], Labelled("C5", window.Along(axis, x.dim(axis + 2))));
    sizes.taps *= w.dim(axis + 2);
  }
  return sizes;
}

int64_t PhaseLayout::Axis::SlotOf(int64_t tap) const {
  int64_t phase = tap * along.dilation % along.stride;
  return std::find(phases.begin(), phases.end(), phase) - phases.begin();
}

PhaseLayout::PhaseLayout(const SpatialAxes& axes, bool may_borrow) {
  int64_t plane = 1;
  borrows_ = may_borrow;
  for (size_t i = 0; i < axes.size(); ++i) {
    Axis& axis = axes_[i];
    axis.along = axes[i];
    for (int64_t tap = 0; tap < axis.along.kernel; ++tap) {
      if (axis.SlotOf(tap) < static_cast<int64_t>(axis.phases.size())) continue;
      axis.phases.push_back(tap * axis.along.dilation % axis.along.stride);
    }
    axis.positions = axis.along.out + (axis.along.reach() - 1) / axis.along.stride;
    bool same =
        axis.along.stride == 1 && axis.along.before == 0 && axis.positions == axis.along.size;
    borrows_ = borrows_ && same;
    plane *= axis.positions;
    channel_ *= axis.positions * static_cast<int64_t>(axis.phases.size());
  }
  auto [depth, height, width] = axes_;
  int64_t in_plane = height.positions * width.positions;
  if (axes[0].out > 0 && axes[1].out > 0 && axes[2].out > 0) {
    columns_ = (axes[0].out - 1) * in_plane + (axes[1].out - 1) * width.positions + axes[2].out;
  }
  auto num_heights = static_cast<int64_t>(height.phases.size());
  auto num_widths = static_cast<int64_t>(width.phases.size());
  auto shift = [](const Axis& axis, int64_t tap) {
    return tap * axis.along.dilation / axis.along.stride;
  };
  for (int64_t kd = 0; kd < depth.along.kernel; ++kd) {
    for (int64_t kh = 0; kh < height.along.kernel; ++kh) {
      for (int64_t kw = 0; kw < width.along.kernel; ++kw) {
        int64_t slot =
            (depth.SlotOf(kd) * num_heights + height.SlotOf(kh)) * num_widths + width.SlotOf(kw);
        taps_.push_back(slot * plane + shift(depth, kd) * in_plane +
                        shift(height, kh) * width.positions + shift(width, kw));
      }
    }
  }
}

void PhaseLayout::Split(const ConvTable& table, const float* x, float* phases) const {
  PhaseAxis plain[kMaxSpatialRank];
  for (size_t i = 0; i < axes_.size(); ++i) {
    const Axis& axis = axes_[i];
    plain[i] = {.size = axis.along.size,
                .before = axis.along.before,
                .stride = axis.along.stride,
                .positions = axis.positions,
                .phases = axis.phases.data(),
                .num_phases = static_cast<int64_t>(axis.phases.size())};
  }
  table.split(x, plain, phases);
}

}  // namespace signet
