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

size_t BumpArena::held() const {
  size_t bytes = 0;
  for (const Buffer& block : blocks_) bytes += block.size();
  return bytes;
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
  for (const Tensor& tensor : frame->slots_) frame->at_.push_back(&tensor);
  for (const auto& [slot, tensor] : plan.constants()) frame->BorrowInput(slot, tensor);
  for (const PlanStep& step : plan.steps()) {
    for (const PlanOutput& output : step.outputs) {
      if (output.bytes > 0) frame->Place(output);
    }
  }
  for (size_t i = 0; i < plan.num_bodies(); ++i) {
    frame->bodies_.push_back(std::make_unique<FramePool>());
  }
  return frame;
}

void Frame::Place(const PlanOutput& output) {
  slot(output.slot) = Tensor::Trusted(output.dtype, output.shape,
                                      Buffer::View({arena() + output.offset, output.bytes}));
}

void Frame::Release(int i) {
  auto holds = [](const Buffer& buffer) { return buffer.is_owned() && !buffer.empty(); };
  Tensor& tensor = slot(i);
  if (holds(tensor.data()) || holds(tensor.bytes())) tensor = Tensor();
}

void Frame::Reset() {
  for (size_t i = 0; i < slots_.size(); ++i) Release(static_cast<int>(i));
  bump_.Reset();
  scratch_.Reset();
}

StatusOr<std::unique_ptr<Frame>> FramePool::Take(const Plan& plan) {
  const size_t own = Reclaimer::ThisShard();
  for (size_t i = 0; i < frames_.size(); ++i) {
    std::atomic<Frame*>& place = frames_[(own + i) % frames_.size()];
    if (place.load(std::memory_order_relaxed) == nullptr) continue;
    Frame* frame = place.exchange(nullptr, std::memory_order_acquire);
    if (frame == nullptr) continue;
    Uncount(*frame);
    return std::unique_ptr<Frame>(frame);
  }
  return Frame::Make(plan);
}

bool FramePool::Count(Frame& frame) {
  const size_t bytes = frame.held_bytes();
  if (bytes <= kSmallFrameBytes) return true;
  frame.pooled_bytes_ = bytes;
  if (pooled_bytes_.fetch_add(bytes, std::memory_order_relaxed) + bytes <= kMaxPooledBytes) {
    return true;
  }
  Uncount(frame);
  return false;
}

void FramePool::Uncount(Frame& frame) {
  if (frame.pooled_bytes_ == 0) return;
  pooled_bytes_.fetch_sub(frame.pooled_bytes_, std::memory_order_relaxed);
  frame.pooled_bytes_ = 0;
}

void FramePool::Return(std::unique_ptr<Frame> frame) {
  if (frame->arena_bytes() > BumpArena::kMostKept || !Count(*frame)) return;
  const size_t own = Reclaimer::ThisShard();
  for (size_t i = 0; i < frames_.size(); ++i) {
    std::atomic<Frame*>& place = frames_[(own + i) % frames_.size()];
    Frame* none = nullptr;
    if (place.load(std::memory_order_relaxed) == nullptr &&
        place.compare_exchange_strong(none, frame.get(), std::memory_order_release)) {
      static_cast<void>(frame.release());
      return;
    }
  }
  Uncount(*frame);
}

FramePool::~FramePool() {
  for (auto& place : frames_) {
    std::unique_ptr<Frame> frame(place.load());
    if (frame != nullptr) Uncount(*frame);
  }
}

}  // namespace signet
