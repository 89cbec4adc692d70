#include "core/runtime/concrete_function.h"

#include <algorithm>

#include "core/graph/specializer.h"
#include "core/runtime/executor.h"
#include "core/types/type_bytes.h"
#include "core/values/buffer_bytes.h"

namespace signet {

StatusOr<Value> ConcreteFunction::Run(std::span<const Value> arguments,
                                      const RunControl& control) const {
  absl::InlinedVector<const Tensor*, 8> inputs;
  for (const Value& argument : arguments) {
    for (const Tensor& component : argument.components()) inputs.push_back(&component);
  }
  RunBudget budget = control.Bounded(budget_);
  RunControl with_budget = control;
  if (control.budget == nullptr) with_budget.budget = &budget;
  StatusOr<Components> results = RunPlan(*plan_, frames_, inputs, with_budget);
  if (!results.ok()) return std::move(results).status();
  if (!is_exact_) return Value(std::move((*results)[0]));
  return Value::Trusted(output_, *std::move(results));
}

StatusOr<std::shared_ptr<const ConcreteFunction>> MakeConcreteFunction(
    const FunctionDef& function, const FunctionType& type, const FunctionLibrary& library,
    RunBudget budget) {
  // One thread makes all of it, so what that thread allocates and keeps is in the plan.
  const int64_t before = BufferBytesOfThread();
  SIGNET_ASSIGN_OR_RETURN(Specialization made, Specialize(function, type, library));
  SIGNET_ASSIGN_OR_RETURN(std::unique_ptr<const Plan> plan, Plan::Make(std::move(made.graph)));
  const int64_t held = std::max<int64_t>(BufferBytesOfThread() - before, 0);
  TypeBytes types;
  types.Add(made.output);
  size_t num_bytes = static_cast<size_t>(held) + plan->text_bytes();
  for (const Parameter& parameter : type.parameters()) {
    types.Add(parameter.type);
    num_bytes += sizeof(Parameter) + parameter.name.size();
  }
  num_bytes += types.total();
  return std::make_shared<const ConcreteFunction>(type, std::move(made.output), std::move(plan),
                                                  budget, num_bytes);
}

}  // namespace signet
