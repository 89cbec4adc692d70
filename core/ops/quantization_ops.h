// Quantisation ops: numbers as small integers with a scale and a zero point, and products of such.
//
//   number = (integer - zero_point) * scale
//
// To add one, describe it in docs/ops/quantization.md and call it in QuantizationOps.

#pragma once

#include <vector>

#include "core/ops/op.h"

namespace signet {

OpDef ConvInteger();
OpDef MatmulInteger();
OpDef RoundTo();

// All of them.
std::vector<OpDef> QuantizationOps();

}  // namespace signet
