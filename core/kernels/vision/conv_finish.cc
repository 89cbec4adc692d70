#include "core/kernels/vision/conv_finish.h"

#include <algorithm>
#include <string_view>

namespace signet {
namespace {

UnaryFn FloatFunction(std::string_view op) {
  for (const auto& row : SIGNET_ACTIVE_TABLE(MathTable).rows) {
    if (row.op == op) return row.by_dtype[static_cast<int>(DTypeNumber::kFloat32)];
  }
  return nullptr;
}

}  // namespace

ConvFinish::ConvFinish(const ConvTable& table, Activation activation)
    : table_(table), arguments_{RowFinish::kAsIs, activation.alpha, activation.beta} {
  switch (activation.kind) {
    case ActivationKind::kNone:
      break;
    case ActivationKind::kClip:
      arguments_.kind = RowFinish::kClip;
      break;
    case ActivationKind::kLeakyRelu:
      arguments_.kind = RowFinish::kLeakyRelu;
      break;
    case ActivationKind::kHardSigmoid:
      arguments_.kind = RowFinish::kHardSigmoid;
      break;
    case ActivationKind::kHardSwish:
      arguments_.kind = RowFinish::kHardSwish;
      break;
    case ActivationKind::kSigmoid:
      arguments_.kind = RowFinish::kSigmoid;
      break;
    case ActivationKind::kTanh:
      function_ = FloatFunction("tanh");
      break;
    case ActivationKind::kGelu:
      function_ = FloatFunction("gelu");
      break;
    case ActivationKind::kSilu:
      arguments_.kind = RowFinish::kSilu;
      break;
  }
  in_product_ = activation.kind == ActivationKind::kNone || arguments_.kind == RowFinish::kClip;
}

void ConvFinish::AddTo(ConvProduct& product) const {
  product.clips = arguments_.kind == RowFinish::kClip;
  product.low = arguments_.alpha;
  product.high = arguments_.beta;
}

void ConvFinish::Run(const float* from, float bias, const float* residual, int64_t n,
                     float* to) const {
  table_.finish(from, bias, residual, arguments_, n, to);
  if (function_ != nullptr) function_(to, to, n);
}

}  // namespace signet
