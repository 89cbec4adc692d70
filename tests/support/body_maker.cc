#include "tests/support/body_maker.h"

#include "core/function/signature.h"
#include "core/ops/catalog.h"
#include "core/types/notation/notation.h"

namespace signet {

BodyMaker::BodyMaker(std::string name, std::string_view signature) {
  def_.name = std::move(name);
  auto parsed = ParseSignature(signature);
  if (!parsed.ok()) CheckFailed(parsed.status().ToString().c_str(), __FILE__, __LINE__);
  def_.type = parsed->type;
  def_.defaults = parsed->defaults;
}

GraphEdge BodyMaker::Resolve(std::string_view reference) {
  if (reference.starts_with("$")) {
    def_.graph.captures.emplace_back(reference.substr(1));
    return {GraphEdge::Kind::kCapture, static_cast<int>(def_.graph.captures.size()) - 1, 0};
  }
  const auto& parameters = def_.type.parameters();
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i].name == reference) {
      return {GraphEdge::Kind::kParameter, static_cast<int>(i), 0};
    }
  }
  size_t colon = reference.find(':');
  if (auto found = nodes_.find(reference.substr(0, colon)); found != nodes_.end()) {
    int output =
        colon == std::string_view::npos ? 0 : std::stoi(std::string(reference.substr(colon + 1)));
    return {GraphEdge::Kind::kNode, found->second, output};
  }
  auto literal = NotationReader(reference).ReadLiteral();
  if (!literal.ok()) CheckFailed(std::string(reference).c_str(), __FILE__, __LINE__);
  def_.graph.literals.push_back(Value::OfLiteral(*literal));
  return {GraphEdge::Kind::kLiteral, static_cast<int>(def_.graph.literals.size()) - 1, 0};
}

BodyMaker& BodyMaker::Node(std::string name, std::string_view op, std::vector<std::string> inputs,
                           NamedTypes attributes,
                           std::vector<std::pair<std::string, std::string>> attribute_refs) {
  GraphNode node{name, BuiltinOps().Lookup(op), {}, Attributes(std::move(attributes))};
  if (node.op == nullptr) CheckFailed(std::string(op).c_str(), __FILE__, __LINE__);
  for (const std::string& input : inputs) node.inputs.push_back(Resolve(input));
  for (const auto& [attribute, reference] : attribute_refs) {
    node.attribute_edges.emplace_back(attribute, Resolve(reference));
  }
  nodes_.emplace(std::move(name), static_cast<int>(def_.graph.nodes.size()));
  def_.graph.nodes.push_back(std::move(node));
  return *this;
}

FunctionDef BodyMaker::Make(std::string_view result) {
  def_.graph.result = Resolve(result);
  return def_;
}

FunctionType CallType(const FunctionDef& def, std::vector<Value> arguments) {
  auto call = Canonicalize(def.type, {std::move(arguments), {}}, def.defaults);
  if (!call.ok()) CheckFailed(call.status().ToString().c_str(), __FILE__, __LINE__);
  return call->type;
}

}  // namespace signet
