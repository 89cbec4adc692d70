#include "core/ops/onnx/onnx_ops.h"

#include <iterator>
#include <utility>

#include "core/ops/onnx/ml_ops.h"

namespace signet {

std::vector<OpDef> OnnxOps() {
  // clang-format off
  // One a line, so that two changes seldom meet.
  constexpr std::vector<OpDef> (*kFamilies[])() = {
      OnnxActivationOps,
      OnnxAttentionOps,
      OnnxContribAttentionOps,
      OnnxContribOps,
      OnnxConversionOps,
      OnnxConvolutionOps,
      OnnxCuttingOps,
      OnnxDecodingOps,
      OnnxDetectionOps,
      OnnxElementwiseOps,
      OnnxFeatureOps,
      OnnxIndexingOps,
      OnnxLinearModelOps,
      OnnxLossOps,
      OnnxMakingOps,
      OnnxMapOps,
      OnnxMatmulOps,
      OnnxNormalizationOps,
      OnnxPoolingOps,
      OnnxRandomOps,
      OnnxReductionOps,
      OnnxQuantizationOps,
      OnnxQuantizedContribOps,
      OnnxQuantizedConvOps,
      OnnxResizeOps,
      OnnxRecurrentOps,
      OnnxSequenceOps,
      OnnxShapeOps,
      OnnxSignalOps,
      OnnxTextOps,
      OnnxTrainingOps,
      OnnxTransformerOps,
      OnnxTreeOps,
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
