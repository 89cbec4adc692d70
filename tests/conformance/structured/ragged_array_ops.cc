// Array operations on ragged values.

#include "tests/conformance/structured/joins.h"
#include "tests/conformance/structured/table.h"

namespace signet::structured_vectors {
namespace {

StatusOr<Answer> Concat(const Case& one) { return Join("concat", one, true); }
StatusOr<Answer> Stack(const Case& one) { return Join("stack", one, true); }

StatusOr<Answer> DimSizes(const Case& one) {
  return RunThreeWays("dim_sizes", {one.value("value")});
}

constexpr OpRow kOps[] = {
    {"ragged.concat", Concat}, {"ragged.dim_sizes", DimSizes}, {"ragged.split", Split},
    {"ragged.stack", Stack},   {"ragged.tile", Tile},
};

}  // namespace

std::span<const OpRow> RaggedArrayOps() { return kOps; }

}  // namespace signet::structured_vectors
