// ByteBudget: bounds the memory of what a server has received. Thread-safe.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "signet/buffer.h"

namespace signet {

class ByteBudget {
 public:
  explicit ByteBudget(size_t limit) : limit_(static_cast<int64_t>(limit)) {}

  // Returns false, and reserves nothing, if the limit would be exceeded.
  bool Reserve(size_t bytes) {
    const auto wanted = static_cast<int64_t>(bytes);
    if (used_.fetch_add(wanted) + wanted <= limit_) return true;
    used_.fetch_sub(wanted);
    return false;
  }
  void Release(size_t bytes) { used_.fetch_sub(static_cast<int64_t>(bytes)); }

 private:
  const int64_t limit_;
  std::atomic<int64_t> used_{0};
};

// Returns the same bytes, which stay reserved until the last buffer with them is freed, or nothing
// if the limit would be exceeded.
inline std::optional<Buffer> Reserve(const std::shared_ptr<ByteBudget>& budget, Buffer buffer) {
  const size_t bytes = buffer.size();
  if (!budget->Reserve(bytes)) return std::nullopt;
  const std::span<const std::byte> held = buffer.bytes();
  std::shared_ptr<const void> owner(held.data(), [buffer = std::move(buffer), budget,
                                                  bytes](const void*) { budget->Release(bytes); });
  return Buffer::Borrow(held, std::move(owner));
}

}  // namespace signet
