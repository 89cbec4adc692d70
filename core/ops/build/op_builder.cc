#include "core/ops/build/op_builder.h"

namespace signet {

StatusOr<GraphValue> OpBuilder::MakeExtensionValue(std::string_view name, const NamedTypes&,
                                                   std::span<const GraphValue>) {
  return WithReason("NOT_REGISTERED", NotFound("no extension type `", Printable(name),
                                               "`; there are none outside a model"));
}

Status OpBuilder::CheckCallable(std::string_view) const { return absl::OkStatus(); }

bool OpBuilder::InheritsFrom(std::string_view name, std::string_view ancestor) const {
  return name == ancestor;
}

}  // namespace signet
