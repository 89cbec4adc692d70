#include "core/frontends/onnx/lower/build/open_lists.h"

#include <string_view>

#include "core/frontends/onnx/lower/build/formula.h"
#include "core/ops/build/parts.h"
#include "core/ops/build/rows/rows.h"
#include "core/ops/def/inference.h"

namespace signet {
namespace {

constexpr std::string_view kOutside = "a position outside of the sequence";

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
StatusOr<GraphValue> Dense(OpBuilder& build, const GraphValue& ragged) {
  Formula f(build);
  GraphValue dense = f("ragged_to_dense", {ragged});
  GraphValue flat = f("ragged_values", {ragged});
  if (!f.ok()) return f.status();
  auto count = [&](const GraphValue& x) { return f.Product(x, 0, x.spec.shape()->rank()); };
  GraphValue padded = count(dense);
  GraphValue there = count(flat);
  if (!f.ok()) return f.status();
  SIGNET_RETURN_IF_ERROR(CheckSameSize(build, padded, there,
                                       "elements of a sequence differ in size; takes elements of "
                                       "one shape"));
  return dense;
}

// Whether rows of `column` and a tensor `element` are known to be of one shape.
bool IsOneShape(const TypeSpec& column, const TypeSpec& element) {
  if (!column.is(TypeKind::kTensor) || !element.shape()->IsFullyDefined()) return false;
  const PartialShape& rows = *column.shape();
  return rows.rank() == element.shape()->rank() + 1 &&
         rows.Slice(1, rows.rank()) == *element.shape();
}

// The parts [splits[i], splits[i + 1]) of `x` along `axis`, which is not the first one, as a
// column:
//
//   x: [[1, 2, 3], [4, 5, 6]], axis 1, splits: [0, 1, 3]  =>  [[[1], [4]], [[2, 3], [5, 6]]]
StatusOr<GraphValue> CutInnerAxis(OpBuilder& build, const GraphValue& x, int axis,
                                  const GraphValue& splits) {
  Formula f(build);
  const int rank = x.spec.shape()->rank();
  GraphValue total = f.Size(x, axis);
  GraphValue outer = f.Product(x, 0, axis);
  GraphValue count = f("sub", {f.Size(splits, 0), f.Int(1)});
  GraphValue places = f.Range(count);
  GraphValue last = f.Gather(splits, count, 0);
  if (!f.ok()) return f.status();
  SIGNET_RETURN_IF_ERROR(
      CheckSameSize(build, last, total, "the sizes of the parts do not add up to the dimension"));
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

StatusOr<GraphValue> PositionIn(OpBuilder& build, const GraphValue& position,
                                const GraphValue& count, const GraphValue& places,
                                std::string_view refusal) {
  Formula f(build);
  GraphValue at = f.FromStart(position, count);
  GraphValue least = f("less_equal", {f.Int(0), at});
  GraphValue most = f("less", {at, places});
  Check(f, f("logical_and", {least, most}), refusal);
  return Done(f, at);
}

StatusOr<GraphValue> ElementAt(OpBuilder& build, const GraphValue& list,
                               const GraphValue& position) {
  SIGNET_ASSIGN_OR_RETURN(GraphValue column, ColumnOf(list));
  SIGNET_ASSIGN_OR_RETURN(GraphValue count, CountRows(build, list));
  SIGNET_ASSIGN_OR_RETURN(GraphValue at, PositionIn(build, position, count, count, kOutside));
  Formula f(build);
  GraphValue element = f("gather", {column, at});
  if (!f.ok()) return f.status();
  return element.spec.is(TypeKind::kRagged) ? Dense(build, element) : element;
}

StatusOr<GraphValue> InsertAt(OpBuilder& build, const GraphValue& list, const GraphValue& element,
                              const GraphValue& position) {
  SIGNET_ASSIGN_OR_RETURN(GraphValue column, ColumnOf(list));
  SIGNET_ASSIGN_OR_RETURN(GraphValue count, CountRows(build, list));
  Formula f(build);
  GraphValue row = ExpandDims(f, element, 0);
  if (!f.ok()) return f.status();
  SIGNET_ASSIGN_OR_RETURN(GraphValue one, OpenListOf(build, row));
  GraphValue all = f("concat", {list, one},
                     Attributes({{"axis", AttributeOf(0)},
                                 {"ragged", AttributeOf(!IsOneShape(column.spec, element.spec))}}));
  if (!position.spec) return Done(f, all);
  GraphValue more = f("add", {count, f.Int(1)});
  if (!f.ok()) return f.status();
  SIGNET_ASSIGN_OR_RETURN(GraphValue at, PositionIn(build, position, count, more, kOutside));
  GraphValue places = f.Range(more);
  GraphValue behind = f("sub", {places, f.Int(1)});
  behind = f("select", {f("equal", {places, at}), count, behind});
  return Done(f, f("gather", {all, f("select", {f("less", {places, at}), places, behind})}));
}

StatusOr<GraphValue> EraseAt(OpBuilder& build, const GraphValue& list, const GraphValue& position) {
  SIGNET_ASSIGN_OR_RETURN(GraphValue count, CountRows(build, list));
  Formula f(build);
  GraphValue fewer = f("sub", {count, f.Int(1)});
  if (!f.ok()) return f.status();
  SIGNET_ASSIGN_OR_RETURN(
      GraphValue at, PositionIn(build, position.spec ? position : fewer, count, count, kOutside));
  GraphValue places = f.Range(f("maximum", {fewer, f.Int(0)}));
  GraphValue is_behind = f("less_equal", {at, places});
  if (!f.ok()) return f.status();
  return Done(f, f("gather", {list, f("add", {places, f.Cast(is_behind, DType::kInt64)})}));
}

StatusOr<GraphValue> JoinElements(OpBuilder& build, const GraphValue& list, int64_t axis,
                                  bool stacks) {
  SIGNET_ASSIGN_OR_RETURN(GraphValue column, ColumnOf(list));
  int rank = column.spec.shape()->rank() - (stacks ? 0 : 1);
  SIGNET_ASSIGN_OR_RETURN(int to, NormalizeAxis(axis, rank));
  Formula f(build);
  SIGNET_ASSIGN_OR_RETURN(GraphValue count, CountRows(build, list));
  Check(f, f("less", {f.Int(0), count}), "the sequence has no elements; takes one or more");
  if (column.spec.is(TypeKind::kRagged)) {
    if (!stacks && to == 0) {
      GraphValue joined = MergeDims(f, column, 0);
      if (!f.ok()) return f.status();
      return joined.spec.is(TypeKind::kRagged) ? Dense(build, joined) : joined;
    }
    SIGNET_ASSIGN_OR_RETURN(column, Dense(build, column));
  }
  column = MoveDim(f, column, 0, to);
  return Done(f, stacks ? column : MergeDims(f, column, to));
}

StatusOr<GraphValue> CutIntoOpenList(OpBuilder& build, const GraphValue& x, const CutForm& form) {
  Formula f(build);
  if (!form.sizes.spec) {
    GraphValue column = MoveDim(f, x, form.axis, 0);
    if (form.keeps_dim) column = ExpandDims(f, column, form.axis + 1);
    if (!f.ok()) return f.status();
    return OpenListOf(build, column);
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
    SIGNET_ASSIGN_OR_RETURN(column, CutInnerAxis(build, x, form.axis, splits));
  }
  if (!f.ok()) return f.status();
  return OpenListOf(build, column);
}

}  // namespace signet
