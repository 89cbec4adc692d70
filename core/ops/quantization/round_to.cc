// round_to: numbers as a smaller float format has them. The constraints are those of
// docs/reference/ops/quantization.md.

#include "core/ops/build/rows/elementwise_rows.h"
#include "core/ops/def/inference.h"
#include "core/ops/quantization/quantization_ops.h"
#include "core/values/minifloat.h"

namespace signet {
namespace {

StatusOr<std::vector<TypeSpec>> InferRoundTo(const OpCall& call) {
  // C1: the input is float32.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, TensorInput(call, 0));
  if (x->dtype() != DType::kFloat32) {
    return InvalidArgument("C1 input 0 is `", call.inputs[0], "`; takes float32");
  }
  // C2: `format` is one of those listed.
  SIGNET_ASSIGN_OR_RETURN(std::string name, Labelled("C2", call.attributes.String("format")));
  SIGNET_RETURN_IF_ERROR(Labelled("C2", call.attributes.Bool("saturate").status()));
  SIGNET_ASSIGN_OR_RETURN(std::string rounding, Labelled("C2", call.attributes.String("rounding")));
  if (!LookupPowerRounding(rounding)) {
    return InvalidArgument("C2 `rounding`: expected up, down or nearest, found `",
                           Printable(rounding), "`");
  }
  if (LookupMinifloat(name) != nullptr) return OneOutput(call.inputs[0]);
  std::string names;
  for (const MinifloatFormat& known : MinifloatFormats()) {
    names += Cat(names.empty() ? "" : ", ", known.name);
  }
  return InvalidArgument("C2 format `", Printable(name), "`; takes one of ", names);
}

}  // namespace

OpDef RoundTo() {
  return {
      .name = "round_to",
      .summary = "Rounds to numbers that a float of 4 or 8 bits has",
      .inputs = {"x"},
      .attributes = {{"format"},
                     {"saturate", AttributeOf(true)},
                     {"rounding", AttributeOf("nearest")}},
      .infer = InferRoundTo,
      .expand = ExpandElementwise,
      .aliasing = Aliasing::kInPlace,
      .family = OpFamily::kUnaryElementwise,
  };
}

}  // namespace signet
