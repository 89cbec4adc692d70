// BodyInputs: what a body of a control node takes from outside: components become its inputs, those
// known now constants of its own, so that it folds them as its graph would.
//
//   BodyInputs taken(outer);
//   taken.Add(values);                     // what bodies may read
//   taken.AddTo(*body);                    // each body, before its first call
//   taken.In(*body, value)                 // `value`, as the body sees it
//   node.inputs gets taken.edges()
//
// One thread.

#pragma once

#include <map>
#include <span>
#include <vector>

#include "core/graph/lower/flat_builder.h"

namespace signet {

class BodyInputs {
 public:
  explicit BodyInputs(FlatBuilder& outer) : outer_(outer) {}

  void Add(std::span<const GraphValue> values);
  const std::vector<int>& edges() const { return edges_; }  // of the outer graph, each once
  // Of the last body that inputs were added to.
  void AddTo(FlatBuilder& body);
  GraphValue In(FlatBuilder& body, const GraphValue& value);
  std::vector<GraphValue> In(FlatBuilder& body, std::span<const GraphValue> values);

 private:
  FlatBuilder& outer_;
  std::vector<int> edges_;
  std::map<int, int> inside_;  // by outer edge
};

}  // namespace signet
