#include "core/ops/op.h"

namespace signet {

StatusOr<GraphValue> Expander::Call1(std::string_view op, std::initializer_list<GraphValue> inputs,
                                     const Attributes& attributes) {
  SIGNET_ASSIGN_OR_RETURN(
      auto outputs,
      Call(op, std::span<const GraphValue>(inputs.begin(), inputs.size()), attributes));
  SIGNET_CHECK(outputs.size() == 1);
  return std::move(outputs[0]);
}

}  // namespace signet
