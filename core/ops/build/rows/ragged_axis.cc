#include "core/ops/build/rows/ragged_axis.h"

#include <algorithm>

#include "core/ops/build/flat_values.h"
#include "core/ops/build/op_builder.h"
#include "core/ops/build/parts.h"
#include "core/ops/build/rows/row_groups.h"
#include "core/ops/def/dtype_group.h"
#include "core/ops/def/inference.h"
#include "core/ops/def/int_list.h"
#include "signet/ragged_spec.h"

namespace signet {
namespace {

using Outputs = StatusOr<std::vector<GraphValue>>;

// A ragged input that is opened into the rows of its partitions, and the axis of the call.
struct Along {
  TypeSpec spec;
  Rows rows;
  GraphValue elements;
  int axis = 0;

  bool IsAfterRows() const { return axis >= rows.depth(); }
  AxisSet axes() const { return AxisSet{1} << axis; }
  bool IsInnermost() const { return axis == rows.depth() - 1; }
};

std::string_view AxisLabel(const OpCall& call) { return call.op.name == "sort" ? "C2" : "C3"; }

StatusOr<Along> OpenAlong(OpBuilder& build, const OpCall& call, const GraphValue& x) {
  // C1: the input is a tensor or a ragged value.
  if (!x.spec) return TensorInput(call, 0).status();
  const auto* ragged = x.spec.As<RaggedSpec>();
  if (ragged == nullptr || !ragged->shape().has_rank() ||
      ragged->shape().rank() > kMaxReducedRank) {
    return WithConstraint(
        "C1",
        Unimplemented("expected a tensor or a ragged value of known rank, found `", x.spec, "`"));
  }
  Along along;
  along.spec = x.spec;
  SIGNET_ASSIGN_OR_RETURN(along.axis,
                          AxisAttribute(call, "axis", ragged->shape().rank(), AxisLabel(call)));
  SIGNET_ASSIGN_OR_RETURN(Opened opened, OpenToTensor(build, x, ragged->ragged_rank() + 1));
  along.rows = std::move(opened.rows);
  along.elements = std::move(opened.elements);
  return along;
}

// Calls the op itself on dimensions after the rows.
Outputs CallAfterRows(OpBuilder& build, const OpCall& call, const Along& along,
                      std::span<const GraphValue> inputs) {
  Attributes inner =
      call.attributes.With("axis", AttributeOf(int64_t{along.axis - along.rows.depth() + 1}));
  return ExpandOnFlatValues(build, {call.op, call.inputs, inner}, inputs);
}

// Calls segment_<op>(values, row_splits) with the attributes of the call, except those for the
// axis.
Outputs CallSegments(OpBuilder& build, const OpCall& call, const GraphValue& values,
                     const GraphValue& splits) {
  NamedTypes attributes;
  for (const auto& [name, value] : call.attributes.entries()) {
    if (name != "axis" && name != "keepdims") attributes.emplace_back(name, value);
  }
  return build.CallAll(Cat("segment_", call.op.name), {values, splits},
                       Attributes(std::move(attributes)));
}

// The lines along the axis, one after the other. Each line is a row of values.
struct Lines {
  Rows groups;  // the rows whose elements are the lines: the axis has size 1
  GraphValue values;
  GraphValue splits;
  GraphValue order = {};  // the position of the element of each value; no type: the same order
};

StatusOr<Lines> LinesOf(OpBuilder& build, const Along& along) {
  Lines lines;
  if (along.IsInnermost()) {
    lines.groups = along.rows;
    lines.groups.dims.back() = UniformDim(build, 1);
    lines.values = along.elements;
    SIGNET_ASSIGN_OR_RETURN(lines.splits, Compose(build, along.rows, along.axis - 1, along.axis));
    return lines;
  }
  SIGNET_ASSIGN_OR_RETURN(RowGroups groups, GroupRows(build, along.rows, along.axes()));
  lines.groups = std::move(groups.rows);
  SIGNET_ASSIGN_OR_RETURN(GraphValue count, CountAt(build, lines.groups, lines.groups.depth() - 1));
  SIGNET_ASSIGN_OR_RETURN(GroupOrder order, OrderGroups(build, groups.groups, count));
  lines.splits = order.splits;
  lines.order = order.positions;
  SIGNET_ASSIGN_OR_RETURN(lines.values, TakeRows(build, along.elements, lines.order));
  return lines;
}

// Returns the start of each line.
StatusOr<GraphValue> StartsOf(OpBuilder& build, const Lines& lines) {
  SIGNET_ASSIGN_OR_RETURN(GraphValue count, build.NumRows(lines.splits));
  return CutRows(build, lines.splits, Int64Constant(build, 0), count);
}

// Converts positions in lines to positions along the axis. These differ because a line skips rows
// that are too short. `starts` contains the start of the line of each position.
StatusOr<GraphValue> PlacesAlong(OpBuilder& build, const Along& along, const Lines& lines,
                                 const GraphValue& places, GraphValue starts) {
  SIGNET_ASSIGN_OR_RETURN(auto ranges,
                          build.RowRanges(Int64Constant(build, 0),
                                          build.RowLengths(SplitsOf(build, along.rows, along.axis)),
                                          Int64Constant(build, 1)));
  SIGNET_ASSIGN_OR_RETURN(GraphValue rows,
                          RowIdsOf(build, along.rows, along.axis, along.rows.depth() - 1));
  SIGNET_ASSIGN_OR_RETURN(GraphValue all, TakeRows(build, ranges[1], rows));
  SIGNET_ASSIGN_OR_RETURN(all, TakeRows(build, all, lines.order));
  for (int axis = 1; axis < places.spec.shape()->rank(); ++axis) {
    SIGNET_ASSIGN_OR_RETURN(starts, build.ExpandDims(starts, {.axis = -1}));
  }
  return build.Gather(all, build.Add(places, starts));
}

}  // namespace

Outputs ExpandAlongRows(OpBuilder& build, const OpCall& call, std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(Along along, OpenAlong(build, call, inputs[0]));
  if (along.IsAfterRows()) return CallAfterRows(build, call, along, inputs);
  SIGNET_ASSIGN_OR_RETURN(Lines lines, LinesOf(build, along));
  SIGNET_ASSIGN_OR_RETURN(auto outputs, CallSegments(build, call, lines.values, lines.splits));
  if (call.op.name == "sort") outputs.pop_back();  // the row splits stay as they are
  if (lines.order.spec) {
    if (call.op.name == "sort") {
      SIGNET_ASSIGN_OR_RETURN(GraphValue starts,
                              build.RepeatRows(StartsOf(build, lines), lines.splits));
      SIGNET_ASSIGN_OR_RETURN(outputs[1], PlacesAlong(build, along, lines, outputs[1], starts));
    }
    // Move the results back to the positions of the elements.
    SIGNET_ASSIGN_OR_RETURN(GraphValue count, DimSize(build, lines.order, 0));
    SIGNET_ASSIGN_OR_RETURN(GroupOrder back, OrderGroups(build, lines.order, count));
    for (GraphValue& output : outputs) {
      SIGNET_ASSIGN_OR_RETURN(output, TakeRows(build, output, back.positions));
    }
  }
  for (GraphValue& output : outputs) {
    SIGNET_ASSIGN_OR_RETURN(output, CloseRows(build, along.rows, output, along.spec));
  }
  return outputs;
}

Outputs ExpandArgAlongRows(OpBuilder& build, const OpCall& call,
                           std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(Along along, OpenAlong(build, call, inputs[0]));
  if (along.IsAfterRows()) return CallAfterRows(build, call, along, inputs);
  SIGNET_ASSIGN_OR_RETURN(bool keepdims, call.attributes.Bool("keepdims"));
  SIGNET_ASSIGN_OR_RETURN(Lines lines, LinesOf(build, along));
  SIGNET_ASSIGN_OR_RETURN(auto outputs, CallSegments(build, call, lines.values, lines.splits));
  if (lines.order.spec) {
    SIGNET_ASSIGN_OR_RETURN(GraphValue starts, StartsOf(build, lines));
    SIGNET_ASSIGN_OR_RETURN(outputs[0], PlacesAlong(build, along, lines, outputs[0], starts));
  }
  SIGNET_ASSIGN_OR_RETURN(Rows left, RowsLeft(build, lines.groups, along.axes(), keepdims));
  SIGNET_ASSIGN_OR_RETURN(outputs[0], CloseRows(build, left, outputs[0], along.spec));
  return outputs;
}

Outputs ExpandTopKAlongRows(OpBuilder& build, const OpCall& call,
                            std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(Along along, OpenAlong(build, call, inputs[0]));
  if (along.IsAfterRows()) return CallAfterRows(build, call, along, inputs);
  if (!along.IsInnermost()) {
    return Unimplemented("`top_k`: expected axis ", along.rows.depth() - 1, " or a later axis of `",
                         along.spec, "`, found axis ", along.axis);
  }
  // C2: the input has an integer or float dtype.
  if (!Contains(DTypeGroup::kReal, along.spec.As<RaggedSpec>()->dtype())) {
    return WithConstraint("C2", InvalidArgument("input 0: expected ", NameOf(DTypeGroup::kReal),
                                                ", found `", along.spec, "`"));
  }
  SIGNET_ASSIGN_OR_RETURN(bool largest, call.attributes.Bool("largest"));
  const GraphValue k = inputs.size() > 1 ? inputs[1] : GraphValue{};
  // C4: `k` is at least 0, and given.
  SIGNET_RETURN_IF_ERROR(WithConstraint("C4", RequiredCount(call, "k", 1).status()));
  SIGNET_ASSIGN_OR_RETURN(GraphValue splits,
                          Compose(build, along.rows, along.axis - 1, along.axis));
  SIGNET_ASSIGN_OR_RETURN(
      auto outputs, build.SegmentSort(along.elements, splits, k,
                                      {.descending = largest, .k = call.attributes.Lookup("k")}));
  SIGNET_ASSIGN_OR_RETURN(outputs[1], build.Cast(outputs[1], {.dtype = DType::kInt32}));
  // A row with fewer than k elements returns all of them.
  if (along.axis == 0) {
    SIGNET_ASSIGN_OR_RETURN(GraphValue count, DimSize(build, outputs[0], 0));
    along.rows.dims.back() = UniformDim(std::move(count));
  } else {
    along.rows.dims.back() = RaggedDim(outputs[2]);
  }
  outputs.pop_back();
  for (GraphValue& output : outputs) {
    SIGNET_ASSIGN_OR_RETURN(output, CloseRows(build, along.rows, output, along.spec));
  }
  return outputs;
}

}  // namespace signet
