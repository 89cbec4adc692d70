#include "core/ops/def/output_count.h"

namespace signet {

bool HasSeveralOutputs(const OpDef& op, size_t num_inputs,
                       absl::FunctionRef<bool(std::string_view)> is_set) {
  if (op.control == Control::kWhile) return num_inputs > 1;
  if (IsFrontendOp(op.name)) return true;  // or one, which the index 0 selects
  size_t count = 0;
  for (std::string_view output : op.outputs) {
    if (output.ends_with("...")) return true;
    count += !output.ends_with("?") || is_set(output.substr(0, output.size() - 1));
  }
  return count > 1;
}

std::optional<size_t> MaxOutputs(const OpDef& op, size_t num_inputs) {
  if (op.control == Control::kWhile) return num_inputs;  // its variables
  // Operators of frontends are expansions, so their outputs depend on the types of the inputs.
  if (IsFrontendOp(op.name)) return std::nullopt;
  if (op.outputs.empty()) return 1;
  if (op.outputs.back().ends_with("...")) return std::nullopt;
  return op.outputs.size();
}

}  // namespace signet
