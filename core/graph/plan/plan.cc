#include "core/graph/plan/plan.h"

#include <algorithm>
#include <numeric>

#include "core/base/checked_math.h"
#include "core/graph/flat/run_kernel.h"
#include "core/graph/plan/memory_plan.h"
#include "core/kernels/def/packed_inputs.h"
#include "core/kernels/def/request.h"
#include "signet/tensor_spec.h"

namespace signet {
namespace {

constexpr size_t kMostPlannedBytes = size_t{1} << 40;
constexpr size_t kMostAttributeText = 200;  // bytes of PlanStep::attributes

// Returns the bytes of an intermediate if its size is known, or 0.
size_t PlannedBytes(const TypeSpec& type) {
  const auto& spec = *type.As<TensorSpec>();
  auto elements = spec.shape().num_elements();
  if (!elements || spec.dtype() == DType::kString) return 0;
  auto bytes = CheckedMultiply(*elements, static_cast<int64_t>(SizeOf(spec.dtype())));
  bool fits = bytes && static_cast<size_t>(*bytes) <= kMostPlannedBytes;
  return fits ? static_cast<size_t>(*bytes) : 0;
}

// The lifetime of an edge: when it is written and when it or a view of it is last read.
struct EdgeLife {
  int root;  // the edge whose memory this edge uses: itself, or the source of a view
  int first = -1;
  int last = -1;
  bool is_result = false;
};

std::vector<EdgeLife> LivesOf(const FlatGraph& graph) {
  std::vector<EdgeLife> lives(graph.edges.size());
  for (size_t i = 0; i < lives.size(); ++i) lives[i].root = static_cast<int>(i);
  auto root = [&](int edge) -> EdgeLife& {
    return lives[static_cast<size_t>(lives[static_cast<size_t>(edge)].root)];
  };
  for (size_t step = 0; step < graph.nodes.size(); ++step) {
    const FlatNode& node = graph.nodes[step];
    if (node.op->aliasing == Aliasing::kView && !node.inputs.empty() && node.inputs[0] != kNoEdge) {
      lives[static_cast<size_t>(node.outputs[0])].root =
          lives[static_cast<size_t>(node.inputs[0])].root;
    }
    for (int edge : node.outputs) {
      EdgeLife& life = root(edge);
      if (life.first < 0) life.first = static_cast<int>(step);
      life.last = std::max(life.last, static_cast<int>(step));
    }
    for (int edge : node.inputs) {
      if (edge != kNoEdge) root(edge).last = static_cast<int>(step);
    }
  }
  for (int edge : graph.results) root(edge).is_result = true;
  return lives;
}

std::vector<TypeSpec> OutputTypes(const FlatGraph& graph, const FlatNode& node) {
  std::vector<TypeSpec> types;
  for (int edge : node.outputs) types.push_back(graph.edges[static_cast<size_t>(edge)].spec);
  return types;
}

// Returns the number of iterations of a loop if it is known, or a number that makes the loop large.
double RoundsOf(const FlatGraph& graph, const FlatNode& node) {
  constexpr double kUnknownRounds = 1e6;
  if (node.inputs[0] == kNoEdge) return kUnknownRounds;
  const Tensor& limit = graph.edges[static_cast<size_t>(node.inputs[0])].constant;
  if (!limit.has_value()) return kUnknownRounds;
  return static_cast<double>(std::max<int64_t>(limit.scalar<int64_t>(), 0));
}

std::string Shortened(std::string text) {
  if (text.size() <= kMostAttributeText) return text;
  text.resize(kMostAttributeText);
  return text + "..";
}

// The cost of a kernel that does not estimate it itself.
constexpr double kNoEstimate = 100;
constexpr double kElementNanoseconds = 1;
constexpr double kStringNanoseconds = 20;

void EstimateCost(std::span<const TypeSpec> inputs, std::span<const TypeSpec> outputs,
                  PlanStep& step) {
  double largest = 1;
  bool is_known = true;
  bool has_strings = false;
  auto add = [&](const TypeSpec& type) {
    if (!type) return;
    const auto& spec = *type.As<TensorSpec>();
    largest = std::max(largest, GuessElements(spec.shape()));
    is_known &= spec.shape().IsFullyDefined();
    has_strings |= spec.dtype() == DType::kString;
  };
  for (const TypeSpec& type : inputs) add(type);
  for (const TypeSpec& type : outputs) add(type);
  step.cost = step.kernel->Cost();
  if (step.cost == kNoEstimate && step.op->aliasing != Aliasing::kView) {
    step.cost += largest * (has_strings ? kStringNanoseconds : kElementNanoseconds);
  }
  if (!is_known) step.guessed_elements = largest;
}

}  // namespace

StatusOr<ControlStep> Plan::MakeControl(const FlatGraph& graph, const FlatNode& node) {
  constexpr double kRoundNanoseconds = 500;  // for a run of a body, in addition to its kernels
  ControlStep step;
  step.first_body = num_bodies_;
  num_bodies_ += node.bodies.size();
  double cost = 0;
  for (const auto& body : node.bodies) {
    SIGNET_ASSIGN_OR_RETURN(std::unique_ptr<const Plan> plan, Make(*body));
    cost = std::max(cost, plan->cost() + kRoundNanoseconds);
    step.bodies.push_back(std::move(plan));
  }
  if (node.op == &LoopOp()) {
    step.loop = LoopForm::Of(node.attributes);
    const FlatGraph& body = *node.bodies[0];
    step.num_nodes = static_cast<int64_t>(body.nodes.size());
    for (size_t i = body.results.size() - step.loop->collected.size(); i < body.results.size();
         ++i) {
      step.pieces.push_back(body.edges[static_cast<size_t>(body.results[i])].spec);
    }
    cost *= RoundsOf(graph, node);
  }
  cost_ += cost;
  return step;
}

StatusOr<PlanStep> Plan::MakeStep(const FlatGraph& graph, const FlatNode& node) {
  if (HasBodies(node)) {
    SIGNET_ASSIGN_OR_RETURN(ControlStep control, MakeControl(graph, node));
    return PlanStep{nullptr, node.op, {},
                    {},      {},      std::make_unique<const ControlStep>(std::move(control))};
  }
  NodeInputs inputs = InputsOf(graph, node.inputs);
  std::vector<TypeSpec> types = OutputTypes(graph, node);
  OpCall call{*node.op, inputs.specs, node.attributes, inputs.constants};
  auto kernel = KernelFor(call, types);
  if (!kernel.ok()) return At(Cat("`", node.op->name, "`"), kernel.status());
  cost_ += (*kernel)->Cost();
  PlanStep step{*std::move(kernel), node.op, {}, {}, {}};
  EstimateCost(inputs.specs, types, step);
  return step;
}

namespace {

constexpr size_t kMinDroppedBytes = size_t{1} << 16;  // smaller constants are not worth dropping

// Returns true if the kernel of `step` reads the elements in `slot`.
bool ReadsElements(const PlanStep& step, int slot) {
  const auto* packed = dynamic_cast<const PackedInputs*>(step.kernel.get());
  for (size_t i = 0; i < step.inputs.size(); ++i) {
    if (step.inputs[i] == slot && (packed == nullptr || !packed->HoldsInput(i))) return true;
  }
  return false;
}

// Replaces large constants whose elements no step and no result reads by tensors that have only a
// shape.
void DropPackedConstants(std::span<const PlanStep> steps, std::span<const PlanResult> results,
                         std::vector<std::pair<int, Tensor>>& constants) {
  for (auto& [slot, tensor] : constants) {
    const int own = slot;
    if (tensor.is_string() || tensor.num_bytes() < kMinDroppedBytes) continue;
    const bool is_read =
        std::any_of(steps.begin(), steps.end(),
                    [&](const PlanStep& step) { return ReadsElements(step, own); }) ||
        std::any_of(results.begin(), results.end(),
                    [&](const PlanResult& result) { return result.slot == own; });
    if (!is_read) tensor = Tensor::Trusted(tensor.dtype(), tensor.shape(), Buffer());
  }
}

}  // namespace

StatusOr<std::unique_ptr<const Plan>> Plan::Make(FlatGraph graph) {
  std::unique_ptr<Plan> plan(new Plan);
  plan->text_ = graph.ToString();
  std::vector<EdgeLife> lives = LivesOf(graph);

  // Assign slots in the order of the edges.
  std::vector<int> slots(graph.edges.size(), kNoEdge);
  auto slot_of = [&](int edge) {
    if (edge == kNoEdge) return kNoEdge;
    int& slot = slots[static_cast<size_t>(edge)];
    if (slot == kNoEdge) {
      slot = static_cast<int>(plan->num_slots_++);
      const Tensor& constant = graph.edges[static_cast<size_t>(edge)].constant;
      if (constant.has_value()) plan->constants_.emplace_back(slot, constant);
    }
    return slot;
  };

  std::vector<Lifetime> lifetimes;
  std::vector<std::pair<size_t, size_t>> planned;  // step, output; one per lifetime
  std::vector<std::pair<size_t, int>> frees;       // last step, slot
  for (size_t step = 0; step < graph.nodes.size(); ++step) {
    FlatNode& node = graph.nodes[step];
    SIGNET_ASSIGN_OR_RETURN(PlanStep made, plan->MakeStep(graph, node));
    std::vector<TypeSpec> types = OutputTypes(graph, node);
    made.attributes = Shortened(node.attributes.ToString());
    for (int edge : node.inputs) made.inputs.push_back(slot_of(edge));
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      int edge = node.outputs[i];
      const EdgeLife& own = lives[static_cast<size_t>(edge)];
      const EdgeLife& life = lives[static_cast<size_t>(own.root)];
      PlanOutput output{
          slot_of(edge), types[i].As<TensorSpec>()->dtype(), life.is_result, 0, 0, {}};
      bool views = own.root != edge;
      bool planned_here = !life.is_result && !views && made.control == nullptr;
      if (planned_here) output.bytes = PlannedBytes(types[i]);
      if (output.bytes > 0) {
        output.shape = types[i].shape()->ToShape();
        lifetimes.push_back({output.bytes, life.first, life.last});
        planned.emplace_back(step, i);
      }
      if (made.control != nullptr && !life.is_result) {
        frees.emplace_back(static_cast<size_t>(life.last), output.slot);
      }
      made.outputs.push_back(output);
    }
    plan->steps_.push_back(std::move(made));
  }
  for (const auto& [step, slot] : frees) plan->steps_[step].frees.push_back(slot);
  for (int edge : graph.results) plan->results_.push_back({slot_of(edge), false});
  for (int i = 0; i < graph.num_inputs; ++i) {
    plan->input_slots_.push_back(slots[static_cast<size_t>(i)]);
  }
  DropPackedConstants(plan->steps_, plan->results_, plan->constants_);

