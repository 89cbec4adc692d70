// Dimensions of ragged values: expand_dims, squeeze, merge_dims, reverse.

#include "tests/conformance/structured/table.h"
#include "tests/conformance/structured/three_ways.h"

namespace signet::structured_vectors {
namespace {

StatusOr<Answer> ExpandDims(const Case& one) {
  return RunThreeWays("expand_dims", {one.value("value")},
                      Attributes({{"axis", one.attribute("axis")}}));
}

StatusOr<Answer> Reverse(const Case& one) {
  return RunThreeWays("reverse", {one.value("value")},
                      Attributes({{"axes", one.attribute("axis")}}));
}

constexpr OpRow kOps[] = {
    {"ragged.expand_dims", ExpandDims},
    {"ragged.reverse", Reverse},
};

}  // namespace

std::span<const OpRow> RaggedDimOps() { return kOps; }

}  // namespace signet::structured_vectors
