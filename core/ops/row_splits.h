// Row splits: what ops on them ask: an int32 or int64 vector that starts at 0 and never decreases.

#pragma once

#include "core/ops/inference.h"

namespace signet {

// The type of input `i`, row splits, under label C1.
StatusOr<const TensorSpec*> SplitsInput(const OpCall& call, size_t i);

// The number of rows, or kUnknownDim.
int64_t KnownRows(const TensorSpec& splits);

// The number of values: known only when the splits are.
int64_t KnownValues(const OpCall& call, size_t i);

// The innermost row splits of a ragged value, for ops that take row splits or such a value (C1).
StatusOr<GraphValue> InnermostSplits(const GraphValue& ragged);

}  // namespace signet
