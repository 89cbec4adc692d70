// RecurrentActivation: the activations of recurrent cells. No library behind: simd/ includes it.

#pragma once

#include <cstdint>

namespace signet {

enum class ActivationKind : uint8_t {
  kAffine,           // alpha * x + beta
  kElu,              // x below 0: alpha * (exp(x) - 1)
  kHardSigmoid,      // alpha * x + beta, within 0 and 1
  kLeakyRelu,        // x below 0: alpha * x
  kRelu,             // x below 0: 0
  kScaledTanh,       // alpha * tanh(beta * x)
  kSigmoid,          // 1 / (1 + exp(-x))
  kSoftplus,         // log(1 + exp(x))
  kSoftsign,         // x / (1 + |x|)
  kTanh,             // tanh(x)
  kThresholdedRelu,  // x up to alpha: 0
};

struct RecurrentActivation {
  ActivationKind kind;
  double alpha;
  double beta;
};

}  // namespace signet
