// ResizePlan: the attributes, sizes, and scales of resize, for type inference and the kernel.
//
//   scale 2, half_pixel: element i of the result is at (i + 0.5) / 2 - 0.5 of the input
//
// Sizes and coordinates are computed in float32, as in ONNX Runtime.

#pragma once

#include <vector>

#include "core/ops/def/op_def.h"

namespace signet {

enum class ResizeMode : uint8_t { kNearest, kLinear, kCubic };
enum class Coordinates : uint8_t {
  kHalfPixel,
  kHalfPixelSymmetric,
  kPytorchHalfPixel,
  kAlignCorners,
  kAsymmetric,
  kTfHalfPixel,
  kCropAndResize,
};
enum class NearestMode : uint8_t {
  kPreferFloor,
  kPreferCeil,
  kFloor,
  kCeil,
  kSimple,  // floor if the result is larger, ceil if it is smaller
};
enum class AspectPolicy : uint8_t { kStretch, kNotLarger, kNotSmaller };

struct ResizeAxis {
  int axis = 0;
  int64_t size = 0;  // the size of the input
  int64_t out = 0;   // the size of the result
  float scale = 1;
  float begin = 0;  // the start of the region of interest; 1 is the last element
  float end = 1;    // the end of the region of interest
};

struct ResizePlan {
  ResizeMode mode = ResizeMode::kNearest;
  Coordinates coordinates = Coordinates::kHalfPixel;
  NearestMode nearest = NearestMode::kPreferFloor;
  AspectPolicy policy = AspectPolicy::kStretch;
  float cubic = -0.75F;
  float outside = 0;  // the value of elements that are outside of the input
  bool exclude_outside = false;
  bool antialias = false;
  std::vector<int> axes;

  // Returns the axes for an x of `shape`. Exactly one of `scales` and `sizes` is null; `roi` may be
  // null.
  StatusOr<std::vector<ResizeAxis>> Along(const Shape& shape, const Tensor* scales,
                                          const Tensor* sizes, const Tensor* roi) const;
};

StatusOr<ResizePlan> ResizePlanOf(const OpCall& call, int rank);

int64_t ScaledSize(int64_t size, double scale);

}  // namespace signet
