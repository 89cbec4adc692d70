// ConcreteFunction: a function specialised for one monomorphic FunctionType. Immutable;
// thread-safe.

#pragma once

#include <memory>
#include <string>

#include "core/function/dispatch_table.h"
#include "core/graph/graph.h"
#include "core/graph/plan.h"
#include "core/runtime/frame.h"
#include "core/runtime/run_control.h"

namespace signet {

class ConcreteFunction final : public DispatchTarget {
 public:
  // `num_bytes`: as DispatchTarget has it.
  ConcreteFunction(FunctionType target_type, TypeSpec output, std::unique_ptr<const Plan> plan,
                   RunBudget budget, size_t num_bytes = 0)
      : DispatchTarget(std::move(target_type)),
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
  // `arguments`: one a parameter of the type, each of a type below the parameter's.
  StatusOr<Value> Run(std::span<const Value> arguments, const RunControl& control) const;

 private:
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
