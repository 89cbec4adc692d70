// Row splits: ops on row splits, which the expansions of ragged values and structures call. C1: an
// input called row splits is a vector of int32 or int64.

#include "core/ops/build/row_splits.h"

#include "core/ops/build/literal_inputs.h"
#include "core/ops/build/op_builder.h"
#include "core/ops/build/parts.h"
#include "core/ops/ragged/ragged_ops.h"

namespace signet {
namespace {

StatusOr<std::vector<TypeSpec>> InferCount(const OpCall& call) {
  SIGNET_RETURN_IF_ERROR(SplitsInput(call, 0).status());
  return OneOutput(Int64Type(Shape{}));
}

StatusOr<std::vector<TypeSpec>> InferRowLengths(const OpCall& call) {
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* splits, SplitsInput(call, 0));
  return OneOutput(Int64Type({KnownRows(*splits)}));
}

StatusOr<std::vector<TypeSpec>> InferSegmentIds(const OpCall& call) {
  SIGNET_RETURN_IF_ERROR(SplitsInput(call, 0).status());
  return OneOutput(Int64Type({KnownValues(call, 0)}));
}

// Expands a call of an op on row splits with a value with ragged rows: uses its innermost rows.
StatusOr<std::vector<GraphValue>> ExpandOnSplits(OpBuilder& build, const OpCall& call,
                                                 std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(std::vector<GraphValue> splits, SplitsOfRows(inputs[0]));
  return build.Call(call.op.name, std::span(&splits.back(), 1), call.attributes);
}

// Expands row_lengths of a ragged value or lists of records. The result has the lengths of the
// innermost rows, in the outer rows.
StatusOr<std::vector<GraphValue>> ExpandRowLengths(OpBuilder& build, const OpCall& call,
                                                   std::span<const GraphValue> inputs) {
  RaggedParts parts;
  SIGNET_ASSIGN_OR_RETURN(parts.splits, SplitsOfRows(inputs[0]));
  SIGNET_ASSIGN_OR_RETURN(parts.values, build.CallOne(call.op.name, {parts.splits.back()}));
  parts.splits.pop_back();
  PartialShape outer = *inputs[0].spec.shape();
  if (outer.has_rank()) outer = outer.Slice(0, static_cast<int>(parts.splits.size()) + 1);
  return OneOutput(MakeRaggedValue(parts, outer));
}

StatusOr<std::vector<TypeSpec>> InferUniformRowSplits(const OpCall& call) {
  SIGNET_RETURN_IF_ERROR(Int64ScalarInput(call, 0).status());
  SIGNET_RETURN_IF_ERROR(Int64ScalarInput(call, 1).status());
  // C2: the number of rows and their length are at least 0. C3: there are not too many rows and
  // values. The kernel checks both.
  const Tensor* rows = call.constant(0);
  int64_t known = rows == nullptr ? kUnknownDim : rows->scalar<int64_t>();
  bool fits = known >= 0 && known < kMaxOutputElements;
  // C4: the row splits are int32 or int64.
  SIGNET_ASSIGN_OR_RETURN(DType dtype, WithConstraint("C4", call.attributes.DTypeNamed("dtype")));
  if (!IsIndexDType(dtype)) {
    return WithConstraint("C4",
                          InvalidArgument("dtype: expected int32 or int64, found ", NameOf(dtype)));
  }
  return OneOutput(TensorType(dtype, {SplitsFor(fits ? known : kUnknownDim)}));
}

StatusOr<std::vector<TypeSpec>> InferCheckRowSplits(const OpCall& call) {
  SIGNET_RETURN_IF_ERROR(SplitsInput(call, 0).status());
  SIGNET_RETURN_IF_ERROR(Int64ScalarInput(call, 1).status());
  return OneOutput(call.inputs[0]);
}

StatusOr<std::vector<TypeSpec>> InferCheckSameSplits(const OpCall& call) {
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* a, SplitsInput(call, 0));
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* b, SplitsInput(call, 1));
  // C2: the numbers of rows are equal, as far as they are known.
  auto merged = a->shape().MergeWith(b->shape());
  if (!merged.ok()) {
    return WithConstraint("C2", InvalidArgument("expected the same number of rows, found ",
                                                KnownRows(*a), " and ", KnownRows(*b)));
  }
  return OneOutput(TensorType(a->dtype(), *std::move(merged)));
}

