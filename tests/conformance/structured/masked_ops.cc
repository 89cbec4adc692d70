// Operations on MaskedTensor.

#include "tests/conformance/structured/table.h"

namespace signet::structured_vectors {

std::span<const OpRow> MaskedOps() { return {}; }

}  // namespace signet::structured_vectors
