// Indexing: getitem.

#include "tests/conformance/structured/table.h"

namespace signet::structured_vectors {

std::span<const OpRow> IndexOps() { return {}; }

}  // namespace signet::structured_vectors
