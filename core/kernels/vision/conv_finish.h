// ConvFinish: what is done to the sums of a convolution while they are in cache: bias, residual,
// activation. Immutable; thread-safe.

#pragma once

#include "core/kernels/simd/conv.h"
#include "core/kernels/simd/elementwise.h"
#include "core/ops/vision/conv.h"

namespace signet {

class ConvFinish {
 public:
  ConvFinish(const ConvTable& table, Activation activation);
  // to[i] = activation of from[i] + bias (+ residual[i], which may be null).
  void Run(const float* from, float bias, const float* residual, int64_t n, float* to) const;
  // The same by a product (its bias and residual are there), then the rest on each of its rows.
  void AddTo(ConvProduct& product) const;
  // What follows on a sum, and then a function of a row, which is null for most.
  const FinishArguments& arguments() const { return arguments_; }
  UnaryFn function() const { return function_; }
  bool in_product() const { return in_product_; }  // there is no rest
  void RunRest(int64_t n, float* to) const { Run(to, 0, nullptr, n, to); }

 private:
  const ConvTable& table_;
  FinishArguments arguments_;
  bool in_product_;
  UnaryFn function_ = nullptr;  // what follows
};

}  // namespace signet
