// DependencyOrder: puts things after those they depend on, or finds a cycle among them.
//
//   dependencies {0: [2], 1: [], 2: [1]}  =>  order 1, 2, 0
//
// Serves the nodes of a function and the functions of a model. Linear time, constant stack.

#pragma once

#include <vector>

namespace signet {

struct DependencyOrder {
  std::vector<int>
      order;  // everything, dependencies first, else as numbered; empty if there is a cycle
  std::vector<int>
      cycle;  // each depends on the next, the last on the first; empty if there is none
};

DependencyOrder OrderByDependencies(const std::vector<std::vector<int>>& dependencies);

}  // namespace signet
