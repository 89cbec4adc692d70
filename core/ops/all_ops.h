// AllOps: the catalogue: one maker an op, in the families of docs/ops.md.
//
// To add an op, declare its maker here and call it in all_ops.cc; a test compares the catalogue with
// the kernels, docs/ops.md and tests/core/ops/*.cases.

#pragma once

#include <vector>

#include "core/ops/op.h"

namespace signet {

// Elementwise: rows of the table in elementwise.cc.
std::vector<OpDef> ElementwiseOps();

// Linear algebra.

// Reductions.

// Shapes.

// Indexing.

// Strings.

// Structures and ragged tensors.

// Segments.

// Control.
OpDef Call();
OpDef Cond();

// All ops, in no particular order.
std::vector<OpDef> AllOps();

}  // namespace signet
