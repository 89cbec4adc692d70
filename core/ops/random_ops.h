// Random ops: random numbers and orders.
//
// To add one, declare its maker here, call it in random_ops.cc, and describe it in
// docs/ops/random.md.

#pragma once

#include <vector>

#include "core/ops/op.h"

namespace signet {

std::vector<OpDef> RandomNumberOps();
OpDef RandomPermutation();
OpDef RandomShuffle();

// All of them.
std::vector<OpDef> RandomOps();

}  // namespace signet
