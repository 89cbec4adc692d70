// ConvFinish: adds bias and residual to the sums of a convolution and applies the activation, while
// the sums are in cache. Immutable; thread-safe.

#pragma once

#include "core/kernels/simd/conv.h"
#include "core/kernels/simd/elementwise.h"
#include "core/ops/vision/conv.h"

namespace signet {

class ConvFinish {
 public:
  ConvFinish(const ConvTable& table, Activation activation);
  // Computes to[i] = activation(from[i] + bias + residual[i]). `residual` may be null.
  void Run(const float* from, float bias, const float* residual, int64_t n, float* to) const;
  // Lets a product do the same as far as possible. The product already has its bias and residual.
  // RunRest completes each of its rows.
  void AddTo(ConvProduct& product) const;
  // The operations on a sum, and a function of a row afterward, which is null for most activations.
  const FinishArguments& arguments() const { return arguments_; }
  UnaryFn function() const { return function_; }
  bool in_product() const { return in_product_; }  // the product does all
  void RunRest(int64_t n, float* to) const { Run(to, 0, nullptr, n, to); }

 private:
  const ConvTable& table_;
  FinishArguments arguments_;
  bool in_product_;
  UnaryFn function_ = nullptr;  // applied afterward
};

}  // namespace signet
