// Convolutions: what inference and the kernels both ask of their calls.

#pragma once

#include <string_view>

#include "core/ops/vision/window.h"

namespace signet {

// What is done to each element of the result.
enum class ActivationKind : uint8_t {
  kNone,
  kClip,         // to [alpha, beta]
  kLeakyRelu,    // alpha * x below 0
  kHardSigmoid,  // alpha * x + beta, clipped to [0, 1]
  kHardSwish,    // x times that
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

// From attributes `activation`, `alpha` and `beta`; relu and relu6 are clips.
StatusOr<Activation> ActivationOf(const OpCall& call);
std::vector<AttributeDef> ActivationAttributes();

// The shape of conv's result. `bias` and `residual` may be null. Refuses what does not fit.
StatusOr<PartialShape> ConvShape(const PartialShape& x, const PartialShape& w,
                                 const PartialShape* bias, const PartialShape* residual,
                                 int64_t groups, const Window& window);

// The window of a transposed convolution goes over its output.
struct TransposedWindow {
  Window window;
  std::vector<int64_t> output_padding;
  std::vector<int64_t> output_shape;  // spatial; empty: as follows from the rest
  // `size` counts the output's elements, `out` the input's.
  StatusOr<WindowAxis> Along(int axis, int64_t input_size) const;
};
StatusOr<TransposedWindow> TransposedWindowOf(const OpCall& call, std::vector<int64_t> kernel);
StatusOr<PartialShape> ConvTransposeShape(const PartialShape& x, const PartialShape& w,
                                          const PartialShape* bias, int64_t groups,
                                          const TransposedWindow& window);

// The spatial sizes of weights [.., .., spatial...].
std::vector<int64_t> KernelOf(const PartialShape& w);

}  // namespace signet
