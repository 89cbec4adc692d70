// lookup: the position of each key in a vocabulary. The constraints are those of
// docs/reference/ops.md.
//
//   lookup(["salt", "tar"], ["flour", "salt"])  =>  [1, -1]
//
// When the vocabulary is a constant, its hash table is built once, with the kernel.

#include "core/ops/build/flat_values.h"
#include "core/ops/def/inference.h"
#include "core/ops/indexing/indexing_ops.h"
#include "core/ops/indexing/vocabulary.h"

namespace signet {
namespace {

StatusOr<std::vector<TypeSpec>> InferLookup(const OpCall& call) {
  // C1, C2: see CheckVocabulary.
  SIGNET_RETURN_IF_ERROR(CheckVocabulary(call));
  // C3: `default` is an integer.
  SIGNET_RETURN_IF_ERROR(Labelled("C3", call.attributes.Int("default").status()));
  return OneOutput(TensorType(DType::kInt64, *call.inputs[0].shape()));
}

// Keys may be ragged, the vocabulary not.
StatusOr<std::vector<GraphValue>> ExpandLookup(OpBuilder& build, const OpCall& call,
                                               std::span<const GraphValue> inputs) {
  SIGNET_RETURN_IF_ERROR(TensorInput(call, 1).status());
  return ExpandOnFlatValues(build, call, inputs);
}

}  // namespace

OpDef Lookup() {
  return {
      .name = "lookup",
      .summary = "Finds the position of each key in a vocabulary",
      .inputs = {"keys", "vocabulary"},
      .attributes = {{"default", AttributeOf(-1)}},
      .infer = InferLookup,
      .expand = ExpandLookup,
  };
}

}  // namespace signet
