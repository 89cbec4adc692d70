// ConcreteFunction: a function specialized for one monomorphic FunctionType.
//
//   // foo(x, y = float32[1] [1])
//   auto concrete = foo.FindConcrete({{Value::OfType(float32[?])}, {}});
//   concrete->Call({{x}, {}}, control)       // y is [1]
//   concrete->Call({{x, y}, {}}, control)
//
// It remembers the default values of the function it was made from (RFC FunctionType, "Why are
// Default Values not in FunctionType?"). Immutable; thread-safe.

#pragma once

#include <memory>
#include <string>

#include "core/function/canonicalize.h"
#include "core/function/dispatch_table.h"
#include "core/graph/graph.h"
#include "core/graph/plan.h"
#include "core/runtime/frame.h"
#include "core/runtime/run_control.h"

namespace signet {

class ConcreteFunction final : public DispatchTarget {
 public:
  // `defaults` are the values of the parameters of `target_type` that a call may leave out, by
  // index; an empty Value for the others. `num_bytes`: as DispatchTarget has it.
  ConcreteFunction(FunctionType target_type, TypeSpec output, std::unique_ptr<const Plan> plan,
                   RunBudget budget, std::vector<Value> defaults = {}, size_t num_bytes = 0)
      : DispatchTarget(std::move(target_type)),
        defaults_(std::move(defaults)),
        output_(std::move(output)),
        is_exact_(!output_.is(TypeKind::kTensor) || output_.shape()->IsFullyDefined()),
        plan_(std::move(plan)),
        budget_(budget),
        num_bytes_(num_bytes) {}

  // Folded constants, packed weights, and the text of literals and of the plan. Captures that are
  // used where the model has them do not count.
  size_t num_bytes() const override { return num_bytes_; }
  const TypeSpec& output() const { return output_; }
  const Plan& plan() const { return *plan_; }
  // Binds the arguments to the parameters of the type, fills in defaults, casts, and runs. Errors
  // are those of BindArguments and CastTo.
  StatusOr<Value> Call(CallArguments arguments, const RunControl& control) const;
  // `arguments`: one a parameter of the type, each of a type below the parameter's.
  StatusOr<Value> Run(std::span<const Value> arguments, const RunControl& control) const;

 private:
  const std::vector<Value> defaults_;
  const TypeSpec output_;
  const bool is_exact_;  // else sizes are filled in
  const std::unique_ptr<const Plan> plan_;
  const RunBudget budget_;  // of each run
  const size_t num_bytes_;
  mutable FramePool frames_;
};

// Specialises `function` for `type` and plans it.
StatusOr<std::shared_ptr<const ConcreteFunction>> MakeConcreteFunction(
    const FunctionDef& function, const FunctionType& type, const FunctionLibrary& library,
    RunBudget budget = {});

}  // namespace signet
