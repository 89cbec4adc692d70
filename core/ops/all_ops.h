// AllOps: the catalogue: one maker an op, in the families of docs/ops.md.
//
// To add an op, declare its maker here and call it in all_ops.cc; a test compares the catalogue with
// the kernels, docs/ops.md and tests/core/ops/*.cases.

#pragma once

#include <vector>

#include "core/ops/op.h"

namespace signet {

// Elementwise: rows of the table in elementwise.cc.
std::vector<OpDef> ElementwiseOps();
OpDef Cast();
OpDef Clip();
OpDef Select();

// Linear algebra.

// Reductions.

// Shapes.
OpDef Concat();
OpDef Stack();
OpDef Reshape();
OpDef ExpandDims();
OpDef Squeeze();
OpDef Flatten();
OpDef Identity();
OpDef Transpose();
std::vector<OpDef> SizeOps();

// Indexing.
OpDef Gather();
OpDef Lookup();
OpDef LookupValue();

// Strings.

// Structures and ragged tensors.
OpDef StructGet();
OpDef StructMake();
OpDef StructUpdate();
OpDef StructWithout();
OpDef StructWithOnly();
OpDef StructGather();
OpDef StructNrows();
OpDef MakeList();
OpDef MakeTuple();
OpDef MakeDict();
OpDef GetItem();
OpDef RaggedFromRowSplits();
OpDef RaggedValues();
OpDef RaggedRowSplits();

// Segments.
OpDef SegmentSoftmax();
OpDef SegmentTopK();
OpDef RepeatRows();
std::vector<OpDef> SegmentReductionOps();
std::vector<OpDef> RowSplitOps();

// Control.
OpDef Call();
OpDef Cond();

// All ops, in no particular order.
std::vector<OpDef> AllOps();

}  // namespace signet
