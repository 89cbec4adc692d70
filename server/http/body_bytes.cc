#include "server/http/body_bytes.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace signet {

BodyBytes::~BodyBytes() {
  std::free(data_);
  budget_->Release(capacity_);
}

bool BodyBytes::Grow(size_t limit, size_t first) {
  const size_t wanted = std::min(limit, std::max(first, 2 * capacity_));
  const size_t added = wanted - capacity_;
  if (!budget_->Reserve(added)) return false;
  void* grown = std::realloc(data_, wanted + kAlignment);
  if (grown == nullptr) {
    budget_->Release(added);
    return false;
  }
  data_ = static_cast<char*>(grown);
  capacity_ = wanted;
  return true;
}

Buffer BodyBytes::Take() {
  if (size_ == 0) return {};
  std::shared_ptr<const void> owner(
      std::exchange(data_, nullptr),
      [budget = budget_, bytes = std::exchange(capacity_, 0)](void* data) {
        std::free(data);
        budget->Release(bytes);
      });
  const auto* bytes = static_cast<const std::byte*>(owner.get()) + padding_;
  return Buffer::Borrow({bytes, std::exchange(size_, 0)}, std::move(owner));
}

}  // namespace signet
