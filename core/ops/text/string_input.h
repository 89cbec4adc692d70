// String input: what ops on text ask of their inputs.

#pragma once

#include <string_view>

#include "core/ops/def/op_def.h"
#include "signet/tensor_spec.h"

namespace signet {

// The type of input `i`, strings, under label C1.
StatusOr<const TensorSpec*> StringInput(const OpCall& call, size_t i);

// Whether attribute `unit` counts characters ("utf8") and not bytes ("bytes"); C2.
StatusOr<bool> CountsCharacters(const OpCall& call);

// The rank of a tensor or ragged value of strings; refuses anything else (C1), and one of unknown
// rank.
StatusOr<int> TextRank(const GraphValue& x);

}  // namespace signet
