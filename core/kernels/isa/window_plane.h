// Windows over one plane, as depthwise convolutions have them, read where the input lies: what is
// outside of it is left out by masks, and nothing is copied.

#pragma once

#include <cstdint>

#include "core/kernels/isa/conv.h"

namespace signet {

struct WindowPlane {
  const float* x;  // [height][width]
  int64_t height;
  int64_t width;
  int64_t kernel_height;
  int64_t kernel_width;  // at most WindowPlaneTable::most_width
  int64_t stride_height;
  int64_t stride_width;  // 1, or 2 where dilation_width is 1
  int64_t dilation_height;
  int64_t dilation_width;
  int64_t before_height;  // blanks above the input, and to the left of it
  int64_t before_width;
  int64_t rows;  // of the result
  int64_t columns;
  const float* weights;  // [kernel_height][kernel_width]
  float bias;
  const float* residual;  // laid out as `out`; may be null
  FinishArguments finish;
  float* out;  // [rows][columns]
};

struct WindowPlaneTable {
  int64_t most_width;  // 0: copies are faster
  void (*run)(const WindowPlane& plane);
};
SIGNET_ISA_TABLE(WindowPlaneTable);

}  // namespace signet
