
#include "core/ops/extension/extension_ops.h"
// decline: says that an override of an extension type does not take this call. The constraints are
// those of docs/reference/ops.md.

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
      .summary = "Says that an override does not take this call",
      .inputs = {"inputs..."},
      .expand = ExpandDecline,
      .literals_as_tensors = false,
      .any_type = true,
  };
}

}  // namespace signet
