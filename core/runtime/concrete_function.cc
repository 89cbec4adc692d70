#include "core/runtime/concrete_function.h"

#include <algorithm>

#include "core/graph/specializer.h"
#include "core/runtime/executor.h"
#include "core/types/ragged_spec.h"

namespace signet {
namespace {

// Whether ExactSpecOf of a value of type `spec` is always `spec`.
bool HasAllSizes(const TypeSpec& spec) {
  if (const PartialShape* shape = spec.shape()) {
    if (!shape->has_rank()) return false;
    const auto* ragged = spec.As<RaggedSpec>();
    const int ragged_rank = ragged == nullptr ? 0 : ragged->ragged_rank();
    const bool is_structured = spec.is(TypeKind::kStructured);
    for (int axis = 0; axis < shape->rank(); ++axis) {
      // Sizes of ragged dimensions are in the row splits.
      if (axis > 0 && (is_structured || axis <= ragged_rank)) continue;
      if (shape->dim(axis) == kUnknownDim) return false;
    }
  }
  return std::all_of(spec.children().begin(), spec.children().end(), HasAllSizes);
}

StatusOr<ConcreteFunction::PlanPtr> PlanOf(FlatGraph graph) {
  SIGNET_ASSIGN_OR_RETURN(std::unique_ptr<const Plan> plan, Plan::Make(std::move(graph)));
  return std::make_shared<const FramedPlan>(std::move(plan));
}

// Whether a plan for a wider type, which runs without an error, gives what a plan for the type of
// `made` gives: a result of the same type but for sizes, by the same choices.
bool GivesTheSame(const ConcreteFunction& wider, const Specialization& made) {
  return wider.choices() == made.choices &&
         MostSpecificCommonSupertype(wider.output(), made.output) == wider.output();
}

}  // namespace

ConcreteFunction::ConcreteFunction(FunctionType target_type, TypeSpec output, uint64_t choices,
                                   PlanPtr plan, RunBudget budget, MakePlan make_own)
    : DispatchTarget(std::move(target_type), make_own != nullptr),
      output_(std::move(output)),
      is_exact_(HasAllSizes(output_)),
      choices_(choices),
      plan_(std::move(plan)),
      budget_(budget),
      make_own_(std::move(make_own)) {
  if (make_own_ != nullptr) components_ = ComponentsOf(output_);
}

StatusOr<Value> ConcreteFunction::Run(std::span<const Value> arguments,
                                      const RunControl& control) const {
  if (make_own_ == nullptr || own_.load(std::memory_order_acquire) != nullptr) {
    return RunWith(Current(), arguments, control);
  }
  const RunBudget before = control.budget == nullptr ? RunBudget() : *control.budget;
  auto result = RunWith(*plan_, arguments, control);
  if (result.ok() || absl::IsDeadlineExceeded(result.status()) ||
      absl::IsCancelled(result.status())) {
    return result;
  }
  SIGNET_ASSIGN_OR_RETURN(const FramedPlan* own, OwnPlan());
  if (control.budget != nullptr) *control.budget = before;
  return RunWith(*own, arguments, control);
}

StatusOr<Value> ConcreteFunction::RunOnce(std::span<const Value> arguments,
                                          const RunControl& control) const {
  return RunWith(Current(), arguments, control);
}

Status ConcreteFunction::CheckComponents(std::span<const Tensor> results) const {
  for (size_t i = 0; i < components_.size(); ++i) {
    const PartialShape& shape = *components_[i].spec.shape();
    if (PartialShape(results[i].shape()).IsSubtypeOf(shape)) continue;
    return Internal("result `", components_[i].name, "`: expected shape `", shape, "`, found `",
                    PartialShape(results[i].shape()), "`");
  }
  return absl::OkStatus();
}

StatusOr<const FramedPlan*> ConcreteFunction::OwnPlan() const {
  std::lock_guard lock(own_mutex_);
  if (own_plan_ == nullptr) {
    SIGNET_ASSIGN_OR_RETURN(own_plan_, make_own_());
    own_.store(own_plan_.get(), std::memory_order_release);
  }
  return own_plan_.get();
}

StatusOr<Value> ConcreteFunction::RunWith(const FramedPlan& plan, std::span<const Value> arguments,
                                          const RunControl& control) const {
  absl::InlinedVector<const Tensor*, 8> inputs;
  for (const Value& argument : arguments) {
    for (const Tensor& component : argument.components()) inputs.push_back(&component);
  }
  RunBudget budget = budget_;
  RunControl with_budget = control;
  if (control.budget == nullptr) with_budget.budget = &budget;
  StatusOr<Components> results = RunPlan(*plan.plan, plan.frames, inputs, with_budget);
  if (!results.ok()) return std::move(results).status();
  SIGNET_RETURN_IF_ERROR(CheckComponents(*results));
  if (is_exact_) return Value::Trusted(output_, *std::move(results));
  if (output_.is(TypeKind::kTensor)) return Value(std::move((*results)[0]));
  Value made = Value::Trusted(output_, *std::move(results));
  return Value::Trusted(ExactSpecOf(made), {made.components().begin(), made.components().end()});
}

StatusOr<std::shared_ptr<const ConcreteFunction>> MakeConcreteFunction(
    const FunctionDef& function, const FunctionType& type, const FunctionLibrary& library,
    RunBudget budget, const ConcreteFunction* wider) {
  SIGNET_ASSIGN_OR_RETURN(Specialization made, Specialize(function, type, library));
  if (wider != nullptr && GivesTheSame(*wider, made)) {
    auto make_own = [&function, type, &library]() -> StatusOr<ConcreteFunction::PlanPtr> {
      SIGNET_ASSIGN_OR_RETURN(Specialization own, Specialize(function, type, library));
      return PlanOf(std::move(own.graph));
    };
    return std::make_shared<const ConcreteFunction>(type, std::move(made.output), made.choices,
                                                    wider->first_plan(), budget,
                                                    std::move(make_own));
  }
  SIGNET_ASSIGN_OR_RETURN(ConcreteFunction::PlanPtr plan, PlanOf(std::move(made.graph)));
  return std::make_shared<const ConcreteFunction>(type, std::move(made.output), made.choices,
                                                  std::move(plan), budget);
}

}  // namespace signet
