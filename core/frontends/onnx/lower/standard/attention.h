// Attention: products of queries and keys, masks, and sums of values, for the attention operators
// of ai.onnx, ai.onnx.preview, and com.microsoft.
//
// Tensors are [batch, heads, sequence, size]. Keys and values may have fewer heads than queries:
// then several neighboring heads of queries use the same head of keys. Scores are
// [batch, heads, queries, keys]. Stateless.

#pragma once

#include <optional>

#include "core/frontends/onnx/lower/build/tensor_expressions.h"
#include "core/ops/build/op_builder.h"

namespace signet {

// Which keys a query sees by its position, `first` + its number.
struct AttentionWindow {
  Operand first;       // int64: a scalar, or [batch, 1, 1, 1]
  int64_t before = 0;  // how many positions up to its own; 0: all
};

// [batch, sequence, heads * size] as [batch, heads, sequence, size], and the inverse.
Expr SplitHeads(OpBuilder& build, const Operand& x, int64_t heads);
Expr JoinHeads(OpBuilder& build, const Operand& x);

// Elements [begin, end) of dimension `axis`, every `step`th.
Expr SliceAxis(OpBuilder& build, const Operand& x, int64_t axis, const Operand& begin,
               const Operand& end, int64_t step = 1);

// The scores of each query with each key, scaled by `scale` or, if it is empty, by one over the
// square root of the size.
Expr AttentionScores(OpBuilder& build, const Operand& q, const Operand& k,
                     std::optional<double> scale);
// Scores limited softly to `cap`; 0 means no limit.
Expr CapScores(OpBuilder& build, const Operand& scores, double cap);
// The sums of values by shares, [batch, heads, queries, size].
Expr AttentionSums(OpBuilder& build, const Operand& shares, const Operand& v);

// Whether each query sees each key: bool, broadcasts with the scores.
Expr SeenKeys(OpBuilder& build, const Operand& queries, const Operand& keys,
              const AttentionWindow& window);
// A mask whose last dimension is padded to `keys` with False or -inf.
Expr PadMask(OpBuilder& build, const Operand& mask, const Operand& keys);
// What is added to scores of `dtype`: `added`, or 0, where `seen`, else -inf. Both are optional.
Expr AttentionBias(OpBuilder& build, const Operand& seen, const Operand& added, DType dtype);
// `rows`, with 0 for queries that see nothing according to `bias`.
Expr ZeroUnlessSeeing(OpBuilder& build, const Operand& bias, const Operand& rows);

}  // namespace signet
