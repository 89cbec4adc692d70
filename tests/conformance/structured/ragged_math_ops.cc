// Arithmetic of ragged values, reductions, to and from tensors, broadcasting.

#include "tests/conformance/structured/table.h"

namespace signet::structured_vectors {

std::span<const OpRow> RaggedMathOps() { return {}; }

}  // namespace signet::structured_vectors
