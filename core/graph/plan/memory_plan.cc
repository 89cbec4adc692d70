#include "core/graph/plan/memory_plan.h"

#include <algorithm>
#include <numeric>

namespace signet {
namespace {

constexpr size_t kAlignment = 64;

size_t Aligned(size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

}  // namespace

MemoryPlan PlanMemory(std::span<const Lifetime> lifetimes) {
  MemoryPlan plan;
  plan.offsets.assign(lifetimes.size(), 0);
  std::vector<size_t> order(lifetimes.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return lifetimes[a].bytes > lifetimes[b].bytes; });
  std::vector<size_t> placed;  // sorted by offset
  for (size_t index : order) {
    const Lifetime& life = lifetimes[index];
    size_t size = Aligned(life.bytes);
    size_t offset = 0;
    for (size_t other : placed) {
      const Lifetime& neighbor = lifetimes[other];
      if (neighbor.last < life.first || life.last < neighbor.first) continue;
      if (offset + size <= plan.offsets[other]) break;  // fits into the gap before it
      offset = std::max(offset, plan.offsets[other] + Aligned(neighbor.bytes));
    }
    plan.offsets[index] = offset;
    plan.arena_bytes = std::max(plan.arena_bytes, offset + size);
    auto at = std::upper_bound(placed.begin(), placed.end(), offset,
                               [&](size_t value, size_t i) { return value < plan.offsets[i]; });
    placed.insert(at, index);
  }
  return plan;
}

}  // namespace signet
