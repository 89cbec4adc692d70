#include "core/model/function_captures.h"

#include <map>
#include <set>
#include <string>

#include "core/graph/body/function_references.h"

namespace signet {
namespace {

const FunctionDef* LookupFunction(const ModelDef& model, std::string_view name) {
  for (const FunctionDef& function : model.functions) {
    if (function.name == name) return &function;
  }
  return nullptr;
}

}  // namespace

std::vector<Capture> CapturesOf(const ModelDef& model, const FunctionDef& function) {
  std::map<std::string, TypeSpec> types;
  std::set<const FunctionDef*> seen = {&function};
  std::vector<const FunctionDef*> left = {&function};
  while (!left.empty()) {
    const FunctionDef* next = left.back();
    left.pop_back();
    for (const std::string& name : next->graph.captures) {
      auto found = model.captures.find(name);
      if (found != model.captures.end()) types.emplace(name, found->second.spec());
    }
    for (const GraphNode& node : next->graph.nodes) {
      auto references = FunctionReferences(node);
      if (!references.ok()) continue;
      for (const FunctionReference& reference : *references) {
        const FunctionDef* called = LookupFunction(model, reference.name);
        if (called != nullptr && seen.insert(called).second) left.push_back(called);
      }
    }
  }
  for (const Capture& stated : function.type.captures()) types[stated.name] = stated.type;
  std::vector<Capture> captures;
  for (const auto& [name, type] : types) captures.push_back({name, type});
  return captures;
}

}  // namespace signet
