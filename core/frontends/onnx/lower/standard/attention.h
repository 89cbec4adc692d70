// Attention: helpers for the attention operators of ai.onnx, ai.onnx.preview, and com.microsoft:
// products of queries and keys, masks, and sums of values.
//
// Tensors are [batch, heads, sequence, size]. Keys and values may have fewer heads than queries:
// several neighboring heads of queries then use the same head of keys. Scores are
// [batch, heads, queries, keys]. Stateless.

#pragma once

#include <optional>

#include "core/frontends/onnx/lower/build/tensor_expressions.h"
#include "core/ops/build/op_builder.h"

namespace signet {

// The keys that a query sees, depending on its position, which is `first` + its index.
struct AttentionWindow {
  Operand first;       // int64: a scalar, or [batch, 1, 1, 1]
  int64_t before = 0;  // number of positions up to its own; 0 means all
};

// Convert [batch, sequence, heads * size] to [batch, heads, sequence, size], and back.
Expr SplitHeads(OpBuilder& build, const Operand& x, int64_t heads);
Expr JoinHeads(OpBuilder& build, const Operand& x);

// Returns elements [begin, end) of dimension `axis`, with a step.
Expr SliceAxis(OpBuilder& build, const Operand& x, int64_t axis, const Operand& begin,
               const Operand& end, int64_t step = 1);

// Returns the scores of each query with each key, multiplied by `scale` or, if it is empty, by one
// over the square root of the size.
Expr AttentionScores(OpBuilder& build, const Operand& q, const Operand& k,
                     std::optional<double> scale);
// Limits scores softly to `cap`; 0 means no limit.
Expr CapScores(OpBuilder& build, const Operand& scores, double cap);
// Returns the sums of values weighted by `shares`, [batch, heads, queries, size].
Expr AttentionSums(OpBuilder& build, const Operand& shares, const Operand& v);

// Returns which keys each query sees, as a bool tensor that broadcasts with the scores.
Expr SeenKeys(OpBuilder& build, const Operand& queries, const Operand& keys,
              const AttentionWindow& window);
// Pads the last dimension of a mask to `keys` with False or -inf.
Expr PadMask(OpBuilder& build, const Operand& mask, const Operand& keys);
// Returns the bias for scores of `dtype`: `added` or 0 if `seen`, else -inf. Both are optional.
Expr AttentionBias(OpBuilder& build, const Operand& seen, const Operand& added, DType dtype);
// Returns `rows`, with 0 for queries that see no key according to `bias`.
Expr ZeroUnlessSeeing(OpBuilder& build, const Operand& bias, const Operand& rows);

}  // namespace signet
