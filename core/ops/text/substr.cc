// substr: returns a part of each string.
//
//   substr(["flour"], start=-3, length=2)  =>  ["ou"]

#include "core/ops/build/flat_values.h"
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
  return OneOutput(TensorType(DType::kString, x->shape()));
}

}  // namespace

OpDef Substr() {
  return {
      .name = "substr",
      .summary = "Returns a part of each string",
      .description =
          "Returns `length` bytes of each string, beginning at `start`. With `unit=\"utf8\"`, the "
          "op counts characters. A start below 0 counts from the end. The range is limited to the "
          "string.",
      .inputs = {"x"},
      .attributes = {{"start", AttributeOf(0)},
                     {"length", NoneAttribute()},
                     {"unit", AttributeOf("bytes")}},
      .result = "A value of strings with the shape of x.",
      .constraints = {"The input is a tensor or a ragged value of strings.",
                      "`unit` is `bytes` or `utf8`.",
                      "`length` is at least 0, or None for the rest of the string."},
      .composites = "On a ragged value, the op works on the flat values.",
      .infer = InferSubstr,
      .expand = ExpandOnFlatValues,
  };
}

}  // namespace signet
