// Ops that follow the order of the values within each row. The constraints are those of
// docs/reference/ops/ragged.md.
//
//   segment_sort([3, 1, 2, 9], [0, 3, 4])  =>  [1, 2, 3, 9], [1, 2, 0, 0], [0, 3, 4]

#include "core/ops/build/row_splits.h"
#include "core/ops/def/dtype_group.h"
#include "core/ops/ragged/ragged_ops.h"

namespace signet {
namespace {

// C1: input 1 is row splits. C2: values are of rank at least 1, and of a dtype that the op takes.
// C3: the splits end at their number.
StatusOr<const TensorSpec*> ValuesInput(const OpCall& call, DTypeGroup group) {
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* values, TensorInputOf(call, 0, group));
  SIGNET_RETURN_IF_ERROR(SplitsInput(call, 1).status());
  const PartialShape& shape = values->shape();
  if (shape.has_rank() && shape.rank() == 0) {
    return InvalidArgument("C2 input 0 is `", call.inputs[0], "`; takes a rank of at least 1");
  }
  int64_t count = KnownValues(call, 1);
  bool fits = count == kUnknownDim || !shape.has_rank() || shape.dim(0) == kUnknownDim ||
              shape.dim(0) == count;
  if (fits) return values;
  return InvalidArgument("C3 row_splits end at ", count, "; there are ", shape.dim(0), " values");
}

// `values`, with another number of rows.
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
  // C4: each row has a value. When it runs.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* values, ValuesInput(call, DTypeGroup::kReal));
  SIGNET_RETURN_IF_ERROR(call.attributes.Bool("last").status());
  int64_t rows = KnownRows(*call.inputs[1].As<TensorSpec>());
  return OneOutput(TensorType(DType::kInt64, WithCount(*values, rows)));
}

StatusOr<std::vector<TypeSpec>> InferSort(const OpCall& call) {
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* values, ValuesInput(call, DTypeGroup::kOrdered));
  SIGNET_RETURN_IF_ERROR(call.attributes.Bool("descending").status());
  // C4: `k` is None or at least 0.
  SIGNET_ASSIGN_OR_RETURN(auto k, Labelled("C4", call.attributes.OptionalInt("k")));
  if (k && *k < 0) return InvalidArgument("C4 attribute `k` is ", *k, "; takes at least 0");
  PartialShape shape = k ? WithCount(*values, kUnknownDim) : values->shape();
  return std::vector<TypeSpec>{TensorType(values->dtype(), shape), TensorType(DType::kInt64, shape),
                               call.inputs[1]};
}

OpDef Make(const char* name, const char* summary, std::vector<AttributeDef> attributes,
           InferFn infer) {
  return {
      .name = name,
      .summary = summary,
      .inputs = {"values", "row_splits"},
      .attributes = std::move(attributes),
      .infer = infer,
      .own_dtypes = {"row_splits"},
  };
}

}  // namespace

std::vector<OpDef> SegmentOrderOps() {
  const AttributeDef last = {"last", AttributeOf(false)};
  return {
      Make("segment_argmax", "Finds where in each row the greatest value is", {last}, InferArg),
      Make("segment_argmin", "Finds where in each row the least value is", {last}, InferArg),
      Make("segment_cumsum", "Sums all values of a row up to each",
           {{"exclusive", AttributeOf(false)}, {"reverse", AttributeOf(false)}}, InferCumsum),
      Make("segment_log_softmax", "Takes the logarithm of softmax within each row", {},
           InferLogSoftmax),
      Make("segment_sort", "Puts the values of each row in order, and keeps the first of them",
           {{"descending", AttributeOf(false)}, {"k", NoneAttribute()}}, InferSort),
  };
}

}  // namespace signet
