#include "core/runtime/cache_budget.h"

#include <algorithm>
#include <vector>

namespace signet {

void CacheBudget::Join(Member* member) {
  std::lock_guard lock(mu_);
  members_.insert(member);
}

void CacheBudget::Leave(Member* member) {
  std::lock_guard lock(mu_);
  members_.erase(member);
}

void CacheBudget::Trim(const void* added) {
  auto fits = [this] { return bytes() <= max_bytes_.load(std::memory_order_relaxed); };
  if (fits()) return;
  std::lock_guard lock(mu_);
  while (!fits()) {
    std::vector<Member*> largest(members_.begin(), members_.end());
    std::sort(largest.begin(), largest.end(),
              [](const Member* a, const Member* b) { return a->bytes() > b->bytes(); });
    bool evicted = std::any_of(largest.begin(), largest.end(), [&](Member* member) {
      return member->bytes() > 0 && member->EvictOne(added);
    });
    if (!evicted) return;
  }
}

}  // namespace signet
