#include "core/runtime/executor.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <absl/container/inlined_vector.h>

#include "core/graph/flat/run_kernel.h"
#include "core/runtime/control_step.h"
#include "core/runtime/run_profile.h"

namespace signet {
namespace {

// Returns a frame to its pool when it goes out of scope.
class FrameLease {
 public:
  FrameLease(FramePool& pool, std::unique_ptr<Frame> frame)
      : pool_(pool), frame_(std::move(frame)) {}
  FrameLease(const FrameLease&) = delete;
  FrameLease& operator=(const FrameLease&) = delete;
  ~FrameLease() {
    frame_->Reset();
    pool_.Return(std::move(frame_));
  }
  Frame& operator*() { return *frame_; }

 private:
  FramePool& pool_;
  std::unique_ptr<Frame> frame_;
};

class StepContext final : public KernelContext {
 public:
  StepContext(const PlanStep& step, Frame& frame, Parallel& parallel, const RunControl& control)
      : step_(step),
        frame_(frame),
        parallel_(parallel),
        control_(control),
        budget_(*control.budget) {}

  size_t num_inputs() const override { return step_.inputs.size(); }
  const Tensor& input(size_t i) const override {
    int slot = step_.inputs[i];
    return slot == kNoEdge ? absent_ : frame_.at(slot);
  }

  StatusOr<Tensor*> Allocate(size_t i, const Shape& shape) override {
    const PlanOutput& output = step_.outputs[i];
    if (Tensor* placed = frame_.LookupPlaced(output, shape)) return placed;
    size_t element = output.dtype == DType::kString ? sizeof(int64_t) : SizeOf(output.dtype);
    SIGNET_RETURN_IF_ERROR(CheckShape(shape.dims(), element));
    auto elements = static_cast<size_t>(shape.num_elements());
    size_t bytes = element * (output.dtype == DType::kString ? elements + 1 : elements);
    SIGNET_ASSIGN_OR_RETURN(Buffer data, Take(output, bytes));
    frame_.slot(output.slot) = Tensor::Trusted(output.dtype, shape, std::move(data));
    return &frame_.slot(output.slot);
  }

  StatusOr<Tensor*> AllocateStrings(size_t i, const Shape& shape, size_t num_bytes) override {
    const PlanOutput& output = step_.outputs[i];
    SIGNET_RETURN_IF_ERROR(CheckShape(shape.dims(), sizeof(int64_t)));
    size_t bytes = sizeof(int64_t) * (static_cast<size_t>(shape.num_elements()) + 1);
    SIGNET_ASSIGN_OR_RETURN(Buffer offsets, Take(output, bytes));
    SIGNET_ASSIGN_OR_RETURN(Buffer text, Take(output, num_bytes));
    frame_.slot(output.slot) =
        Tensor::Trusted(output.dtype, shape, std::move(offsets), std::move(text));
    return &frame_.slot(output.slot);
  }

  void Set(size_t i, Tensor tensor) override {
    frame_.slot(step_.outputs[i].slot) = std::move(tensor);
    was_set_ = true;
  }
  // Returns true if an output is a tensor that the kernel did not allocate here.
  bool was_set() const { return was_set_; }

  StatusOr<std::byte*> Scratch(size_t bytes) override {
    SIGNET_RETURN_IF_ERROR(budget_.TakeBytes(bytes));
    return frame_.scratch().Allocate(bytes);
  }
  Status CountBytes(size_t bytes) override {
    SIGNET_RETURN_IF_ERROR(budget_.TakeBytes(bytes));
    frame_.scratch().Count(bytes);
    return absl::OkStatus();
  }
  Parallel& parallel() override { return parallel_; }

 private:
  // A short run ends when its kernels have worked too long, even if their estimates were lower.
  Status CheckControl() override {
    SIGNET_RETURN_IF_ERROR(control_.Check());
    return budget_.CheckShortRun();
  }