  MemoryPlan memory = PlanMemory(lifetimes);
  for (size_t i = 0; i < planned.size(); ++i) {
    plan->steps_[planned[i].first].outputs[planned[i].second].offset = memory.offsets[i];
  }
  plan->arena_bytes_ = memory.arena_bytes;

  // Find the slots that each step reads last. Results, inputs, constants, and tensors with an
  // offset in the arena are not released.
  std::vector<bool> kept(plan->num_slots_, false);
  for (const auto& [slot, tensor] : plan->constants_) kept[static_cast<size_t>(slot)] = true;
  for (int slot : plan->input_slots_) {
    if (slot != kNoEdge) kept[static_cast<size_t>(slot)] = true;
  }
  for (const PlanStep& step : plan->steps_) {
    for (const PlanOutput& output : step.outputs) {
      if (output.bytes > 0) kept[static_cast<size_t>(output.slot)] = true;
    }
  }
  for (auto result = plan->results_.rbegin(); result != plan->results_.rend(); ++result) {
    result->moves = !kept[static_cast<size_t>(result->slot)];
    kept[static_cast<size_t>(result->slot)] = true;
  }
  for (auto step = plan->steps_.rbegin(); step != plan->steps_.rend(); ++step) {
    auto release = [&](int slot) {
      if (slot == kNoEdge || kept[static_cast<size_t>(slot)]) return;
      kept[static_cast<size_t>(slot)] = true;
      step->last_reads.push_back(slot);
    };
    for (int slot : step->inputs) release(slot);
    for (const PlanOutput& output : step->outputs) release(output.slot);
  }
  return std::unique_ptr<const Plan>(std::move(plan));
}

size_t Plan::text_bytes() const {
  size_t bytes = text_.size();
  for (const PlanStep& step : steps_) {
    bytes += step.attributes.size();
    if (step.control == nullptr) continue;
    for (const auto& body : step.control->bodies) bytes += body->text_bytes();
  }
  return bytes;
}

std::string Plan::ToString() const {
  return Cat(text_, "cost: about ", static_cast<int64_t>(cost_), " ns, ", steps_.size(),
             " kernels; arena: ", arena_bytes_, " bytes\n");
}

}  // namespace signet
