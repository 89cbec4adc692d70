#include "core/graph/body/dependency_order.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace signet {
namespace {

enum class State : uint8_t { kNew, kOpen, kDone };

struct Visit {
  int item;
  size_t next = 0;  // the next dependency to visit
};

}  // namespace

DependencyOrder OrderByDependencies(const std::vector<std::vector<int>>& dependencies) {
  DependencyOrder out;
  std::vector<State> states(dependencies.size(), State::kNew);
  std::vector<Visit> open;  // a path: each element depends on the next one
  auto state_of = [&](int item) -> State& { return states[static_cast<size_t>(item)]; };
  auto enter = [&](int item) {
    state_of(item) = State::kOpen;
    open.push_back({item});
  };
  for (int first = 0; first < static_cast<int>(dependencies.size()); ++first) {
    if (state_of(first) == State::kNew) enter(first);
    while (!open.empty()) {
      Visit& visit = open.back();
      const auto& wanted = dependencies[static_cast<size_t>(visit.item)];
      if (visit.next == wanted.size()) {
        state_of(visit.item) = State::kDone;
        out.order.push_back(visit.item);
        open.pop_back();
        continue;
      }
      int dependency = wanted[visit.next++];
      if (state_of(dependency) == State::kNew) {
        enter(dependency);
      } else if (state_of(dependency) == State::kOpen) {
        auto start = std::find_if(open.begin(), open.end(),
                                  [&](const Visit& at) { return at.item == dependency; });
        for (auto at = start; at != open.end(); ++at) out.cycle.push_back(at->item);
        out.order.clear();
        return out;
      }
    }
  }
  return out;
}

}  // namespace signet
