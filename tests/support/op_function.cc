#include "tests/support/op_function.h"

#include "core/ops/catalog.h"

namespace signet {

StatusOr<FunctionDef> OpFunction(std::string_view op, const Attributes& attributes,
                                 size_t num_inputs, size_t num_outputs) {
  SIGNET_ASSIGN_OR_RETURN(const OpDef* def, BuiltinOps().Find(op));
  SIGNET_ASSIGN_OR_RETURN(const OpDef* tuple, BuiltinOps().Find("make_tuple"));
  std::vector<Parameter> parameters;
  GraphNode call{"call", def, {}, attributes};
  for (size_t i = 0; i < num_inputs; ++i) {
    parameters.push_back({Cat("x", i), ParameterKind::kPositionalOnly});
    call.inputs.push_back({GraphEdge::Kind::kParameter, static_cast<int>(i), 0});
  }
  GraphNode results{"results", tuple, {}};
  for (size_t i = 0; i < num_outputs; ++i) {
    results.inputs.push_back({GraphEdge::Kind::kNode, 0, static_cast<int>(i)});
  }
  FunctionDef function;
  function.name = op;
  SIGNET_ASSIGN_OR_RETURN(function.type, FunctionType::Make(std::move(parameters)));
  function.graph.nodes = {std::move(call), std::move(results)};
  function.graph.result = {GraphEdge::Kind::kNode, 1, 0};
  return function;
}

}  // namespace signet
