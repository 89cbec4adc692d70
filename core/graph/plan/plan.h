// Plan: a specialized function that is ready to run: kernels that read and write tensor slots, with
// planned memory.
//
// Each edge that is read has a slot: inputs, constants, and intermediates. Intermediates of known
// size have a fixed offset in one arena. Other intermediates, and the scratch memory of kernels,
// use a second part of the arena, which is reused from run to run. Results are allocated one by one
// on the heap. Immutable. The executor makes and reuses frames, which contain the slots and the
// arena of one run.

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
  bool is_result;  // a result of the run, which is allocated on the heap
  size_t offset;   // in the arena, if `bytes` > 0
  size_t bytes;    // planned size; 0 if it is not planned
  Shape shape;     // if the size is planned
};

struct PlanResult {
  int slot;
  bool moves;  // no other result shares this tensor of the run, so it is moved instead of copied
};

class Plan;

// A step that runs other plans: a switch or a loop.
struct ControlStep {
  std::vector<std::unique_ptr<const Plan>> bodies;
  std::optional<LoopForm> loop = {};  // absent for a switch
  std::vector<TypeSpec> pieces = {};  // types of the values that each iteration of a loop collects
  int64_t num_nodes = 0;              // in the body of a loop
  size_t first_body = 0;              // index of the first body among all bodies of the plan
};

struct PlanStep {
  std::unique_ptr<Kernel> kernel;  // null for a control step
  const OpDef* op;
  std::vector<int> inputs;  // slots, or kNoEdge
  std::vector<PlanOutput> outputs;
  std::vector<int> last_reads;  // slots of the run that no later step reads
  std::unique_ptr<const ControlStep> control = nullptr;
  // Slots that control steps filled and that no later step shares.
  std::vector<int> frees = {};
  double cost = 0;              // estimated nanoseconds of the kernel
  double guessed_elements = 0;  // assumed elements of the largest tensor; 0 if sizes are known
  std::string attributes = {};  // for people: `axis=1`; long texts are cut
};

class Plan {
 public:
  // Returns INTERNAL if an op has no kernel, or the error of the maker of a kernel, with the op.
  static StatusOr<std::unique_ptr<const Plan>> Make(FlatGraph graph);

  const std::vector<PlanStep>& steps() const { return steps_; }
  size_t num_slots() const { return num_slots_; }
  // Returns the slot of each input component, or kNoEdge if no step reads it.
  const std::vector<int>& input_slots() const { return input_slots_; }
  const std::vector<std::pair<int, Tensor>>& constants() const { return constants_; }
  const std::vector<PlanResult>& results() const { return results_; }
  size_t arena_bytes() const { return arena_bytes_; }
  size_t num_bodies() const { return num_bodies_; }  // of all control steps
  // Returns the estimated nanoseconds of a run.
  double cost() const { return cost_; }
  // Returns true if the plan may run on the thread that received the call.
  bool IsSmall() const { return cost_ < kSmallPlanNanoseconds; }
  std::string ToString() const;  // the flat graph, costs, and memory, for people
  size_t text_bytes() const;     // of all texts for people, including all bodies

  static constexpr double kSmallPlanNanoseconds = 200'000;

 private:
  Plan() = default;

  // Makes a step without its slots, and adds its cost and bodies to the plan.
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
