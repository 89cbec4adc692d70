// Cuts: splits and unstacks values of any kind.
//
//   split([[1], [2, 3], []], sizes 1 and 2)  =>  [[1]] and [[2, 3], []]
//   unstack([{a: 1}, {a: 2}])                =>  {a: 1} and {a: 2}
// The values are tensors, ragged values, and structures of known rank. The axes of a structure are
// its own dimensions. Parts along axis 0 share their elements with the value. Only uniform
// dimensions can be cut. The labels of errors are those of the ops `split` and `unstack`.
// Stateless.

#pragma once

#include <optional>
#include <vector>

#include "core/ops/def/op_def.h"

namespace signet {

inline constexpr int64_t kMaxParts = 1 << 16;  // limit for the outputs of one op

// The parts that the attributes `num` and `sizes` of split request: parts of `sizes`, or else
// `count` equal parts (C3). No size is less than 0 (C4).
struct WantedParts {
  int64_t count = 0;
  std::optional<std::vector<int64_t>> sizes;
  int64_t total = 0;  // the sum of sizes
};
StatusOr<WantedParts> WantedPartsOf(const OpCall& call);

// Returns the dimension that the attribute `axis` of `call` selects (C2). Checks that `spec` has a
// known rank, which is at least 1 (C1).
StatusOr<int> CuttableAxis(const OpCall& call, const TypeSpec& spec);

// Cuts `value` along dimension `axis` into parts of `sizes`. If a size is kUnknownDim, all parts
// are equal and their size is unknown. A known size of the dimension is the sum of the sizes; an
// unknown size is compared with the sum at run time. With `drop`, all sizes are 1, and the
// dimension is removed.
StatusOr<std::vector<GraphValue>> CutAlong(OpBuilder& build, const GraphValue& value, int axis,
                                           std::span<const int64_t> sizes, bool drop);

}  // namespace signet
