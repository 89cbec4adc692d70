// PlanMemory: assigns each intermediate tensor of known size an offset in one arena.
//
// Two tensors share bytes only if their lifetimes, in steps, do not overlap. The tensors are placed
// in order of decreasing size, each at the lowest offset that is free during its whole lifetime
// (greedy by size, as in Pisarchyk and Lee, "Efficient Memory Management for Deep Neural Net
// Inference", 2020). Offsets are aligned to 64 bytes.

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
  std::vector<size_t> offsets;  // one per lifetime, in bytes
  size_t arena_bytes = 0;
};

MemoryPlan PlanMemory(std::span<const Lifetime> lifetimes);

}  // namespace signet
