// Row cuts: ops that select rows and elements: cut_row_splits, slice_rows, slice_row_values,
// mask_row_splits, row_elements, cut_rows, check_index, and clip_slice.

#include "core/ops/build/literal_inputs.h"
#include "core/ops/build/row_splits.h"
#include "core/ops/ragged/ragged_ops.h"

namespace signet {
namespace {

int64_t KnownScalar(const OpCall& call, size_t i) {
  const Tensor* known = call.constant(i);
  return known == nullptr ? kUnknownDim : known->scalar<int64_t>();
}

StatusOr<std::vector<TypeSpec>> InferCutRows(const OpCall& call) {
  // C1: input 0 is a tensor of rank at least 1.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, TensorInput(call, 0));
  SIGNET_RETURN_IF_ERROR(Int64ScalarInput(call, 1).status());
  SIGNET_RETURN_IF_ERROR(Int64ScalarInput(call, 2).status());
  if (!x->shape().has_rank()) return OneOutput(call.inputs[0]);
  if (x->shape().rank() == 0) {
    return WithConstraint("C1", InvalidArgument("input 0: expected a rank of at least 1, found `",
                                                call.inputs[0], "`"));
  }
  // C2: the rows exist. The kernel checks this.
  int64_t count = std::max(KnownScalar(call, 2), kUnknownDim);
  return OneOutput(TensorType(x->dtype(), x->shape().WithDim(0, count)));
}

StatusOr<std::vector<TypeSpec>> InferCutRowSplits(const OpCall& call) {
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* splits, SplitsInput(call, 0));
  SIGNET_RETURN_IF_ERROR(Int64ScalarInput(call, 1).status());
  SIGNET_RETURN_IF_ERROR(Int64ScalarInput(call, 2).status());
  // C2: the rows exist. The kernel checks this.
  int64_t count = KnownScalar(call, 2);
  bool fits = count >= 0 && count < kMaxOutputElements;
  std::vector<TypeSpec> out =
      OneOutput(TensorType(splits->dtype(), {SplitsFor(fits ? count : kUnknownDim)}));
  out.push_back(Int64Type(Shape{}));
  out.push_back(Int64Type(Shape{}));
  return out;
}

// C2: `start` and `limit` are integers or None, and `step` is an integer other than 0.
Status CheckSlice(const Attributes& attributes) {
  SIGNET_RETURN_IF_ERROR(WithConstraint("C2", attributes.OptionalInt("start").status()));
  SIGNET_RETURN_IF_ERROR(WithConstraint("C2", attributes.OptionalInt("limit").status()));
  SIGNET_ASSIGN_OR_RETURN(int64_t step, WithConstraint("C2", attributes.Int("step")));
  return step != 0 ? absl::OkStatus()
                   : WithConstraint(
                         "C2", InvalidArgument("step: expected an integer other than 0, found 0"));
}

// C2: computed bounds are `int64[]`, or one per row, and no bound is an attribute and an input.
Status CheckBounds(const OpCall& call, size_t first, int64_t rows) {
  SIGNET_RETURN_IF_ERROR(CheckSlice(call.attributes));
  for (size_t i : {first, first + 1}) {
    if (!HasInput(call, i)) continue;
    std::string_view name = i == first ? "start" : "limit";
    if (call.attributes.Lookup(name) != NoneAttribute()) {
      return WithConstraint(
          "C2", InvalidArgument("attribute `", name, "` and input ", i, " are mutually exclusive"));
    }
    const auto* bound = call.inputs[i].As<TensorSpec>();
    bool fits = bound != nullptr && bound->dtype() == DType::kInt64 &&
                (bound->shape().IsCompatibleWith(Shape{}) ||
                 bound->shape().IsCompatibleWith(PartialShape{rows}));
    if (fits) continue;
    return WithConstraint("C2", InvalidArgument("bound of a slice: expected `int64[]`, or one ",
                                                "integer per row, found `", call.inputs[i], "`"));
  }
  return absl::OkStatus();
}

StatusOr<std::vector<TypeSpec>> InferCheckIndex(const OpCall& call) {
  // C2: the element exists. The kernel checks this even if no op reads the element: `{}` of `[{}]`
  // has no components to read.
  SIGNET_RETURN_IF_ERROR(Int64ScalarInput(call, 0).status());
  SIGNET_RETURN_IF_ERROR(Int64ScalarInput(call, 1).status());
  return OneOutput(Int64Type(Shape{}));
}

StatusOr<std::vector<TypeSpec>> InferClipSlice(const OpCall& call) {
  SIGNET_RETURN_IF_ERROR(Int64ScalarInput(call, 0).status());
  SIGNET_RETURN_IF_ERROR(CheckBounds(call, 1, 1));
  // C3: the size is at least 0. The kernel checks this.
  return std::vector<TypeSpec>{Int64Type(Shape{}), Int64Type(Shape{})};
}

StatusOr<std::vector<TypeSpec>> InferSliceRows(const OpCall& call) {
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* splits, SplitsInput(call, 0));
  SIGNET_RETURN_IF_ERROR(CheckBounds(call, 1, KnownRows(*splits)));
  std::vector<TypeSpec> out =
      OneOutput(TensorType(splits->dtype(), {SplitsFor(KnownRows(*splits))}));
  out.push_back(Int64Type({kUnknownDim}));
  return out;
}

