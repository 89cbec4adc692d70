// one_hot: replaces each index by a vector that is `on` at the index and `off` elsewhere.
//
//   one_hot([0, 2], depth=3)  =>  [[1, 0, 0], [0, 0, 1]]

#include "core/ops/def/inference.h"
#include "core/ops/indexing/indexing_ops.h"

namespace signet {
namespace {

StatusOr<std::vector<TypeSpec>> InferOneHot(const OpCall& call) {
  // C1: the indices are a tensor of int32 or int64.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* indices, TensorInput(call, 0));
  if (!IsIndexDType(indices->dtype())) {
    return WithConstraint(
        "C1", InvalidArgument("input 0: expected int32 or int64, found `", call.inputs[0], "`"));
  }
  // C2: `depth` is at least 0, `dtype` is an integer dtype, a float dtype, or bool, and `on` and
  // `off` are numbers.
  SIGNET_ASSIGN_OR_RETURN(int64_t depth, WithConstraint("C2", call.attributes.Int("depth")));
  SIGNET_ASSIGN_OR_RETURN(DType dtype, WithConstraint("C2", call.attributes.DTypeNamed("dtype")));
  SIGNET_RETURN_IF_ERROR(WithConstraint("C2", call.attributes.Float("on").status()));
  SIGNET_RETURN_IF_ERROR(WithConstraint("C2", call.attributes.Float("off").status()));
  if (depth < 0)
    return WithConstraint("C2", InvalidArgument("depth: expected at least 0, found ", depth));
  if (dtype == DType::kString || IsComplex(dtype)) {
    return WithConstraint(
        "C2", InvalidArgument("dtype: expected an integer dtype, a float dtype, or bool, found ",
                              NameOf(dtype)));
  }
  const PartialShape& shape = indices->shape();
  if (!shape.has_rank()) return OneOutput(TensorType(dtype, {}));
  // C3: `axis` is a dimension of the result.
  SIGNET_ASSIGN_OR_RETURN(int axis, AxisAttribute(call, "axis", shape.rank() + 1, "C3"));
  PartialShape out =
      shape.Slice(0, axis).Concatenate({depth}).Concatenate(shape.Slice(axis, shape.rank()));
  // C4: the result has at most 2^31 elements.
  SIGNET_RETURN_IF_ERROR(WithConstraint("C4", CheckOutputSize(out)));
  return OneOutput(TensorType(dtype, std::move(out)));
}

}  // namespace

OpDef OneHot() {
  return {
      .name = "one_hot",
      .summary = "Adds a dimension that marks the position of each index",
      .description =
          "Adds a dimension of size `depth`, which contains `on` at the position that the index "
          "states, and `off` elsewhere. An index that is out of range is marked nowhere.",
      .inputs = {"indices"},
      .attributes = {{"depth"},
                     {"on", AttributeOf(1)},
                     {"off", AttributeOf(0)},
                     {"axis", AttributeOf(-1)},
                     {"dtype", AttributeOf(DType::kFloat32)}},
      .result =
          "A tensor of `dtype` with the shape of the indices and the new dimension at `axis`.",
      .constraints = {"The indices are a tensor of int32 or int64.",
                      "`depth` is at least 0. `dtype` is an integer, float, or bool dtype. `on` "
                      "and `off` are numbers.",
                      "`axis` is a dimension of the result.",
                      "The result has at most 2^31 elements."},
      .infer = InferOneHot,
  };
}

}  // namespace signet
