// lookup: returns the position of each key in a vocabulary.
//
//   lookup(["salt", "tar"], ["flour", "salt"])  =>  [1, -1]
// If the vocabulary is a constant, its hash table is built only once, with the kernel.

#include "core/ops/build/flat_values.h"
#include "core/ops/build/sparse/sparse_expansions.h"
#include "core/ops/def/inference.h"
#include "core/ops/indexing/indexing_ops.h"
#include "core/ops/indexing/vocabulary.h"

namespace signet {
namespace {

StatusOr<std::vector<TypeSpec>> InferLookup(const OpCall& call) {
  // C1, C2: see CheckVocabulary.
  SIGNET_RETURN_IF_ERROR(CheckVocabulary(call));
  // C3: `default` is an integer.
  SIGNET_RETURN_IF_ERROR(WithConstraint("C3", call.attributes.Int("default").status()));
  return OneOutput(TensorType(DType::kInt64, *call.inputs[0].shape()));
}

// Expands calls with ragged keys. The vocabulary is a tensor.
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
      .description =
          "Returns the position of each key in the vocabulary, and `default` if the vocabulary "
          "does not contain the key. If a word occurs several times, its first position is "
          "returned. NaN is one key. A vocabulary that is a capture is hashed once.",
      .inputs = {"keys", "vocabulary"},
      .attributes = {{"default", AttributeOf(-1)}},
      .result = "A value of int64 with the shape of the keys.",
      .constraints = {"The keys and the vocabulary are tensors of the same dtype: string, int32, "
                      "int64, float32, or float64.",
                      "The vocabulary is a vector.", "`default` is an integer."},
      .composites =
          "On ragged keys, the op looks up the flat values. On sparse keys, it looks up the stored "
          "values.",
      .infer = InferLookup,
      .expand = ExpandLookup,
      .expand_sparse = ExpandSparseOnValues,
  };
}

}  // namespace signet
