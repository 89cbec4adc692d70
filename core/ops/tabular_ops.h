// Tabular ops: what models of rows and columns are made of: trees, kernels of support vectors,
// counted n-grams.
//
// To add one, declare its maker here, call it in tabular_ops.cc, and describe it in
// docs/ops/tabular.md.

#pragma once

#include <vector>

#include "core/ops/op.h"

namespace signet {

OpDef CouplePairs();
OpDef NgramWeights();
OpDef NormalizeRows();
OpDef SquaredDistances();
OpDef TreeEnsemble();
OpDef VotePairs();

// All of them.
std::vector<OpDef> TabularOps();

}  // namespace signet
