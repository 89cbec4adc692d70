// Finds what a function changes. Control inputs are followed too, because TensorFlow runs what they
// name.

#include <algorithm>

#include "core/frontends/savedmodel/import/function_import.h"

namespace signet {
// Operators that change variables, tables, or the world outside.
bool FunctionImporter::ChangesState(std::string_view op) {
  static const auto* const names = new std::set<std::string_view>{"Assign",
                                                                  "AssignAdd",
                                                                  "AssignSub",
                                                                  "AssignVariableOp",
                                                                  "AssignAddVariableOp",
                                                                  "AssignSubVariableOp",
                                                                  "AssignVariableXlaConcatND",
                                                                  "CountUpTo",
                                                                  "ScatterAdd",
                                                                  "ScatterDiv",
                                                                  "ScatterMax",
                                                                  "ScatterMin",
                                                                  "ScatterMul",
                                                                  "ScatterSub",
                                                                  "ScatterUpdate",
                                                                  "ScatterNdAdd",
                                                                  "ScatterNdSub",
                                                                  "ScatterNdUpdate",
                                                                  "ScatterNdMax",
                                                                  "ScatterNdMin",
                                                                  "StridedSliceAssign",
                                                                  "ResourceStridedSliceAssign",
                                                                  "LookupTableInsert",
                                                                  "LookupTableInsertV2",
                                                                  "LookupTableRemoveV2",
                                                                  "LookupTableImport",
                                                                  "LookupTableImportV2",
                                                                  "InitializeTable",
                                                                  "InitializeTableV2",
                                                                  "InitializeTableFromTextFile",
                                                                  "InitializeTableFromTextFileV2",
                                                                  "PyFunc",
                                                                  "PyFuncStateless",
                                                                  "EagerPyFunc",
                                                                  "WriteFile",
                                                                  "QueueEnqueue",
                                                                  "QueueEnqueueV2",
                                                                  "QueueEnqueueMany",
                                                                  "QueueEnqueueManyV2",
                                                                  "QueueDequeue",
                                                                  "QueueDequeueV2",
                                                                  "QueueDequeueMany",
                                                                  "QueueDequeueManyV2",
                                                                  "IteratorGetNext",
                                                                  "StackPush",
                                                                  "StackPushV2",
                                                                  "StackPop",
                                                                  "StackPopV2",
                                                                  "Abort"};
  if (names->contains(op)) return true;
  for (std::string_view prefix :
       {"ResourceApply", "ResourceSparseApply", "ResourceScatter", "SparseApply", "Apply",
        "BoostedTreesUpdateEnsemble", "BoostedTreesCenterBias", "BoostedTreesDeserialize",
        "BoostedTreesQuantileStreamResourceAdd", "BoostedTreesQuantileStreamResourceFlush"}) {
    if (op.starts_with(prefix)) return true;
  }
  return false;
}

namespace {

// Operators whose effects are not needed for an answer, and their inputs with them.
bool IsDropped(std::string_view op) {
  return op == "Assert" || op == "Print" || op == "PrintV2" || op == "SaveV2" ||
         op.find("Summary") != std::string_view::npos;
}

// Adds the functions that the attributes of a node name.
void AddFunctions(const tensorflow::NodeDef& node, std::vector<std::string>& out) {
  for (const auto& [name, value] : node.attr()) {
    if (value.has_func()) out.push_back(value.func().name());
    for (const auto& function : value.list().func()) out.push_back(function.name());
  }
  std::sort(out.begin(), out.end());
}

}  // namespace

std::string FunctionImporter::EffectOfFunction(const std::string& name, int depth) {
  if (depth > kMaxCallDepth) return "";
  auto [known, is_new] = model_.effects.emplace(name, "");
  if (!is_new) return known->second;
  auto body = model_.library.FindBody(name);
  if (!body.ok()) return "";
  std::vector<int> nodes;
  const auto& function = *(*body)->function();
  for (const auto& [output, node] : function.control_ret()) {
    if (const int index = (*body)->Lookup(node); index >= 0) nodes.push_back(index);
  }
  for (const auto& [output, text] : function.ret()) {
    auto reference = (*body)->Resolve(text);
    if (reference.ok() && reference->kind == NodeReference::Kind::kNode) {
      nodes.push_back(reference->index);
    }
  }
  std::sort(nodes.begin(), nodes.end());
  return model_.effects[name] = EffectOf(**body, nodes, {}, depth);
}

std::string FunctionImporter::EffectOf(const NodeGraph& graph, const std::vector<int>& nodes,
                                       const std::set<std::pair<int, int>>& fed, int depth) {
  std::vector<int> open = nodes;
  std::vector<bool> seen(static_cast<size_t>(graph.num_nodes()));
  while (!open.empty()) {
    const int index = open.back();
    open.pop_back();
    if (seen[static_cast<size_t>(index)]) continue;
    seen[static_cast<size_t>(index)] = true;
    const tensorflow::NodeDef& node = graph.node(index);
    if (ChangesState(node.op())) {
      std::string target;
      if (node.input_size() > 0) target = node.input(0);
      return Cat("changes state (", Printable(node.op()), " of `", Printable(target), "`; ",
                 graph.PlaceOf(index), ")");
    }
    if (IsDropped(node.op())) continue;
    std::vector<std::string> functions;
    AddFunctions(node, functions);
    if (model_.library.Lookup(node.op()) != nullptr) functions.push_back(node.op());
    for (const std::string& function : functions) {
      std::string effect = EffectOfFunction(function, depth + 1);
      if (!effect.empty()) return effect;
    }
    for (bool is_control : {false, true}) {
      auto inputs = is_control ? graph.ControlInputsOf(index) : graph.InputsOf(index);
      if (!inputs.ok()) continue;
      for (const NodeReference& input : *inputs) {
        if (input.kind == NodeReference::Kind::kArgument) continue;
        if (!is_control && fed.contains({input.index, input.output})) continue;
        open.push_back(input.index);
      }
    }
  }
  return "";
}

Status FunctionImporter::NoteEffect(const std::string& effect, size_t num_outputs) {
  if (effect.empty()) return absl::OkStatus();
  if (num_outputs == 0) {
    return Unimplemented(effect, "; the functions of a served model do not change it");
  }
  function().def.doc +=
      Cat(" In TensorFlow, it also ", effect, ". Here, each call starts with the saved state.");
  return absl::OkStatus();
}

Status FunctionImporter::CheckOrder(const NodeGraph& graph, int index) {
  const tensorflow::NodeDef& node = graph.node(index);
  if (ChangesState(node.op())) {
    AddFault(Cat("changes state (", Printable(node.op()), "; ", graph.PlaceOf(index),
                 "); the functions of a served model do not change it"));
  }
  SIGNET_ASSIGN_OR_RETURN(auto control, graph.ControlInputsOf(index));
  if (control.empty()) return absl::OkStatus();
  bool reads = !CalledFunction(model_.library, node).empty() ||
               node.op().starts_with("ReadVariable") || node.op().starts_with("ResourceGather") ||
               node.op().starts_with("LookupTable");
  SIGNET_ASSIGN_OR_RETURN(auto inputs, graph.InputsOf(index));
  for (const NodeReference& input : inputs) {
    reads = reads || (input.kind == NodeReference::Kind::kNode &&
                      Initialization::MakesVariable(graph.node(input.index).op()));
  }
  if (!reads) return absl::OkStatus();
  std::vector<int> nodes;
  for (const NodeReference& input : control) nodes.push_back(input.index);
  num_steps_ += graph.num_nodes();
  const std::string effect = EffectOf(graph, nodes, {}, 0);
  if (!effect.empty()) {
    AddFault(
        Cat("reads state after it ", effect, "; the functions of a served model do not change it"));
  }
  return absl::OkStatus();
}

}  // namespace signet
