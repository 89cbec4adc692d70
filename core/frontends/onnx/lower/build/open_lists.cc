#include "core/frontends/onnx/lower/build/open_lists.h"

#include <string_view>

#include "core/frontends/onnx/lower/build/tensor_expressions.h"
#include "core/ops/build/op_builder.h"
#include "core/ops/build/parts.h"
#include "core/ops/build/rows/rows.h"
#include "core/ops/def/inference.h"
#include "signet/sequence_spec.h"

namespace signet {
namespace {

constexpr std::string_view kOutside =
    "expected a position in the sequence, found a position outside of the sequence";
constexpr std::string_view kNoElements = "expected a sequence with at least one element";
constexpr std::string_view kDifferentSizes =
    "expected elements of one shape, found elements of different sizes";

// Moves dimension `from` of a tensor of known rank to `to`. The others keep their order.
StatusOr<GraphValue> MoveDim(OpBuilder& build, const Operand& x, int64_t from, int64_t to) {
  if (from == to) return x;
  return build.MoveAxis(x, {.from = from, .to = to});
}

// Converts a ragged value whose rows have the same length to a tensor.
StatusOr<GraphValue> Dense(OpBuilder& build, const Operand& ragged) {
  SIGNET_ASSIGN_OR_RETURN(GraphValue dense, build.RaggedToDense(ragged));
  SIGNET_ASSIGN_OR_RETURN(GraphValue flat, build.RaggedValues(ragged));
  auto count = [&](const GraphValue& x) { return DimProduct(build, x, 0, x.spec.shape()->rank()); };
  SIGNET_ASSIGN_OR_RETURN(GraphValue padded, count(dense));
  SIGNET_ASSIGN_OR_RETURN(GraphValue there, count(flat));
  SIGNET_RETURN_IF_ERROR(CheckSameSize(build, padded, there, InvalidArgument(kDifferentSizes)));
  return dense;
}

// Returns true if the rows of `column` and the tensor `element` are known to have the same shape.
bool IsOneShape(const TypeSpec& column, const TypeSpec& element) {
  if (!column.is(TypeKind::kTensor) || !element.shape()->IsFullyDefined()) return false;
  const PartialShape& rows = *column.shape();
  return rows.rank() == element.shape()->rank() + 1 &&
         rows.Slice(1, rows.rank()) == *element.shape();
}

// Returns true if the tensor `element` has the rank of the elements of `list`, an open list of
// `column`.
bool HasRankOfElements(const TypeSpec& list, const TypeSpec& column, const TypeSpec& element) {
  return !IsMixedList(list) && element.shape()->has_rank() && column.shape()->has_rank() &&
         column.shape()->rank() == element.shape()->rank() + 1;
}

// Joins the elements of a mixed list along their first dimension or, with `stacks`, along a new
// first dimension.
StatusOr<GraphValue> JoinMixedElements(OpBuilder& build, const GraphValue& list,
                                       const GraphValue& count, bool stacks) {
  SIGNET_ASSIGN_OR_RETURN(GraphValue column, ColumnOf(list));
  SIGNET_ASSIGN_OR_RETURN(GraphValue shape_rows, ShapesOf(list));
  // One row per element. Elements of different ranks are rejected.
  SIGNET_ASSIGN_OR_RETURN(GraphValue shapes, Dense(build, shape_rows));
  Expr first = build.Gather(shapes, 0, {.axis = 0});
  Expr inner = first;
  Expr outer = build.AsExpr(count);
  Expr inner_sizes = build.AsExpr(shapes);
  if (!stacks) {
    outer = build.ReduceSum(build.Gather(shapes, 0, {.axis = 1}));
    inner = build.Slice(first, {.starts = {1}, .axes = {0}});
    inner_sizes = build.Slice(shapes, {.starts = {1}, .axes = {1}});
  }
  Expr same = build.CheckTrue(build.ReduceAll(build.Equal(inner_sizes, inner)),
                              {.message = kDifferentSizes});
  SIGNET_RETURN_IF_ERROR(same.status());
  Expr shape = build.Concat({build.Reshape(outer, {.shape = {1}}), inner});
  return build.Reshape(build.RaggedValues(column), shape);
}

// Returns the parts [splits[i], splits[i + 1]) of `x` along `axis`, which is not the first axis, as
// a column:
//
//   x: [[1, 2, 3], [4, 5, 6]], axis 1, splits: [0, 1, 3]  =>  [[[1], [4]], [[2, 3], [5, 6]]]
StatusOr<GraphValue> CutInnerAxis(OpBuilder& build, const GraphValue& x, int axis,
                                  const GraphValue& splits) {
  const int rank = x.spec.shape()->rank();
  SIGNET_ASSIGN_OR_RETURN(GraphValue total, DimSize(build, x, axis));
  Expr outer = DimProduct(build, x, 0, axis);
  Expr count = DimSize(build, splits, 0) - 1;
  Expr places = build.Range({count});
  SIGNET_ASSIGN_OR_RETURN(GraphValue last, build.Gather(splits, count, {.axis = 0}));
  SIGNET_RETURN_IF_ERROR(
      CheckSameSize(build, last, total,
                    InvalidArgument("the sizes of the parts do not add up to the dimension")));
  // The positions along the axis at which each part of each outer row begins and ends.
  Expr rows = build.Reshape(build.Range({outer}) * total, {.shape = {1, -1}});
  auto bounds = [&](const Operand& at) {
    Expr each = build.Reshape(build.Gather(splits, at, {.axis = 0}), {.shape = {-1, 1}});
    return build.Reshape(each + rows, {.shape = {-1}});
  };
  Expr ranges = build.RaggedRange({bounds(places), bounds(places + 1)});
  std::vector<Operand> sizes = {outer * total};
  for (int dim = axis + 1; dim < rank; ++dim) sizes.push_back(DimSize(build, x, dim));
  Expr values = build.Gather(ReshapeTo(build, x, sizes), build.RaggedValues(ranges), {.axis = 0});
  Expr column = build.RaggedFromRowSplits(values, build.RaggedRowSplits(ranges));
  for (int dim = axis - 1; dim >= 0; --dim) {
    Expr num_rows = count * DimProduct(build, x, 0, dim);
    Expr uniform = build.UniformRowSplits(num_rows, DimSize(build, x, dim));
    column = build.RaggedFromRowSplits(column, uniform);
  }
  return column;
}

}  // namespace

StatusOr<GraphValue> PositionIn(OpBuilder& build, const GraphValue& position,
                                const GraphValue& count, const GraphValue& places,
                                std::string_view message) {
  Expr at = FromStart(build, position, count);
  Expr least = build.LessEqual(0, at);
  Expr fits = build.LogicalAnd(least, build.Less(at, places));
  SIGNET_RETURN_IF_ERROR(build.CheckTrue(fits, {.message = message}).status());
  return at;
}

StatusOr<GraphValue> ElementAt(OpBuilder& build, const GraphValue& list,
                               const GraphValue& position) {
  SIGNET_ASSIGN_OR_RETURN(GraphValue column, ColumnOf(list));
  SIGNET_ASSIGN_OR_RETURN(GraphValue count, CountRows(build, list));
  SIGNET_ASSIGN_OR_RETURN(GraphValue at, PositionIn(build, position, count, count, kOutside));
  SIGNET_ASSIGN_OR_RETURN(GraphValue element, build.Gather(column, at));
  if (IsMixedList(list.spec)) {
    SIGNET_ASSIGN_OR_RETURN(GraphValue shapes, ShapesOf(list));
    return build.Reshape(element, build.Gather(shapes, at));
  }
  return element.spec.is(TypeKind::kRagged) ? Dense(build, element) : element;
}

StatusOr<GraphValue> InsertAt(OpBuilder& build, const GraphValue& given, const GraphValue& element,
                              const GraphValue& position) {
  GraphValue list = given;
  SIGNET_ASSIGN_OR_RETURN(GraphValue column, ColumnOf(list));
  SIGNET_ASSIGN_OR_RETURN(GraphValue count, CountRows(build, list));
  GraphValue one;
  if (HasRankOfElements(list.spec, column.spec, element.spec)) {
    SIGNET_ASSIGN_OR_RETURN(GraphValue row, build.ExpandDims(element, {.axis = 0}));
    SIGNET_ASSIGN_OR_RETURN(one, OpenListOf(build, row));
  } else {
    const DType dtype = element.spec.As<TensorSpec>()->dtype();
    SIGNET_ASSIGN_OR_RETURN(list, MixedList(build, list, dtype));
    const TypeSpec type = ListType({element.spec});
    SIGNET_ASSIGN_OR_RETURN(one, MixedList(build, {type, element.components}, dtype));
  }
  Expr all =
      build.Concat({list, one}, {.axis = 0, .ragged = !IsOneShape(column.spec, element.spec)});
  if (!position.spec) return all;
  SIGNET_RETURN_IF_ERROR(all.status());
  SIGNET_ASSIGN_OR_RETURN(GraphValue more, build.Add(count, 1));
  SIGNET_ASSIGN_OR_RETURN(GraphValue at, PositionIn(build, position, count, more, kOutside));
  Expr places = build.Range({more});
  Expr later = places - 1;
  later = build.Select(build.Equal(places, at), count, later);
  return build.Gather(all, build.Select(build.Less(places, at), places, later));
}

StatusOr<GraphValue> EraseAt(OpBuilder& build, const GraphValue& list, const GraphValue& position) {
  SIGNET_ASSIGN_OR_RETURN(GraphValue count, CountRows(build, list));
  SIGNET_ASSIGN_OR_RETURN(GraphValue fewer, build.Sub(count, 1));
  SIGNET_ASSIGN_OR_RETURN(
      GraphValue at, PositionIn(build, position.spec ? position : fewer, count, count, kOutside));
  Expr places = build.Range({build.Maximum(fewer, 0)});
  return build.Gather(list, places + CastTo(build, build.LessEqual(at, places), DType::kInt64));
}

StatusOr<GraphValue> JoinElements(OpBuilder& build, const GraphValue& list, int64_t axis,
                                  bool stacks) {
  SIGNET_ASSIGN_OR_RETURN(GraphValue column, ColumnOf(list));
  if (IsMixedList(list.spec)) {
    if (axis != 0) {
      return Unimplemented("axis ", axis,
                           " of a sequence whose elements differ in rank, or have an ",
                           "unknown rank: expected axis 0");
    }
    SIGNET_ASSIGN_OR_RETURN(GraphValue count, CountRows(build, list));
    Expr has_one = build.CheckTrue(build.Less(0, count), {.message = kNoElements});
    SIGNET_RETURN_IF_ERROR(has_one.status());
    return JoinMixedElements(build, list, count, stacks);
  }
  int rank = column.spec.shape()->rank() - (stacks ? 0 : 1);
  SIGNET_ASSIGN_OR_RETURN(int to, NormalizeAxis(axis, rank));
  SIGNET_ASSIGN_OR_RETURN(GraphValue count, CountRows(build, list));
  Expr has_one = build.CheckTrue(build.Less(0, count), {.message = kNoElements});
  SIGNET_RETURN_IF_ERROR(has_one.status());
  if (column.spec.is(TypeKind::kRagged)) {
    if (!stacks && to == 0) {
      SIGNET_ASSIGN_OR_RETURN(GraphValue joined, build.MergeDims(column, {.outer = 0, .inner = 1}));
      return joined.spec.is(TypeKind::kRagged) ? Dense(build, joined) : joined;
    }
    SIGNET_ASSIGN_OR_RETURN(column, Dense(build, column));
  }
  SIGNET_ASSIGN_OR_RETURN(column, MoveDim(build, column, 0, to));
  if (stacks) return column;
  return build.MergeDims(column, {.outer = to, .inner = to + 1});
}

StatusOr<GraphValue> CutIntoOpenList(OpBuilder& build, const GraphValue& x, const CutForm& form) {
  if (!form.sizes.spec) {
    SIGNET_ASSIGN_OR_RETURN(GraphValue column, MoveDim(build, x, form.axis, 0));
    if (form.keeps_dim) {
      SIGNET_ASSIGN_OR_RETURN(column, build.ExpandDims(column, {.axis = form.axis + 1}));
    }
    return OpenListOf(build, column);
  }
  SIGNET_ASSIGN_OR_RETURN(GraphValue sizes, CastTo(build, form.sizes, DType::kInt64));
  Expr total = DimSize(build, x, form.axis);
  GraphValue splits;
  if (sizes.spec.shape()->rank() == 0) {
    Expr positive =
        build.CheckTrue(build.Less(0, sizes), {.message = "expected parts of size at least 1"});
    SIGNET_RETURN_IF_ERROR(positive.status());
    Expr size = build.Maximum(sizes, 1);
    Expr count = build.Floordiv(total + (size - 1), size);
    SIGNET_ASSIGN_OR_RETURN(splits, build.Minimum(build.Range({count + 1}) * size, total));
  } else {
    SIGNET_ASSIGN_OR_RETURN(splits, build.RowSplitsFromLimits(build.Cumsum(sizes, {.axis = 0})));
  }
  GraphValue column;
  if (form.axis == 0) {
    SIGNET_ASSIGN_OR_RETURN(column, build.RaggedFromRowSplits(x, splits));
  } else {
    SIGNET_ASSIGN_OR_RETURN(column, CutInnerAxis(build, x, form.axis, splits));
  }
  return OpenListOf(build, column);
}

}  // namespace signet
