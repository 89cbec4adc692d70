// Frame: the slots and the arena of one run of a plan, reused by later runs. Not thread-safe.

#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <vector>

#include "core/base/concurrent/reclaimer.h"
#include "core/graph/plan/plan.h"

namespace signet {

// Allocates memory in order and frees it all at once. Keeps blocks for the next run, up to a limit,
// so that a steady load allocates nothing.
class BumpArena {
 public:
  static constexpr size_t kMostKept = size_t{64} << 20;

  // Returns memory aligned to 64 bytes, or RESOURCE_EXHAUSTED if there is not enough memory.
  StatusOr<std::byte*> Allocate(size_t bytes);
  // Adds memory from elsewhere to taken().
  void Count(size_t bytes) { taken_ += bytes; }
  size_t taken() const { return taken_; }  // bytes requested since Reset
  size_t held() const;                     // bytes of all blocks
  void Reset();

 private:
  static constexpr size_t kFirstBlock = size_t{16} << 10;
  // most bytes to allocate in addition to a request
  static constexpr size_t kLargestStep = size_t{16} << 20;

  std::vector<Buffer> blocks_;
  size_t block_ = 0;  // index of the current block
  size_t used_ = 0;   // bytes used in the current block
  size_t taken_ = 0;
};

class FramePool;

class Frame {
 public:
  Frame();
  ~Frame();
  static StatusOr<std::unique_ptr<Frame>> Make(const Plan& plan);

  // Returns the tensor in a slot: of this run, a constant, or a borrowed input.
  const Tensor& at(int i) const { return *at_[static_cast<size_t>(i)]; }
  // Returns the tensor of this run in a slot that holds neither an input nor a constant.
  Tensor& slot(int i) { return slots_[static_cast<size_t>(i)]; }
  // Uses `input` without a copy. `input` must outlive the run.
  void BorrowInput(int i, const Tensor& input) { at_[static_cast<size_t>(i)] = &input; }
  std::byte* arena() { return arena_.mutable_data(); }
  size_t arena_bytes() const { return arena_.size(); }
  // Returns the bytes of the arena and of the blocks that are kept for the next run.
  size_t held_bytes() const { return arena_.size() + bump_.held() + scratch_.held(); }
  BumpArena& bump() { return bump_; }
  // Memory for one step. The next step reuses it while it is still in the cache.
  BumpArena& scratch() { return scratch_; }
  // Returns the frames for a body of a control step of the plan.
  FramePool& body(size_t i) { return *bodies_[i]; }
  // Returns the tensor that is planned for an output if its slot still holds it from an earlier
  // run, and null otherwise.
  Tensor* LookupPlaced(const PlanOutput& output, const Shape& shape) {
    Tensor& tensor = slot(output.slot);
    bool is_placed = output.bytes > 0 && tensor.data().data() == arena() + output.offset &&
                     tensor.dtype() == output.dtype && tensor.shape() == shape;
    return is_placed ? &tensor : nullptr;
  }
  // Releases memory that a slot keeps alive. Tensors in the arena stay.
  void Release(int i);
  // Releases the tensors of this run and their memory. The frame is then ready for the next run.
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

// The idle frames of one plan. A thread prefers the frame that it used last. A frame is not kept if
// its arena is large, or if all pools of the process together would keep more than kMaxPooledBytes
// in frames that are not small. Thread-safe; does not lock.
class FramePool {
 public:
  static constexpr size_t kMaxPooledBytes = size_t{256} << 20;
  static constexpr size_t kSmallFrameBytes = size_t{64} << 10;  // smaller frames do not count

  FramePool() = default;
  ~FramePool();
  FramePool(const FramePool&) = delete;
  FramePool& operator=(const FramePool&) = delete;

  StatusOr<std::unique_ptr<Frame>> Take(const Plan& plan);
  void Return(std::unique_ptr<Frame> frame);
  // Returns the bytes of all frames in pools that count.
  static size_t pooled_bytes() { return pooled_bytes_.load(std::memory_order_relaxed); }

 private:
  static bool Count(Frame& frame);  // false if the limit would be exceeded
  static void Uncount(Frame& frame);

  inline static std::atomic<size_t> pooled_bytes_{0};
  std::array<std::atomic<Frame*>, Reclaimer::kShards> frames_{};  // owned; null: none
};

}  // namespace signet
