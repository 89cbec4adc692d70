// Windows over one plane, as depthwise convolutions have them, read where the input lies: what is
// outside of it is left out by masks, and nothing is copied.

#pragma once

#include <cstdint>

#include "core/kernels/simd/conv.h"

namespace signet {

struct WindowPlane {
  struct Axis {
    int64_t size;    // of the input
    int64_t kernel;  // of the width: at most WindowPlaneTable::most_width
    int64_t stride;  // of the width: 1, or 2 where it is not dilated
    int64_t dilation;
    int64_t before;  // blanks in front of the input
    int64_t out;     // positions
  };
  const float* x;  // [height.size][width.size]
  Axis height;
  Axis width;
  const float* weights;  // [height.kernel][width.kernel]
  float bias;
  const float* residual;  // laid out as `out`; may be null
  FinishArguments finish;
  float* out;  // [height.out][width.out]
};

struct WindowPlaneTable {
  int64_t most_width;  // 0: copies are faster
  void (*run)(const WindowPlane& plane);
};
SIGNET_ISA_TABLE(WindowPlaneTable);

}  // namespace signet
