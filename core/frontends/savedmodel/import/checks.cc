// Finds the assertions of a function. TensorFlow runs them because of control inputs; no value
// depends on them.

#include <algorithm>

#include "core/formats/tensorflow/graph_tensor.h"
#include "core/formats/tensorflow/tensorflow_dtype.h"
#include "core/frontends/savedmodel/import/function_import.h"
#include "core/ops/catalog.h"
#include "core/ops/def/op_registry.h"

namespace signet {
namespace {

constexpr size_t kMaxChecks = 256;
constexpr int64_t kMaxCheckNodes = 10'000;  // that one condition needs
constexpr size_t kMaxMessage = 400;         // bytes

bool IsBranch(std::string_view op) { return op == "If" || op == "StatelessIf"; }

// The texts among the inputs of an Assert after its condition.
StatusOr<std::string> MessageOfAssert(const NodeGraph& graph, int node) {
  SIGNET_ASSIGN_OR_RETURN(auto inputs, graph.InputsOf(node));
  std::string message;
  for (size_t i = 1; i < inputs.size(); ++i) {
    if (inputs[i].kind != NodeReference::Kind::kNode) continue;
    const tensorflow::NodeDef& text = graph.node(inputs[i].index);
    const auto* value = text.op() == "Const" ? LookupAttribute(text, "value") : nullptr;
    if (value == nullptr || value->tensor().dtype() != tensorflow::DT_STRING) continue;
    for (const std::string& part : value->tensor().string_val()) {
      const std::string words = Printable(part);
      // Whole texts are left out, so that no character is cut.
      if (message.size() + 1 + words.size() > kMaxMessage) break;
      if (!message.empty()) message += " ";
      message += words;
    }
  }
  return message.empty() ? Cat("assertion `", Printable(graph.node(node).name()), "` failed")
                         : message;
}

}  // namespace

StatusOr<std::optional<FunctionImporter::Check>> FunctionImporter::CheckOfBranch(
    const NodeGraph& graph, int node) {
  // A branch `If(condition, condition, data...)` whose other side has an Assert of its argument 0.
  SIGNET_ASSIGN_OR_RETURN(auto inputs, graph.InputsOf(node));
  const auto* branch = LookupAttribute(graph.node(node), "else_branch");
  if (branch == nullptr || !branch->has_func() || inputs.size() < 2) return std::nullopt;
  auto found = model_.library.FindBody(branch->func().name());
  if (!found.ok()) return std::nullopt;
  const NodeGraph& body = **found;
  for (int i = 0; i < body.num_nodes(); ++i) {
    if (body.node(i).op() != "Assert") continue;
    SIGNET_ASSIGN_OR_RETURN(auto asserted, body.InputsOf(i));
    if (asserted.empty()) return std::nullopt;
    const int argument = ArgumentOf(body, asserted[0]);
    if (argument < 0 || static_cast<size_t>(argument) + 1 >= inputs.size()) return std::nullopt;
    const NodeReference given = SkipIdentity(graph, inputs[static_cast<size_t>(argument) + 1]);
    const NodeReference condition = SkipIdentity(graph, inputs[0]);
    if (given != condition) return std::nullopt;
    SIGNET_ASSIGN_OR_RETURN(std::string message, MessageOfAssert(body, i));
    return Check{inputs[0], std::move(message)};
  }
  return std::nullopt;
}

bool FunctionImporter::IsUnconditional(const NodeGraph& graph, int node, NodeReference condition) {
  condition = SkipIdentity(graph, condition);
  for (int i = 0; i < 1000 && condition.kind == NodeReference::Kind::kNode; ++i) {
    const std::string& op = graph.node(condition.index).op();
    if (op != "Switch" && op != "RefSwitch") break;
    auto inputs = graph.InputsOf(condition.index);
    if (!inputs.ok() || inputs->empty()) return false;
    condition = SkipIdentity(graph, (*inputs)[0]);
  }
  auto conditions = ConditionsOf(graph, node);
  return conditions.ok() &&
         std::all_of((*conditions)->begin(), (*conditions)->end(), [&](const auto& entry) {
           return entry.first == condition && entry.second == 0;
         });
}

StatusOr<bool> FunctionImporter::IsSupported(const Scope& scope, const NodeReference& condition) {
  std::vector<NodeReference> open = {condition};
  std::set<int> seen;
  while (!open.empty()) {
    const NodeReference reference = open.back();
    open.pop_back();
    if (reference.kind != NodeReference::Kind::kNode) continue;
    if (scope.values.contains({reference.index, reference.output})) continue;
    if (scope.used.contains(reference.index) || !seen.insert(reference.index).second) continue;
    if (static_cast<int64_t>(seen.size()) > kMaxCheckNodes) return false;
    const tensorflow::NodeDef& node = scope.graph->node(reference.index);
    const std::string& op = node.op();
    if (op == "Const") continue;
    SIGNET_ASSIGN_OR_RETURN(auto inputs, scope.graph->InputsOf(reference.index));
    if (op == "Switch" || op == "RefSwitch") {
      // A value of one side of a branch may not be checked if the other side is taken. A condition
      // that depends on itself is the form in which version 1 writes an Assert.
      const bool has_both = inputs.size() == 2;
      if (!has_both) return false;
      const NodeReference data = SkipIdentity(*scope.graph, inputs[0]);
      const NodeReference side = SkipIdentity(*scope.graph, inputs[1]);
      if (data != side) return false;
    } else if (op == "Enter" || op == "RefEnter" || op == "NextIteration" || op == "LoopCond") {
      return false;
    } else if (!PassesInputs(op) && BuiltinOps().Lookup(Cat("tf.", op)) == nullptr) {
      return false;
    }
    open.insert(open.end(), inputs.begin(), inputs.end());
  }
  return true;
}

StatusOr<std::vector<FunctionImporter::Check>> FunctionImporter::FindChecks(const Scope& scope) {
  std::vector<Check> checks;
  // Assertions in loops and branches are left out: their conditions are values of the loop or the
  // branch, which may never run, but a check would run always.
  if (scope.function != functions_[0].get()) return checks;
  std::vector<int> open;
  auto add_control = [&](int node) -> Status {
    SIGNET_ASSIGN_OR_RETURN(auto inputs, scope.graph->ControlInputsOf(node));
    for (const NodeReference& input : inputs) open.push_back(input.index);
    return absl::OkStatus();
  };
  for (const auto& [node, outputs] : scope.used) SIGNET_RETURN_IF_ERROR(add_control(node));
  if (const auto* function = scope.graph->function()) {
    for (const auto& [name, node] : function->control_ret()) {
      if (const int index = scope.graph->Lookup(node); index >= 0) open.push_back(index);
    }
  }
  std::sort(open.begin(), open.end());
  std::set<int> seen;
  while (!open.empty() && checks.size() < kMaxChecks) {
    const int index = open.back();
    open.pop_back();
    if (scope.used.contains(index) || !seen.insert(index).second) continue;
    if (++num_steps_ > kMaxImportedNodes * 100) break;
    const tensorflow::NodeDef& node = scope.graph->node(index);
    std::optional<Check> check;
    SIGNET_ASSIGN_OR_RETURN(auto inputs, scope.graph->InputsOf(index));
    if (node.op() == "Assert" && !inputs.empty()) {
      SIGNET_ASSIGN_OR_RETURN(std::string message, MessageOfAssert(*scope.graph, index));
      check = Check{inputs[0], std::move(message)};
    } else if (IsBranch(node.op())) {
      SIGNET_ASSIGN_OR_RETURN(check, CheckOfBranch(*scope.graph, index));
    } else if (node.op() == "Identity" || node.op() == "Merge") {
      for (const NodeReference& input : inputs) {
        if (input.kind == NodeReference::Kind::kNode) open.push_back(input.index);
      }
    }
    SIGNET_RETURN_IF_ERROR(add_control(index));
    if (!check) continue;
    SIGNET_ASSIGN_OR_RETURN(bool is_supported, IsSupported(scope, check->condition));
    if (is_supported && IsUnconditional(*scope.graph, index, check->condition)) {
      checks.push_back(*std::move(check));
    } else if (function().def.doc.size() < 4096) {
      function().def.doc += Cat(" In TensorFlow, it also checks: ", check->message, ".");
    }
  }
  return checks;
}

}  // namespace signet
