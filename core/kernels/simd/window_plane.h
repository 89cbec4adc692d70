// WindowPlaneTable: windows over one plane for depthwise convolutions. The input is read in place,
// without copies; masks omit the elements outside of the input.

#pragma once

#include <cstdint>

#include "core/kernels/simd/conv.h"

namespace signet {

struct WindowPlane {
  struct Axis {
    int64_t size;    // of the input
    int64_t kernel;  // along the width: at most WindowPlaneTable::most_width
    int64_t stride;  // along the width: 1, or 2 if it is not dilated
    int64_t dilation;
    int64_t before;  // number of blanks before the input
    int64_t out;     // number of positions
  };
  const float* x;  // [height.size][width.size]
  Axis height;
  Axis width;
  const float* weights;  // [height.kernel][width.kernel]
  float bias;
  const float* residual;  // same layout as `out`; may be null
  FinishArguments finish;
  float* out;  // [height.out][width.out]
};

struct WindowPlaneTable {
  int64_t most_width;  // 0: copies are faster
  void (*run)(const WindowPlane& plane);
};
SIGNET_ISA_TABLE(WindowPlaneTable);

}  // namespace signet
