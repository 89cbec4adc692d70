// Ragged ops: ops on rows of varying length.
//
// To add one, declare its maker here, call it in ragged_ops.cc, and describe it in
// docs/ops/ragged.md.

#pragma once

#include <vector>

#include "core/ops/op.h"

namespace signet {

// All of them.
std::vector<OpDef> RaggedOps();

}  // namespace signet
