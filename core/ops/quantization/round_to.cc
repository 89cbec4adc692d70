// round_to: rounds numbers to a smaller float format.

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
    return WithConstraint(
        "C1", InvalidArgument("input 0: expected float32, found `", call.inputs[0], "`"));
  }
  // C2: `format` and `rounding` have supported values.
  SIGNET_ASSIGN_OR_RETURN(std::string name, WithConstraint("C2", call.attributes.String("format")));
  SIGNET_RETURN_IF_ERROR(WithConstraint("C2", call.attributes.Bool("saturate").status()));
  SIGNET_ASSIGN_OR_RETURN(std::string rounding,
                          WithConstraint("C2", call.attributes.String("rounding")));
  if (!LookupPowerRounding(rounding)) {
    return WithConstraint("C2", InvalidArgument("`rounding`: expected up, down or nearest, found `",
                                                Printable(rounding), "`"));
  }
  if (LookupMinifloat(name) != nullptr) return OneOutput(call.inputs[0]);
  std::string names;
  for (const MinifloatFormat& known : MinifloatFormats()) {
    names += Cat(names.empty() ? "" : ", ", known.name);
  }
  return WithConstraint(
      "C2", InvalidArgument("unsupported format `", Printable(name), "`; supported: ", names));
}

}  // namespace

OpDef RoundTo() {
  return {
      .name = "round_to",
      .summary = "Rounds numbers to a format of 4 or 8 bits",
      .description =
          "Rounds each number to the nearest number of `format`, with halves to the even code. The "
          "result is float32. Numbers beyond the largest number are limited to it; without "
          "`saturate`, they become infinity or NaN, depending on the format. The formats are, with "
          "their largest and smallest positive numbers: `float8_e4m3fn` (448, 2^-9, with NaN), "
          "`float8_e4m3fnuz` (240, 2^-10, with NaN and without -0), `float8_e5m2` (57344, 2^-16, "
          "with infinities and NaN), `float8_e5m2fnuz` (57344, 2^-17, with NaN and without -0), "
          "`float4_e2m1fn` (6, 0.5; NaN is converted to -0.0), and `float8_e8m0fnu` (2^127, "
          "2^-127, with NaN). `float8_e8m0fnu` rounds the magnitude to a power of two, and has no "
          "sign and no zero: to the larger one with `rounding=\"up\"`, to the smaller one with "
          "`\"down\"`, and to the nearer one with `\"nearest\"`, with halves to the larger one. "
          "Zero is converted to 2^-127, and infinity to NaN.",
      .inputs = {"x"},
      .attributes = {{"format"},
                     {"saturate", AttributeOf(true)},
                     {"rounding", AttributeOf("nearest")}},
      .result = "A tensor of the type of x.",
      .constraints =
          {"x is float32.",
           "`format` is one of these formats, and `rounding` is `up`, `down`, or `nearest`."},
      .composites = "On a ragged value, the op works on the flat values.",
      .infer = InferRoundTo,
      .expand = ExpandElementwise,
      .aliasing = Aliasing::kInPlace,
      .family = OpFamily::kUnaryElementwise,
  };
}

}  // namespace signet
