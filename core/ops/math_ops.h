// Math ops: products of all kinds, normalizations and spectra.
//
// To add one, declare its maker here, call it in all_ops.cc, and describe it in docs/ops.md or a
// page of docs/ops.

#pragma once

#include <vector>

#include "core/ops/op.h"

namespace signet {

OpDef Cumprod();
OpDef Det();

std::vector<OpDef> NormalizationOps();
std::vector<OpDef> SignalOps();

}  // namespace signet
