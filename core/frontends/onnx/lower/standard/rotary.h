// Rotated: positions as rotations of pairs of elements (rotary embedding).

#pragma once

#include "core/frontends/onnx/lower/standard/attention.h"
#include "core/ops/build/op_builder.h"

namespace signet {

struct RotaryForm {
  bool interleaved = false;  // pairs are neighbours, else of one half and the other
  int64_t size = 0;          // how many elements of a head turn; 0: all
  int64_t heads = 0;         // of an input of three dimensions
  int64_t head = 0;          // the size of each, where there is no `heads`
};

// `x`, [batch, sequence, heads * size] or [batch, heads, sequence, size], turned by the angles
// whose cosines and sines are [batch, sequence, half of what turns].
Expr Rotated(OpBuilder& build, const Operand& x, const Operand& cos, const Operand& sin,
             const RotaryForm& form);

}  // namespace signet
