// ConvLayout: the sizes of a convolution, and the positions of the elements of its windows.
// simd/conv.h defines phases and columns.

#pragma once

#include <array>
#include <vector>

#include "core/kernels/simd/conv.h"
#include "core/ops/vision/conv.h"
#include "signet/shape.h"

namespace signet {

// There are always three spatial dimensions; the first may have size 1.
using SpatialAxes = std::array<WindowAxis, kMaxSpatialRank>;

inline int64_t PlaneOf(const SpatialAxes& axes, int64_t WindowAxis::*size) {
  return axes[0].*size * (axes[1].*size) * (axes[2].*size);
}

struct ConvSizes {
  int64_t batch;
  int64_t groups;
  int64_t in;    // channels per group
  int64_t out;   // output channels per group
  int64_t taps;  // elements per window
  SpatialAxes axes;

  int64_t x_plane() const { return PlaneOf(axes, &WindowAxis::size); }
  int64_t out_plane() const { return PlaneOf(axes, &WindowAxis::out); }
  double operations() const {
    return 2.0 * static_cast<double>(batch * groups * out) * static_cast<double>(in * taps) *
           static_cast<double>(out_plane());
  }
};
StatusOr<ConvSizes> ConvSizesOf(const Shape& x, const Shape& w, int64_t groups,
                                const Window& window);

class PhaseLayout {
 public:
  // Computes the layout of an input. If possible and `may_borrow` is true, the elements are read in
  // place.
  PhaseLayout(const SpatialAxes& axes, bool may_borrow);

  bool borrows() const { return borrows_; }     // the input is its own only phase
  int64_t channel() const { return channel_; }  // elements of the phases of one channel
  int64_t columns() const { return columns_; }
  const std::vector<int64_t>& taps() const { return taps_; }  // offsets, in the window's order
  void Split(const ConvTable& table, const float* x, float* phases) const;
  // Returns the windows of a channel's phases for the first plane of the result. ForEachPlane calls
  // run(slide) for each plane.
  ConvSlide Slide(const float* phases) const;
  void ForEachPlane(ConvSlide slide, void (*run)(const ConvSlide& slide)) const;
  // Calls run(column, position, count) for the runs of windows among columns [begin, end).
  template <class Run>
  void ForEachRun(int64_t begin, int64_t end, Run run) const;
  // Writes windows [begin, end) as runs of columns, at most one run per window. Returns the number
  // of runs.
  int64_t RunsOf(int64_t begin, int64_t end, ColumnRun* runs) const;
  bool contiguous() const;  // all columns are windows

 private:
  struct Axis {
    WindowAxis along;
    std::vector<int64_t> phases;
    int64_t positions = 1;
    int64_t SlotOf(int64_t tap) const;
  };
  std::array<Axis, kMaxSpatialRank> axes_;
  int64_t channel_ = 1;
  int64_t columns_ = 0;
  bool borrows_ = false;
  std::vector<int64_t> taps_;
};

inline bool PhaseLayout::contiguous() const {
  return axes_[2].positions == axes_[2].along.out &&
         (axes_[1].positions == axes_[1].along.out || axes_[0].along.out == 1);
}

template <class Run>
void PhaseLayout::ForEachRun(int64_t begin, int64_t end, Run run) const {
  int64_t width = axes_[2].positions;
  int64_t height = axes_[1].positions;
  int64_t out_width = axes_[2].along.out;
  int64_t out_height = axes_[1].along.out;
  if (contiguous()) {
    run(begin, begin, end - begin);
    return;
  }
  for (int64_t row = begin / width; row * width < end; ++row) {
    int64_t h = row % height;
    int64_t first = std::max(begin, row * width);
    int64_t last = std::min(end, row * width + out_width);
    if (h >= out_height || first >= last) continue;
    run(first, ((row / height) * out_height + h) * out_width + first - row * width, last - first);
  }
}

}  // namespace signet