  // Results own their memory, planned outputs have a place in the arena, and the others exist until
  // the end of the run.
  StatusOr<Buffer> Take(const PlanOutput& output, size_t bytes) {
    if (output.is_result) {
      SIGNET_RETURN_IF_ERROR(budget_.TakeBytes(bytes));
      return Buffer::Allocate(bytes);
    }
    std::byte* memory = nullptr;
    if (bytes <= output.bytes) {
      memory = frame_.arena() + output.offset;
    } else {
      SIGNET_ASSIGN_OR_RETURN(memory, TakeForRun(bytes));
    }
    return Buffer::View({memory, bytes});
  }
  StatusOr<std::byte*> TakeForRun(size_t bytes) {
    SIGNET_RETURN_IF_ERROR(budget_.TakeBytes(bytes));
    return frame_.bump().Allocate(bytes);
  }

  const PlanStep& step_;
  Frame& frame_;
  Parallel& parallel_;
  const RunControl& control_;
  RunBudget& budget_;
  bool was_set_ = false;
  inline static const Tensor absent_{};
};

// A view that a kernel set as output without the plan's knowledge would outlive its memory.
bool IsSharedView(const PlanStep& step, const Tensor& tensor, Frame& frame) {
  if (step.op->aliasing == Aliasing::kView || tensor.data().is_owned()) return false;
  for (int slot : step.inputs) {
    if (slot != kNoEdge && frame.at(slot).data().data() == tensor.data().data()) return true;
  }
  return false;
}

Status OwnViews(const PlanStep& step, Frame& frame, RunBudget& budget) {
  for (const PlanOutput& output : step.outputs) {
    Tensor& made = frame.slot(output.slot);
    if (!IsSharedView(step, made, frame)) continue;
    SIGNET_ASSIGN_OR_RETURN(made, OwnedWithin(budget, made));
  }
  return absl::OkStatus();
}

// Bytes that control steps have stored in slots.
using HeldBySlot = absl::InlinedVector<std::pair<int, int64_t>, 4>;

Status RunBodies(const PlanStep& step, Frame& frame, const RunControl& control, HeldBySlot& held) {
  static const Tensor absent;
  absl::InlinedVector<const Tensor*, 16> inputs;
  for (int slot : step.inputs) inputs.push_back(slot == kNoEdge ? &absent : &frame.at(slot));
  const int64_t before = control.budget->bytes;
  SIGNET_ASSIGN_OR_RETURN(Components outputs,
                          RunControlStep(*step.control, frame, inputs, control));
  int64_t made = control.budget->bytes - before;  // outputs may share memory with inputs
  for (size_t i = 0; i < outputs.size(); ++i) {
    held.emplace_back(step.outputs[i].slot,
                      std::min(made, static_cast<int64_t>(outputs[i].num_bytes())));
    made -= held.back().second;
    frame.slot(step.outputs[i].slot) = std::move(outputs[i]);
  }
  return absl::OkStatus();
}

// Counts the estimated time of a step against a short run. If the sizes were unknown when the
// kernel was made, the estimate is scaled to the sizes of the inputs. For kernels with much work
// per element, such as products of matrices, the work grows faster than the number of elements.
Status TakeTime(const PlanStep& step, Frame& frame, RunBudget& budget) {
  constexpr double kMuchPerElement = 3;
  double cost = step.cost;
  if (step.guessed_elements > 0) {
    double largest = 0;
    for (int slot : step.inputs) {
      if (slot == kNoEdge) continue;
      largest = std::max(largest, static_cast<double>(frame.at(slot).num_elements()));
    }
    double ratio = largest / step.guessed_elements;
    bool has_much = cost > kMuchPerElement * step.guessed_elements;
    cost *= has_much ? ratio * std::sqrt(ratio) : ratio;
  }
  return budget.TakeNanoseconds(cost);
}

void Free(const PlanStep& step, const HeldBySlot& held, RunBudget& budget) {
  for (int slot : step.frees) {
    for (const auto& [filled, bytes] : held) {
      if (filled == slot) budget.GiveBytes(bytes);
    }
  }
}

StatusOr<Components> TakeResults(const Plan& plan, Frame& frame, RunBudget& budget) {
  Components results;
  results.reserve(plan.results().size());
  for (const auto& [slot, moves] : plan.results()) {
    const Tensor& made = frame.at(slot);
    if (!made.data().is_owned() || !made.bytes().is_owned()) {
      SIGNET_ASSIGN_OR_RETURN(Tensor owned, OwnedWithin(budget, made));
      results.push_back(std::move(owned));
    } else if (moves) {
      results.push_back(std::move(frame.slot(slot)));
    } else {
      results.push_back(made);
    }
  }
  return results;
}

// Copies results that keep much more memory alive (`held` bytes) than they use, such as a row of a
// large tensor. Otherwise the number of bytes to subtract would be a guess, and a loop could
// collect any number of such results.
StatusOr<int64_t> Compact(Components& results, int64_t held, RunBudget& budget) {
  constexpr int64_t kSmall = 4096;
  const int64_t shown = BytesOf(results);
  if (held <= 2 * shown + kSmall) return held;
  for (Tensor& result : results) {
    Tensor view =
        Tensor::Trusted(result.dtype(), result.shape(), Buffer::View(result.data().bytes()),
                        Buffer::View(result.bytes().bytes()));
    SIGNET_ASSIGN_OR_RETURN(result, OwnedWithin(budget, view));
  }
  return shown;
}

}  // namespace

StatusOr<Components> RunPlan(const Plan& plan, FramePool& frames,
                             std::span<const Tensor* const> inputs, const RunControl& control) {
  if (control.budget == nullptr) {
    RunBudget budget;
    RunControl with_budget = control;
    with_budget.budget = &budget;
    return RunPlan(plan, frames, inputs, with_budget);
  }
  RunBudget& budget = *control.budget;
  const int64_t before = budget.bytes;
  if (Status taken = budget.TakeBytes(plan.arena_bytes()); !taken.ok()) [[unlikely]] {
    return At("the intermediates of the function", std::move(taken));
  }
  SIGNET_CHECK(inputs.size() == plan.input_slots().size());
  SIGNET_ASSIGN_OR_RETURN(std::unique_ptr<Frame> taken, frames.Take(plan));
  FrameLease lease(frames, std::move(taken));
  Frame& frame = *lease;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (plan.input_slots()[i] != kNoEdge) frame.BorrowInput(plan.input_slots()[i], *inputs[i]);
  }
  Parallel& parallel = control.parallel != nullptr ? *control.parallel : SerialParallel();
  const bool may_stop = control.deadline || control.cancelled != nullptr;
  const bool is_short = budget.exceeded != nullptr;
  HeldBySlot held;
  RunProfile::PlanRun profiled(control.profile, plan, inputs);
  for (const PlanStep& step : plan.steps()) {
    if (may_stop) SIGNET_RETURN_IF_ERROR(control.Check());
    profiled.BeginStep();
    if (step.control != nullptr) {
      SIGNET_RETURN_IF_ERROR(RunBodies(step, frame, control, held));
      profiled.EndStep(step, frame);
      for (int slot : step.last_reads) frame.Release(slot);
      Free(step, held, budget);
      continue;
    }
    if (is_short) SIGNET_RETURN_IF_ERROR(TakeTime(step, frame, budget));
    StepContext context(step, frame, parallel, control);
    Status ran = step.kernel->Run(context);
    if (context.stopped()) [[unlikely]] {
      SIGNET_RETURN_IF_ERROR(control.Check());
      return budget.EndShortRun();
    }
    if (!ran.ok()) return AtOp(*step.op, std::move(ran));
    if (context.was_set()) SIGNET_RETURN_IF_ERROR(OwnViews(step, frame, budget));
    profiled.EndStep(step, frame);
    if (BumpArena& scratch = frame.scratch(); scratch.taken() > 0) {
      budget.GiveBytes(static_cast<int64_t>(scratch.taken()));
      scratch.Reset();
    }
    for (int slot : step.last_reads) frame.Release(slot);
    if (!step.frees.empty()) Free(step, held, budget);
  }
  SIGNET_ASSIGN_OR_RETURN(Components results, TakeResults(plan, frame, budget));
  auto of_frame = static_cast<int64_t>(plan.arena_bytes() + frame.bump().taken());
  SIGNET_ASSIGN_OR_RETURN(int64_t kept, Compact(results, budget.bytes - before - of_frame, budget));
  budget.KeepOnly(before, kept);
  return results;
}

}  // namespace signet
