#include "core/model/verify_functions.h"

#include <algorithm>
#include <string>

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include "core/function/binding.h"
#include "core/graph/body/dependency_order.h"
#include "core/graph/body/function_references.h"
#include "core/graph/body/verify.h"

namespace signet {
namespace {

// Checks the number and the names of the arguments of a call of one function. Their types are
// checked when the function is specialized.
Status CheckArguments(const GraphNode& call, const FunctionDef& callee) {
  for (const auto& [attribute, edge] : call.attribute_edges) {
    if (attribute == "keywords") return absl::OkStatus();  // known when it is specialized
  }
  std::vector<std::string> keywords;
  if (call.attributes.Has("keywords")) {
    SIGNET_ASSIGN_OR_RETURN(keywords, call.attributes.Strings("keywords"));
  }
  if (keywords.size() > call.inputs.size()) return absl::OkStatus();  // an error of the op
  const std::vector<std::string_view> names(keywords.begin(), keywords.end());
  return BindArguments(callee.type, call.inputs.size() - names.size(), names).status();
}

// For each function, the indices of the functions that its nodes call, one per call.
StatusOr<std::vector<std::vector<int>>> CalleesOf(const std::vector<FunctionDef>& functions) {
  absl::flat_hash_map<std::string, int> indices;
  for (const FunctionDef& def : functions) {
    indices.emplace(def.name, static_cast<int>(indices.size()));
  }
  std::vector<std::vector<int>> callees(functions.size());
  for (size_t i = 0; i < functions.size(); ++i) {
    for (const GraphNode& node : functions[i].graph.nodes) {
      SIGNET_ASSIGN_OR_RETURN(std::vector<FunctionReference> calls, FunctionReferences(node));
      for (const FunctionReference& call : calls) {
        callees[i].push_back(indices.at(call.name));
        if (node.op->control != Control::kCall || call.attribute != "function") continue;
        const FunctionDef& callee = functions[static_cast<size_t>(callees[i].back())];
        SIGNET_RETURN_IF_ERROR(
            At(Cat("function `", Printable(functions[i].name), "`: node `", Printable(node.name),
                   "`: function `", Printable(callee.name), "`"),
               CheckArguments(node, callee)));
      }
    }
  }
  return callees;
}

// A function that is specialized contains the nodes of all functions that it calls, once per call.
Status CheckCalls(const std::vector<FunctionDef>& functions,
                  const std::vector<std::vector<int>>& callees) {
  auto name_of = [&](int i) { return Cat("`", functions[static_cast<size_t>(i)].name, "`"); };
  DependencyOrder sorted = OrderByDependencies(callees);
  if (!sorted.cycle.empty()) {
    std::vector<std::string> names;
    for (int i : sorted.cycle) names.push_back(name_of(i));
    names.resize(std::min<size_t>(names.size(), 8));
    names.push_back(names[0]);
    return InvalidArgument("functions call each other in a cycle: ", Join(names, " -> "));
  }
  std::vector<int> depths(functions.size());
  std::vector<int64_t> sizes(functions.size());
  for (int i : sorted.order) {
    auto caller = static_cast<size_t>(i);
    depths[caller] = 1;
    sizes[caller] = static_cast<int64_t>(functions[caller].graph.nodes.size());
    for (int j : callees[caller]) {
      auto callee = static_cast<size_t>(j);
      depths[caller] = std::max(depths[caller], depths[callee] + 1);
      sizes[caller] = std::min(sizes[caller] + sizes[callee], kMaxInlinedNodes + 1);
    }
    if (depths[caller] > kMaxCallDepth) {
      return InvalidArgument("function ", name_of(i),
                             ": the depth of its calls exceeds the limit of ", kMaxCallDepth);
    }
    if (sizes[caller] > kMaxInlinedNodes) {
      return InvalidArgument("function ", name_of(i), ": its nodes and the nodes of all functions ",
                             "that it calls exceed the limit of ", kMaxInlinedNodes);
    }
  }
  return absl::OkStatus();
}

}  // namespace

Status VerifyFunctions(const std::vector<FunctionDef>& functions, const Captures& captures,
                       bool has_extension_types) {
  if (functions.size() > static_cast<size_t>(kMaxFunctions)) {
    return InvalidArgument(functions.size(), " functions exceed the limit of ", kMaxFunctions);
  }
  absl::flat_hash_set<std::string> names;
  for (const FunctionDef& def : functions) {
    if (names.insert(def.name).second) continue;
    return InvalidArgument("duplicate function `", Printable(def.name), "`");
  }
  for (const FunctionDef& def : functions) {
    SIGNET_RETURN_IF_ERROR(At(Cat("function `", Printable(def.name), "`"),
                              Verify(def, {captures, names, has_extension_types})));
  }
  SIGNET_ASSIGN_OR_RETURN(auto callees, CalleesOf(functions));
  return CheckCalls(functions, callees);
}

}  // namespace signet
