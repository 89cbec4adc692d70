// CheckVocabulary: checks the inputs of ops that find keys in a vocabulary. Input 0 contains the
// keys, and input 1 is the vocabulary.

#pragma once

#include "core/ops/def/op_def.h"

namespace signet {

// C1: the keys and the vocabulary are tensors of the same dtype, which is string, int32, int64,
// float32, or float64. C2: the vocabulary is a vector.
Status CheckVocabulary(const OpCall& call);

}  // namespace signet
