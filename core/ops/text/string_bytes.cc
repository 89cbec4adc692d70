// string_bytes: returns the bytes of strings as numbers.
//
//   string_bytes(["ab", "c"], length=2)  =>  uint8 [[97, 98], [99, 0]]

#include "core/ops/def/inference.h"
#include "core/ops/text/string_input.h"
#include "core/ops/text/text_ops.h"

namespace signet {
namespace {

StatusOr<std::vector<TypeSpec>> InferStringBytes(const OpCall& call) {
  // C1: the input is a tensor of strings. C2: `length` is at least 0, or None.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, StringInput(call, 0));
  SIGNET_ASSIGN_OR_RETURN(auto length, WithConstraint("C2", call.attributes.OptionalInt("length")));
  if (length && *length < 0)
    return WithConstraint("C2", InvalidArgument("length: expected at least 0, found ", *length));
  if (!x->shape().has_rank()) return OneOutput(TensorType(DType::kUInt8, {}));
  PartialShape shape = x->shape().Concatenate({length.value_or(kUnknownDim)});
  SIGNET_RETURN_IF_ERROR(WithConstraint("C3", CheckOutputSize(shape)));
  return OneOutput(TensorType(DType::kUInt8, std::move(shape)));
}

}  // namespace

OpDef StringBytes() {
  return {
      .name = "string_bytes",
      .summary = "Returns the bytes of strings as numbers",
      .description =
          "Returns the bytes of each string along a new last dimension. With `length`, longer "
          "strings are cut, and shorter strings are followed by bytes 0. Without it, all strings "
          "must have the same length.",
      .inputs = {"x"},
      .attributes = {{"length", NoneAttribute()}},
      .result = "A tensor of uint8 with one more dimension than x.",
      .constraints = {"The input is a tensor of strings.",
                      "`length` is at least 0, or None if all strings have the same length.",
                      "The result has at most 2^31 elements."},
      .infer = InferStringBytes,
  };
}

}  // namespace signet
