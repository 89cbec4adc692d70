#include "core/graph/lower/body_inputs.h"

#include <algorithm>

namespace signet {

void BodyInputs::Add(std::span<const GraphValue> values) {
  for (const GraphValue& value : values) {
    for (int edge : value.components) {
      bool seen = std::find(edges_.begin(), edges_.end(), edge) != edges_.end();
      if (!seen && !outer_.IsKnown(edge)) edges_.push_back(edge);
    }
  }
}

void BodyInputs::AddTo(FlatBuilder& body) {
  inside_.clear();
  for (int edge : edges_) {
    const int inside = body.AddInput(outer_.TypeOf(edge)).components[0];
    body.SetSame(inside, outer_, edge);
    inside_[edge] = inside;
  }
}

GraphValue BodyInputs::In(FlatBuilder& body, const GraphValue& value) {
  GraphValue inside{value.spec, {}};
  for (int edge : value.components) {
    auto [found, is_new] = inside_.try_emplace(edge, kNoEdge);
    if (is_new) found->second = body.CopyConstant(outer_, edge);
    inside.components.push_back(found->second);
  }
  return inside;
}

std::vector<GraphValue> BodyInputs::In(FlatBuilder& body, std::span<const GraphValue> values) {
  std::vector<GraphValue> inside;
  for (const GraphValue& value : values) inside.push_back(In(body, value));
  return inside;
}

}  // namespace signet
