// Segment order: ops that depend on the order of the values within each row.
//
//   segment_sort([3, 1, 2, 9], [0, 3, 4])  =>  [1, 2, 3, 9], [1, 2, 0, 0], [0, 3, 4]

#include <algorithm>

#include "core/ops/build/op_builder.h"
#include "core/ops/build/parts.h"
#include "core/ops/build/row_splits.h"
#include "core/ops/def/dtype_group.h"
#include "core/ops/def/int_list.h"
#include "core/ops/ragged/ragged_ops.h"

namespace signet {
namespace {

// Returns the type of the values. C1: input 1 is row splits. C2: the values have a rank of at least
// 1 and a dtype that the op accepts. C3: the splits end at the number of values.
StatusOr<const TensorSpec*> ValuesInput(const OpCall& call, DTypeGroup group) {
  SIGNET_RETURN_IF_ERROR(CheckSegmentInputs(call));
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* values, TensorInputOf(call, 0, group));
  SIGNET_RETURN_IF_ERROR(SplitsInput(call, 1).status());
  const PartialShape& shape = values->shape();
  if (shape.has_rank() && shape.rank() == 0) {
    return WithConstraint("C2", InvalidArgument("input 0: expected a rank of at least 1, found `",
                                                call.inputs[0], "`"));
  }
  int64_t count = KnownValues(call, 1);
  bool fits = count == kUnknownDim || !shape.has_rank() || shape.dim(0) == kUnknownDim ||
              shape.dim(0) == count;
  if (fits) return values;
  return WithConstraint("C3",
                        InvalidArgument("row_splits: expected ", shape.dim(0),
                                        " as the last entry, the number of values, found ", count));
}

// Returns the shape of `values` with `count` rows.
PartialShape WithCount(const TensorSpec& values, int64_t count) {
  return values.shape().has_rank() ? values.shape().WithDim(0, count) : PartialShape();
}

StatusOr<std::vector<TypeSpec>> InferLogSoftmax(const OpCall& call) {
  SIGNET_RETURN_IF_ERROR(ValuesInput(call, DTypeGroup::kFloat).status());
  return OneOutput(call.inputs[0]);
}

StatusOr<std::vector<TypeSpec>> InferCumsum(const OpCall& call) {
  SIGNET_RETURN_IF_ERROR(ValuesInput(call, DTypeGroup::kNumeric).status());
  SIGNET_RETURN_IF_ERROR(call.attributes.Bool("exclusive").status());
  SIGNET_RETURN_IF_ERROR(call.attributes.Bool("reverse").status());
  return OneOutput(call.inputs[0]);
}

StatusOr<std::vector<TypeSpec>> InferArg(const OpCall& call) {
  // C4: each row has a value. The kernel checks this.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* values, ValuesInput(call, DTypeGroup::kReal));
  SIGNET_RETURN_IF_ERROR(call.attributes.Bool("last").status());
  int64_t rows = KnownRows(*call.inputs[1].As<TensorSpec>());
  return OneOutput(TensorType(DType::kInt64, WithCount(*values, rows)));
}

StatusOr<std::vector<TypeSpec>> InferSort(const OpCall& call) {
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* values, ValuesInput(call, DTypeGroup::kOrdered));
  SIGNET_RETURN_IF_ERROR(call.attributes.Bool("descending").status());
  // C4: `k` is None or at least 0.
  SIGNET_ASSIGN_OR_RETURN(auto k, WithConstraint("C4", FindCount(call, "k", 2)));
  PartialShape shape = k ? WithCount(*values, kUnknownDim) : values->shape();
  return std::vector<TypeSpec>{TensorType(values->dtype(), shape), TensorType(DType::kInt64, shape),
                               call.inputs[1]};
}

// Calls the op on the flat values and the innermost row splits of a ragged value.
StatusOr<std::vector<GraphValue>> CallOnRows(OpBuilder& build, const OpCall& call,
                                             std::span<const GraphValue> inputs) {
  if (inputs.size() > 1 && inputs[1].spec) return CheckSegmentInputs(call);
  SIGNET_ASSIGN_OR_RETURN(RaggedParts parts, PartsOfRows(inputs[0]));
  std::vector<GraphValue> given = {parts.values, parts.splits.back()};
  given.insert(given.end(), inputs.begin() + std::min<std::ptrdiff_t>(2, std::ssize(inputs)),
               inputs.end());
  return build.Call(call.op.name, given, call.attributes);
}

// Expands a call with a ragged value whose results have one element per value.
StatusOr<std::vector<GraphValue>> ExpandValues(OpBuilder& build, const OpCall& call,
                                               std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(auto outputs, CallOnRows(build, call, inputs));
  RaggedParts parts = RaggedPartsOf(inputs[0]);
  parts.values = std::move(outputs[0]);
  return OneOutput(MakeRaggedValue(parts, *inputs[0].spec.shape()));
}

