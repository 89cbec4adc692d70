// Sparse ops: ops on sparse values.
//
// To add one, declare its maker here, call it in sparse_ops.cc, and describe it in
// docs/ops/sparse.md.

#pragma once

#include <vector>

#include "core/ops/op.h"

namespace signet {

// All of them.
std::vector<OpDef> SparseOps();

}  // namespace signet
