// Text ops: ops on texts: parts, patterns, tables of words.
//
// To add one, declare its maker here, call it in text_ops.cc, and describe it in
// docs/ops/text.md.

#pragma once

#include <vector>

#include "core/ops/op.h"

namespace signet {

// All of them.
std::vector<OpDef> TextOps();

}  // namespace signet
