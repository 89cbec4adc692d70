#include "signet/ops/run_op.h"

#include "core/eager/builtin_library.h"
#include "core/graph/lower/evaluator.h"
#include "core/graph/lower/inliner.h"
#include "core/ops/def/op_registry.h"

namespace signet {

StatusOr<std::vector<Value>> RunOp(std::string_view op, std::span<const Value> inputs,
                                   const Attributes& attributes, const FunctionLibrary* library) {
  Evaluator run(library == nullptr ? BuiltinLibrary() : *library);
  SIGNET_ASSIGN_OR_RETURN(const OpDef* def, run.library().ops().Find(op));
  std::vector<GraphValue> values;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i] || inputs[i].is_placeholder()) {
      return InvalidArgument("input ", i, " of `", op, "`: expected a value, found only a type");
    }
    values.push_back(run.Constant(inputs[i]));
  }
  SIGNET_ASSIGN_OR_RETURN(auto outputs, Inliner(run).Call(*def, values, attributes));
  std::vector<Value> results;
  results.reserve(outputs.size());
  for (const GraphValue& output : outputs) results.push_back(run.ValueOf(output));
  return results;
}

StatusOr<Value> RunOp1(std::string_view op, std::initializer_list<Value> inputs,
                       const Attributes& attributes) {
  SIGNET_ASSIGN_OR_RETURN(auto outputs, RunOp(op, inputs, attributes));
  if (outputs.size() == 1) return std::move(outputs[0]);
  return InvalidArgument("expected an op with one output, found `", op, "` with ", outputs.size());
}

}  // namespace signet
