#include "core/ops/def/op_def.h"

namespace signet {

StatusOr<GraphValue> Expander::Call1(std::string_view op, std::initializer_list<GraphValue> inputs,
                                     const Attributes& attributes) {
  SIGNET_ASSIGN_OR_RETURN(
      auto outputs,
      Call(op, std::span<const GraphValue>(inputs.begin(), inputs.size()), attributes));
  SIGNET_CHECK(outputs.size() == 1);
  return std::move(outputs[0]);
}

StatusOr<GraphValue> Expander::MakeExtension(std::string_view name, const NamedTypes&,
                                             std::span<const GraphValue>) {
  return WithReason("NOT_REGISTERED", NotFound("no extension type `", Printable(name),
                                               "`; there are none outside a model"));
}

bool Expander::IsA(std::string_view name, std::string_view ancestor) const {
  return name == ancestor;
}

Status AtOp(const OpDef& op, Status status) {
  if (op.effect || status.ok()) return status;
  return At(Cat("`", op.name, "`"), std::move(status));
}

}  // namespace signet
