// cast: changes the dtype, element by element.

#include "core/ops/build/rows/elementwise_rows.h"
#include "core/ops/build/sparse/sparse_expansions.h"
#include "core/ops/def/inference.h"
#include "core/ops/elementwise/elementwise_ops.h"
#include "signet/sparse_spec.h"

namespace signet {
namespace {

StatusOr<std::vector<TypeSpec>> InferCast(const OpCall& call) {
  // C1: the input is a tensor.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, TensorInput(call, 0));
  // C2: `dtype` is the name of a dtype.
  auto dtype = call.attributes.DTypeNamed("dtype");
  if (!dtype.ok()) return WithConstraint("C2", dtype.status());
  // C3: complex numbers cannot be converted from or to text.
  bool text = x->dtype() == DType::kString || *dtype == DType::kString;
  if (text && (IsComplex(x->dtype()) || IsComplex(*dtype))) {
    return WithConstraint(
        "C3", InvalidArgument("input 0 `", call.inputs[0], "` cannot be cast to `", NameOf(*dtype),
                              "`, because complex numbers have no text form"));
  }
  return OneOutput(TensorType(*dtype, x->shape()));
}

StatusOr<std::vector<GraphValue>> ExpandSparseCast(OpBuilder& build, const OpCall& call,
                                                   std::span<const GraphValue> inputs) {
  // A cast to string is rejected, because elements that are not stored would be "", not "0".
  auto dtype = call.attributes.DTypeNamed("dtype");
  bool text = inputs[0].spec.As<SparseSpec>()->dtype() == DType::kString ||
              (dtype.ok() && *dtype == DType::kString);
  return text ? RejectSparse(build, call, inputs) : ExpandSparseOnValues(build, call, inputs);
}

}  // namespace

OpDef Cast() {
  return {
      .name = "cast",
      .summary = "Changes the dtype",
      .description =
          "Converts each element to `dtype`. A float is rounded toward zero to an integer and "
          "saturates at the ends of the range; NaN becomes 0. An integer keeps its low bits. A "
          "number becomes the bool True unless it is 0 (NaN is True). A complex number is "
          "converted by its real part. A number or a bool becomes the shortest text that can be "
          "read back; bools become `True` and `False`. Text is read as a number, with or without "
          "spaces around it; floats may also be `nan` and `inf`; bools are `True`, `true`, `1`, "
          "`False`, `false`, or `0`.",
      .inputs = {"x"},
      .attributes = {{"dtype"}},
      .result = "A value with the shape of x and the dtype `dtype`.",
      .constraints = {"The input is a tensor, a ragged value, or a sparse value.",
                      "`dtype` is the name of a dtype.",
                      "Complex numbers are not converted to or from text.",
                      "Text is a number of the dtype, and an integer is in its range."},
      .composites =
          "On a ragged value, the op converts the flat values. On a sparse value, it converts the "
          "stored values; text is not supported there.",
      .infer = InferCast,
      .expand = ExpandElementwise,
      .expand_sparse = ExpandSparseCast,
      .family = OpFamily::kUnaryElementwise,
  };
}

}  // namespace signet