// Expands a call with a ragged value whose result has one element per row.
StatusOr<std::vector<GraphValue>> ExpandRows(OpBuilder& build, const OpCall& call,
                                             std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(auto outputs, CallOnRows(build, call, inputs));
  RaggedParts parts = RaggedPartsOf(inputs[0]);
  parts.splits.pop_back();
  parts.values = std::move(outputs[0]);
  return OneOutput(MakeRaggedValue(parts));
}

// Expands segment_sort of a ragged value: the values and positions are ragged.
StatusOr<std::vector<GraphValue>> ExpandSort(OpBuilder& build, const OpCall& call,
                                             std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(auto outputs, CallOnRows(build, call, inputs));
  RaggedParts parts = RaggedPartsOf(inputs[0]);
  parts.splits.back() = outputs[2];
  for (size_t i : {0, 1}) {
    parts.values = std::move(outputs[i]);
    SIGNET_ASSIGN_OR_RETURN(outputs[i], MakeRaggedValue(parts));
  }
  return outputs;
}

// Adds the parts of the definition that all ops share.
OpDef MakeSegmentOp(OpDef op, ExpandFn expand) {
  op.inputs = {"values", "row_splits?"};
  op.own_dtypes = {"row_splits"};
  op.expand = expand;
  op.composites = "With one input, a ragged value, the op uses its innermost rows. ";
  op.composites += expand == ExpandRows     ? "The result has the outer rows."
                   : expand == ExpandValues ? "The result has the same rows."
                                            : "Outputs 0 and 1 are ragged.";
  return op;
}

}  // namespace

std::vector<OpDef> SegmentOrderOps() {
  const AttributeDef last = {"last", AttributeOf(false)};
  std::vector<OpDef> ops = {
      MakeSegmentOp(
          {.name = "segment_argmax",
           .summary = "Finds the position of the largest value of each row",
           .description =
               "Returns, for each row, the position within the row of the largest value.",
           .attributes = {last},
           .result = "`int64[rows]`, followed by the other dimensions of the values.",
           .constraints = {"Input 1 is row splits.",
                           "The values have a rank of at least 1 and an integer or float dtype.",
                           "The row splits end at the number of values.", "No row is empty."},
           .infer = InferArg},
          ExpandRows),
      MakeSegmentOp(
          {.name = "segment_argmin",
           .summary = "Finds the position of the smallest value of each row",
           .description =
               "Returns, for each row, the position within the row of the smallest value.",
           .attributes = {last},
           .result = "`int64[rows]`, followed by the other dimensions of the values.",
           .constraints = {"Input 1 is row splits.",
                           "The values have a rank of at least 1 and an integer or float dtype.",
                           "The row splits end at the number of values.", "No row is empty."},
           .infer = InferArg},
          ExpandRows),
      MakeSegmentOp(
          {.name = "segment_cumsum",
           .summary = "Computes cumulative sums within each row",
           .description =
               "Returns, for each value, the sum of the values of its row up to it. `exclusive` "
               "leaves out the value itself, and `reverse` sums from the end of the row.",
           .attributes = {{"exclusive", AttributeOf(false)}, {"reverse", AttributeOf(false)}},
           .result = "A tensor with the type of the values.",
           .constraints = {"Input 1 is row splits.",
                           "The values have a rank of at least 1 and a numeric dtype.",
                           "The row splits end at the number of values."},
           .infer = InferCumsum},
          ExpandValues),
      MakeSegmentOp({.name = "segment_log_softmax",
                     .summary = "Computes the logarithm of the softmax within each row",
                     .description = "Computes the logarithm of `segment_softmax`.",
                     .result = "A tensor with the type of the values.",
                     .constraints = {"Input 1 is row splits.",
                                     "The values have a rank of at least 1 and a float dtype.",
                                     "The row splits end at the number of values."},
                     .infer = InferLogSoftmax},
                    ExpandValues),
      MakeSegmentOp(
          {.name = "segment_sort",
           .summary = "Sorts the values of each row",
           .description = "Sorts the values within each row. With `k`, an attribute or an input, "
                          "only the first k values of each row are returned.",
           .attributes = {{"descending", AttributeOf(false)}, {"k", NoneAttribute()}},
           .outputs = {"values", "positions", "row_splits"},
           .result = "Three outputs: the sorted values, the position of each within its row, and "
                     "the row splits.",
           .constraints = {"Input 1 is row splits.",
                           "The values have a rank of at least 1 and a dtype that can be sorted.",
                           "The row splits end at the number of values.",
                           "`k` is None or at least 0."},
           .infer = InferSort},
          ExpandSort),
  };
  ops.back().inputs.push_back("k?");
  ops.back().own_dtypes.push_back("k");
  return ops;
}

}  // namespace signet
