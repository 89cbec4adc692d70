// Batches of values.

#include "tests/conformance/structured/table.h"

namespace signet::structured_vectors {

std::span<const OpRow> BatchOps() { return {}; }

}  // namespace signet::structured_vectors
