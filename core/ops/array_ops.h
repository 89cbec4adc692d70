// Array ops: ops on the elements of values of any kind: joining, picking, repeating.
//
// To add one, declare its maker here, call it in array_ops.cc, and describe it in
// docs/ops/arrays.md.

#pragma once

#include <vector>

#include "core/ops/op.h"

namespace signet {

OpDef BatchGather();
OpDef Bitcast();
OpDef GatherElements();
OpDef GatherNd();
OpDef Pick();
OpDef ScatterElements();
OpDef ScatterNd();
OpDef Unique();
OpDef Where();

// All of them.
std::vector<OpDef> ArrayOps();

std::vector<OpDef> RowJoinOps();

}  // namespace signet
