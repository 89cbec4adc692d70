#include "core/ops/onnx/onnx_ops.h"

#include <iterator>
#include <utility>

namespace signet {

std::vector<OpDef> OnnxOps() {
  constexpr std::vector<OpDef> (*kFamilies[])() = {
      OnnxConversionOps, OnnxCuttingOps, OnnxElementwiseOps,
      OnnxIndexingOps,   OnnxMakingOps,  OnnxShapeOps,
      OnnxConvolutionOps, OnnxDetectionOps, OnnxElementwiseOps,
      OnnxPoolingOps,     OnnxResizeOps,    OnnxShapeOps,
  };
  std::vector<OpDef> ops;
  for (auto family : kFamilies) {
    auto members = family();
    ops.insert(ops.end(), std::make_move_iterator(members.begin()),
               std::make_move_iterator(members.end()));
  }
  return ops;
}

}  // namespace signet
