// FeatureTypesOf: what the ops share that read features of serialized messages of TensorFlow.

#pragma once

#include <cstdint>
#include <vector>

#include "core/ops/def/inference.h"

namespace signet {

struct FeatureTypes {
  int64_t rows = kUnknownDim;  // messages
  std::vector<DType> dtypes;   // of the features: int64, float32, or string

  // Returns the type of the row splits of the messages.
  TypeSpec RowSplits() const {
    return TensorType(DType::kInt64, {rows == kUnknownDim ? kUnknownDim : rows + 1});
  }
};

// Checks that input 0 is a vector of strings (C1), and that there is one supported dtype in
// `dtypes` for each name in `features` (C2).
StatusOr<FeatureTypes> FeatureTypesOf(const OpCall& call);

}  // namespace signet
