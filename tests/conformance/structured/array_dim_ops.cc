// Array operations on the dimensions of structures: expand_dims, squeeze.

#include "tests/conformance/structured/table.h"
#include "tests/conformance/structured/three_ways.h"

namespace signet::structured_vectors {
namespace {

StatusOr<Answer> ExpandDims(const Case& one) {
  return RunThreeWays("expand_dims", {one.value("value")},
                      Attributes({{"axis", one.attribute("axis")}}));
}

StatusOr<Answer> Squeeze(const Case& one) {
  return RunThreeWays("squeeze", {one.value("value")},
                      Attributes({{"axes", one.attribute("axis")}}));
}

constexpr OpRow kOps[] = {
    {"expand_dims", ExpandDims},
    {"squeeze", Squeeze},
};

}  // namespace

std::span<const OpRow> ArrayDimOps() { return kOps; }

}  // namespace signet::structured_vectors
