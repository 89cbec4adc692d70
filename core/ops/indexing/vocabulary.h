// Vocabulary: the rule of ops that find keys in one: input 0 is keys, input 1 the vocabulary.

#pragma once

#include "core/ops/def/op_def.h"

namespace signet {

// C1: keys and vocabulary are tensors of one dtype: string, int32 or int64.
// C2: the vocabulary is a vector.
Status CheckVocabulary(const OpCall& call);

}  // namespace signet
