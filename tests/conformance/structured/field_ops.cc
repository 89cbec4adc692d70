// Updates of structures.

#include "tests/conformance/structured/table.h"

namespace signet::structured_vectors {

std::span<const OpRow> FieldOps() { return {}; }

}  // namespace signet::structured_vectors
