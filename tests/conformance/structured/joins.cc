#include "tests/conformance/structured/joins.h"

namespace signet::structured_vectors {

StatusOr<Answer> Join(std::string_view op, const Case& one, bool ragged) {
  return RunThreeWays(
      op, one.values("values"),
      Attributes({{"axis", one.attribute("axis")}, {"ragged", AttributeOf(ragged)}}));
}

StatusOr<Answer> Split(const Case& one) {
  NamedTypes attributes = {{"axis", one.attribute("axis")}};
  TypeSpec parts = one.attribute("num_or_size_splits");
  if (one.arg("num_or_size_splits").is_array()) {
    attributes.emplace_back("sizes", std::move(parts));
    attributes.emplace_back("num", one.attribute("num"));
  } else {
    attributes.emplace_back("num", std::move(parts));
  }
  return RunThreeWays("split", {one.value("value")}, Attributes(std::move(attributes)));
}

StatusOr<Answer> Tile(const Case& one) {
  return RunThreeWays("tile", {one.value("value")},
                      Attributes({{"multiples", one.attribute("multiples")}}));
}

}  // namespace signet::structured_vectors
