// unique: finds the distinct elements, or the distinct slices along an axis.
//
//   unique([3, 1, 3])  =>  [1, 3], where they are first: [1, 0], which of them each is: [1, 0, 1],
//                          and how many there are: [1, 2]

#include "core/ops/def/inference.h"
#include "core/ops/indexing/indexing_ops.h"

namespace signet {
namespace {

StatusOr<std::vector<TypeSpec>> InferUnique(const OpCall& call) {
  // C1: the input is a tensor whose dtype is not complex.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, TensorInput(call, 0));
  if (IsComplex(x->dtype())) {
    return WithConstraint("C1",
                          InvalidArgument("input 0: expected a dtype that is not complex, found `",
                                          call.inputs[0], "`"));
  }
  // C2: `axis` is a dimension or None, and `sorted` is True or False.
  SIGNET_RETURN_IF_ERROR(WithConstraint("C2", call.attributes.Bool("sorted").status()));
  SIGNET_ASSIGN_OR_RETURN(auto given, WithConstraint("C2", call.attributes.OptionalInt("axis")));
  const PartialShape& shape = x->shape();
  PartialShape values = PartialShape::OfRank(1);
  int64_t count = shape.has_rank() ? KnownProduct(shape, 0, shape.rank()) : kUnknownDim;
  if (given && !shape.has_rank()) values = {};
  if (given && shape.has_rank()) {
    SIGNET_ASSIGN_OR_RETURN(int axis, AxisAttribute(call, "axis", shape.rank(), "C2"));
    values = shape.WithDim(axis, kUnknownDim);
    count = shape.dim(axis);
  } else if (given) {
    count = kUnknownDim;
  }
  TypeSpec each = TensorType(DType::kInt64, {kUnknownDim});
  return std::vector<TypeSpec>{TensorType(x->dtype(), std::move(values)), each,
                               TensorType(DType::kInt64, {count}), each};
}

}  // namespace

OpDef Unique() {
  return {
      .name = "unique",
      .summary = "Finds the distinct elements or slices",
      .description =
          "Finds the elements of x, or the slices along `axis`, that differ from all earlier ones. "
          "With `sorted`, they are in ascending order, otherwise in the order of their first "
          "occurrence.",
      .inputs = {"x"},
      .attributes = {{"axis", NoneAttribute()}, {"sorted", AttributeOf(true)}},
      .outputs = {"values", "first_indices", "inverse", "counts"},
      .result =
          "Four outputs: the distinct elements or slices, the position of the first occurrence of "
          "each, the index of the distinct element for each element of x, and the number of "
          "occurrences of each.",
      .constraints = {"The input is a tensor of any dtype except complex dtypes.",
                      "`axis` is a dimension or None, and `sorted` is a bool."},
      .infer = InferUnique,
  };
}

}  // namespace signet
