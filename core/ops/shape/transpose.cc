// transpose, move_axis: permute the dimensions of a tensor.

#include "core/ops/build/op_builder.h"
#include "core/ops/build/sparse/sparse_structure.h"
#include "core/ops/def/inference.h"
#include "core/ops/shape/shape_ops.h"

namespace signet {
namespace {

StatusOr<std::vector<TypeSpec>> InferTranspose(const OpCall& call) {
  // C1: the input is a tensor.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, TensorInput(call, 0));
  SIGNET_ASSIGN_OR_RETURN(auto perm, WithConstraint("C2", OptionalInts(call.attributes, "perm")));
  const PartialShape& shape = x->shape();
  if (!shape.has_rank()) {
    PartialShape any = perm ? PartialShape::OfRank(static_cast<int>(perm->size())) : PartialShape();
    return OneOutput(TensorType(x->dtype(), std::move(any)));
  }
  std::vector<int64_t> dims;
  if (!perm) {
    dims.assign(shape.dims().rbegin(), shape.dims().rend());
    return OneOutput(TensorType(x->dtype(), PartialShape(std::span<const int64_t>(dims))));
  }
  // C2: `perm` contains each dimension once.
  if (perm->size() != static_cast<size_t>(shape.rank())) {
    return WithConstraint(
        "C2", InvalidArgument("`perm`: expected ", shape.rank(), " axes, one per dimension of `",
                              call.inputs[0], "`, found ", perm->size()));
  }
  std::vector<bool> seen(perm->size(), false);
  for (int64_t given : *perm) {
    SIGNET_ASSIGN_OR_RETURN(int axis, WithConstraint("C2", NormalizeAxis(given, shape.rank())));
    if (seen[static_cast<size_t>(axis)]) {
      return WithConstraint("C2", InvalidArgument("`perm`: duplicate axis ", axis));
    }
    seen[static_cast<size_t>(axis)] = true;
    dims.push_back(shape.dim(axis));
  }
  return OneOutput(TensorType(x->dtype(), PartialShape(std::span<const int64_t>(dims))));
}

// Returns the transposition that moves dimension `from` to position `to`.
StatusOr<std::vector<GraphValue>> ExpandMoveAxis(OpBuilder& build, const OpCall& call,
                                                 std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, TensorInput(call, 0));
  if (!x->shape().has_rank()) {
    return Unimplemented("`move_axis`: expected a tensor of known rank, found `", call.inputs[0],
                         "`");
  }
  SIGNET_ASSIGN_OR_RETURN(int from, AxisAttribute(call, "from", x->shape().rank(), "C2"));
  SIGNET_ASSIGN_OR_RETURN(int to, AxisAttribute(call, "to", x->shape().rank(), "C2"));
  std::vector<int64_t> perm;
  for (int64_t axis = 0; axis < x->shape().rank(); ++axis) {
    if (axis != from) perm.push_back(axis);
  }
  perm.insert(perm.begin() + to, from);
  return build.Transpose(inputs[0], {.perm = perm});
}

}  // namespace

OpDef MoveAxis() {
  return {
      .name = "move_axis",
      .summary = "Moves one dimension to another position",
      .description =
          "Moves dimension `from` to position `to`. The other dimensions keep their order.",
      .inputs = {"x"},
      .attributes = {{"from"}, {"to"}},
      .result = "A tensor of the dtype of x.",
      .constraints = {"The input is a tensor of known rank.", "`from` and `to` are dimensions."},
      .composites = "The input is a tensor.",
      .expand = ExpandMoveAxis,
  };
}

OpDef Transpose() {
  return {
      .name = "transpose",
      .summary = "Permutes the dimensions",
      .description =
          "Dimension i of the result is dimension `perm[i]` of x. If `perm` is None, the order of "
          "the dimensions is reversed.",
      .inputs = {"x"},
      .attributes = {{"perm", NoneAttribute()}},
      .result = "A value of the dtype of x.",
      .constraints = {"The input is a tensor or a sparse value.",
                      "`perm` contains each dimension once."},
      .composites = "On a sparse value, the entries are sorted again.",
      .infer = InferTranspose,
      .expand_sparse = ExpandSparseTranspose,
  };
}

}  // namespace signet
