#include "core/frontends/onnx/lower/onnx_ops.h"

#include <iterator>
#include <utility>

#include "core/frontends/onnx/lower/contrib/contrib_ops.h"
#include "core/frontends/onnx/lower/ml/ml_ops.h"
#include "core/frontends/onnx/lower/standard/standard_ops.h"

namespace signet {

std::vector<OpDef> OnnxOps() {
  std::vector<OpDef> ops;
  auto add = [&](std::vector<OpDef> table) {
    ops.insert(ops.end(), std::make_move_iterator(table.begin()),
               std::make_move_iterator(table.end()));
  };
#define SIGNET_ADD_OP(maker)
#define SIGNET_ADD_OPS(maker) add(maker());
  SIGNET_ONNX_STANDARD_OPS(SIGNET_ADD_OP, SIGNET_ADD_OPS)
  SIGNET_ONNX_ML_OPS(SIGNET_ADD_OP, SIGNET_ADD_OPS)
  SIGNET_ONNX_CONTRIB_OPS(SIGNET_ADD_OP, SIGNET_ADD_OPS)
  return ops;
}

}  // namespace signet
