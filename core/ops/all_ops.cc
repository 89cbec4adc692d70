#include "core/ops/all_ops.h"

#include <iterator>
#include <utility>

#include "core/ops/array_ops.h"
#include "core/ops/control_flow_ops.h"
#include "core/ops/dimension_ops.h"
#include "core/ops/fused_ops.h"
#include "core/ops/math_ops.h"
#include "core/ops/onnx/onnx_ops.h"
#include "core/ops/quantization_ops.h"
#include "core/ops/ragged_ops.h"
#include "core/ops/random_ops.h"
#include "core/ops/recurrent.h"
#include "core/ops/sparse_ops.h"
#include "core/ops/tabular_ops.h"
#include "core/ops/text_ops.h"
#include "core/ops/vision_ops.h"

namespace signet {
namespace {

// The ops that stand in files of their own.
constexpr OpDef (*kMakers[])() = {
    // Elementwise.
    Cast,
    Clip,
    FusedElementwise,
    Select,

    // Linear algebra.
    Linear,
    Det,
    Matmul,

    // Reductions, and what works along one axis.
    Argmax,
    Argmin,
    Cumprod,
    Cumsum,
    LogSoftmax,
    Softmax,
    TopK,

    // Shapes.
    Concat,
    Stack,
    Reshape,
    ExpandDims,
    Squeeze,
    Flatten,
    Identity,
    MoveAxis,
    Transpose,
    BroadcastTo,
    Fill,
    Tile,
    Pad,
    Split,
    Unstack,
    Reverse,
    ZerosLike,
    OnesLike,
    Range,

    // Indexing.
    Bucketize,
    Gather,
    Lookup,
    LookupValue,
    Slice,
    OneHot,
    WhereIndices,
    BooleanMask,
    Sort,
    WhereRows,

    // Strings.
    StringLength,
    Substr,
    StringConcat,
    StringToNumber,
    NumberToString,
    StringHashBucket,

    // Structures and ragged tensors.
    StructGet,
    StructMake,
    StructUpdate,
    StructWithout,
    StructWithOnly,
    StructGather,
    StructNrows,
    MakeList,
    MakeTuple,
    MakeDict,
    GetItem,
    RaggedFromRowSplits,
    RaggedValues,
    RaggedRowSplits,
    RaggedToDense,
    RaggedFromDense,

    // Segments.
    SegmentSoftmax,
    SegmentTopK,
    RepeatRows,

    // Extension types.
    Apply,
    CheckTrue,
    Decline,
    IsSame,
    MakeExtension,

    // Control.
    Call,
    Cond,
};

// The families that are tables.
constexpr std::vector<OpDef> (*kTables[])() = {
    ElementwiseOps,
    NormalizationOps,
    PaddedRowOps,
    ReductionOps,
    RowCutOps,
    RowSplitOps,
    RowViewOps,
    SegmentReductionOps,
    SignalOps,
    SizeOps,
    StringCaseOps,
    TypeQuestionOps,

    // Families with a list of their own.
    ArrayOps,
    ControlFlowOps,
    DimensionOps,
    OnnxOps,
    QuantizationOps,
    RaggedOps,
    RandomOps,
    RecurrentOps,
    SparseOps,
    TabularOps,
    TextOps,
    VisionOps,
};

std::vector<OpDef> TableOps() {
  std::vector<OpDef> ops;
  for (auto family : kTables) {
    auto rows = family();
    ops.insert(ops.end(), std::make_move_iterator(rows.begin()),
               std::make_move_iterator(rows.end()));
  }
  return ops;
}

}  // namespace

std::vector<OpDef> AllOps() {
  std::vector<OpDef> ops = TableOps();
  for (OpDef (*make)() : kMakers) ops.push_back(make());
  return ops;
}

}  // namespace signet
