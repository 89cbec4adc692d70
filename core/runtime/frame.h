// Frame: the slots and the arena of one run of a plan. Reused from run to run; one thread at a
// time.

#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <vector>

#include "core/base/concurrent/reclaimer.h"
#include "core/graph/plan/plan.h"

namespace signet {

// Memory handed out in order and taken back all at once. Blocks are kept for the next run, up to a
// bound, so that a steady load allocates nothing.
class BumpArena {
 public:
  static constexpr size_t kMostKept = size_t{64} << 20;

  // 64-byte aligned; RESOURCE_EXHAUSTED when there is no memory.
  StatusOr<std::byte*> Allocate(size_t bytes);
  // Adds memory that is not of the arena to taken().
  void Count(size_t bytes) { taken_ += bytes; }
  size_t taken() const { return taken_; }  // bytes that were asked for since Reset
  size_t held() const;                     // bytes of all blocks
  void Reset();

 private:
  static constexpr size_t kFirstBlock = size_t{16} << 10;
  static constexpr size_t kLargestStep = size_t{16} << 20;  // that is taken beyond what was asked

  std::vector<Buffer> blocks_;
  size_t block_ = 0;  // in use
  size_t used_ = 0;   // bytes of it
  size_t taken_ = 0;
};

class FramePool;

class Frame {
 public:
  Frame();
  ~Frame();
  static StatusOr<std::unique_ptr<Frame>> Make(const Plan& plan);

  // What a slot holds: a tensor of this run, a constant, or an input that was lent.
  const Tensor& at(int i) const { return *at_[static_cast<size_t>(i)]; }
  // The tensor of this run in a slot that is neither an input's nor a constant's.
  Tensor& slot(int i) { return slots_[static_cast<size_t>(i)]; }
  // `input` stays where it is, and outlives the run.
  void Lend(int i, const Tensor& input) { at_[static_cast<size_t>(i)] = &input; }
  std::byte* arena() { return arena_.mutable_data(); }
  size_t arena_bytes() const { return arena_.size(); }
  // Bytes of the arena and of the blocks that are kept for the next run.
  size_t held_bytes() const { return arena_.size() + bump_.held() + scratch_.held(); }
  BumpArena& bump() { return bump_; }
  // Of one step: the next has the same memory, which is in cache by then.
  BumpArena& scratch() { return scratch_; }
  // The frames of a body of a control step of the plan.
  FramePool& body(size_t i) { return *bodies_[i]; }
  // The tensor that is planned for an output, if its slot still holds it from an earlier run; else
  // null.
  Tensor* LookupPlaced(const PlanOutput& output, const Shape& shape) {
    Tensor& tensor = slot(output.slot);
    bool is_placed = output.bytes > 0 && tensor.data().data() == arena() + output.offset &&
                     tensor.dtype() == output.dtype && tensor.shape() == shape;
    return is_placed ? &tensor : nullptr;
  }
  // Lets go of memory that a slot keeps alive; what is in the arena stays.
  void Release(int i);
  // Lets go of the tensors of this run, and of the memory behind them; ready for the next.
  void Reset();

 private:
  friend class FramePool;

  void Place(const PlanOutput& output);

  std::vector<Tensor> slots_;
  std::vector<const Tensor*> at_;  // by slot
  Buffer arena_;
  BumpArena bump_;
  BumpArena scratch_;
  std::vector<std::unique_ptr<FramePool>> bodies_;
  size_t pooled_bytes_ = 0;  // counted while the frame is in a pool
};

// The frames of one plan that wait for the next run: a thread finds the one that it used last, or
// else any. Frames are not kept if their arena is large, or if all pools of the process together
// would keep more than kMaxPooledBytes in frames that are not small. Thread-safe; takes no lock.
class FramePool {
 public:
  static constexpr size_t kMaxPooledBytes = size_t{256} << 20;
  static constexpr size_t kSmallFrameBytes = size_t{64} << 10;  // that are not counted

  FramePool() = default;
  ~FramePool();
  FramePool(const FramePool&) = delete;
  FramePool& operator=(const FramePool&) = delete;

  StatusOr<std::unique_ptr<Frame>> Take(const Plan& plan);
  void Return(std::unique_ptr<Frame> frame);
  // Bytes of all frames in pools that are counted.
  static size_t pooled_bytes() { return pooled_bytes_.load(std::memory_order_relaxed); }

 private:
  static bool Count(Frame& frame);  // false if there is no room for it
  static void Uncount(Frame& frame);

  inline static std::atomic<size_t> pooled_bytes_{0};
  std::array<std::atomic<Frame*>, Reclaimer::kShards> frames_{};  // owned; null: none
};

}  // namespace signet
