// Dimensions of ragged values: expand_dims, squeeze, merge_dims, reverse.

#include "tests/conformance/structured/table.h"
#include "tests/conformance/structured/three_ways.h"

namespace signet::structured_vectors {
namespace {

StatusOr<Answer> ExpandDims(const Case& one) {
  return RunThreeWays("expand_dims", {one.value("value")},
                      Attributes({{"axis", one.attribute("axis")}}));
}

StatusOr<Answer> MergeDims(const Case& one) {
  return RunThreeWays(
      "merge_dims", {one.value("value")},
      Attributes({{"outer", one.attribute("outer_axis")}, {"inner", one.attribute("inner_axis")}}));
}

StatusOr<Answer> Reverse(const Case& one) {
  return RunThreeWays("reverse", {one.value("value")},
                      Attributes({{"axes", one.attribute("axis")}}));
}

StatusOr<Answer> Squeeze(const Case& one) {
  return RunThreeWays("squeeze", {one.value("value")},
                      Attributes({{"axes", one.attribute("axis")}}));
}

constexpr OpRow kOps[] = {
    {"ragged.expand_dims", ExpandDims},
    {"ragged.merge_dims", MergeDims},
    {"ragged.reverse", Reverse},
    {"ragged.squeeze", Squeeze},
};

}  // namespace

std::span<const OpRow> RaggedDimOps() { return kOps; }

}  // namespace signet::structured_vectors
