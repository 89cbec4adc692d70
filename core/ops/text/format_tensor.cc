// format_tensor: writes a whole tensor as one text, as TensorFlow prints it.
//
//   format_tensor([[1, 2], [3, 4]])         =>  "[[1 2]\n [3 4]]"
//   format_tensor(range(10), edge_items=2)  =>  "[0 1 ... 8 9]"

#include "core/ops/def/inference.h"
#include "core/ops/text/text_ops.h"

namespace signet {
namespace {

StatusOr<std::vector<TypeSpec>> InferFormatTensor(const OpCall& call) {
  // C1: the input is a tensor of integers, float32, float64, bools, or strings.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, TensorInput(call, 0));
  const DType dtype = x->dtype();
  if (!IsInteger(dtype) && dtype != DType::kFloat32 && dtype != DType::kFloat64 &&
      dtype != DType::kBool && dtype != DType::kString) {
    return WithConstraint("C1", InvalidArgument("input 0: expected integers, float32, float64, "
                                                "bool, or string, found `",
                                                call.inputs[0], "`"));
  }
  // C2: `edge_items` is a number.
  SIGNET_RETURN_IF_ERROR(WithConstraint("C2", call.attributes.Int("edge_items").status()));
  return OneOutput(TensorType(DType::kString, PartialShape::OfRank(0)));
}

}  // namespace

OpDef FormatTensor() {
  return {
      .name = "format_tensor",
      .summary = "Writes a tensor as text",
      .description =
          "Returns the text that TensorFlow prints for x. Dimensions are in brackets, elements are "
          "separated by spaces, and rows by line breaks. Of each dimension with more than twice "
          "`edge_items` elements, only the first and last `edge_items` are written, with `...` "
          "between them; -1 means all. Floats have the digits that distinguish them, bools are 0 "
          "and 1, and strings are in double quotes, with escapes as in C.",
      .inputs = {"x"},
      .attributes = {{"edge_items", AttributeOf(3)}},
      .result = "A string.",
      .constraints = {"x is a tensor of integers, float32, float64, bool, or string.",
                      "`edge_items` is an integer."},
      .infer = InferFormatTensor,
  };
}

}  // namespace signet
