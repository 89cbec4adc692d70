// encode_base64, decode_base64: write bytes in the alphabet of base64 that is safe in URLs, and
// read them (RFC 4648, section 5).

#include "core/ops/build/flat_values.h"
#include "core/ops/def/inference.h"
#include "core/ops/text/string_input.h"
#include "core/ops/text/text_ops.h"

namespace signet {
namespace {

StatusOr<std::vector<TypeSpec>> InferBase64(const OpCall& call) {
  // C1: the input is a tensor of strings. C2 of encode_base64: `pad` is a bool.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, StringInput(call, 0));
  if (call.op.name == "encode_base64") {
    SIGNET_RETURN_IF_ERROR(WithConstraint("C2", call.attributes.Bool("pad").status()));
  }
  return OneOutput(TensorType(DType::kString, x->shape()));
}

}  // namespace

std::vector<OpDef> Base64Ops() {
  const char* input = "The input is a tensor or a ragged value of strings.";
  const char* composites = "On a ragged value, the op works on the flat values.";
  return {{.name = "decode_base64",
           .summary = "Decodes base64",
           .description =
               "Returns the bytes that each string encodes in base64 with the alphabet that is "
               "safe in URLs, in which `-` and `_` replace `+` and `/`. Padding is optional.",
           .inputs = {"x"},
           .result = "A value of strings with the shape of x.",
           .constraints = {input, "Each string is valid base64."},
           .composites = composites,
           .infer = InferBase64,
           .expand = ExpandOnFlatValues,
           .family = OpFamily::kUnaryElementwise},
          {.name = "encode_base64",
           .summary = "Encodes strings as base64",
           .description =
               "Returns the bytes of each string in base64 with the alphabet that is safe in URLs, "
               "in which `-` and `_` replace `+` and `/`. With `pad`, the length of each result is "
               "a multiple of 4.",
           .inputs = {"x"},
           .attributes = {{"pad", AttributeOf(false)}},
           .result = "A value of strings with the shape of x.",
           .constraints = {input, "`pad` is a bool."},
           .composites = composites,
           .infer = InferBase64,
           .expand = ExpandOnFlatValues,
           .family = OpFamily::kUnaryElementwise}};
}

}  // namespace signet
