// RemoveIdentitiesPass: removes nodes that return their input, and joins views of views.
//
//   %1 = expand_dims(%0; axis=0)  float32[1, 4, 8]
//   %2 = squeeze(%1; axes=0)  float32[4, 8]             %4 = neg(%0)  float32[4, 8]
//   %3 = identity(%2)  float32[4, 8]               =>
//   %4 = neg(%3)  float32[4, 8]

#pragma once

#include "core/graph/flat/passes/pass.h"

namespace signet {

extern const Pass kRemoveIdentitiesPass;

}  // namespace signet