StatusOr<std::vector<TypeSpec>> InferCheckSameSize(const OpCall& call) {
  SIGNET_RETURN_IF_ERROR(Int64ScalarInput(call, 0).status());
  SIGNET_RETURN_IF_ERROR(Int64ScalarInput(call, 1).status());
  return OneOutput(Int64Type(Shape{}));
}

StatusOr<std::vector<TypeSpec>> InferGatherRowSplits(const OpCall& call) {
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* splits, SplitsInput(call, 0));
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* rows, TensorInput(call, 1));
  // C2: the rows to select are a vector of int32 or int64.
  bool fits =
      IsIndexDType(rows->dtype()) && rows->shape().IsCompatibleWith(PartialShape::OfRank(1));
  if (!fits)
    return WithConstraint("C2",
                          InvalidArgument("input 1: expected a vector of int32 or int64, found `",
                                          call.inputs[1], "`"));
  int64_t count = rows->shape().has_rank() ? rows->shape().dim(0) : kUnknownDim;
  std::vector<TypeSpec> out = OneOutput(TensorType(splits->dtype(), {SplitsFor(count)}));
  out.push_back(Int64Type({kUnknownDim}));
  return out;
}

StatusOr<std::vector<TypeSpec>> InferConcatRowSplits(const OpCall& call) {
  if (call.inputs.empty())
    return WithConstraint("C1", InvalidArgument("expected at least one input, found none"));
  int64_t rows = 0;
  DType dtype = DType::kInt64;
  for (size_t i = 0; i < call.inputs.size(); ++i) {
    SIGNET_ASSIGN_OR_RETURN(const TensorSpec* splits, SplitsInput(call, i));
    // C2: all inputs have the same dtype.
    if (i > 0 && splits->dtype() != dtype) {
      return WithConstraint("C2",
                            InvalidArgument("input ", i, ": expected the dtype of input 0, found `",
                                            call.inputs[i], "`"));
    }
    dtype = splits->dtype();
    int64_t known = KnownRows(*splits);
    rows = rows == kUnknownDim || known == kUnknownDim ? kUnknownDim : rows + known;
  }
  return OneOutput(TensorType(dtype, {SplitsFor(rows)}));
}

StatusOr<std::vector<TypeSpec>> InferRowSplitsFromLengths(const OpCall& call) {
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* lengths, TensorInput(call, 0));
  // C2: the lengths are a vector of int32 or int64.
  bool fits =
      IsIndexDType(lengths->dtype()) && lengths->shape().IsCompatibleWith(PartialShape::OfRank(1));
  if (!fits)
    return WithConstraint("C2",
                          InvalidArgument("input 0: expected a vector of int32 or int64, found `",
                                          call.inputs[0], "`"));
  int64_t rows = lengths->shape().has_rank() ? lengths->shape().dim(0) : kUnknownDim;
  return OneOutput(Int64Type({SplitsFor(rows)}));
}

}  // namespace

