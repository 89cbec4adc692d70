// BodyInputs: the values of the outer graph that the bodies of a control node read.
//
//   BodyInputs inputs(outer);
//   inputs.Add(values);                    // the values that bodies may read
//   inputs.AddTo(*body);                   // for each body, before its first call
//   inputs.In(*body, value)                // `value`, as an edge of the body
//   node.inputs = inputs.edges();
//
// The components of a value are inputs of each body. A component that is known is a constant of the
// body instead, so that the body folds it. Not thread-safe.

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
  const std::vector<int>& edges() const {
    return edges_;
  }  // of the outer graph, without duplicates
  // Adds the inputs to `body`. In then refers to this body.
  void AddTo(FlatBuilder& body);
  GraphValue In(FlatBuilder& body, const GraphValue& value);
  std::vector<GraphValue> In(FlatBuilder& body, std::span<const GraphValue> values);

 private:
  FlatBuilder& outer_;
  std::vector<int> edges_;
  std::map<int, int> inside_;  // by outer edge
};

}  // namespace signet
