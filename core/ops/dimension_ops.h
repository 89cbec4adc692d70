// Dimension ops: ops on the dimensions of values of any kind, and on the fields of structures.
//
// To add one, declare its maker here, call it in dimension_ops.cc, and describe it in
// docs/ops/dimensions.md.

#pragma once

#include <vector>

#include "core/ops/op.h"

namespace signet {

// To merge and divide dimensions.
OpDef MergeDims();
OpDef PartitionOuterDimension();

// To compare dimensions.
OpDef SameSize();

// To copy fields, and to make fields of others.
std::vector<OpDef> PromoteOps();
std::vector<OpDef> StructSizeOps();
OpDef StructMap();

// All of them.
std::vector<OpDef> DimensionOps();

}  // namespace signet
