// top_k: finds the k largest or smallest elements along an axis, in order.

#include "core/ops/build/rows/ragged_axis.h"
#include "core/ops/def/dtype_group.h"
#include "core/ops/def/inference.h"
#include "core/ops/def/int_list.h"
#include "core/ops/reduction/reduction_ops.h"

namespace signet {
namespace {

StatusOr<std::vector<TypeSpec>> InferTopK(const OpCall& call) {
  // C1: the input is a tensor. C2: it has an integer or float dtype.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, TensorInputOf(call, 0, DTypeGroup::kReal));
  SIGNET_RETURN_IF_ERROR(call.attributes.Bool("largest").status());
  // C3: `axis` is a dimension of the input.
  SIGNET_RETURN_IF_ERROR(WithConstraint("C3", call.attributes.Int("axis").status()));
  // C4: `k` is from 0 to the size of the axis, which fits in int32. It is an attribute or an input.
  SIGNET_ASSIGN_OR_RETURN(IntList list, WithConstraint("C4", FindIntList(call, "k", 1)));
  if (!list.given || (list.length != 1 && list.length >= 0)) {
    return WithConstraint("C4", call.attributes.Int("k").status());
  }
  int64_t k = list.known ? list.known->at(0) : kUnknownDim;
  if (list.known && k < 0)
    return WithConstraint("C4", InvalidArgument("attribute `k`: expected at least 0, found ", k));
  PartialShape shape;
  if (x->shape().has_rank()) {
    SIGNET_ASSIGN_OR_RETURN(int axis, AxisAttribute(call, "axis", x->shape().rank(), "C3"));
    int64_t size = x->shape().dim(axis);
    if (size != kUnknownDim && k > size) {
      return WithConstraint("C4", InvalidArgument("attribute `k`: expected at most ", size,
                                                  ", the size of axis ", axis, ", found ", k));
    }
    shape = x->shape().WithDim(axis, k);
  }
  return std::vector<TypeSpec>{TensorType(x->dtype(), shape), TensorType(DType::kInt32, shape)};
}

}  // namespace

OpDef TopK() {
  return {
      .name = "top_k",
      .summary = "Finds the k largest or smallest elements along an axis",
      .description =
          "Returns the k largest elements along `axis` in order, or the smallest with "
          "`largest=False`. Of equal elements, the one with the lower index comes first. NaN is "
          "greater than every number. `k` is an attribute or an input. The indices are positions "
          "along the axis, which `gather` accepts: in the last dimension of a value of rank 2, "
          "with `batch_dims=1`.",
      .inputs = {"x", "k?"},
      .attributes = {{"axis", AttributeOf(-1)},
                     {"k", NoneAttribute()},
                     {"largest", AttributeOf(true)}},
      .outputs = {"values", "indices"},
      .result = "Two outputs: the elements, and their int32 indices along the axis.",
      .constraints = {"The input is a tensor or a ragged value.",
                      "The dtype is an integer or float dtype.", "`axis` is a dimension of x.",
                      "`k` is an integer of at least 0 and at most the size of the axis."},
      .composites =
          "On a ragged value, the op returns the first k elements of each row, or all elements of "
          "a shorter row. Along an outer axis, it is UNIMPLEMENTED.",
      .infer = InferTopK,
      .expand = ExpandTopKAlongRows,
      .own_dtypes = {"k"},
  };
}

}  // namespace signet
