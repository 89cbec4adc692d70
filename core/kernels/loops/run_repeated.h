// RunRepeated: fills a part of an output with repetitions of the elements of one tensor.

#pragma once

#include <absl/container/inlined_vector.h>

#include "core/kernels/loops/runs.h"

namespace signet {

// Writes `count` elements, which repeat those of `blank`.
template <class Run>
bool RunRepeated(const Tensor& blank, int64_t count, Run& run) {
  int64_t size = blank.num_elements();
  for (int64_t i = 0; i < count; i += size) {
    if (!run(blank, 0, size)) return false;
  }
  return true;
}

}  // namespace signet
