// random_permutation and random_shuffle: an order by chance, the same for the same seed. The
// constraints are those of docs/ops/random.md.

#include "core/ops/inference.h"
#include "core/ops/random_ops.h"
#include "core/ops/row_splits.h"
#include "core/ops/rows.h"

namespace signet {
namespace {

StatusOr<std::vector<TypeSpec>> InferRandomPermutation(const OpCall& call) {
  // C1: the count is `int64[]`, the seed an integer.
  SIGNET_RETURN_IF_ERROR(Int64ScalarInput(call, 0).status());
  SIGNET_RETURN_IF_ERROR(Labelled("C1", call.attributes.Int("seed").status()));
  // C2: it is at least 0, at most 2^31. When it runs.
  const Tensor* known = call.constant(0);
  int64_t count = known == nullptr ? kUnknownDim : known->scalar<int64_t>();
  bool fits = count >= 0 && count <= kMaxOutputElements;
  return OneOutput(TensorType(DType::kInt64, {fits ? count : kUnknownDim}));
}

StatusOr<std::vector<GraphValue>> ExpandRandomShuffle(Expander& expander, const OpCall& call,
                                                      std::span<const GraphValue> inputs) {
  // C1: the input has rows.
  SIGNET_ASSIGN_OR_RETURN(Opened x, Labelled("C1", OpenRows(expander, inputs[0], 1)));
  SIGNET_ASSIGN_OR_RETURN(GraphValue count, CountAt(expander, x.rows, 0));
  SIGNET_ASSIGN_OR_RETURN(GraphValue order,
                          expander.Call1("random_permutation", {count}, call.attributes));
  SIGNET_ASSIGN_OR_RETURN(GraphValue elements, TakeRows(expander, x.elements, order));
  SIGNET_ASSIGN_OR_RETURN(GraphValue out, CloseRows(expander, x.rows, elements));
  return std::vector<GraphValue>{out};
}

}  // namespace

OpDef RandomPermutation() {
  return {
      .name = "random_permutation",
      .summary = "Gives the numbers below a count in an order by chance",
      .inputs = {"count"},
      .attributes = {{"seed"}},
      .infer = InferRandomPermutation,
  };
}

OpDef RandomShuffle() {
  return {
      .name = "random_shuffle",
      .summary = "Puts rows in an order by chance",
      .inputs = {"x"},
      .attributes = {{"seed"}},
      .expand = ExpandRandomShuffle,
  };
}

}  // namespace signet
