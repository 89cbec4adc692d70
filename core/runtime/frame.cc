#include "core/runtime/frame.h"

#include <algorithm>

namespace signet {

StatusOr<std::byte*> BumpArena::Allocate(size_t bytes) {
  if (bytes > SIZE_MAX - kBufferAlignment)
    return ResourceExhausted("no memory for ", bytes, " bytes");
  size_t size = (bytes + kBufferAlignment - 1) / kBufferAlignment * kBufferAlignment;
  while (block_ < blocks_.size() && blocks_[block_].size() - used_ < size) {
    ++block_;
    used_ = 0;
  }
  if (block_ == blocks_.size()) {
    size_t last = blocks_.empty() ? kFirstBlock / 2 : blocks_.back().size();
    size_t step = std::min(last * 2, kLargestStep);
    SIGNET_ASSIGN_OR_RETURN(Buffer block,
                            Buffer::Allocate(std::max({size, step, kBufferAlignment})));
    blocks_.push_back(std::move(block));
    used_ = 0;
  }
  std::byte* memory = blocks_[block_].mutable_data() + used_;
  used_ += size;
  taken_ += bytes;
  return memory;
}

void BumpArena::Reset() {
  size_t kept = 0;
  size_t bytes = 0;
  while (kept < blocks_.size() && bytes + blocks_[kept].size() <= kMostKept) {
    bytes += blocks_[kept++].size();
  }
  blocks_.resize(kept);
  block_ = 0;
  used_ = 0;
  taken_ = 0;
}

Frame::Frame() = default;
Frame::~Frame() = default;

StatusOr<std::unique_ptr<Frame>> Frame::Make(const Plan& plan) {
  auto frame = std::make_unique<Frame>();
  SIGNET_ASSIGN_OR_RETURN(frame->arena_, Buffer::Allocate(plan.arena_bytes()));
  frame->slots_.resize(plan.num_slots());
  frame->is_constant_.assign(plan.num_slots(), false);
  for (const auto& [slot, tensor] : plan.constants()) {
    frame->slots_[static_cast<size_t>(slot)] = tensor;
    frame->is_constant_[static_cast<size_t>(slot)] = true;
  }
  for (size_t i = 0; i < plan.num_bodies(); ++i) {
    frame->bodies_.push_back(std::make_unique<FramePool>());
  }
  return frame;
}

void Frame::Reset() {
  for (size_t i = 0; i < slots_.size(); ++i) {
    if (!is_constant_[i] && slots_[i].has_value()) slots_[i] = Tensor();
  }
  bump_.Reset();
}

StatusOr<std::unique_ptr<Frame>> FramePool::Take(const Plan& plan) {
  {
    std::lock_guard lock(mu_);
    if (!frames_.empty()) {
      std::unique_ptr<Frame> frame = std::move(frames_.back());
      frames_.pop_back();
      return frame;
    }
  }
  return Frame::Make(plan);
}

void FramePool::Return(std::unique_ptr<Frame> frame) {
  if (frame->arena_bytes() > BumpArena::kMostKept) return;
  std::lock_guard lock(mu_);
  if (frames_.size() < kMostKept) frames_.push_back(std::move(frame));
}

}  // namespace signet
