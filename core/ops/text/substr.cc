// substr: returns a part of each string.
//
//   substr(["flour"], start=-3, length=2)  =>  ["ou"]
//   substr(["flour", "rye"], [0, 1], 2)    =>  ["fl", "ye"]

#include "core/ops/build/rows/elementwise_rows.h"
#include "core/ops/def/inference.h"
#include "core/ops/text/string_input.h"
#include "core/ops/text/text_ops.h"

namespace signet {
namespace {

StatusOr<std::vector<TypeSpec>> InferSubstr(const OpCall& call) {
  // C1: the input is a tensor of strings; C2: `unit` is bytes or utf8.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, StringInput(call, 0));
  SIGNET_RETURN_IF_ERROR(CountsCharacters(call).status());
  // C3: `start` is an integer. `length` is at least 0, or None for the rest of the string.
  SIGNET_RETURN_IF_ERROR(WithConstraint("C3", call.attributes.Int("start").status()));
  SIGNET_ASSIGN_OR_RETURN(auto length, WithConstraint("C3", call.attributes.OptionalInt("length")));
  if (length && *length < 0)
    return WithConstraint("C3", InvalidArgument("length: expected at least 0, found ", *length));
  // C4: starts and lengths that are inputs are int64, and all shapes broadcast.
  PartialShape shape = x->shape();
  for (size_t i = 1; i < call.inputs.size(); ++i) {
    if (!call.inputs[i]) continue;
    SIGNET_ASSIGN_OR_RETURN(const TensorSpec* numbers, TensorInput(call, i));
    if (numbers->dtype() != DType::kInt64) {
      return WithConstraint(
          "C4", InvalidArgument("input ", i, ": expected int64, found `", call.inputs[i], "`"));
    }
    SIGNET_ASSIGN_OR_RETURN(shape, WithConstraint("C4", BroadcastShapes(shape, numbers->shape())));
  }
  SIGNET_RETURN_IF_ERROR(WithConstraint("C4", CheckOutputSize(shape)));
  return OneOutput(TensorType(DType::kString, std::move(shape)));
}

}  // namespace

OpDef Substr() {
  return {
      .name = "substr",
      .summary = "Returns a part of each string",
      .description =
          "Returns `length` bytes of each string, beginning at `start`. With `unit=\"utf8\"`, the "
          "op counts characters. A start below 0 counts from the end. The range is limited to the "
          "string. `start` and `length` are attributes, or inputs whose shapes broadcast with x.",
      .inputs = {"x", "start?", "length?"},
      .attributes = {{"start", AttributeOf(0)},
                     {"length", NoneAttribute()},
                     {"unit", AttributeOf("bytes")}},
      .result = "A value of strings with the shape of x, or with the broadcast shape.",
      .constraints = {"The input is a tensor or a ragged value of strings.",
                      "`unit` is `bytes` or `utf8`.",
                      "`length` is at least 0, or None for the rest of the string.",
                      "The inputs `start` and `length` are int64, and the shapes broadcast."},
      .composites =
          "Inputs with different rows broadcast, as those of elementwise ops do, so that `start` "
          "may have one number per row.",
      .infer = InferSubstr,
      .expand = ExpandElementwise,
      .own_dtypes = {"start", "length"},
  };
}

}  // namespace signet
