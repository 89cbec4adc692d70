// ConcreteFunction: a function specialized for one monomorphic FunctionType.
//
//   // foo(x, y = float32[1] [1])
//   auto concrete = foo.FindConcrete({{Value::OfType(float32[?])}, {}});
//   concrete->Call({{x}, {}}, control)       // y is [1]
//   concrete->Call({{x, y}, {}}, control)
//
// It remembers the default values of the function it was made from (RFC FunctionType, "Why are
// Default Values not in FunctionType?").
//
// A concrete function may run the plan of another, which was made for a wider type. The result is
// that of a plan for its own type: MakeConcreteFunction compares both specializations before a plan
// is shared, and a run of a shared plan that fails is repeated with a plan for the own type, which
// is made once. Immutable otherwise; thread-safe.

#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "core/function/canonicalize.h"
#include "core/function/dispatch_table.h"
#include "core/graph/body/graph.h"
#include "core/graph/plan/plan.h"
#include "core/runtime/frame.h"
#include "core/runtime/run_control.h"

namespace signet {

// A plan, and the frames of its runs.
struct FramedPlan {
  explicit FramedPlan(std::unique_ptr<const Plan> made) : plan(std::move(made)) {}
  const std::unique_ptr<const Plan> plan;
  mutable FramePool frames;
};

class ConcreteFunction final : public DispatchTarget {
 public:
  using PlanPtr = std::shared_ptr<const FramedPlan>;
  using MakePlan = std::function<StatusOr<PlanPtr>()>;

  struct Parts {
    TypeSpec output;
    uint64_t choices = 0;  // of the specialization that `plan` was made from
    PlanPtr plan;
    RunBudget budget;                  // of each run
    std::vector<Value> defaults = {};  // of the parameters that a call may leave out, by index; an
                                       // empty Value for the others
    size_t num_bytes = 0;              // as DispatchTarget has it
    // The function that `plan` is shared with, and how to make a plan for the own type.
    std::shared_ptr<const ConcreteFunction> wider = nullptr;
    MakePlan make_own = nullptr;
  };
  ConcreteFunction(FunctionType target_type, Parts parts);

  // Folded constants, packed weights, and the text of literals and of the plan. Captures that are
  // used where the model has them do not count, and a shared plan counts as the wider function's.
  size_t num_bytes() const override { return num_bytes_; }
  const TypeSpec& output() const { return output_; }
  uint64_t choices() const { return choices_; }
  // The plan that runs next.
  const Plan& plan() const { return *Current().plan; }
  // The plan that this function was made with, to be shared with others.
  const PlanPtr& first_plan() const { return plan_; }

  // Binds the arguments to the parameters of the type, fills in defaults, casts, and runs. Errors
  // are those of BindArguments and CastTo.
  StatusOr<Value> Call(CallArguments arguments, const RunControl& control) const;
  // `arguments`: one per parameter of the type, each of a type below the parameter's.
  StatusOr<Value> Run(std::span<const Value> arguments, const RunControl& control) const;
  // As Run, for arguments of which only the components that plan() reads are there: a failed run is
  // not repeated.
  StatusOr<Value> RunOnce(std::span<const Value> arguments, const RunControl& control) const;

 private:
  const FramedPlan& Current() const {
    const FramedPlan* own = own_.load(std::memory_order_acquire);
    return own != nullptr ? *own : *plan_;
  }
  StatusOr<const FramedPlan*> OwnPlan() const;
  // Whether the results of a shared plan have the sizes that `output_` states. A loop without
  // rounds, for example, cannot know sizes that its types leave open.
  Status CheckComponents(std::span<const Tensor> results) const;
  StatusOr<Value> RunWith(const FramedPlan& plan, std::span<const Value> arguments,
                          const RunControl& control) const;

  const std::vector<Value> defaults_;
  const TypeSpec output_;
  const bool is_run_time_type_;  // only the run knows the type of a result (returned_value.h)
  const bool is_exact_;          // the sizes in `output_` are those of every result
  const uint64_t choices_;
  const PlanPtr plan_;
  const RunBudget budget_;  // of each run
  const size_t num_bytes_;
  const MakePlan make_own_;
  std::vector<ComponentSpec> components_;  // of `output_`; none if the first plan is the own one
  mutable std::mutex own_mutex_;           // held while the own plan is made
  mutable PlanPtr own_plan_;               // guarded by own_mutex_; keeps `own_`
  mutable std::atomic<const FramedPlan*> own_{nullptr};
};

// Specializes `function` for `type`. With `wider`, a concrete function of the same function for a
// type that accepts `type`, its plan is shared if it gives the same results; `make_own` then makes
// the plan for `type` itself when a run needs it.
StatusOr<std::shared_ptr<const ConcreteFunction>> MakeConcreteFunction(
    const FunctionDef& function, const FunctionType& type, const FunctionLibrary& library,
    RunBudget budget = {}, const std::shared_ptr<const ConcreteFunction>& wider = nullptr,
    ConcreteFunction::MakePlan make_own = nullptr);

}  // namespace signet
