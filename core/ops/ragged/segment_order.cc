// Segment order: ops that depend on the order of the values within each row.
//
//   segment_sort([3, 1, 2, 9], [0, 3, 4])  =>  [1, 2, 3, 9], [1, 2, 0, 0], [0, 3, 4]

#include "core/ops/build/row_splits.h"
#include "core/ops/def/dtype_group.h"
#include "core/ops/ragged/ragged_ops.h"

namespace signet {
namespace {

// Returns the type of the values. C1: input 1 is row splits. C2: the values have a rank of at least
// 1 and a dtype that the op accepts. C3: the splits end at the number of values.
StatusOr<const TensorSpec*> ValuesInput(const OpCall& call, DTypeGroup group) {
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
  SIGNET_ASSIGN_OR_RETURN(auto k, WithConstraint("C4", call.attributes.OptionalInt("k")));
  if (k && *k < 0)
    return WithConstraint("C4", InvalidArgument("attribute `k`: expected at least 0, found ", *k));
  PartialShape shape = k ? WithCount(*values, kUnknownDim) : values->shape();
  return std::vector<TypeSpec>{TensorType(values->dtype(), shape), TensorType(DType::kInt64, shape),
                               call.inputs[1]};
}

// Adds the parts of the definition that all ops share.
OpDef MakeSegmentOp(OpDef op) {
  op.inputs = {"values", "row_splits"};
  op.own_dtypes = {"row_splits"};
  return op;
}

}  // namespace

std::vector<OpDef> SegmentOrderOps() {
  const AttributeDef last = {"last", AttributeOf(false)};
  return {
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
           .infer = InferArg}),
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
           .infer = InferArg}),
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
           .infer = InferCumsum}),
      MakeSegmentOp({.name = "segment_log_softmax",
                     .summary = "Computes the logarithm of the softmax within each row",
                     .description = "Computes the logarithm of `segment_softmax`.",
                     .result = "A tensor with the type of the values.",
                     .constraints = {"Input 1 is row splits.",
                                     "The values have a rank of at least 1 and a float dtype.",
                                     "The row splits end at the number of values."},
                     .infer = InferLogSoftmax}),
      MakeSegmentOp(
          {.name = "segment_sort",
           .summary = "Sorts the values of each row",
           .description = "Sorts the values within each row. With `k`, only the first k values of "
                          "each row are returned.",
           .attributes = {{"descending", AttributeOf(false)}, {"k", NoneAttribute()}},
           .outputs = {"values", "positions", "row_splits"},
           .result = "Three outputs: the sorted values, the position of each within its row, and "
                     "the row splits.",
           .constraints = {"Input 1 is row splits.",
                           "The values have a rank of at least 1 and a dtype that can be sorted.",
                           "The row splits end at the number of values.",
                           "`k` is None or at least 0."},
           .infer = InferSort}),
  };
}

}  // namespace signet
