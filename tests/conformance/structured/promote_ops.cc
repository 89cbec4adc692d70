// promote, broadcast, apply, and merging and partitioning dimensions of structures.

#include "tests/conformance/structured/table.h"

namespace signet::structured_vectors {

std::span<const OpRow> PromoteOps() { return {}; }

}  // namespace signet::structured_vectors
