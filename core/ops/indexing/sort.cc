// sort: sorts a tensor along an axis.
// Output 0 is the sorted tensor. Output 1 contains the original positions of its elements.

#include "core/ops/build/rows/ragged_axis.h"
#include "core/ops/def/inference.h"
#include "core/ops/indexing/indexing_ops.h"

namespace signet {
namespace {

StatusOr<std::vector<TypeSpec>> InferSort(const OpCall& call) {
  // C1: the input is a tensor of integers, floats, or strings of rank at least 1.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, TensorInput(call, 0));
  bool ordered = IsInteger(x->dtype()) || IsFloat(x->dtype()) || x->dtype() == DType::kString;
  if (!ordered || (x->shape().has_rank() && x->shape().rank() == 0)) {
    return WithConstraint(
        "C1", InvalidArgument(
                  "input 0: expected integers, floats, or strings of rank at least 1, found `",
                  call.inputs[0], "`"));
  }
  // C2: `axis` is a dimension, and `descending` is True or False.
  if (x->shape().has_rank()) {
    SIGNET_RETURN_IF_ERROR(AxisAttribute(call, "axis", x->shape().rank(), "C2").status());
  }
  SIGNET_RETURN_IF_ERROR(WithConstraint("C2", call.attributes.Bool("descending").status()));
  std::vector<TypeSpec> out = OneOutput(call.inputs[0]);
  out.push_back(TensorType(DType::kInt64, x->shape()));
  return out;
}

}  // namespace

OpDef Sort() {
  return {
      .name = "sort",
      .summary = "Sorts along an axis",
      .description =
          "Sorts x along `axis`. Equal elements keep their order. NaN is greater than every "
          "number. Strings are compared by their bytes.",
      .inputs = {"x"},
      .attributes = {{"axis", AttributeOf(-1)}, {"descending", AttributeOf(false)}},
      .outputs = {"values", "indices"},
      .result =
          "Two outputs: the sorted value, and the int64 positions that its elements had along the "
          "axis.",
      .constraints = {"The input is a tensor or a ragged value of integers, floats, or strings, of "
                      "rank at least 1.",
                      "`axis` is a dimension, and `descending` is a bool."},
      .composites =
          "On a ragged value, each row is sorted. Along an outer axis, the elements at each "
          "position of the rows are sorted; rows that are too short take no part.",
      .infer = InferSort,
      .expand = ExpandAlongRows,
  };
}

}  // namespace signet
