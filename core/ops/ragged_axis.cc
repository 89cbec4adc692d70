#include "core/ops/ragged_axis.h"

#include <algorithm>

#include "core/ops/elementwise.h"
#include "core/ops/flat_values.h"
#include "core/ops/inference.h"
#include "core/ops/parts.h"
#include "core/ops/row_groups.h"
#include "core/types/ragged_spec.h"

namespace signet {
namespace {

using Outputs = StatusOr<std::vector<GraphValue>>;

// A ragged input, opened into the rows of its partitions, and the axis of a call.
struct Along {
  TypeSpec spec;
  Rows rows;
  GraphValue elements;
  int axis = 0;

  bool IsBehindRows() const { return axis >= rows.depth(); }
  bool IsInnermost() const { return axis == rows.depth() - 1; }
};

std::string_view AxisLabel(const OpCall& call) { return call.op.name == "sort" ? "C2" : "C3"; }

StatusOr<Along> OpenAlong(Expander& expander, const OpCall& call, const GraphValue& x) {
  // C1: the input is a tensor or ragged.
  if (!x.spec) return TensorInput(call, 0).status();
  const auto* ragged = x.spec.As<RaggedSpec>();
  if (ragged == nullptr || !ragged->shape().has_rank()) {
    return Unimplemented("`", call.op.name, "` of `", x.spec,
                         "`; takes a tensor or a ragged value of known rank");
  }
  Along along;
  along.spec = x.spec;
  SIGNET_ASSIGN_OR_RETURN(along.axis,
                          AxisAttribute(call, "axis", ragged->shape().rank(), AxisLabel(call)));
  SIGNET_ASSIGN_OR_RETURN(Opened opened, OpenRows(expander, x, ragged->ragged_rank() + 1));
  along.rows = std::move(opened.rows);
  along.elements = std::move(opened.elements);
  return along;
}

// The op itself, on dimensions behind the rows.
Outputs CallBehindRows(Expander& expander, const OpCall& call, const Along& along,
                       std::span<const GraphValue> inputs) {
  Attributes inner =
      call.attributes.With("axis", AttributeOf(int64_t{along.axis - along.rows.depth() + 1}));
  return ExpandOnFlatValues(expander, {call.op, call.inputs, inner}, inputs);
}

Status RefuseOuter(const OpCall& call, const Along& along) {
  return Unimplemented("`", call.op.name, "` of `", along.spec, "` along axis ", along.axis,
                       "; takes axis ", along.rows.depth() - 1, " or one behind it");
}

// segment_<op>(values, row_splits), with the attributes of the call that are not about the axis.
Outputs CallSegments(Expander& expander, const OpCall& call, const GraphValue& values,
                     const GraphValue& splits) {
  NamedTypes attributes;
  for (const auto& [name, value] : call.attributes.entries()) {
    if (name != "axis" && name != "keepdims") attributes.emplace_back(name, value);
  }
  const GraphValue inputs[] = {values, splits};
  return expander.Call(Cat("segment_", call.op.name), inputs, Attributes(std::move(attributes)));
}

// The values at each place of the axis, one after the other, and all of them back in their places.
Outputs CallInGroups(Expander& expander, const OpCall& call, const Along& along) {
  SIGNET_ASSIGN_OR_RETURN(RowGroups groups,
                          GroupRows(expander, along.rows, AxisSet{1} << along.axis));
  SIGNET_ASSIGN_OR_RETURN(GraphValue count,
                          CountAt(expander, groups.rows, groups.rows.depth() - 1));
  SIGNET_ASSIGN_OR_RETURN(GroupOrder order, OrderGroups(expander, groups.groups, count));
  SIGNET_ASSIGN_OR_RETURN(GraphValue values, TakeRows(expander, along.elements, order.positions));
  SIGNET_ASSIGN_OR_RETURN(auto outputs, CallSegments(expander, call, values, order.splits));
  SIGNET_ASSIGN_OR_RETURN(GraphValue elements, DimSize(expander, order.positions, 0));
  SIGNET_ASSIGN_OR_RETURN(GroupOrder back, OrderGroups(expander, order.positions, elements));
  SIGNET_ASSIGN_OR_RETURN(outputs[0], TakeRows(expander, outputs[0], back.positions));
  return outputs;
}

}  // namespace

Outputs ExpandAlongRows(Expander& expander, const OpCall& call,
                        std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(Along along, OpenAlong(expander, call, inputs[0]));
  if (along.IsBehindRows()) return CallBehindRows(expander, call, along, inputs);
  std::vector<GraphValue> outputs;
  if (along.IsInnermost()) {
    SIGNET_ASSIGN_OR_RETURN(GraphValue splits,
                            Compose(expander, along.rows, along.axis - 1, along.axis));
    SIGNET_ASSIGN_OR_RETURN(outputs, CallSegments(expander, call, along.elements, splits));
  } else if (call.op.name == "sort" || along.axis > kMaxReducedRank) {
    return RefuseOuter(call, along);
  } else {
    SIGNET_ASSIGN_OR_RETURN(outputs, CallInGroups(expander, call, along));
  }
  if (call.op.name == "sort") outputs.pop_back();  // the row splits stay as they are
  for (GraphValue& output : outputs) {
    SIGNET_ASSIGN_OR_RETURN(output, CloseRows(expander, along.rows, output, along.spec));
  }
  return outputs;
}

Outputs ExpandArgAlongRows(Expander& expander, const OpCall& call,
                           std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(Along along, OpenAlong(expander, call, inputs[0]));
  if (along.IsBehindRows()) return CallBehindRows(expander, call, along, inputs);
  if (!along.IsInnermost()) return RefuseOuter(call, along);
  SIGNET_ASSIGN_OR_RETURN(bool keepdims, call.attributes.Bool("keepdims"));
  SIGNET_ASSIGN_OR_RETURN(GraphValue splits,
                          Compose(expander, along.rows, along.axis - 1, along.axis));
  SIGNET_ASSIGN_OR_RETURN(auto outputs, CallSegments(expander, call, along.elements, splits));
  along.rows.dims.pop_back();
  if (keepdims) along.rows.dims.push_back(UniformDim(expander, 1));
  SIGNET_ASSIGN_OR_RETURN(outputs[0], CloseRows(expander, along.rows, outputs[0], along.spec));
  return outputs;
}

Outputs ExpandTopKAlongRows(Expander& expander, const OpCall& call,
                            std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(Along along, OpenAlong(expander, call, inputs[0]));
  if (along.IsBehindRows()) return CallBehindRows(expander, call, along, inputs);
  if (!along.IsInnermost()) return RefuseOuter(call, along);
  // C2: of an integer or float dtype.
  if (!Contains(DTypeGroup::kReal, along.spec.As<RaggedSpec>()->dtype())) {
    return InvalidArgument("C2 input 0 is `", along.spec, "`; takes ", NameOf(DTypeGroup::kReal));
  }
  SIGNET_ASSIGN_OR_RETURN(bool largest, call.attributes.Bool("largest"));
  SIGNET_ASSIGN_OR_RETURN(GraphValue splits,
                          Compose(expander, along.rows, along.axis - 1, along.axis));
  const GraphValue rows[] = {along.elements, splits};
  Attributes order({{"descending", AttributeOf(largest)}, {"k", call.attributes.Lookup("k")}});
  SIGNET_ASSIGN_OR_RETURN(auto outputs, expander.Call("segment_sort", rows, order));
  Attributes narrow({{"dtype", AttributeOf(DType::kInt32)}});
  SIGNET_ASSIGN_OR_RETURN(outputs[1], expander.Call1("cast", {outputs[1]}, narrow));
  // Rows of fewer than k elements give them all.
  if (along.axis == 0) {
    SIGNET_ASSIGN_OR_RETURN(GraphValue count, DimSize(expander, outputs[0], 0));
    along.rows.dims.back() = UniformDim(std::move(count));
  } else {
    along.rows.dims.back() = RaggedDim(outputs[2]);
  }
  outputs.pop_back();
  for (GraphValue& output : outputs) {
    SIGNET_ASSIGN_OR_RETURN(output, CloseRows(expander, along.rows, output, along.spec));
  }
  return outputs;
}

}  // namespace signet
