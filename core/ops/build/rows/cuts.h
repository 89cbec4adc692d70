// Cuts: split and unstack of values of any kind.
//
//   split([[1], [2, 3], []], sizes 1 and 2)  =>  [[1]] and [[2, 3], []]
//   unstack([{a: 1}, {a: 2}])                =>  {a: 1} and {a: 2}
//
// Values are tensors, ragged and structured ones of known rank; axes of a structure are its
// own. Parts along axis 0 share what they are cut from. Only uniform dimensions are cut. Labels are
// those of docs/reference/ops.md, split and unstack. Stateless.

#pragma once

#include <optional>
#include <vector>

#include "core/ops/def/op_def.h"

namespace signet {

inline constexpr int64_t kMaxParts = 1 << 16;  // outputs of one op

// What the attributes `num` and `sizes` of split ask for: `sizes`, or else `count` parts (C3). No
// size is below 0 (C4).
struct WantedParts {
  int64_t count = 0;
  std::optional<std::vector<int64_t>> sizes;
  int64_t total = 0;  // of sizes
};
StatusOr<WantedParts> WantedPartsOf(const OpCall& call);

// The dimension that attribute `axis` of `call` is of a composite value that can be cut: one of a
// known rank, at least 1 (C1, C2).
StatusOr<int> CuttableAxis(const OpCall& call, const TypeSpec& spec);

// Parts of `sizes` along dimension `axis`, together as long as it is as far as its size is known;
// one kUnknownDim: all are equal parts of an unknown size. Compared when it runs, where it is not.
// With `drop`, sizes are 1 and the dimension goes.
StatusOr<std::vector<GraphValue>> CutAlong(OpBuilder& build, const GraphValue& value, int axis,
                                           std::span<const int64_t> sizes, bool drop);

}  // namespace signet
