#include "core/frontends/onnx/lower/build/open_lists.h"

#include <string_view>

#include "core/frontends/onnx/lower/build/formula.h"
#include "core/ops/build/parts.h"
#include "core/ops/build/rows/rows.h"
#include "core/ops/def/inference.h"
#include "core/types/sequence_spec.h"

namespace signet {
namespace {

constexpr std::string_view kOutside = "a position outside of the sequence";
constexpr std::string_view kNoElements = "the sequence has no elements; takes one or more";
constexpr std::string_view kDifferentSizes =
    "elements of a sequence differ in size; takes elements of one shape";

StatusOr<GraphValue> Done(const Formula& f, GraphValue value) {
  if (!f.ok()) return f.status();
  return value;
}

GraphValue ExpandDims(Formula& f, const GraphValue& x, int64_t axis) {
  return f("expand_dims", {x}, Attributes({{"axis", AttributeOf(axis)}}));
}

GraphValue MergeDims(Formula& f, const GraphValue& x, int64_t outer) {
  return f("merge_dims", {x},
           Attributes({{"outer", AttributeOf(outer)}, {"inner", AttributeOf(outer + 1)}}));
}

// Dimension `from` of a tensor of known rank brought to `to`, the others in their order.
GraphValue MoveDim(Formula& f, const GraphValue& x, int64_t from, int64_t to) {
  if (from == to) return x;
  return f("move_axis", {x}, Attributes({{"from", AttributeOf(from)}, {"to", AttributeOf(to)}}));
}

void Check(Formula& f, const GraphValue& condition, std::string_view message) {
  f("check_true", {condition}, Attributes({{"message", AttributeOf(message)}}));
}

// A ragged value whose rows are all of the same length, as a tensor.
StatusOr<GraphValue> Dense(Expander& expander, const GraphValue& ragged) {
  Formula f(expander);
  GraphValue dense = f("ragged_to_dense", {ragged});
  GraphValue flat = f("ragged_values", {ragged});
  if (!f.ok()) return f.status();
  auto count = [&](const GraphValue& x) { return f.Product(x, 0, x.spec.shape()->rank()); };
  GraphValue padded = count(dense);
  GraphValue there = count(flat);
  if (!f.ok()) return f.status();
  SIGNET_RETURN_IF_ERROR(CheckSameSize(expander, padded, there, kDifferentSizes));
  return dense;
}

// Whether rows of `column` and a tensor `element` are known to be of one shape.
bool IsOneShape(const TypeSpec& column, const TypeSpec& element) {
  if (!column.is(TypeKind::kTensor) || !element.shape()->IsFullyDefined()) return false;
  const PartialShape& rows = *column.shape();
  return rows.rank() == element.shape()->rank() + 1 &&
         rows.Slice(1, rows.rank()) == *element.shape();
}

// Whether `element`, a tensor, has the rank of the elements of `list`, an open list of `column`.
bool HasRankOfElements(const TypeSpec& list, const TypeSpec& column, const TypeSpec& element) {
  return !IsMixedList(list) && element.shape()->has_rank() && column.shape()->has_rank() &&
         column.shape()->rank() == element.shape()->rank() + 1;
}

// The elements of a mixed list, one after the other along their first dimension or, with `stacks`,
// along a new one in front of it.
StatusOr<GraphValue> JoinMixedElements(Expander& expander, const GraphValue& list,
                                       const GraphValue& count, bool stacks) {
  SIGNET_ASSIGN_OR_RETURN(GraphValue column, ColumnOf(list));
  SIGNET_ASSIGN_OR_RETURN(GraphValue shape_rows, ShapesOf(list));
  // One row per element. Elements of different ranks are rejected.
  SIGNET_ASSIGN_OR_RETURN(GraphValue shapes, Dense(expander, shape_rows));
  Formula f(expander);
  GraphValue first = f.Gather(shapes, f.Int(0), 0);
  GraphValue inner = first;
  GraphValue outer = count;
  GraphValue inner_sizes = shapes;
  if (!stacks) {
    auto from_second = [&](const GraphValue& x, int axis) {
      const int64_t start = 1;
      const int64_t along = axis;
      return f("slice", {x},
               Attributes({{"starts", AttributeOf(std::span(&start, 1))},
                           {"axes", AttributeOf(std::span(&along, 1))}}));
    };
    outer = f("reduce_sum", {f.Gather(shapes, f.Int(0), 1)});
    inner = from_second(first, 0);
    inner_sizes = from_second(shapes, 1);
  }
  Check(f, f("reduce_all", {f("equal", {inner_sizes, inner})}), kDifferentSizes);
  GraphValue shape = f("concat", {f.Reshape(outer, {1}), inner});
  return Done(f, f("reshape", {f("ragged_values", {column}), shape}));
}

// The parts [splits[i], splits[i + 1]) of `x` along `axis`, which is not the first one, as a
// column:
//
//   x: [[1, 2, 3], [4, 5, 6]], axis 1, splits: [0, 1, 3]  =>  [[[1], [4]], [[2, 3], [5, 6]]]
StatusOr<GraphValue> CutInnerAxis(Expander& expander, const GraphValue& x, int axis,
                                  const GraphValue& splits) {
  Formula f(expander);
  const int rank = x.spec.shape()->rank();
  GraphValue total = f.Size(x, axis);
  GraphValue outer = f.Product(x, 0, axis);
  GraphValue count = f("sub", {f.Size(splits, 0), f.Int(1)});
  GraphValue places = f.Range(count);
  GraphValue last = f.Gather(splits, count, 0);
  if (!f.ok()) return f.status();
  SIGNET_RETURN_IF_ERROR(CheckSameSize(expander, last, total,
                                       "the sizes of the parts do not add up to the dimension"));
  // Where each part of each outer row begins and ends among the elements along the axis.
  GraphValue rows = f.Reshape(f("mul", {f.Range(outer), total}), {1, -1});
  auto bounds = [&](const GraphValue& at) {
    GraphValue each = f.Reshape(f.Gather(splits, at, 0), {-1, 1});
    return f.Reshape(f("add", {each, rows}), {-1});
  };
  GraphValue ranges = f("ragged_range", {bounds(places), bounds(f("add", {places, f.Int(1)}))});
  std::vector<GraphValue> sizes = {f("mul", {outer, total})};
  for (int dim = axis + 1; dim < rank; ++dim) sizes.push_back(f.Size(x, dim));
  GraphValue values = f.Gather(f.ReshapeTo(x, sizes), f("ragged_values", {ranges}), 0);
  GraphValue column = f("ragged_from_row_splits", {values, f("ragged_row_splits", {ranges})});
  for (int dim = axis - 1; dim >= 0; --dim) {
    GraphValue num_rows = f("mul", {count, f.Product(x, 0, dim)});
    GraphValue uniform = f("uniform_row_splits", {num_rows, f.Size(x, dim)});
    column = f("ragged_from_row_splits", {column, uniform});
  }
  return Done(f, column);
}

}  // namespace

StatusOr<GraphValue> PositionIn(Expander& expander, const GraphValue& position,
                                const GraphValue& count, const GraphValue& places,
                                std::string_view refusal) {
  Formula f(expander);
  GraphValue at = f.FromStart(position, count);
  GraphValue least = f("less_equal", {f.Int(0), at});
  GraphValue most = f("less", {at, places});
  Check(f, f("logical_and", {least, most}), refusal);
  return Done(f, at);
}

StatusOr<GraphValue> ElementAt(Expander& expander, const GraphValue& list,
                               const GraphValue& position) {
  SIGNET_ASSIGN_OR_RETURN(GraphValue column, ColumnOf(list));
  SIGNET_ASSIGN_OR_RETURN(GraphValue count, CountRows(expander, list));
  SIGNET_ASSIGN_OR_RETURN(GraphValue at, PositionIn(expander, position, count, count, kOutside));
  Formula f(expander);
  GraphValue element = f("gather", {column, at});
  if (IsMixedList(list.spec)) {
    SIGNET_ASSIGN_OR_RETURN(GraphValue shapes, ShapesOf(list));
    return Done(f, f("reshape", {element, f("gather", {shapes, at})}));
  }
  if (!f.ok()) return f.status();
  return element.spec.is(TypeKind::kRagged) ? Dense(expander, element) : element;
}

StatusOr<GraphValue> InsertAt(Expander& expander, const GraphValue& given,
                              const GraphValue& element, const GraphValue& position) {
  GraphValue list = given;
  SIGNET_ASSIGN_OR_RETURN(GraphValue column, ColumnOf(list));
  SIGNET_ASSIGN_OR_RETURN(GraphValue count, CountRows(expander, list));
  Formula f(expander);
  GraphValue one;
  if (HasRankOfElements(list.spec, column.spec, element.spec)) {
    GraphValue row = ExpandDims(f, element, 0);
    if (!f.ok()) return f.status();
    SIGNET_ASSIGN_OR_RETURN(one, OpenListOf(expander, row));
  } else {
    const DType dtype = element.spec.As<TensorSpec>()->dtype();
    SIGNET_ASSIGN_OR_RETURN(list, MixedList(expander, list, dtype));
    const TypeSpec type = ListType({element.spec});
    SIGNET_ASSIGN_OR_RETURN(one, MixedList(expander, {type, element.components}, dtype));
  }
  GraphValue all = f("concat", {list, one},
                     Attributes({{"axis", AttributeOf(0)},
                                 {"ragged", AttributeOf(!IsOneShape(column.spec, element.spec))}}));
  if (!position.spec) return Done(f, all);
  GraphValue more = f("add", {count, f.Int(1)});
  if (!f.ok()) return f.status();
  SIGNET_ASSIGN_OR_RETURN(GraphValue at, PositionIn(expander, position, count, more, kOutside));
  GraphValue places = f.Range(more);
  GraphValue behind = f("sub", {places, f.Int(1)});
  behind = f("select", {f("equal", {places, at}), count, behind});
  return Done(f, f("gather", {all, f("select", {f("less", {places, at}), places, behind})}));
}

StatusOr<GraphValue> EraseAt(Expander& expander, const GraphValue& list,
                             const GraphValue& position) {
  SIGNET_ASSIGN_OR_RETURN(GraphValue count, CountRows(expander, list));
  Formula f(expander);
  GraphValue fewer = f("sub", {count, f.Int(1)});
  if (!f.ok()) return f.status();
  SIGNET_ASSIGN_OR_RETURN(GraphValue at, PositionIn(expander, position.spec ? position : fewer,
                                                    count, count, kOutside));
  GraphValue places = f.Range(f("maximum", {fewer, f.Int(0)}));
  GraphValue is_behind = f("less_equal", {at, places});
  if (!f.ok()) return f.status();
  return Done(f, f("gather", {list, f("add", {places, f.Cast(is_behind, DType::kInt64)})}));
}

StatusOr<GraphValue> JoinElements(Expander& expander, const GraphValue& list, int64_t axis,
                                  bool stacks) {
  SIGNET_ASSIGN_OR_RETURN(GraphValue column, ColumnOf(list));
  if (IsMixedList(list.spec)) {
    if (axis != 0) {
      return Unimplemented("axis ", axis,
                           " of a sequence whose elements differ in rank, or have an ",
                           "unknown rank: expected axis 0");
    }
    SIGNET_ASSIGN_OR_RETURN(GraphValue count, CountRows(expander, list));
    Formula f(expander);
    Check(f, f("less", {f.Int(0), count}), kNoElements);
    if (!f.ok()) return f.status();
    return JoinMixedElements(expander, list, count, stacks);
  }
  int rank = column.spec.shape()->rank() - (stacks ? 0 : 1);
  SIGNET_ASSIGN_OR_RETURN(int to, NormalizeAxis(axis, rank));
  Formula f(expander);
  SIGNET_ASSIGN_OR_RETURN(GraphValue count, CountRows(expander, list));
  Check(f, f("less", {f.Int(0), count}), kNoElements);
  if (column.spec.is(TypeKind::kRagged)) {
    if (!stacks && to == 0) {
      GraphValue joined = MergeDims(f, column, 0);
      if (!f.ok()) return f.status();
      return joined.spec.is(TypeKind::kRagged) ? Dense(expander, joined) : joined;
    }
    SIGNET_ASSIGN_OR_RETURN(column, Dense(expander, column));
  }
  column = MoveDim(f, column, 0, to);
  return Done(f, stacks ? column : MergeDims(f, column, to));
}

StatusOr<GraphValue> CutIntoOpenList(Expander& expander, const GraphValue& x, const CutForm& form) {
  Formula f(expander);
  if (!form.sizes.spec) {
    GraphValue column = MoveDim(f, x, form.axis, 0);
    if (form.keeps_dim) column = ExpandDims(f, column, form.axis + 1);
    if (!f.ok()) return f.status();
    return OpenListOf(expander, column);
  }
  GraphValue sizes = f.Cast(form.sizes, DType::kInt64);
  GraphValue total = f.Size(x, form.axis);
  if (!f.ok()) return f.status();
  GraphValue splits;
  if (sizes.spec.shape()->rank() == 0) {
    Check(f, f("less", {f.Int(0), sizes}), "parts of a size below 1; takes at least 1");
    GraphValue size = f("maximum", {sizes, f.Int(1)});
    GraphValue count = f("floordiv", {f("add", {total, f("sub", {size, f.Int(1)})}), size});
    GraphValue places = f.Range(f("add", {count, f.Int(1)}));
    splits = f("minimum", {f("mul", {places, size}), total});
  } else {
    GraphValue ends = f("cumsum", {sizes}, Attributes({{"axis", AttributeOf(0)}}));
    splits = f("row_splits_from_limits", {ends});
  }
  if (!f.ok()) return f.status();
  GraphValue column;
  if (form.axis == 0) {
    column = f("ragged_from_row_splits", {x, splits});
  } else {
    SIGNET_ASSIGN_OR_RETURN(column, CutInnerAxis(expander, x, form.axis, splits));
  }
  if (!f.ok()) return f.status();
  return OpenListOf(expander, column);
}

}  // namespace signet
