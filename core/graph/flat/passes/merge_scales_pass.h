// MergeScalesPass: merges successive scales and shifts by constants into one of each.
//
//   mul(mul(x, a), b)          =>  mul(x, a * b)
//   add(add(x, a), b)          =>  add(x, a + b)
//   mul(add(mul(x, a), b), c)  =>  add(mul(x, a * c), b * c)

#pragma once

#include "core/graph/flat/passes/pass.h"

namespace signet {

extern const Pass kMergeScalesPass;

}  // namespace signet
