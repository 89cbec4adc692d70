#include "bench/support/program.h"

#include "core/ops/catalog.h"

namespace signet {
namespace {

FunctionType SignatureOf(const std::vector<TypeSpec>& parameters) {
  std::vector<Parameter> declared;
  for (const TypeSpec& type : parameters) {
    declared.push_back({.name = Cat("x", declared.size()), .type = type});
  }
  auto type = FunctionType::Make(std::move(declared));
  SIGNET_CHECK(type.ok());
  return *type;
}

}  // namespace

Program::Program(const std::vector<TypeSpec>& parameters) {
  def_.name = "program";
  def_.type = SignatureOf(parameters);
}

GraphEdge Program::Parameter(int index) const {
  return {.kind = GraphEdge::Kind::kParameter, .index = index};
}

GraphEdge Program::Constant(Value value) {
  def_.graph.literals.push_back(std::move(value));
  return {.kind = GraphEdge::Kind::kLiteral,
          .index = static_cast<int>(def_.graph.literals.size()) - 1};
}

GraphEdge Program::Op(std::string_view op, std::vector<GraphEdge> inputs, Attributes attributes) {
  const OpDef* def = BuiltinOps().Lookup(op);
  SIGNET_CHECK(def != nullptr);
  def_.graph.nodes.push_back({.name = Cat("node", def_.graph.nodes.size()),
                              .op = def,
                              .inputs = std::move(inputs),
                              .attributes = std::move(attributes)});
  return {.kind = GraphEdge::Kind::kNode, .index = static_cast<int>(def_.graph.nodes.size()) - 1};
}

}  // namespace signet
