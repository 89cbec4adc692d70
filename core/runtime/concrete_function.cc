#include "core/runtime/concrete_function.h"

#include "core/graph/specializer.h"
#include "core/runtime/executor.h"

namespace signet {

StatusOr<Value> ConcreteFunction::Run(std::span<const Value> arguments,
                                      const RunControl& control) const {
  absl::InlinedVector<const Tensor*, 8> inputs;
  for (const Value& argument : arguments) {
    for (const Tensor& component : argument.components()) inputs.push_back(&component);
  }
  RunBudget budget = budget_;
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
  SIGNET_ASSIGN_OR_RETURN(Specialization made, Specialize(function, type, library));
  // A declared result says in which order its fields are written; `any` says nothing.
  if (const TypeSpec& declared = function.type.output(); declared && !declared.is(TypeKind::kAny)) {
    made.output = ArrangedLike(made.output, declared);
  }
  SIGNET_ASSIGN_OR_RETURN(std::unique_ptr<const Plan> plan, Plan::Make(std::move(made.graph)));
  return std::make_shared<const ConcreteFunction>(type, std::move(made.output), std::move(plan),
                                                  budget);
}

}  // namespace signet
