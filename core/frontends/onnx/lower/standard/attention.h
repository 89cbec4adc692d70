// AttentionFormula: products of queries and keys, what may be seen, and sums of values: what the
// attention operators of ai.onnx, ai.onnx.preview and com.microsoft have in common.
//
// Tensors are [batch, heads, sequence, size]. Keys and values may have fewer heads than queries:
// each is then of a run of heads of queries. Scores are [batch, heads, queries, keys].

#pragma once

#include <optional>

#include "core/frontends/onnx/lower/build/arithmetic.h"

namespace signet {

// Which keys a query sees by its position, `first` + its number.
struct AttentionWindow {
  GraphValue first;    // int64: a scalar, or [batch, 1, 1, 1]
  int64_t before = 0;  // how many positions up to its own; 0: all
};

class AttentionFormula : public Arithmetic {
 public:
  using Arithmetic::Arithmetic;

  // [batch, sequence, heads * size] as [batch, heads, sequence, size], and the way back.
  StatusOr<GraphValue> SplitHeads(const GraphValue& x, int64_t heads);
  GraphValue JoinHeads(const GraphValue& x);

  // Elements [begin, end) of dimension `axis`, every `step`th.
  GraphValue Part(const GraphValue& x, int64_t axis, const GraphValue& begin, const GraphValue& end,
                  int64_t step = 1);

  // Of each query with each key, with `scale` or, where it is none, one over the root of the size.
  GraphValue Scores(GraphValue q, GraphValue k, std::optional<double> scale);
  GraphValue Capped(const GraphValue& scores, double cap);  // 0: as they are
  // By shares, [batch, heads, queries, size].
  GraphValue Sums(const GraphValue& shares, const GraphValue& v);

  // Whether each query sees each key: bool, broadcasts with the scores.
  GraphValue Seen(const GraphValue& queries, const GraphValue& keys, const AttentionWindow& window);
  // A mask with its last dimension filled up to `keys`: with False, or with -inf.
  GraphValue Filled(const GraphValue& mask, const GraphValue& keys);
  // What is added to scores of `dtype`: `added`, or 0, where `seen`, else -inf; either may be none.
  GraphValue Bias(const GraphValue& seen, const GraphValue& added, DType dtype);
  // `rows`, but 0 for queries that see nothing, as `bias` has it.
  GraphValue ZeroUnlessSeeing(const GraphValue& bias, GraphValue rows);

 private:
  // Rows of heads of queries that share a head of keys, one behind the other; and the way back.
  GraphValue Group(const GraphValue& x, const GraphValue& k);
  GraphValue Ungroup(const GraphValue& rows, const GraphValue& like);
  bool IsGrouped(const GraphValue& x, const GraphValue& k);
};

}  // namespace signet
