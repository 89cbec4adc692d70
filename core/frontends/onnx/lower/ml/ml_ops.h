// Operators of ai.onnx.ml, and of text, one line per file.
// onnx_ops.h has the conventions. Stateless; thread-safe.

#pragma once

#include "core/ops/def/op_list.h"

// clang-format off
#define SIGNET_ONNX_ML_OPS(OP, TABLE) \
  TABLE(OnnxFeatureOps)               \
  TABLE(OnnxLinearModelOps)           \
  TABLE(OnnxMapOps)                   \
  TABLE(OnnxTextOps)                  \
  TABLE(OnnxTreeOps)
// clang-format on

namespace signet {

SIGNET_ONNX_ML_OPS(SIGNET_DECLARE_OP, SIGNET_DECLARE_OP_TABLE)

}  // namespace signet
