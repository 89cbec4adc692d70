// Operators of com.microsoft, one line per file.
// onnx_ops.h has the conventions. Stateless; thread-safe.

#pragma once

#include "core/ops/def/op_list.h"

// clang-format off
#define SIGNET_ONNX_CONTRIB_OPS(OP, TABLE) \
  TABLE(OnnxContribAttentionOps)           \
  TABLE(OnnxContribOps)                    \
  TABLE(OnnxQuantizedContribOps)
// clang-format on

namespace signet {

SIGNET_ONNX_CONTRIB_OPS(SIGNET_DECLARE_OP, SIGNET_DECLARE_OP_TABLE)

}  // namespace signet
