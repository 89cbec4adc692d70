// ConvShape, Activation, TransposedWindow: the shapes and attributes of convolutions, for type
// inference and the kernels.

#pragma once

#include <string_view>

#include "core/ops/vision/window.h"

namespace signet {

// The function that is applied to each element of the result.
enum class ActivationKind : uint8_t {
  kNone,
  kClip,         // limits x to [alpha, beta]
  kLeakyRelu,    // alpha * x if x is less than 0
  kHardSigmoid,  // alpha * x + beta, limited to [0, 1]
  kHardSwish,    // x times the hard sigmoid of x
  kSigmoid,
  kTanh,
  kGelu,
  kSilu,  // x * sigmoid(x)
};

struct Activation {
  ActivationKind kind = ActivationKind::kNone;
  float alpha = 0;
  float beta = 0;
};

// Reads the attributes `activation`, `alpha`, and `beta`. `relu` and `relu6` are clips.
StatusOr<Activation> ActivationOf(const OpCall& call);
std::vector<AttributeDef> ActivationAttributes();

// Returns the shape of the result of conv. `bias` and `residual` may be null. Returns an error if
// the shapes do not match.
StatusOr<PartialShape> ConvShape(const PartialShape& x, const PartialShape& w,
                                 const PartialShape* bias, const PartialShape* residual,
                                 int64_t groups, const Window& window);

// The window of a transposed convolution moves over the output.
struct TransposedWindow {
  Window window;
  std::vector<int64_t> output_padding;
  std::vector<int64_t> output_shape;  // spatial sizes; empty: computed from the other attributes
  // In the result, `size` is a size of the output, and `out` is a size of the input.
  StatusOr<WindowAxis> Along(int axis, int64_t input_size) const;
};
StatusOr<TransposedWindow> TransposedWindowOf(const OpCall& call, std::vector<int64_t> kernel);
StatusOr<PartialShape> ConvTransposeShape(const PartialShape& x, const PartialShape& w,
                                          const PartialShape* bias, int64_t groups,
                                          const TransposedWindow& window);

// Returns the spatial sizes of weights with the shape [.., .., spatial...].
std::vector<int64_t> KernelOf(const PartialShape& w);

}  // namespace signet
