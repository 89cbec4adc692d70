#include "core/ops/catalog.h"

#include "core/frontends/onnx/lower/onnx_ops.h"
#include "core/ops/control/control_ops.h"
#include "core/ops/elementwise/elementwise_ops.h"
#include "core/ops/extension/extension_ops.h"
#include "core/ops/indexing/indexing_ops.h"
#include "core/ops/linalg/linalg_ops.h"
#include "core/ops/nn/nn_ops.h"
#include "core/ops/quantization/quantization_ops.h"
#include "core/ops/ragged/ragged_ops.h"
#include "core/ops/random/random_ops.h"
#include "core/ops/reduction/reduction_ops.h"
#include "core/ops/shape/shape_ops.h"
#include "core/ops/signal/signal_ops.h"
#include "core/ops/sparse/sparse_ops.h"
#include "core/ops/structured/structured_ops.h"
#include "core/ops/tabular/tabular_ops.h"
#include "core/ops/text/text_ops.h"
#include "core/ops/vision/vision_ops.h"

namespace signet {
namespace {

class Catalog {
 public:
  Catalog() {
#define SIGNET_ADD_OP(maker) Add(maker());
#define SIGNET_ADD_OPS(maker) AddAll(maker());
    SIGNET_CONTROL_OPS(SIGNET_ADD_OP, SIGNET_ADD_OPS)
    SIGNET_ELEMENTWISE_OPS(SIGNET_ADD_OP, SIGNET_ADD_OPS)
    SIGNET_EXTENSION_OPS(SIGNET_ADD_OP, SIGNET_ADD_OPS)
    SIGNET_INDEXING_OPS(SIGNET_ADD_OP, SIGNET_ADD_OPS)
    SIGNET_LINALG_OPS(SIGNET_ADD_OP, SIGNET_ADD_OPS)
    SIGNET_NN_OPS(SIGNET_ADD_OP, SIGNET_ADD_OPS)
    SIGNET_QUANTIZATION_OPS(SIGNET_ADD_OP, SIGNET_ADD_OPS)
    SIGNET_RAGGED_OPS(SIGNET_ADD_OP, SIGNET_ADD_OPS)
    SIGNET_RANDOM_OPS(SIGNET_ADD_OP, SIGNET_ADD_OPS)
    SIGNET_REDUCTION_OPS(SIGNET_ADD_OP, SIGNET_ADD_OPS)
    SIGNET_SHAPE_OPS(SIGNET_ADD_OP, SIGNET_ADD_OPS)
    SIGNET_SIGNAL_OPS(SIGNET_ADD_OP, SIGNET_ADD_OPS)
    SIGNET_SPARSE_OPS(SIGNET_ADD_OP, SIGNET_ADD_OPS)
    SIGNET_STRUCTURED_OPS(SIGNET_ADD_OP, SIGNET_ADD_OPS)
    SIGNET_TABULAR_OPS(SIGNET_ADD_OP, SIGNET_ADD_OPS)
    SIGNET_TEXT_OPS(SIGNET_ADD_OP, SIGNET_ADD_OPS)
    SIGNET_VISION_OPS(SIGNET_ADD_OP, SIGNET_ADD_OPS)
    AddAll(OnnxOps());
  }
  const OpRegistry& registry() const { return registry_; }

 private:
  void Add(OpDef op) { SIGNET_CHECK(registry_.Add(std::move(op)).ok()); }
  void AddAll(std::vector<OpDef> ops) {
    for (OpDef& op : ops) Add(std::move(op));
  }

  OpRegistry registry_;
};

}  // namespace

const OpRegistry& BuiltinOps() {
  static const auto* const catalog = new Catalog;
  return catalog->registry();
}

}  // namespace signet
