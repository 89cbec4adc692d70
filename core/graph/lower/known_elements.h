// KnownElements: the elements of a small tensor of integers that are known when a function is
// specialized, although other elements are not.
//
//   %1 = dynamic_shape(%0: float32[?, 3])     [?, 3]
//   %2 = gather(%1, 1)                        3, so that %2 is a constant
//
// Ops that copy elements (gather, stack, slice, reshape, and others) pass them on. The kernel of
// the op runs twice: on the elements, and on numbers that say which elements are known. Stateless;
// thread-safe.

#pragma once

#include <optional>
#include <vector>

#include "core/ops/def/op_def.h"
#include "signet/tensor.h"

namespace signet {

struct KnownElements {
  Tensor values;    // an unknown element is 1
  Tensor is_known;  // the same dtype and shape: 1 for a known element, and 0 for others

  // Returns true if all elements are known.
  bool IsComplete() const;
};

// Returns the known elements of each output of a call, which has outputs of the types `outputs`, or
// nothing if no element is known or the op does not copy elements. `inputs` has the known elements
// of each input, or null.
std::optional<std::vector<KnownElements>> DeriveKnownElements(
    const OpCall& call, std::span<const TypeSpec> outputs,
    std::span<const KnownElements* const> inputs);

}  // namespace signet
