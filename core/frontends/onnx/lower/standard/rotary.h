// Rotated: applies a rotary embedding, which rotates pairs of elements by angles.

#pragma once

#include "core/frontends/onnx/lower/standard/attention.h"
#include "core/ops/build/op_builder.h"

namespace signet {

struct RotaryForm {
  bool interleaved = false;  // true: pairs are neighbors; false: one element of each half
  int64_t size = 0;          // number of elements of a head that are rotated; 0 means all
  int64_t heads = 0;         // number of heads of an input of three dimensions
  int64_t head = 0;          // size of a head, if `heads` is not set
};

// Rotates `x`, [batch, sequence, heads * size] or [batch, heads, sequence, size]. The cosines and
// sines of the angles are [batch, sequence, n], for n pairs of elements.
Expr Rotated(OpBuilder& build, const Operand& x, const Operand& cos, const Operand& sin,
             const RotaryForm& form);

}  // namespace signet
