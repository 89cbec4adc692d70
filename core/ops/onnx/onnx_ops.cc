#include "core/ops/onnx/onnx_ops.h"

#include <iterator>
#include <utility>

namespace signet {

std::vector<OpDef> OnnxOps() {
  // clang-format off: one a line
  constexpr std::vector<OpDef> (*kFamilies[])() = {
      OnnxActivationOps,
      OnnxConversionOps,
      OnnxConvolutionOps,
      OnnxCuttingOps,
      OnnxDetectionOps,
      OnnxElementwiseOps,
      OnnxIndexingOps,
      OnnxLossOps,
      OnnxMakingOps,
      OnnxMatmulOps,
      OnnxNormalizationOps,
      OnnxPoolingOps,
      OnnxRandomOps,
      OnnxReductionOps,
      OnnxResizeOps,
      OnnxShapeOps,
      OnnxSignalOps,
  };
  // clang-format on
  std::vector<OpDef> ops;
  for (auto family : kFamilies) {
    auto members = family();
    ops.insert(ops.end(), std::make_move_iterator(members.begin()),
               std::make_move_iterator(members.end()));
  }
  return ops;
}

}  // namespace signet
