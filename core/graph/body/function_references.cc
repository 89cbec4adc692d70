#include "core/graph/body/function_references.h"

#include <algorithm>
#include <iterator>

#include "core/ops/def/literal_dtype.h"

namespace signet {

bool NamesFunction(const OpDef& op, std::string_view attribute) {
  constexpr std::string_view kNames[] = {"function", "then", "else", "condition", "body"};
  return op.control != Control::kNone &&
         std::find(std::begin(kNames), std::end(kNames), attribute) != std::end(kNames);
}

bool NamesFunctions(const OpDef& op, std::string_view attribute) {
  return op.control != Control::kNone && attribute == "functions";
}

StatusOr<std::vector<FunctionReference>> FunctionReferences(const GraphNode& node) {
  std::vector<FunctionReference> calls;
  if (node.op->control == Control::kNone) return calls;
  for (const auto& [attribute, value] : node.attributes.entries()) {
    if (NamesFunctions(*node.op, attribute)) {
      SIGNET_ASSIGN_OR_RETURN(auto names, node.attributes.Strings(attribute));
      for (std::string& name : names) calls.push_back({attribute, std::move(name)});
    } else if (NamesFunction(*node.op, attribute) && !IsNone(value)) {
      SIGNET_ASSIGN_OR_RETURN(std::string name, node.attributes.String(attribute));
      calls.push_back({attribute, std::move(name)});
    }
  }
  return calls;
}

}  // namespace signet
