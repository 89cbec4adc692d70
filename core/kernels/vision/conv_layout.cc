#include "core/kernels/vision/conv_layout.h"

#include <algorithm>

#include "core/ops/def/inference.h"

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
    SIGNET_ASSIGN_OR_RETURN(sizes.axes[slot],
                            WithConstraint("C5", window.Along(axis, x.dim(axis + 2))));
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

int64_t PhaseLayout::RunsOf(int64_t begin, int64_t end, ColumnRun* runs) const {
  if (contiguous()) {
    runs[0] = {begin, end - begin};
    return 1;
  }
  int64_t width = axes_[2].along.out;
  int64_t height = axes_[1].along.out;
  int64_t num_runs = 0;
  for (int64_t at = begin; at < end; at += runs[num_runs - 1].count) {
    int64_t row = at / width;
    int64_t first = at % width;
    int64_t plane_row = row / height * axes_[1].positions + row % height;
    runs[num_runs++] = {plane_row * axes_[2].positions + first, std::min(end - at, width - first)};
  }
  return num_runs;
}

ConvSlide PhaseLayout::Slide(const float* phases) const {
  return {.from = phases,
          .offsets = taps_.data(),
          .taps = static_cast<int64_t>(taps_.size()),
          .from_stride = axes_[2].positions,
          .rows = axes_[1].along.out,
          .columns = axes_[2].along.out,
          .out = nullptr,
          .out_stride = axes_[2].along.out};
}

void PhaseLayout::ForEachPlane(ConvSlide slide, void (*run)(const ConvSlide& slide)) const {
  for (int64_t d = 0; d < axes_[0].along.out; ++d) {
    run(slide);
    slide.from += axes_[1].positions * axes_[2].positions;
    slide.out += slide.rows * slide.columns;
    if (slide.residual != nullptr) slide.residual += slide.rows * slide.columns;
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
