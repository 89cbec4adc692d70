// format_number: writes each number as a format of printf says.

#include "core/ops/build/flat_values.h"
#include "core/ops/def/inference.h"
#include "core/ops/text/number_format.h"
#include "core/ops/text/text_ops.h"

namespace signet {
namespace {

constexpr int kMaxFieldWidth = 1000;

StatusOr<std::vector<TypeSpec>> InferFormatNumber(const OpCall& call) {
  // C1: the input is a tensor of integers, float32, or float64.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, TensorInput(call, 0));
  const DType dtype = x->dtype();
  const bool is_float = dtype == DType::kFloat32 || dtype == DType::kFloat64;
  if (!IsInteger(dtype) && !is_float) {
    return WithConstraint(
        "C1", InvalidArgument("input 0: expected an integer dtype, float32, or float64, found `",
                              call.inputs[0], "`"));
  }
  // C2: `format` is a format of printf for the dtype.
  SIGNET_ASSIGN_OR_RETURN(std::string text, WithConstraint("C2", call.attributes.String("format")));
  SIGNET_RETURN_IF_ERROR(WithConstraint("C2", ParseNumberFormat(text, is_float).status()));
  return OneOutput(TensorType(DType::kString, x->shape()));
}

}  // namespace

StatusOr<NumberFormat> ParseNumberFormat(std::string_view text, bool is_float) {
  auto fault = [&] {
    return InvalidArgument(
        "format: expected `%`, at most one of ` +-0#`, a width and a precision "
        "of at most ",
        kMaxFieldWidth, ", and ", is_float ? "one of `efg`" : "`d`", ", found `",
        Printable(std::string(text)), "`");
  };
  NumberFormat out;
  std::string_view rest = text;
  if (!rest.starts_with('%')) return fault();
  rest.remove_prefix(1);
  if (!rest.empty() && std::string_view(" +-0#").find(rest.front()) != std::string_view::npos) {
    out.flag = rest.front();
    rest.remove_prefix(1);
  }
  auto take = [&](int& value) {
    value = 0;
    while (!rest.empty() && rest.front() >= '0' && rest.front() <= '9') {
      value = 10 * value + (rest.front() - '0');
      rest.remove_prefix(1);
      if (value > kMaxFieldWidth) return false;
    }
    return true;
  };
  if (!take(out.width)) return fault();
  if (rest.starts_with('.')) {
    rest.remove_prefix(1);
    if (!take(out.precision)) return fault();
  }
  if (rest.size() != 1) return fault();
  out.conversion = rest.front();
  const std::string_view allowed = is_float ? "efg" : "d";
  if (allowed.find(out.conversion) == std::string_view::npos) return fault();
  return out;
}

OpDef FormatNumber() {
  return {
      .name = "format_number",
      .summary = "Writes numbers in a format",
      .description =
          "Returns the text that printf of C writes for each number: `%5d`, `%.3f`, `%e`, or `%g`, "
          "with at most one of the flags `+`, `-`, `0`, `#`, and a space.",
      .inputs = {"x"},
      .attributes = {{"format"}},
      .result = "A value of strings with the shape of x.",
      .constraints = {"The input has an integer dtype, float32, or float64.",
                      "`format` is a format for the dtype, whose width and precision are at most "
                      "1000."},
      .composites = "On a ragged value, the op converts the flat values.",
      .infer = InferFormatNumber,
      .expand = ExpandOnFlatValues,
      .family = OpFamily::kUnaryElementwise,
  };
}

}  // namespace signet
