#include "core/ops/build/sparse/sparse_expansions.h"

#include <algorithm>

#include "core/ops/build/default_for_empty.h"
#include "core/ops/build/op_builder.h"
#include "core/ops/build/parts.h"
#include "core/ops/build/sparse/sparse_parts.h"
#include "core/ops/build/sparse/sparse_picks.h"
#include "core/ops/build/sparse/sparse_structure.h"
#include "core/ops/def/axis_set.h"
#include "core/ops/def/inference.h"
#include "signet/sparse_spec.h"

namespace signet {
namespace {

using Outputs = StatusOr<std::vector<GraphValue>>;
using Inputs = std::span<const GraphValue>;

std::string TypesOf(Inputs inputs) {
  std::vector<TypeSpec> types;
  for (const GraphValue& input : inputs) types.push_back(input.spec);
  return Join(types, "`, `");
}

bool IsSparse(const GraphValue& value) { return value.spec && value.spec.is(TypeKind::kSparse); }

Outputs AsTensorOnly(OpBuilder&, const OpCall& call, Inputs inputs) {
  return Unimplemented("`", call.op.name, "` on `", TypesOf(inputs),
                       "`; sparse_to_dense gives a tensor, which it takes");
}

// Ops that leave 0, False and "" as they are, and look-ups, of what is stored: of the values.
Outputs ExpandOnValues(OpBuilder& build, const OpCall& call, Inputs inputs) {
  SIGNET_ASSIGN_OR_RETURN(SparseParts x, SparsePartsOf(build, inputs[0], call.op.name));
  std::vector<GraphValue> operands(inputs.begin(), inputs.end());
  operands[0] = x.values;
  SIGNET_ASSIGN_OR_RETURN(auto made, build.Call(call.op.name, operands, call.attributes));
  const auto* values = made[0].spec.As<TensorSpec>();
  if (values == nullptr || !values->shape().has_rank() || values->shape().rank() != 1) {
    return Unimplemented("`", call.op.name, "` on `", TypesOf(inputs),
                         "`; takes what gives a scalar for each entry");
  }
  x.values = made[0];
  return std::vector<GraphValue>{MakeSparseValue(build, x)};
}

Outputs ExpandCast(OpBuilder& build, const OpCall& call, Inputs inputs) {
  // What is not stored stays so: "0" would not be.
  auto dtype = call.attributes.DTypeNamed("dtype");
  bool text = inputs[0].spec.As<SparseSpec>()->dtype() == DType::kString ||
              (dtype.ok() && *dtype == DType::kString);
  return text ? AsTensorOnly(build, call, inputs) : ExpandOnValues(build, call, inputs);
}

// mul by a scalar, on either side; div by one.
Outputs ExpandScaled(OpBuilder& build, const OpCall& call, Inputs inputs) {
  size_t at = IsSparse(inputs[0]) ? 0 : 1;
  const auto* scalar = inputs[1 - at].spec ? inputs[1 - at].spec.As<TensorSpec>() : nullptr;
  bool scales = scalar != nullptr && scalar->shape() == PartialShape(Shape{}) &&
                (at == 0 || call.op.name == "mul");
  if (!scales) {
    return Unimplemented("`", call.op.name, "` on `", TypesOf(inputs),
                         "`; takes a sparse value and a scalar");
  }
  SIGNET_ASSIGN_OR_RETURN(SparseParts x, SparsePartsOf(build, inputs[at], call.op.name));
  std::vector<GraphValue> operands(inputs.begin(), inputs.end());
  operands[at] = x.values;
  SIGNET_ASSIGN_OR_RETURN(auto scaled, build.Call(call.op.name, operands, call.attributes));
  x.values = scaled[0];
  return std::vector<GraphValue>{MakeSparseValue(build, x)};
}

// Where both have an entry, their sum, even if that is 0.
Outputs ExpandAdd(OpBuilder& build, const OpCall& call, Inputs inputs) {
  if (!IsSparse(inputs[0]) || !IsSparse(inputs[1])) {
    return Unimplemented("`", call.op.name, "` on `", TypesOf(inputs),
                         "`; takes two sparse values, or tensors, which sparse_to_dense gives");
  }
  SIGNET_ASSIGN_OR_RETURN(SparseParts x, SparsePartsOf(build, inputs[0], call.op.name));
  SIGNET_ASSIGN_OR_RETURN(SparseParts y, SparsePartsOf(build, inputs[1], call.op.name));
  // C3: their dtypes are equal. C4: so are their dense shapes.
  if (inputs[0].spec.As<SparseSpec>()->dtype() != inputs[1].spec.As<SparseSpec>()->dtype()) {
    return InvalidArgument("C3 inputs are `", TypesOf(inputs), "`; takes one dtype");
  }
  auto shape = x.shape.MergeWith(y.shape);
  if (!shape.ok()) {
    return InvalidArgument("C4 inputs are `", TypesOf(inputs), "`; takes one dense shape");
  }
  SIGNET_ASSIGN_OR_RETURN(GraphValue same, build.IsSame(x.dense_shape, y.dense_shape));
  SIGNET_RETURN_IF_ERROR(CheckThat(build, same, call.op.name, "C4 dense shapes differ"));
  if (call.op.name == "sub") {
    SIGNET_ASSIGN_OR_RETURN(y.values, build.Neg(y.values));
  }
  SIGNET_ASSIGN_OR_RETURN(x.indices, build.Concat({x.indices, y.indices}));
  SIGNET_ASSIGN_OR_RETURN(x.values, build.Concat({x.values, y.values}));
  SIGNET_ASSIGN_OR_RETURN(GraphValue positions, build.RavelIndices(x.indices, x.dense_shape));
  SIGNET_ASSIGN_OR_RETURN(Positioned merged,
                          MergedEntries(build, {positions, x.values}, false, "segment_sum"));
  x.values = merged.values;
  SIGNET_ASSIGN_OR_RETURN(x.indices, build.UnravelIndices(merged.positions, x.dense_shape));
  x.shape = *shape;
  return std::vector<GraphValue>{MakeSparseValue(build, x)};
}

// The result is a tensor. For max and min, elements that are not stored take no part. Where no
// element is stored, the result is the attribute `default`, or else 0 or False.
Outputs ExpandReduce(OpBuilder& build, const OpCall& call, Inputs inputs) {
  SIGNET_ASSIGN_OR_RETURN(SparseParts x, SparsePartsOf(build, inputs[0], call.op.name));
  SIGNET_ASSIGN_OR_RETURN(auto axes, Labelled("C3", OptionalInts(call.attributes, "axes")));
  SIGNET_ASSIGN_OR_RETURN(AxisSet set, Labelled("C3", AxesOf(axes, x.rank())));
  SIGNET_ASSIGN_OR_RETURN(bool keepdims, call.attributes.Bool("keepdims"));
  std::vector<int64_t> kept;
  std::vector<int64_t> sizes;  // dimensions of the result: of those of x, or a 1 behind them
  for (int axis = 0; axis < x.rank(); ++axis) {
    if (!HasAxis(set, axis)) kept.push_back(axis);
    if (!HasAxis(set, axis) || keepdims) sizes.push_back(HasAxis(set, axis) ? x.rank() : axis);
  }
  GraphValue kept_axes = Int64Vector(build, kept);
  SIGNET_ASSIGN_OR_RETURN(GraphValue outer, build.Gather(x.dense_shape, kept_axes));
  const int64_t one[] = {1};
  SIGNET_ASSIGN_OR_RETURN(GraphValue with_one,
                          build.Concat({x.dense_shape, Int64Vector(build, one)}));
  SIGNET_ASSIGN_OR_RETURN(GraphValue made_shape, build.Gather(with_one, Int64Vector(build, sizes)));
  SIGNET_ASSIGN_OR_RETURN(x.indices, build.Gather(x.indices, kept_axes, {.axis = 1}));
  SIGNET_ASSIGN_OR_RETURN(GraphValue positions, build.RavelIndices(x.indices, outer));
  // Entries stay in order when the outermost dimensions are kept.
  bool in_order = kept.empty() || kept.back() + 1 == static_cast<int64_t>(kept.size());
  std::string segment_op = Cat("segment_", call.op.name.substr(std::string("reduce_").size()));
  SIGNET_ASSIGN_OR_RETURN(Positioned merged,
                          MergedEntries(build, {positions, x.values}, in_order, segment_op));
  const DType dtype = merged.values.spec.As<TensorSpec>()->dtype();
  SIGNET_ASSIGN_OR_RETURN(Tensor empty, Labelled("C4", DefaultForEmpty(call.attributes, dtype)));
  SIGNET_ASSIGN_OR_RETURN(GraphValue blank, BlankScalar(build, dtype));
  if (empty.has_value()) blank = build.Constant(empty);
  SIGNET_ASSIGN_OR_RETURN(GraphValue out,
                          build.ScatterDense(merged.positions, merged.values, made_shape, blank));
  return std::vector<GraphValue>{out};
}

// The transpose of a matrix, sparse or not.
StatusOr<GraphValue> Transposed(OpBuilder& build, const GraphValue& x) {
  return build.Transpose(x);
}

// Sparse times dense: rows of the one gathered, weighted and summed by rows of the other.
Outputs ExpandMatmul(OpBuilder& build, const OpCall& call, Inputs inputs) {
  SIGNET_ASSIGN_OR_RETURN(bool transpose_a, call.attributes.Bool("transpose_a"));
  SIGNET_ASSIGN_OR_RETURN(bool transpose_b, call.attributes.Bool("transpose_b"));
  GraphValue a = inputs[0];
  GraphValue b = inputs[1];
  auto rank_of = [](const GraphValue& x) {
    const PartialShape* shape = x.spec ? x.spec.shape() : nullptr;
    return shape != nullptr && shape->has_rank() ? shape->rank() : -1;
  };
  bool tensor =
      (a.spec && a.spec.is(TypeKind::kTensor)) || (b.spec && b.spec.is(TypeKind::kTensor));
  const GraphValue& sparse = IsSparse(a) ? a : b;
  const GraphValue& dense = IsSparse(a) ? b : a;
  if (!tensor || rank_of(sparse) != 2 || rank_of(dense) < 1 || rank_of(dense) > 2) {
    return Unimplemented("`matmul` on `", TypesOf(inputs),
                         "`; takes a sparse matrix and a dense vector or matrix");
  }
  // C4: what is transposed is a matrix.
  if ((transpose_a && rank_of(a) < 2) || (transpose_b && rank_of(b) < 2)) {
    return InvalidArgument("C4 inputs are `", TypesOf(inputs), "`; takes matrices to transpose");
  }
  // With a sparse matrix behind: a b = (b' a')'.
  bool behind = !IsSparse(a);
  if (behind) {
    std::swap(a, b);
    std::swap(transpose_a, transpose_b);
    transpose_a = !transpose_a;
    transpose_b = rank_of(b) == 2 && !transpose_b;
  }
  if (transpose_a) {
    SIGNET_ASSIGN_OR_RETURN(a, Transposed(build, a));
  }
  if (transpose_b) {
    SIGNET_ASSIGN_OR_RETURN(b, Transposed(build, b));
  }
  SIGNET_ASSIGN_OR_RETURN(SparseParts x, SparsePartsOf(build, a, call.op.name));
  // C3: their dtypes are equal. C5: they are summed over as many elements.
  if (x.values.spec.As<TensorSpec>()->dtype() != b.spec.As<TensorSpec>()->dtype()) {
    return InvalidArgument("C3 inputs are `", TypesOf(inputs),
                           "`; takes one dtype, which `cast` gives");
  }
  std::string differ = Cat("C5 the other of `", TypesOf(inputs),
                           "` has another number of elements along the dimension summed over");
  if (!PartialShape{x.shape.dim(1)}.IsCompatibleWith(b.spec.shape()->Slice(0, 1))) {
    return InvalidArgument(
        "C5 inputs `", TypesOf(inputs),
        "` are summed over different numbers of elements; takes as many of both");
  }
  SIGNET_ASSIGN_OR_RETURN(GraphValue summed, SizeAt(build, x, 1));
  SIGNET_ASSIGN_OR_RETURN(GraphValue fits, build.Equal(summed, DimSize(build, b, 0)));
  SIGNET_RETURN_IF_ERROR(CheckThat(build, fits, call.op.name, differ));
  auto column = [&](int64_t i) {
    return build.Gather(x.indices, Int64Constant(build, i), {.axis = 1});
  };
  SIGNET_ASSIGN_OR_RETURN(GraphValue row_ids, column(0));
  SIGNET_ASSIGN_OR_RETURN(GraphValue columns, column(1));
  SIGNET_ASSIGN_OR_RETURN(
      GraphValue out, build.CsrMatmul(x.values, columns,
                                      build.RowSplitsFromRowIds(row_ids, SizeAt(build, x, 0)), b));
  if (behind && rank_of(b) == 2) {
    SIGNET_ASSIGN_OR_RETURN(out, Transposed(build, out));
  }
  return std::vector<GraphValue>{out};
}

struct Row {
  std::string_view op;
  ExpandFn expand;
};

constexpr Row kRows[] = {
    {"abs", ExpandOnValues},
    {"add", ExpandAdd},
    {"asin", ExpandOnValues},
    {"atan", ExpandOnValues},
    {"boolean_mask", ExpandSparseBooleanMask},
    {"cast", ExpandCast},
    {"ceil", ExpandOnValues},
    {"concat", ExpandSparseConcat},
    {"div", ExpandScaled},
    {"erf", ExpandOnValues},
    {"expand_dims", ExpandSparseExpandDims},
    {"expm1", ExpandOnValues},
    {"floor", ExpandOnValues},
    {"gather", ExpandSparseGather},
    {"gather_nd", ExpandSparseGatherNd},
    {"gelu", ExpandOnValues},
    {"is_inf", ExpandOnValues},
    {"is_nan", ExpandOnValues},
    {"log1p", ExpandOnValues},
    {"lookup", ExpandOnValues},
    {"lookup_value", ExpandOnValues},
    {"matmul", ExpandMatmul},
    {"merge_dims", ExpandSparseMergeDims},
    {"mul", ExpandScaled},
    {"neg", ExpandOnValues},
    {"partition_outer_dimension", ExpandSparsePartitionOuterDimension},
    {"reduce_any", ExpandReduce},
    {"reduce_max", ExpandReduce},
    {"reduce_min", ExpandReduce},
    {"reduce_sum", ExpandReduce},
    {"relu", ExpandOnValues},
    {"reshape", ExpandSparseReshape},
    {"round", ExpandOnValues},
    {"sign", ExpandOnValues},
    {"sin", ExpandOnValues},
    {"sinh", ExpandOnValues},
    {"slice", ExpandSparseSlice},
    {"split", ExpandSparseSplit},
    {"sqrt", ExpandOnValues},
    {"square", ExpandOnValues},
    {"squeeze", ExpandSparseSqueeze},
    {"stack", ExpandSparseStack},
    {"string_lower", ExpandOnValues},
    {"string_strip", ExpandOnValues},
    {"string_upper", ExpandOnValues},
    {"sub", ExpandAdd},
    {"tan", ExpandOnValues},
    {"tanh", ExpandOnValues},
    {"tile", ExpandSparseTile},
    {"transpose", ExpandSparseTranspose},
    {"unstack", ExpandSparseUnstack},
    {"where", ExpandSparseWhere},
};

}  // namespace

ExpandFn LookupSparseExpansion(const OpDef& op) {
  auto row = std::find_if(std::begin(kRows), std::end(kRows),
                          [&](const Row& each) { return each.op == op.name; });
  if (row != std::end(kRows)) return row->expand;
  return op.family == OpFamily::kNone ? nullptr : AsTensorOnly;
}

StatusOr<Positioned> MergedEntries(OpBuilder& build, Positioned entries, bool in_order,
                                   std::string_view segment_op) {
  if (!in_order) {
    SIGNET_ASSIGN_OR_RETURN(auto sorted, build.Sort(entries.positions));
    entries.positions = sorted[0];
    SIGNET_ASSIGN_OR_RETURN(entries.values, build.Gather(entries.values, sorted[1]));
  }
  SIGNET_ASSIGN_OR_RETURN(GraphValue splits, build.GroupEqual(entries.positions));
  SIGNET_ASSIGN_OR_RETURN(entries.values, build.CallOne(segment_op, {entries.values, splits}));
  const int64_t before_last[] = {-1};
  const int64_t from_first[] = {0};
  SIGNET_ASSIGN_OR_RETURN(GraphValue firsts,
                          build.Slice(splits, {.starts = from_first, .limits = before_last}));
  SIGNET_ASSIGN_OR_RETURN(entries.positions, build.Gather(entries.positions, firsts));
  return entries;
}

}  // namespace signet