std::vector<OpDef> RowSplitOps() {
  return {
      {.name = "num_rows",
       .summary = "Returns the number of rows that row splits define",
       .description =
           "Row splits are a vector of int32 or int64 that starts at 0 and does not decrease. Row "
           "i consists of the values from row_splits[i] to before row_splits[i + 1].",
       .inputs = {"row_splits"},
       .result = "`int64[]`.",
       .constraints = {"The input is row splits."},
       .infer = InferCount},
      {.name = "num_values",
       .summary = "Returns the number of values that row splits divide",
       .description = "Returns the last element of the row splits.",
       .inputs = {"row_splits"},
       .result = "`int64[]`.",
       .constraints = {"The input is row splits."},
       .infer = InferCount},
      {.name = "row_lengths",
       .summary = "Returns the length of each row",
       .description = "Returns the differences of successive row splits.",
       .inputs = {"row_splits"},
       .result = "A vector of int64.",
       .constraints = {"The input is row splits, or a value with ragged rows."},
       .composites = "On a ragged value or lists of records, the op returns the lengths of its "
                     "innermost rows, in its outer rows.",
       .infer = InferRowLengths,
       .expand = ExpandRowLengths},
      {.name = "segment_ids",
       .summary = "Returns the number of the row that contains each value",
       .description = "Returns, for each value, the number of its row.",
       .inputs = {"row_splits"},
       .result = "A vector of int64 with one element per value.",
       .constraints = {"The input is row splits, or a value with ragged rows.",
                       "There are at most 2^31 values."},
       .composites = "On a ragged value or lists of records, the op uses its innermost rows.",
       .infer = InferSegmentIds,
       .expand = ExpandOnSplits},
      {.name = "uniform_row_splits",
       .summary = "Creates the row splits of rows of one length",
       .description = "Creates the row splits of `rows` rows with `length` values each.",
       .inputs = {"rows", "length"},
       .attributes = {{"dtype", AttributeOf(DType::kInt64)}},
       .result = "A vector of `dtype`.",
       .constraints = {"Both inputs are `int64[]` or literals.", "Both inputs are at least 0.",
                       "There are at most 2^31 rows, and the dtype can hold the number of values.",
                       "`dtype` is int64 or int32."},
       .composites = "The inputs may be literals.",
       .infer = InferUniformRowSplits,
       .expand = ExpandWithInt64s,
       .literals_as_tensors = false},
      {.name = "row_splits_from_lengths",
       .summary = "Creates row splits from the lengths of the rows",
       .description = "Creates the row splits of rows with these lengths.",
       .inputs = {"lengths"},
       .result = "A vector of int64.",
       .constraints = {"The input is a tensor.", "The lengths are a vector of int32 or int64.",
                       "Each length is at least 0, and int64 can hold their sum."},
       .infer = InferRowSplitsFromLengths},
      {
          .name = "check_row_splits",
          .summary = "Checks row splits and returns them",
          .inputs = {"row_splits", "num_values"},
          .constraints = {"Input 0 is row splits, and input 1 is `int64[]`.", "",
                          "The row splits end at `num_values`."},
          .infer = InferCheckRowSplits,
          .expand = ExpandWithInt64s,
          .literals_as_tensors = false,
          .aliasing = Aliasing::kView,
          .internal = true,
      },
      {
          .name = "check_same_splits",
          .summary = "Checks that two vectors of row splits are equal",
          .inputs = {"row_splits", "others"},
          .constraints = {"The inputs are row splits.", "The inputs define the same rows."},
          .infer = InferCheckSameSplits,
          .aliasing = Aliasing::kView,
          .internal = true,
      },
      {
          .name = "check_same_size",
          .summary = "Checks that two sizes are equal",
          .inputs = {"size", "other"},
          .constraints = {"The inputs are `int64[]`.", "The inputs are equal."},
          .infer = InferCheckSameSize,
          .expand = ExpandWithInt64s,
          .literals_as_tensors = false,
          .aliasing = Aliasing::kView,
          .internal = true,
      },
      {
          .name = "gather_row_splits",
          .summary = "Returns the row splits of selected rows, and the positions of their values",
          .inputs = {"row_splits", "rows"},
          .outputs = {"row_splits", "positions"},
          .constraints = {"Input 0 is row splits.", "The rows are a vector of int32 or int64.",
                          "Each row exists.", "There are at most 2^31 values."},
          .infer = InferGatherRowSplits,
          .internal = true,
      },
      {
          .name = "concat_row_splits",
          .summary = "Joins row splits one after the other",
          .inputs = {"row_splits..."},
          .constraints = {"There is at least one input, and each is row splits.",
                          "All inputs have the same dtype.",
                          "The dtype can hold the number of values."},
          .infer = InferConcatRowSplits,
          .internal = true,
      },
  };
}

}  // namespace signet
