#include "core/runtime/concrete_function.h"

#include <algorithm>

#include "core/function/binding.h"
#include "core/function/cast.h"
#include "core/graph/specializer.h"
#include "core/runtime/executor.h"
#include "core/types/type_bytes.h"
#include "core/values/buffer_bytes.h"

namespace signet {

namespace {

// The default values of `function` by the index that their parameters have in `type`, the type of a
// call of it. A default of another type than the call's argument had is not one of this function.
std::vector<Value> DefaultsOf(const FunctionDef& function, const FunctionType& type) {
  const auto& given = type.parameters();
  auto positional =
      static_cast<size_t>(std::count_if(given.begin(), given.end(), [](const Parameter& parameter) {
        return parameter.kind <= ParameterKind::kPositionalOrKeyword;
      }));
  std::vector<Value> defaults(given.size());
  size_t next = 0;
  for (const Parameter& parameter : function.type.parameters()) {
    if (parameter.kind == ParameterKind::kVarPositional) next = positional;
    if (IsVariadic(parameter.kind)) continue;
    auto found = function.defaults.find(parameter.name);
    bool fits = found != function.defaults.end() && next < given.size() &&
                IsSubtype(found->second.spec(), given[next].type);
    if (fits) defaults[next] = found->second;
    ++next;
  }
  return defaults;
}

}  // namespace

StatusOr<Value> ConcreteFunction::Call(CallArguments arguments, const RunControl& control) const {
  std::vector<Parameter> parameters = type.parameters();
  for (size_t i = 0; i < parameters.size(); ++i) {
    parameters[i].optional = static_cast<bool>(defaults_[i]);
  }
  FunctionType signature = FunctionType::MakeUnchecked(std::move(parameters));
  std::vector<std::string_view> keywords;
  for (const auto& [name, value] : arguments.keyword) keywords.push_back(name);
  SIGNET_ASSIGN_OR_RETURN(Binding binding,
                          BindArguments(signature, arguments.positional.size(), keywords));
  std::vector<Value> values;
  for (size_t i = 0; i < defaults_.size(); ++i) {
    const Parameter& parameter = type.parameters()[i];
    const BoundParameter& bound = binding.parameters[i];
    Value value = defaults_[i];
    if (bound.source == BoundParameter::Source::kPositional) {
      value = std::move(arguments.positional[bound.index]);
    } else if (bound.source == BoundParameter::Source::kKeyword) {
      value = std::move(arguments.keyword[bound.index].second);
    }
    if (!value || value.is_placeholder()) {
      return WithField(parameter.name, InvalidArgument("argument `", Printable(parameter.name),
                                                       "`: expected a value, found none"));
    }
    SIGNET_ASSIGN_OR_RETURN(value, CastTo(std::move(value), parameter.type, parameter.name));
    values.push_back(std::move(value));
  }
  return Run(values, control);
}

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
  // A declared result says in which order its fields are written; `any` says nothing.
  if (const TypeSpec& declared = function.type.output(); declared && !declared.is(TypeKind::kAny)) {
    made.output = ArrangedLike(made.output, declared);
  }
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
                                                  budget, DefaultsOf(function, type), num_bytes);
}

}  // namespace signet
