// scatter_elements, scatter_nd: replace elements of a tensor by index, or combine them with
// updates.
//
//   scatter_elements([1, 2, 3], [2, 0], [8, 9])            =>  [9, 2, 8]
//   scatter_nd([[1, 2], [3, 4]], [[1]], [[5, 6]], "add")   =>  [[1, 2], [8, 10]]

#include <algorithm>

#include "core/ops/def/inference.h"
#include "core/ops/indexing/indexed.h"
#include "core/ops/indexing/indexing_ops.h"

namespace signet {
namespace {

constexpr std::string_view kReductions[] = {"none", "add", "mul", "max", "min"};

// C5: the updates have the dtype of `x`. `reduction` is none, add, mul, max, or min. Reductions
// other than none require integers or floats.
Status CheckUpdates(const OpCall& call, const TensorSpec& x, const TensorSpec& updates) {
  if (x.dtype() != updates.dtype()) {
    return WithConstraint("C5", InvalidArgument("input 2: expected the dtype of input 0, `",
                                                call.inputs[0], "`, found `", call.inputs[2], "`"));
  }
  SIGNET_ASSIGN_OR_RETURN(std::string named,
                          WithConstraint("C5", call.attributes.String("reduction")));
  if (std::find(std::begin(kReductions), std::end(kReductions), named) == std::end(kReductions)) {
    return WithConstraint("C5",
                          InvalidArgument("unsupported reduction `", Printable(named),
                                          "`; supported reductions: none, add, mul, max, min"));
  }
  if (named == "none" || IsInteger(x.dtype()) || IsFloat(x.dtype())) return absl::OkStatus();
  return WithConstraint(
      "C5", InvalidArgument("reduction `", named, "`: expected integers or floats, found `",
                            call.inputs[0], "`"));
}

StatusOr<std::vector<TypeSpec>> InferScatterElements(const OpCall& call) {
  // C1: the inputs are tensors, and the indices are int32 or int64.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, TensorInput(call, 0));
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* indices, TensorInput(call, 1));
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* updates, TensorInput(call, 2));
  SIGNET_RETURN_IF_ERROR(CheckIndexed(call, *x, *indices).status());
  SIGNET_RETURN_IF_ERROR(CheckUpdates(call, *x, *updates));
  // C6: there is one update per index.
  if (!updates->shape().IsCompatibleWith(indices->shape())) {
    return WithConstraint("C6", InvalidArgument("input 2: expected the shape of the indices, `",
                                                call.inputs[1], "`, found `", call.inputs[2], "`"));
  }
  return OneOutput(call.inputs[0]);
}

StatusOr<std::vector<TypeSpec>> InferScatterNd(const OpCall& call) {
  // C1: the inputs are tensors, and the indices are int32 or int64.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, TensorInput(call, 0));
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* indices, TensorInput(call, 1));
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* updates, TensorInput(call, 2));
  if (!IsIndexDType(indices->dtype())) {
    return WithConstraint(
        "C1", InvalidArgument("input 1: expected int32 or int64, found `", call.inputs[1], "`"));
  }
  SIGNET_RETURN_IF_ERROR(CheckUpdates(call, *x, *updates));
  if (!x->shape().has_rank() || !indices->shape().has_rank()) return OneOutput(call.inputs[0]);
  // C2: each vector has at most as many indices as `x` has dimensions.
  int last = indices->shape().rank() - 1;
  int64_t width = last < 0 ? kMaxOutputElements : indices->shape().dim(last);
  if (width > x->shape().rank()) {
    return WithConstraint(
        "C2", InvalidArgument("input 1: expected vectors of at most ", x->shape().rank(),
                              " indices for `", call.inputs[0], "`, found `", call.inputs[1], "`"));
  }
  if (width == kUnknownDim) return OneOutput(call.inputs[0]);
  // C6: there is one update per vector, with the dimensions of `x` after the indexed ones.
  PartialShape wanted = indices->shape().Slice(0, last).Concatenate(
      x->shape().Slice(static_cast<int>(width), x->shape().rank()));
  if (!updates->shape().IsCompatibleWith(wanted)) {
    return WithConstraint("C6", InvalidArgument("input 2: expected shape `", wanted, "`, found `",
                                                call.inputs[2], "`"));
  }
  return OneOutput(call.inputs[0]);
}

}  // namespace

OpDef ScatterElements() {
  return {
      .name = "scatter_elements",
      .summary = "Replaces one element per index along an axis",
      .description =
          "Returns x with each update at the position that `gather_elements` would select. If "
          "several updates have the same position, the last one is used. With the `reduction` "
          "`add`, `mul`, `max`, or `min`, the updates are combined with the element of x.",
      .inputs = {"x", "indices", "updates"},
      .attributes = {{"axis", AttributeOf(0)}, {"reduction", AttributeOf("none")}},
      .result = "A tensor of the type of x.",
      .constraints = {"The inputs are tensors, and the indices are int32 or int64.",
                      "`axis` is a dimension of x.",
                      "The indices have the rank of x, and no other dimension of them is longer "
                      "than that of x.",
                      "Each index is in range (OUT_OF_RANGE).",
                      "The updates have the dtype of x. Reductions other than `none` require an "
                      "integer or float dtype.",
                      "There is one update per index."},
      .infer = InferScatterElements,
      .own_dtypes = {"indices"},
  };
}

OpDef ScatterNd() {
  return {
      .name = "scatter_nd",
      .summary = "Replaces elements or slices by vectors of indices",
      .description =
          "Returns x with each update, an element or a slice, at the position that `gather_nd` "
          "would select. If several updates have the same position, they are combined as in "
          "`scatter_elements`.",
      .inputs = {"x", "indices", "updates"},
      .attributes = {{"reduction", AttributeOf("none")}},
      .result = "A tensor of the type of x.",
      .constraints = {"The inputs are tensors, and the indices are int32 or int64.",
                      "The vectors of indices have at most as many elements as x has dimensions.",
                      "", "Each index is in range (OUT_OF_RANGE).",
                      "The updates have the dtype of x. Reductions other than `none` require an "
                      "integer or float dtype.",
                      "There is one update per vector, with the dimensions of x that the vector "
                      "does not index."},
      .infer = InferScatterNd,
      .own_dtypes = {"indices"},
  };
}

}  // namespace signet
