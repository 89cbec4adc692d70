// Text ops: ops on strings.
//
// To add one, declare its maker here, call it in text_ops.cc, and describe it in docs/ops/text.md.

#pragma once

#include <vector>

#include "core/ops/op.h"

namespace signet {

OpDef JoinRowText();
std::vector<OpDef> RegexOps();
OpDef SplitText();
OpDef StringJoin();
OpDef StringSplit();
OpDef StringStrip();
OpDef TokenizeText();

// The rank of a tensor or ragged value of strings; refuses anything else (C1), and one of unknown
// rank.
StatusOr<int> TextRank(const GraphValue& x);

// All of them.
std::vector<OpDef> TextOps();

}  // namespace signet
