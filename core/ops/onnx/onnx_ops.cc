#include "core/ops/onnx/onnx_ops.h"

#include <iterator>
#include <utility>

namespace signet {

std::vector<OpDef> OnnxOps() {
  // clang-format off: one a line
  constexpr std::vector<OpDef> (*kFamilies[])() = {
      OnnxConversionOps,
      OnnxConvolutionOps,
      OnnxCuttingOps,
      OnnxDetectionOps,
      OnnxElementwiseOps,
      OnnxIndexingOps,
      OnnxMakingOps,
      OnnxPoolingOps,
      OnnxResizeOps,
      OnnxShapeOps,
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
