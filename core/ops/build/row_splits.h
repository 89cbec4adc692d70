// RowSplits: checks and functions for ops on row splits, which are int32 or int64 vectors that
// start at 0 and never decrease.

#pragma once

#include <vector>

#include "core/ops/build/parts.h"
#include "core/ops/def/inference.h"

namespace signet {

// Returns the type of input `i`. Rejects an input that is not row splits (C1).
StatusOr<const TensorSpec*> SplitsInput(const OpCall& call, size_t i);

// Returns the type of input `i`, which is a size or a position. Rejects an input that is not
// `int64[]` (C1).
StatusOr<const TensorSpec*> Int64ScalarInput(const OpCall& call, size_t i);

// Returns the number of rows, or kUnknownDim.
int64_t KnownRows(const TensorSpec& splits);

// Returns the number of entries of the row splits of `rows` rows, or kUnknownDim.
inline int64_t SplitsFor(int64_t rows) { return rows == kUnknownDim ? kUnknownDim : rows + 1; }

// Returns the number of values, or kUnknownDim if the row splits are not a constant.
int64_t KnownValues(const OpCall& call, size_t i);

inline TypeSpec Int64Type(PartialShape shape) {
  return TensorType(DType::kInt64, std::move(shape));
}

// Converts row splits to int64, the dtype of the row splits of structures.
StatusOr<GraphValue> Int64Splits(OpBuilder& build, const GraphValue& splits);

// Returns the row splits of a ragged value or of lists of records, outermost first, for ops that
// accept row splits or such a value (C1). There is at least one.
StatusOr<std::vector<GraphValue>> SplitsOfRows(const GraphValue& value);

// Returns the parts of a ragged value, for segment ops with one input (C1). There is at least one
// vector of row splits.
StatusOr<RaggedParts> PartsOfRows(const GraphValue& values);

// Checks that the inputs of a segment op, values, row splits, and others, are tensors (C1). A call
// with a ragged value without row splits is expanded before.
Status CheckSegmentInputs(const OpCall& call);

}  // namespace signet
