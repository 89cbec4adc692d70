// Frame: the slots and the arena of one run of a plan. Reused from run to run; one thread at a
// time.

#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "core/graph/plan.h"

namespace signet {

// Memory handed out in order and taken back all at once. Blocks are kept for the next run, up to a
// bound, so that a steady load allocates nothing.
class BumpArena {
 public:
  static constexpr size_t kMostKept = size_t{64} << 20;

  // 64-byte aligned; RESOURCE_EXHAUSTED when there is no memory.
  StatusOr<std::byte*> Allocate(size_t bytes);
  size_t taken() const { return taken_; }  // bytes that were asked for since Reset
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

  Tensor& slot(int i) { return slots_[static_cast<size_t>(i)]; }
  std::byte* arena() { return arena_.mutable_data(); }
  size_t arena_bytes() const { return arena_.size(); }
  BumpArena& bump() { return bump_; }
  // The frames of a body of a control step of the plan.
  FramePool& body(size_t i) { return *bodies_[i]; }
  // Lets go of everything but constants, ready for the next run.
  void Reset();

 private:
  std::vector<Tensor> slots_;
  std::vector<bool> is_constant_;
  Buffer arena_;
  BumpArena bump_;
  std::vector<std::unique_ptr<FramePool>> bodies_;
};

// The frames of one plan; those with a large arena are not kept. Thread-safe.
class FramePool {
 public:
  StatusOr<std::unique_ptr<Frame>> Take(const Plan& plan);
  void Return(std::unique_ptr<Frame> frame);

 private:
  static constexpr size_t kMostKept = 16;

  std::mutex mu_;
  std::vector<std::unique_ptr<Frame>> frames_;  // guarded by mu_
};

}  // namespace signet
