// Operators of ai.onnx, one line per file.
// onnx_ops.h has the conventions. Stateless; thread-safe.

#pragma once

#include "core/ops/def/op_list.h"

// clang-format off
#define SIGNET_ONNX_STANDARD_OPS(OP, TABLE) \
  TABLE(OnnxActivationOps)                  \
  TABLE(OnnxAttentionOps)                   \
  TABLE(OnnxConversionOps)                  \
  TABLE(OnnxConvolutionOps)                 \
  TABLE(OnnxCuttingOps)                     \
  TABLE(OnnxDecodingOps)                    \
  TABLE(OnnxDetectionOps)                   \
  TABLE(OnnxElementwiseOps)                 \
  TABLE(OnnxIndexingOps)                    \
  TABLE(OnnxLossOps)                        \
  TABLE(OnnxMakingOps)                      \
  TABLE(OnnxMatmulOps)                      \
  TABLE(OnnxNormalizationOps)               \
  TABLE(OnnxPoolingOps)                     \
  TABLE(OnnxQuantizationOps)                \
  TABLE(OnnxQuantizedConvOps)               \
  TABLE(OnnxRandomOps)                      \
  TABLE(OnnxRecurrentOps)                   \
  TABLE(OnnxReductionOps)                   \
  TABLE(OnnxResizeOps)                      \
  TABLE(OnnxSequenceOps)                    \
  TABLE(OnnxShapeOps)                       \
  TABLE(OnnxSignalOps)                      \
  TABLE(OnnxTrainingOps)                    \
  TABLE(OnnxTransformerOps)
// clang-format on

namespace signet {

SIGNET_ONNX_STANDARD_OPS(SIGNET_DECLARE_OP, SIGNET_DECLARE_OP_TABLE)

}  // namespace signet
