// Array operations on ragged values.

#include "tests/conformance/structured/table.h"

namespace signet::structured_vectors {

std::span<const OpRow> RaggedArrayOps() { return {}; }

}  // namespace signet::structured_vectors