StatusOr<std::vector<TypeSpec>> InferSliceRowValues(const OpCall& call) {
  // C1: input 1 is row splits. C2: as for slice_rows, and the values have a rank of at least 1. C3:
  // the splits end at the number of values. The kernel checks C3.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, TensorInput(call, 0));
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* splits, SplitsInput(call, 1));
  SIGNET_RETURN_IF_ERROR(CheckBounds(call, 2, KnownRows(*splits)));
  PartialShape shape = x->shape();
  if (shape.has_rank() && shape.rank() == 0) {
    return WithConstraint("C2", InvalidArgument("input 0: expected a rank of at least 1, found `",
                                                call.inputs[0], "`"));
  }
  if (shape.has_rank()) shape = shape.WithDim(0, kUnknownDim);
  return std::vector<TypeSpec>{TensorType(x->dtype(), std::move(shape)), call.inputs[1]};
}

StatusOr<std::vector<TypeSpec>> InferMaskRowSplits(const OpCall& call) {
  SIGNET_RETURN_IF_ERROR(SplitsInput(call, 0).status());
  // C2: the mask is a vector of bool. C3: it has one entry per value. The kernel checks C3.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* mask, TensorInput(call, 1));
  if (mask->dtype() != DType::kBool || !mask->shape().IsCompatibleWith({kUnknownDim})) {
    return WithConstraint(
        "C2", InvalidArgument("input 1: expected a vector of bool, found `", call.inputs[1], "`"));
  }
  return OneOutput(call.inputs[0]);
}

StatusOr<std::vector<TypeSpec>> InferRowElements(const OpCall& call) {
  SIGNET_RETURN_IF_ERROR(SplitsInput(call, 0).status());
  // C2: the rows are a vector of int32 or int64. The indices are int32 or int64, one per row or one
  // for all rows.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* rows, TensorInput(call, 1));
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* indices, TensorInput(call, 2));
  SIGNET_RETURN_IF_ERROR(WithConstraint("C2", call.attributes.Bool("negative").status()));
  bool fits = IsIndexDType(rows->dtype()) && rows->shape().IsCompatibleWith({kUnknownDim});
  if (!fits) {
    return WithConstraint("C2",
                          InvalidArgument("input 1: expected a vector of int32 or int64, found `",
                                          call.inputs[1], "`"));
  }
  int64_t count = rows->shape().has_rank() ? rows->shape().dim(0) : kUnknownDim;
  bool beside = IsIndexDType(indices->dtype()) && (indices->shape().IsCompatibleWith(Shape{}) ||
                                                   indices->shape().IsCompatibleWith({count}));
  if (!beside) {
    return WithConstraint(
        "C2", InvalidArgument("input 2: expected int32 or int64, one per row of `", call.inputs[1],
                              "` or one for all, found `", call.inputs[2], "`"));
  }
  return OneOutput(Int64Type({count}));
}

