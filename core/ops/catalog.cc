#include "core/ops/catalog.h"

#include <algorithm>
#include <iostream>

#include "core/frontends/onnx/lower/onnx_ops.h"
#include "core/frontends/savedmodel/lower/tf_ops.h"
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
#define SIGNET_ADD_FAMILY(name, title, list) \
  families_.push_back({name, title, {}});    \
  list(SIGNET_ADD_OP, SIGNET_ADD_OPS)
    SIGNET_ADD_FAMILY("control", "Control flow", SIGNET_CONTROL_OPS)
    SIGNET_ADD_FAMILY("elementwise", "Elementwise", SIGNET_ELEMENTWISE_OPS)
    SIGNET_ADD_FAMILY("extension", "Extension types", SIGNET_EXTENSION_OPS)
    SIGNET_ADD_FAMILY("indexing", "Indexing", SIGNET_INDEXING_OPS)
    SIGNET_ADD_FAMILY("linalg", "Linear algebra", SIGNET_LINALG_OPS)
    SIGNET_ADD_FAMILY("nn", "Neural networks", SIGNET_NN_OPS)
    SIGNET_ADD_FAMILY("quantization", "Quantization", SIGNET_QUANTIZATION_OPS)
    SIGNET_ADD_FAMILY("ragged", "Ragged values", SIGNET_RAGGED_OPS)
    SIGNET_ADD_FAMILY("random", "Random numbers", SIGNET_RANDOM_OPS)
    SIGNET_ADD_FAMILY("reduction", "Reductions", SIGNET_REDUCTION_OPS)
    SIGNET_ADD_FAMILY("shape", "Shapes", SIGNET_SHAPE_OPS)
    SIGNET_ADD_FAMILY("signal", "Signals", SIGNET_SIGNAL_OPS)
    SIGNET_ADD_FAMILY("sparse", "Sparse values", SIGNET_SPARSE_OPS)
    SIGNET_ADD_FAMILY("structured", "Structures and nests", SIGNET_STRUCTURED_OPS)
    SIGNET_ADD_FAMILY("tabular", "Tabular models", SIGNET_TABULAR_OPS)
    SIGNET_ADD_FAMILY("text", "Text", SIGNET_TEXT_OPS)
    SIGNET_ADD_FAMILY("vision", "Images", SIGNET_VISION_OPS)
    families_.push_back({"onnx", "Operators of ONNX", {}});
    AddAll(OnnxOps());
    families_.push_back({"tf", "Operators of TensorFlow", {}});
    AddAll(TfOps());
    for (OpFamilyList& family : families_) {
      std::sort(family.ops.begin(), family.ops.end(),
                [](const OpDef* a, const OpDef* b) { return a->name < b->name; });
    }
  }
  const OpRegistry& registry() const { return registry_; }
  const std::vector<OpFamilyList>& families() const { return families_; }

 private:
  void Add(OpDef op) {
    std::string name = op.name;
    Status added = registry_.Add(std::move(op));
    if (!added.ok()) std::cerr << added << "\n";
    SIGNET_CHECK(added.ok());
    families_.back().ops.push_back(registry_.Lookup(name));
  }
  void AddAll(std::vector<OpDef> ops) {
    for (OpDef& op : ops) Add(std::move(op));
  }

  OpRegistry registry_;
  std::vector<OpFamilyList> families_;
};

const Catalog& TheCatalog() {
  static const auto* const catalog = new Catalog;
  return *catalog;
}

}  // namespace

const OpRegistry& BuiltinOps() { return TheCatalog().registry(); }
std::span<const OpFamilyList> OpFamilies() { return TheCatalog().families(); }

}  // namespace signet
