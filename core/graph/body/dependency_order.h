// OrderByDependencies: sorts items so that each follows its dependencies, or finds a cycle.
//
//   dependencies {0: [2], 1: [], 2: [1]}  =>  order 1, 2, 0
//
// Used for the nodes of a function and the functions of a model. Linear time, constant stack.

#pragma once

#include <vector>

namespace signet {

struct DependencyOrder {
  // All items, dependencies first, otherwise in the order of their numbers; empty if there is a
  // cycle.
  std::vector<int> order;
  // Each item depends on the next, and the last one on the first; empty if there is no cycle.
  std::vector<int> cycle;
};

DependencyOrder OrderByDependencies(const std::vector<std::vector<int>>& dependencies);

}  // namespace signet
