// random_permutation, random_shuffle: create a random order that depends only on a seed.

#include "core/ops/build/literal_inputs.h"
#include "core/ops/build/op_builder.h"
#include "core/ops/build/row_splits.h"
#include "core/ops/build/rows/rows.h"
#include "core/ops/def/inference.h"
#include "core/ops/random/random_ops.h"

namespace signet {
namespace {

StatusOr<std::vector<TypeSpec>> InferRandomPermutation(const OpCall& call) {
  // C1: the seed is `int64[]` or `int32[]`, and the count is `int64[]`.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* seed, TensorInput(call, 0));
  if (!IsIndexDType(seed->dtype()) || !seed->shape().IsCompatibleWith(Shape{})) {
    return WithConstraint("C1", InvalidArgument("input 0: expected `int64[]` or `int32[]`, found `",
                                                call.inputs[0], "`"));
  }
  SIGNET_RETURN_IF_ERROR(Int64ScalarInput(call, 1).status());
  // C2: the count is at least 0 and at most 2^31, which the kernel checks.
  const Tensor* known = call.constant(1);
  int64_t count = known == nullptr ? kUnknownDim : known->scalar<int64_t>();
  bool fits = count >= 0 && count <= kMaxOutputElements;
  return OneOutput(TensorType(DType::kInt64, {fits ? count : kUnknownDim}));
}

StatusOr<std::vector<GraphValue>> ExpandRandomShuffle(OpBuilder& build, const OpCall&,
                                                      std::span<const GraphValue> inputs) {
  // C1: the input has rows.
  SIGNET_ASSIGN_OR_RETURN(Opened x, WithConstraint("C1", OpenRows(build, inputs[0], 1)));
  SIGNET_ASSIGN_OR_RETURN(GraphValue order,
                          build.RandomPermutation(inputs[1], CountAt(build, x.rows, 0)));
  SIGNET_ASSIGN_OR_RETURN(GraphValue elements, TakeRows(build, x.elements, order));
  return OneOutput(CloseRows(build, x.rows, elements));
}

}  // namespace

OpDef RandomPermutation() {
  return {
      .name = "random_permutation",
      .summary = "Creates a random permutation",
      .description =
          "Returns the numbers from 0 to `count` - 1 in a random order. Each order has the same "
          "probability. The same seed has the same result on every machine and in every version.",
      .inputs = {"seed", "count"},
      .result = "A vector of int64.",
      .constraints = {"The seed is `int64[]` or `int32[]`, and the count is `int64[]`.",
                      "The count is at least 0 and at most 2^31."},
      .composites = "The inputs are tensors or literals.",
      .infer = InferRandomPermutation,
      .expand = ExpandWithInt64s,
      .literals_as_tensors = false,
  };
}

OpDef RandomShuffle() {
  return {
      .name = "random_shuffle",
      .summary = "Shuffles rows",
      .description =
          "Returns the rows of x in a random order. All fields of a structure have the same order.",
      .inputs = {"x", "seed"},
      .result = "A value of the type of x.",
      .constraints = {"The input has a first dimension."},
      .composites = "The rows of tensors, ragged values, and structures are shuffled.",
      .expand = ExpandRandomShuffle,
      .own_dtypes = {"seed"},
  };
}

}  // namespace signet
