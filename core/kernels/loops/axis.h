// AxisView: a tensor along one axis, as `outer` blocks of `size` rows of `inner` elements.

#pragma once

#include <cstdint>

#include "signet/shape.h"

namespace signet {

struct AxisView {
  int64_t outer = 1;
  int64_t size = 1;
  int64_t inner = 1;

  int64_t columns() const { return outer * inner; }
  // Returns the first element of a column, counted outer dimensions first.
  int64_t Start(int64_t column) const { return column / inner * size * inner + column % inner; }
};

// Returns the view along `axis`, which is counted from 0.
inline AxisView ViewAlong(const Shape& shape, int axis) {
  AxisView view;
  for (int i = 0; i < shape.rank(); ++i) {
    (i < axis ? view.outer : i > axis ? view.inner : view.size) *= shape.dim(i);
  }
  return view;
}

}  // namespace signet
