// Box: a rectangle, and how much of two rectangles is shared.

#pragma once

#include <algorithm>

namespace signet {

struct Box {
  float top;
  float left;
  float bottom;
  float right;

  // Returns the box with two opposite corners, each with the vertical coordinate first.
  static Box FromCorners(const float* corners) {
    return {std::min(corners[0], corners[2]), std::min(corners[1], corners[3]),
            std::max(corners[0], corners[2]), std::max(corners[1], corners[3])};
  }
  float area() const { return (bottom - top) * (right - left); }
};

// Returns the area that both boxes share, divided by the area of their union.
inline float OverlapOf(const Box& a, const Box& b) {
  const float height = std::min(a.bottom, b.bottom) - std::max(a.top, b.top);
  const float width = std::min(a.right, b.right) - std::max(a.left, b.left);
  if (height <= 0 || width <= 0 || a.area() <= 0 || b.area() <= 0) return 0;
  const float shared = height * width;
  return shared / (a.area() + b.area() - shared);
}

}  // namespace signet
