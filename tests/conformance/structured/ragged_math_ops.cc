// Arithmetic of ragged values, reductions, to and from tensors, broadcasting.

#include "tests/conformance/structured/table.h"
#include "tests/conformance/structured/three_ways.h"

namespace signet::structured_vectors {
namespace {

StatusOr<Answer> Equal(const Case& one) {
  return RunThreeWays("equal", {one.value("x"), one.value("y")});
}

constexpr OpRow kOps[] = {
    {"ragged.equal", Equal},
};

}  // namespace

std::span<const OpRow> RaggedMathOps() { return kOps; }

}  // namespace signet::structured_vectors
