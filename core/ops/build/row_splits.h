// Row splits: what ops on them ask: an int32 or int64 vector that starts at 0 and never decreases.

#pragma once

#include "core/ops/def/inference.h"

namespace signet {

// The type of input `i`, row splits, under label C1.
StatusOr<const TensorSpec*> SplitsInput(const OpCall& call, size_t i);

// The type of input `i`, a size or a position: `int64[]`, under label C1.
StatusOr<const TensorSpec*> Int64ScalarInput(const OpCall& call, size_t i);

// The number of rows, or kUnknownDim.
int64_t KnownRows(const TensorSpec& splits);

// The number of entries of row splits of so many rows, or kUnknownDim.
inline int64_t SplitsFor(int64_t rows) { return rows == kUnknownDim ? kUnknownDim : rows + 1; }

// The number of values: known only when the splits are.
int64_t KnownValues(const OpCall& call, size_t i);

inline TypeSpec Int64Type(PartialShape shape) {
  return TensorType(DType::kInt64, std::move(shape));
}

// Row splits as int64, which those of a structure are.
StatusOr<GraphValue> Int64Splits(Expander& expander, const GraphValue& splits);

// The innermost row splits of a ragged value, for ops that take row splits or such a value (C1).
StatusOr<GraphValue> InnermostSplits(const GraphValue& ragged);

// Checks that the inputs of a segment op, values and row splits, are both tensors (C1). A ragged
// value without row splits has an expansion and does not come here.
Status CheckSegmentInputs(const OpCall& call);

}  // namespace signet
