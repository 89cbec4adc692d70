#include "core/model/language/node_builder.h"

#include <algorithm>

#include "core/base/nearest_name.h"
#include "core/graph/body/verify.h"
#include "core/ops/catalog.h"
#include "core/ops/def/op_registry.h"
#include "core/ops/def/output_count.h"

namespace signet {

std::string HintAtName(std::string_view name, std::vector<std::string> names,
                       std::string_view what) {
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  std::vector<std::string_view> views(names.begin(), names.end());
  if (auto nearest = NearestName(name, views)) return Cat("; did you mean `", *nearest, "`?");
  return Cat("; ", what, ": ", ListNames(std::move(names)));
}

NodeBuilder::NodeBuilder(const BodyScope& scope, NodePositions& positions, SourceErrors& errors)
    : scope_(scope),
      captures_(scope.model.captures),
      positions_(positions),
      errors_(errors),
      may_override_(!scope.model.types.Names().empty()),
      build_(BuiltinOps(), captures_) {}

bool NodeBuilder::HasCapture(std::string_view name) const {
  return captures_.contains(absl::string_view(name.data(), name.size()));
}

bool NodeBuilder::IsFree(const std::string& name) const {
  return !explicit_.contains(name) && !HasCapture(name) && !build_.Lookup(name);
}

std::string NodeBuilder::NextName() {
  int& count = counts_[base_];
  std::string name;
  do {
    name = Cat(base_, "_", ++count);
  } while (!IsFree(name));
  return name;
}

std::vector<std::string> NodeBuilder::ValueNames() const {
  std::vector<std::string> names;
  for (const auto& [name, local] : locals_) names.push_back(name);
  for (const auto& [name, capture] : captures_) names.push_back(name);
  return names;
}

BodyOperand NodeBuilder::Fail(size_t position, std::string message) {
  errors_.Add(position, std::move(message));
  return {};
}

void NodeBuilder::CheckBuilder(size_t position) {
  if (!build_.status().ok()) errors_.Add(position, std::string(MessageOf(build_.status())));
}

GraphEdge NodeBuilder::EdgeOf(const BodyOperand& operand) {
  if (!operand.constant) return operand.edge;
  const Literal* literal = operand.literal();
  return literal != nullptr ? build_.AddLiteral(*literal) : build_.AddLiteral(*operand.constant);
}

BodyOperand NodeBuilder::AddNode(std::string_view op_name, std::vector<BodyOperand> inputs,
                                 NamedTypes attributes,
                                 std::vector<std::pair<std::string, BodyOperand>> attribute_edges,
                                 std::string name, size_t position) {
  auto op = BuiltinOps().FindCallable(op_name);
  if (!op.ok()) return Fail(position, std::string(MessageOf(op.status())));
  auto is_ok = [](const BodyOperand& operand) { return operand.ok; };
  bool ok = std::all_of(inputs.begin(), inputs.end(), is_ok);
  GraphNode checked{.name = name, .op = *op, .inputs = {}, .attributes = attributes};
  for (const auto& [attribute, operand] : attribute_edges) {
    checked.attribute_edges.emplace_back(attribute, GraphEdge());
    ok = ok && operand.ok;
  }
  positions_.emplace(name, position);
  Status status = CheckArity(**op, inputs.size());
  if (!status.ok()) return Fail(position, std::string(MessageOf(status)));
  status = CompleteAttributesOf(checked).status();
  if (!status.ok()) return Fail(position, Cat("`", op_name, "`: ", MessageOf(status)));
  if (!ok || !build_.status().ok()) return {};
  GraphBuilder::Edges edges;
  for (const BodyOperand& input : inputs) edges.push_back(EdgeOf(input));
  GraphBuilder::AttributeEdges others;
  for (auto& [attribute, operand] : attribute_edges) {
    others.emplace_back(attribute, EdgeOf(operand));
  }
  BodyOperand out{.ok = true, .edge = {}, .text = {}};
  out.edge = build_.AddNode(name, op_name, std::move(edges), Attributes(std::move(attributes)),
                            std::move(others));
  CheckBuilder(position);
  out.ok = build_.status().ok();
  const bool may_override = may_override_ && !(*op)->any_type && (*op)->control == Control::kNone;
  if (!may_override) out.max_outputs = MaxOutputs(**op, inputs.size());
  out.text = std::move(name);
  return out;
}

}  // namespace signet
