// RunIsolated: runs the cases of vectors in a child process, so that a case that crashes, hangs, or
// uses too much memory counts as failed, and the cases after it still run.

#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace signet::vectors {

struct IsolatedResult {
  bool finished = false;  // the case returned; otherwise, it ended its process
  std::string text;       // the returned text, or the reason why the process ended
};

// Calls `run` with 0, 1, ... `count` - 1. An exception ends only its case, with the text of the
// exception after "threw: ".
std::vector<IsolatedResult> RunIsolated(size_t count,
                                        const std::function<std::string(size_t)>& run);

}  // namespace signet::vectors
