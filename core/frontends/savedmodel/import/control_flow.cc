// What the imports of branches (branches.cc) and loops (loops.cc, frames.cc) share: functions of
// the model, and properties of nodes.

#include <algorithm>

#include "core/formats/tensorflow/graph_tensor.h"
#include "core/frontends/savedmodel/import/function_import.h"
#include "core/ops/def/inference.h"

namespace signet {

GraphFunction& FunctionImporter::AddFunction(std::string_view name) {
  functions_.push_back(
      std::make_unique<GraphFunction>(model_.names.Make(Cat("_", name)), model_.out.captures));
  return *functions_.back();
}

Bound FunctionImporter::AddFunctionParameter(GraphFunction& function, std::string_view name) {
  std::string unique = model_.names.Make(name);
  function.parameters.push_back({.name = unique});
  return {.kind = Bound::Kind::kValue, .edge = function.graph.AddParameter(unique)};
}

Bound FunctionImporter::AsCondition(GraphFunction& function, const Bound& value) {
  return AddNode(function, "condition", "tf.ToBool", {value});
}

Bound FunctionImporter::ResultItem(GraphFunction& function, const Bound& result, int i) {
  return AddNode(function, "item", "get_item", {result}, {{"key", AttributeOf(i)}});
}

bool FunctionImporter::IsIdentity(std::string_view op) {
  return op == "Identity" || op == "StopGradient" || op == "RefIdentity" || op == "Snapshot";
}

NodeReference FunctionImporter::SkipIdentity(const NodeGraph& graph, NodeReference reference) {
  for (int i = 0; i < 1000 && reference.kind == NodeReference::Kind::kNode; ++i) {
    const auto& node = graph.node(reference.index);
    if (!IsIdentity(node.op()) && node.op() != "IdentityN") break;
    auto inputs = graph.InputsOf(reference.index);
    if (!inputs.ok() || static_cast<size_t>(reference.output) >= inputs->size()) break;
    reference = (*inputs)[static_cast<size_t>(reference.output)];
  }
  return reference;
}

int FunctionImporter::ArgumentOf(const NodeGraph& graph, NodeReference reference) {
  reference = SkipIdentity(graph, reference);
  return reference.kind == NodeReference::Kind::kArgument ? reference.index : -1;
}

std::optional<int64_t> FunctionImporter::KnownSelector(const Bound& selector, bool is_index) const {
  if (selector.kind != Bound::Kind::kCapture) return std::nullopt;
  // The values of variables may be replaced after the model is loaded.
  for (const auto& [key, capture] : model_.variables) {
    if (capture == selector.text) return std::nullopt;
  }
  auto found = model_.out.captures.find(selector.text);
  if (found == model_.out.captures.end()) return std::nullopt;
  auto known = found->second.Get();
  if (!known.ok() || known->tensor().num_elements() != 1) return std::nullopt;
  const Tensor& value = known->tensor();
  if (IsIndexDType(value.dtype())) {
    const int64_t number = IntsOf(value)[0];
    return is_index ? number : number != 0 ? 1 : 0;
  }
  if (is_index || value.dtype() != DType::kBool) return std::nullopt;
  return value.elements<bool>()[0] ? 1 : 0;
}

bool FunctionImporter::IsNumber(const Bound& value, int64_t number) const {
  if (value.kind != Bound::Kind::kCapture) return false;
  auto found = model_.out.captures.find(value.text);
  if (found == model_.out.captures.end()) return false;
  auto known = found->second.Get();
  if (!known.ok() || known->tensor().rank() != 0) return false;
  const DType dtype = known->tensor().dtype();
  return IsIndexDType(dtype) && IntsOf(known->tensor())[0] == number;
}

bool FunctionImporter::IsKnownShape(const Bound& value) const {
  if (value.kind != Bound::Kind::kCapture) return false;
  auto found = model_.out.captures.find(value.text);
  if (found == model_.out.captures.end()) return false;
  auto known = found->second.Get();
  if (!known.ok() || known->tensor().rank() != 1) return false;
  if (!IsIndexDType(known->tensor().dtype())) return false;
  const std::vector<int64_t> sizes = IntsOf(known->tensor());
  return std::all_of(sizes.begin(), sizes.end(), [](int64_t size) { return size >= 0; });
}

bool FunctionImporter::IsOne(const NodeGraph& graph, NodeReference reference) {
  reference = SkipIdentity(graph, reference);
  if (reference.kind != NodeReference::Kind::kNode || graph.node(reference.index).op() != "Const") {
    return false;
  }
  const auto* constant = LookupAttribute(graph.node(reference.index), "value");
  if (constant == nullptr) return false;
  auto value = TensorFromGraph(constant->tensor());
  return value.ok() && value->num_elements() == 1 && IsIndexDType(value->dtype()) &&
         IntsOf(*value)[0] == 1;
}

bool FunctionImporter::IsNewList(const GraphFunction& function, const Bound& value) const {
  return value.kind == Bound::Kind::kValue && value.edge.kind == GraphEdge::Kind::kNode &&
         new_lists_.contains({&function, value.edge.index});
}

bool FunctionImporter::HasUnknownRank(const GraphFunction& function, const Bound& value) const {
  return IsNewList(function, value) &&
         new_lists_.at({&function, value.edge.index}).has_unknown_rank;
}

Bound FunctionImporter::CollectedList(GraphFunction& function, const Bound& items,
                                      const Bound& start, const Collected& collected) {
  if (collected.is_rows) return AddNode(function, "rows", "tf.TensorListRows", {items});
  const NewList& list = new_lists_.at({&function, start.edge.index});
  return AddNode(function, "collected", "tf.TensorListResize", {items, list.size},
                 {{"only_grow", AttributeOf(collected.grows || list.grows)}});
}

}  // namespace signet
