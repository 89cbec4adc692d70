// Plan: a specialised function ready to run: kernels over tensor slots, with memory planned.
//
// Slots are the edges that are read: inputs, constants, intermediates. Intermediates of known size
// have their place in one arena; others, and kernels' scratch, are taken from a second part of it
// that is reused from run to run; results are allocated one by one, as they leave. A plan is
// immutable; frames (slots and arena of one run) are made and reused by the executor.

#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/graph/flat/control_nodes.h"
#include "core/graph/flat/flat_graph.h"
#include "core/kernels/def/kernel.h"

namespace signet {

struct PlanOutput {
  int slot;
  DType dtype;
  bool is_result;  // leaves the run: allocated on the heap
  size_t offset;   // in the arena, when `bytes` > 0
  size_t bytes;    // planned size; 0: not planned
  Shape shape;     // when planned
};

struct PlanResult {
  int slot;
  bool moves;  // nothing else shows this tensor of the run: it need not be copied
};

class Plan;

// A step that runs plans of its own.
struct ControlStep {
  std::vector<std::unique_ptr<const Plan>> bodies;
  std::optional<LoopForm> loop = {};  // none: a switch
  std::vector<TypeSpec> pieces = {};  // what a round of a loop collects
  int64_t num_nodes = 0;              // of the body of a loop
  size_t first_body = 0;              // among all bodies of the plan
};

struct PlanStep {
  std::unique_ptr<Kernel> kernel;  // null: a control step
  const OpDef* op;
  std::vector<int> inputs;  // slots, or kNoEdge
  std::vector<PlanOutput> outputs;
  std::vector<int> last_reads;  // slots of the run that nothing reads after this step
  std::unique_ptr<const ControlStep> control = nullptr;
  std::vector<int> frees =
      {};           // slots that control steps filled and nothing shares after this step
  double cost = 0;  // a guess at the nanoseconds of the kernel
  double guessed_elements = 0;  // that `cost` assumes for the largest tensor; 0: sizes are known
};

class Plan {
 public:
  // INTERNAL when an op has no kernel; else what its kernel's maker refuses, with the op.
  static StatusOr<std::unique_ptr<const Plan>> Make(FlatGraph graph);

  const std::vector<PlanStep>& steps() const { return steps_; }
  size_t num_slots() const { return num_slots_; }
  // By input component: its slot, or kNoEdge when nothing reads it.
  const std::vector<int>& input_slots() const { return input_slots_; }
  const std::vector<std::pair<int, Tensor>>& constants() const { return constants_; }
  const std::vector<PlanResult>& results() const { return results_; }
  size_t arena_bytes() const { return arena_bytes_; }
  size_t num_bodies() const { return num_bodies_; }  // of all control steps
  // A guess at the nanoseconds of a run.
  double cost() const { return cost_; }
  // Small enough to run on the thread that brought the call.
  bool IsSmall() const { return cost_ < kSmallPlanNanoseconds; }
  std::string ToString() const;  // for people: the flat graph, costs and memory
  size_t text_bytes() const;     // that ToString holds, with those of all bodies

  static constexpr double kSmallPlanNanoseconds = 200'000;

 private:
  Plan() = default;

  // The step without its slots; adds to the cost and the bodies.
  StatusOr<PlanStep> MakeStep(const FlatGraph& graph, const FlatNode& node);
  StatusOr<ControlStep> MakeControl(const FlatGraph& graph, const FlatNode& node);

  std::vector<PlanStep> steps_;
  size_t num_slots_ = 0;
  std::vector<int> input_slots_;
  std::vector<std::pair<int, Tensor>> constants_;  // slot, value
  std::vector<PlanResult> results_;
  size_t arena_bytes_ = 0;
  size_t num_bodies_ = 0;
  double cost_ = 0;
  std::string text_;
};

}  // namespace signet
