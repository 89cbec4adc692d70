#include "core/ops/string_input.h"

#include "core/ops/inference.h"

namespace signet {

StatusOr<const TensorSpec*> StringInput(const OpCall& call, size_t i) {
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, TensorInput(call, i));
  if (x->dtype() == DType::kString) return x;
  return InvalidArgument("C1 input ", i, " is `", call.inputs[i], "`; takes string");
}

StatusOr<bool> CountsCharacters(const OpCall& call) {
  SIGNET_ASSIGN_OR_RETURN(std::string unit, Labelled("C2", call.attributes.String("unit")));
  if (unit == "bytes" || unit == "utf8") return unit == "utf8";
  return InvalidArgument("C2 unit is `", Printable(unit), "`; takes `bytes` or `utf8`");
}

}  // namespace signet