std::vector<AttributeDef> SliceAttributeDefs() {
  return {{"start", NoneAttribute()}, {"limit", NoneAttribute()}, {"step", AttributeOf(1)}};
}

}  // namespace

std::vector<OpDef> RowCutOps() {
  return {
      {
          .name = "check_index",
          .summary = "Checks an index and counts it from the start",
          .inputs = {"index", "size"},
          .constraints = {"Input 0 and input 1 are `int64[]`.",
                          "The index is in range (OUT_OF_RANGE), which is checked even if its "
                          "output is not used."},
          .infer = InferCheckIndex,
          .expand = ExpandWithInt64s,
          .literals_as_tensors = false,
          .effect = true,
          .internal = true,
      },
      {
          .name = "clip_slice",
          .summary = "Returns the start and the length of a slice of a dimension",
          .inputs = {"size", "start?", "limit?"},
          .attributes = SliceAttributeDefs(),
          .outputs = {"start", "length"},
          .constraints =
              {"The size is `int64[]`.",
               "`start` and `limit` are integers or None, and `step` is an integer except 0.",
               "The size is at least 0."},
          .infer = InferClipSlice,
          .expand = ExpandWithInt64s,
          .literals_as_tensors = false,
          .internal = true,
      },
      {
          .name = "cut_rows",
          .summary = "Returns consecutive rows of a tensor without copying them",
          .inputs = {"x", "start", "count"},
          .constraints = {"The input is a tensor of rank at least 1.",
                          "The rows exist (OUT_OF_RANGE)."},
          .infer = InferCutRows,
          .expand = ExpandWithInt64Lists,
          .literals_as_tensors = false,
          .aliasing = Aliasing::kView,
          .internal = true,
      },
      {
          .name = "cut_row_splits",
          .summary = "Returns the row splits of consecutive rows, and the range of their values",
          .inputs = {"row_splits", "start", "count"},
          .outputs = {"row_splits", "start", "count"},
          .constraints = {"Input 0 is row splits.", "The rows exist (OUT_OF_RANGE)."},
          .infer = InferCutRowSplits,
          .expand = ExpandWithInt64s,
          .literals_as_tensors = false,
          .internal = true,
      },
      {
          .name = "slice_rows",
          .summary = "Returns the row splits and the positions of a slice of each row",
          .inputs = {"row_splits", "start?", "limit?"},
          .attributes = SliceAttributeDefs(),
          .outputs = {"row_splits", "positions"},
          .constraints =
              {"Input 0 is row splits.",
               "`start` and `limit` are integers or None, and `step` is an integer except 0."},
          .infer = InferSliceRows,
          .own_dtypes = {"start", "limit"},
          .internal = true,
      },
      {
          .name = "slice_row_values",
          .summary = "Returns the values of a slice of each row, and their row splits",
          .inputs = {"x", "row_splits", "start?", "limit?"},
          .attributes = SliceAttributeDefs(),
          .outputs = {"values", "row_splits"},
          .constraints = {"Input 1 is row splits.",
                          "`start` and `limit` are integers or None, and `step` is an integer "
                          "except 0. The values have a rank of at least 1.",
                          "The row splits end at the number of values."},
          .infer = InferSliceRowValues,
          .own_dtypes = {"row_splits", "start", "limit"},
          .internal = true,
      },
      {
          .name = "mask_row_splits",
          .summary = "Returns the row splits of the values that a mask keeps",
          .inputs = {"row_splits", "mask"},
          .constraints = {"Input 0 is row splits.", "The mask is a vector of bool.",
                          "The mask has one element per value."},
          .infer = InferMaskRowSplits,
          .own_dtypes = {"mask"},
          .internal = true,
      },
      {
          .name = "row_elements",
          .summary = "Returns the positions of elements of rows",
          .inputs = {"row_splits", "rows", "indices"},
          .attributes = {{"negative", AttributeOf(false)}},
          .constraints =
              {"Input 0 is row splits.",
               "The rows are a vector. The indices are one number, or a vector of the same length.",
               "Each row exists.", "Each row has the element (OUT_OF_RANGE)."},
          .infer = InferRowElements,
          .internal = true,
      },
  };
}

}  // namespace signet
