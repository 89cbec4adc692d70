// Sparse ops: ops on sparse values that tensors have no like of. What ordinary ops mean on sparse
// values is the table of sparse_expansions.cc.
//
// To add one, declare its maker here, call it in sparse_ops.cc, and describe it in
// docs/ops/sparse.md.

#pragma once

#include <vector>

#include "core/ops/op.h"

namespace signet {

std::vector<OpDef> SparseEntryOps();       // on entries: what expansions are made of
std::vector<OpDef> SparseConversionOps();  // to and from tensors
OpDef SparseFillEmptyRows();
OpDef SparseResetShape();
OpDef SparseRetain();

// All of them.
std::vector<OpDef> SparseOps();

}  // namespace signet
