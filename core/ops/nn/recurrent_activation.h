// RecurrentActivation: the activations of recurrent cells. This header includes no library, because
// core/kernels/simd includes it.

#pragma once

#include <cstdint>

namespace signet {

enum class ActivationKind : uint8_t {
  kAffine,           // alpha * x + beta
  kElu,              // alpha * (exp(x) - 1) if x < 0, otherwise x
  kHardSigmoid,      // alpha * x + beta, limited to 0 to 1
  kLeakyRelu,        // alpha * x if x < 0, otherwise x
  kRelu,             // 0 if x < 0, otherwise x
  kScaledTanh,       // alpha * tanh(beta * x)
  kSigmoid,          // 1 / (1 + exp(-x))
  kSoftplus,         // log(1 + exp(x))
  kSoftsign,         // x / (1 + |x|)
  kTanh,             // tanh(x)
  kThresholdedRelu,  // x if x > alpha, otherwise 0
};

struct RecurrentActivation {
  ActivationKind kind;
  double alpha;
  double beta;
};

}  // namespace signet
