#include "core/ops/def/output_count.h"

namespace signet {

std::optional<size_t> MaxOutputs(const OpDef& op, size_t num_inputs) {
  if (op.control == Control::kWhile) return num_inputs;  // its variables
  // Operators of frontends are expansions, so their outputs depend on the types of the inputs.
  if (IsFrontendOp(op.name)) return std::nullopt;
  if (op.outputs.empty()) return 1;
  if (op.outputs.back().ends_with("...")) return std::nullopt;
  return op.outputs.size();
}

}  // namespace signet
