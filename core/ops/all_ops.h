// AllOps: the catalogue: one maker an op, in the families of docs/ops.md.
//
// To add an op, declare its maker in the header of its family (array_ops.h, text_ops.h, ...) or
// here, and call it in the source beside; a test compares the catalogue with the kernels,
// docs/ops.md with docs/ops/*.md, and tests/core/ops/*.cases.

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
OpDef Matmul();

// Reductions, and what works along one axis.
std::vector<OpDef> ReductionOps();  // rows of the table in reductions.cc
OpDef Argmax();
OpDef Argmin();
OpDef Cumsum();
OpDef LogSoftmax();
OpDef Softmax();
OpDef TopK();

// Shapes.
OpDef Concat();
OpDef Stack();
OpDef Reshape();
OpDef ExpandDims();
OpDef Squeeze();
OpDef Flatten();
OpDef Identity();
OpDef MoveAxis();
OpDef Transpose();
std::vector<OpDef> SizeOps();
OpDef BroadcastTo();
OpDef Fill();
OpDef Tile();
OpDef Pad();
OpDef Split();
OpDef Unstack();
OpDef Reverse();
OpDef ZerosLike();
OpDef OnesLike();
OpDef Range();

// Indexing.
OpDef Bucketize();
OpDef Gather();
OpDef Lookup();
OpDef LookupValue();
OpDef Slice();
OpDef OneHot();
OpDef WhereIndices();
OpDef BooleanMask();
OpDef Sort();
OpDef WhereRows();

// Strings.
OpDef StringLength();
OpDef Substr();
OpDef StringConcat();
OpDef StringToNumber();
OpDef NumberToString();
OpDef StringHashBucket();
std::vector<OpDef> StringCaseOps();

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
OpDef RaggedToDense();
OpDef RaggedFromDense();
std::vector<OpDef> PaddedRowOps();

// Segments.
OpDef SegmentSoftmax();
OpDef SegmentTopK();
OpDef RepeatRows();
std::vector<OpDef> SegmentReductionOps();
std::vector<OpDef> RowSplitOps();
std::vector<OpDef> RowCutOps();
std::vector<OpDef> RowViewOps();

// Extension types.
OpDef Apply();
OpDef CheckTrue();
OpDef Decline();
OpDef IsSame();
OpDef MakeExtension();
std::vector<OpDef> TypeQuestionOps();

// Control.
OpDef Call();
OpDef Cond();

// All ops, in no particular order.
std::vector<OpDef> AllOps();

}  // namespace signet
