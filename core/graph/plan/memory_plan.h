// Memory plan: where in one arena each intermediate tensor of known size lives.
//
// Two tensors share bytes only when their lifetimes, in steps, do not meet. Largest first, each at
// the lowest offset that is free for its whole life (greedy by size, as in Pisarchyk and Lee,
// "Efficient Memory Management for Deep Neural Net Inference", 2020). Offsets are 64-byte aligned.

#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace signet {

struct Lifetime {
  size_t bytes;
  int first;  // the step that writes it
  int last;   // the last step that reads it
};

struct MemoryPlan {
  std::vector<size_t> offsets;  // one a lifetime
  size_t arena_bytes = 0;
};

MemoryPlan PlanMemory(std::span<const Lifetime> lifetimes);

}  // namespace signet
