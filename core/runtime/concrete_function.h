// ConcreteFunction: a function specialized for one monomorphic FunctionType.
//
//   // foo(x, y = float32[1] [1])
//   auto concrete = foo.FindConcrete({{Value::OfType(float32[?])}, {}});
//   concrete->Call({{x}, {}}, control)       // y is [1]
//   concrete->Call({{x, y}, {}}, control)
//
// It stores the default values of the function that it was built from (RFC FunctionType, "Why are
// Default Values not in FunctionType?").
//
// A concrete function may run the plan of another one, which was built for a wider type. The result
// equals the result of a plan for its own type: MakeConcreteFunction compares both specializations
// before it shares a plan, and if a run of a shared plan fails, it is repeated with a plan for the
// exact type, which is built once. Immutable otherwise; thread-safe.

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
#include "core/runtime/measured_cost.h"
#include "core/runtime/run_control.h"

namespace signet {

// What must happen to a concrete function when the captures of the model get new values.
enum class CaptureUse : uint8_t {
  kNone,         // nothing: the plan contains no captures
  kByReference,  // the plan is made again from its graph, with new kernels
  kFolded,       // the function is specialized again, because the graph depends on the old values
};

// A plan, the frames for its runs, and the times that they took.
struct FramedPlan {
  explicit FramedPlan(std::unique_ptr<const Plan> made) : plan(std::move(made)) {}
  const std::unique_ptr<const Plan> plan;
  mutable FramePool frames;
  mutable MeasuredCost measured;
};

class ConcreteFunction final : public DispatchTarget {
 public:
  using PlanPtr = std::shared_ptr<const FramedPlan>;
  using MakePlan = std::function<StatusOr<PlanPtr>()>;

  struct Parts {
    TypeSpec output;
    uint64_t choices = 0;  // branches chosen by the specialization of `plan`
    PlanPtr plan;
    RunBudget budget;  // limits of each run
    // Defaults of the parameters that a call may leave out, by index; empty Values for the others.
    std::vector<Value> defaults = {};
    size_t num_bytes = 0;  // see DispatchTarget::num_bytes
    CaptureUse capture_use = CaptureUse::kNone;
    // The graph of `plan` without the values of captures. Set for kByReference, unless `plan` is
    // shared.
    std::shared_ptr<const FlatGraph> graph = nullptr;
    // The function that `plan` is shared with, and a function that builds a plan for the exact
    // type.
    std::shared_ptr<const ConcreteFunction> wider = nullptr;
    MakePlan make_own = nullptr;
  };
  ConcreteFunction(FunctionType target_type, Parts parts);

  // Counts folded constants, packed weights, and the text of literals and of the plan. It does not
  // count captures that are used in place, or a shared plan, which the wider function counts.
  size_t num_bytes() const override { return num_bytes_; }
  const TypeSpec& output() const { return output_; }
  uint64_t choices() const { return choices_; }
  // Returns the plan of the next run.
  const Plan& plan() const { return *Current().plan; }
  // Returns what is known of the times of runs of plan(). Functions that share the plan share it.
  MeasuredCost& measured_cost() const { return Current().measured; }
  // Returns the plan that this function was built with, for sharing.
  const PlanPtr& first_plan() const { return plan_; }
  // If the plan is shared, this is the use by the specialization for the exact type.
  CaptureUse capture_use() const { return capture_use_; }

  // Binds the arguments to the parameters of the type, fills in defaults, casts, and runs. Returns
  // the errors of BindArguments and CastTo.
  StatusOr<Value> Call(CallArguments arguments, const RunControl& control) const;
  // Runs with `arguments`, one per parameter of the type, each of a subtype of the parameter's
  // type.
  StatusOr<Value> Run(std::span<const Value> arguments, const RunControl& control) const;
  // Like Run, for arguments that have only the components that plan() reads. A failed run is not
  // repeated.
  StatusOr<Value> RunOnce(std::span<const Value> arguments, const RunControl& control) const;
  // Returns the result of a run whose components were computed by another plan. Returns INTERNAL if
  // they do not have the sizes of output().
  StatusOr<Value> MakeResult(Components components) const;

  // Returns true if the plan of `other` gives the same results as a plan for the type of this
  // function.
  bool MayShare(const ConcreteFunction& other) const;
  // Returns this function for other values of the captures, without specializing it again.
  // `function` and `library` are those of the new values, and `wider` replaces the function that
  // the plan is shared with. Only if capture_use() is not kFolded.
  StatusOr<std::shared_ptr<const ConcreteFunction>> WithCaptures(
      const FunctionDef& function, const FunctionLibrary& library,
      const std::shared_ptr<const ConcreteFunction>& new_wider, MakePlan make_own) const;

 private:
  const FramedPlan& Current() const {
    const FramedPlan* own = own_.load(std::memory_order_acquire);
    return own != nullptr ? *own : *plan_;
  }
  StatusOr<const FramedPlan*> OwnPlan() const;
  // Checks that the results of a shared plan have the sizes of `output_`. For example, a loop
  // without iterations cannot know sizes that its types leave open.
  Status CheckComponents(std::span<const Tensor> results) const;
  // Gives the components of a result their type.
  StatusOr<Value> ResultOf(Components results) const;
  StatusOr<Value> RunWith(const FramedPlan& plan, std::span<const Value> arguments,
                          const RunControl& control) const;

  const std::vector<Value> defaults_;
  const TypeSpec output_;
  // the type of a result is known only after the run (returned_value.h)
  const bool is_run_time_type_;
  const bool is_exact_;  // every result has the sizes in `output_`
  const uint64_t choices_;
  const PlanPtr plan_;
  const RunBudget budget_;  // limits of each run
  const size_t num_bytes_;
  const CaptureUse capture_use_;
  const std::shared_ptr<const FlatGraph> graph_;  // see Parts::graph
  const MakePlan make_own_;
  // of `output_`; empty if the first plan is for the exact type
  std::vector<ComponentSpec> components_;
  mutable std::mutex own_mutex_;  // held while the exact plan is built
  mutable PlanPtr own_plan_;      // guarded by own_mutex_; owns the object of `own_`
  mutable std::atomic<const FramedPlan*> own_{nullptr};
};

// Specializes `function` for `type`. `wider` is null or a concrete function of the same function
// for a type that accepts `type`; its plan is shared if it gives the same results. `make_own` then
// builds the plan for `type` when a run needs it.
StatusOr<std::shared_ptr<const ConcreteFunction>> MakeConcreteFunction(
    const FunctionDef& function, const FunctionType& type, const FunctionLibrary& library,
    RunBudget budget = {}, const std::shared_ptr<const ConcreteFunction>& wider = nullptr,
    ConcreteFunction::MakePlan make_own = nullptr);

}  // namespace signet
