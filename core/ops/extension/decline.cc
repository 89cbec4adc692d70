// decline: declares that an override of an extension type does not accept a call.

#include "core/ops/extension/extension_ops.h"

namespace signet {
namespace {

StatusOr<std::vector<GraphValue>> ExpandDecline(OpBuilder&, const OpCall&,
                                                std::span<const GraphValue>) {
  return WithReason("DECLINED", Unimplemented("declines"));
}

}  // namespace

OpDef Decline() {
  return {
      .name = "decline",
      .summary = "Declares that an override does not accept a call",
      .description =
          "An override whose body reaches this op does not accept the call, and the next override "
          "is tried. The whole body of a function is always specialized; therefore, put this op "
          "into a function of its own, and call that function with `cond`.",
      .inputs = {"inputs..."},
      .result = "No outputs.",
      .composites = "The inputs are values of any type.",
      .expand = ExpandDecline,
      .literals_as_tensors = false,
      .any_type = true,
  };
}

}  // namespace signet
