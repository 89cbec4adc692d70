#include "core/ops/join_rows.h"

#include <algorithm>

#include "core/ops/inference.h"
#include "core/ops/parts.h"

namespace signet {
namespace {

// One call of `op` on what `part` takes from each value.
template <class Part>
StatusOr<GraphValue> CallOnEach(Expander& expander, std::string_view op,
                                std::span<const GraphValue> values, Part part) {
  std::vector<GraphValue> inputs;
  for (const GraphValue& value : values) inputs.push_back(part(value));
  SIGNET_ASSIGN_OR_RETURN(auto outputs, expander.Call(op, inputs, {}));
  return outputs[0];
}

StatusOr<GraphValue> JoinRagged(Expander& expander, std::span<const GraphValue> values) {
  RaggedParts joined;
  SIGNET_ASSIGN_OR_RETURN(
      joined.values, CallOnEach(expander, "concat", values,
                                [](const GraphValue& value) { return ComponentOf(value, 0); }));
  for (size_t i = 1; i < values[0].components.size(); ++i) {
    auto splits = [i](const GraphValue& value) { return ComponentOf(value, i); };
    SIGNET_ASSIGN_OR_RETURN(GraphValue made,
                            CallOnEach(expander, "concat_row_splits", values, splits));
    joined.splits.push_back(std::move(made));
  }
  return MakeRaggedValue(joined);
}

StatusOr<GraphValue> JoinValues(Expander& expander, std::span<const GraphValue> values);

StatusOr<GraphValue> JoinStructures(Expander& expander, std::span<const GraphValue> values) {
  const auto& first = *values[0].spec.As<StructuredSpec>();
  StructureParts joined{PartialShape::OfRank(first.rank()), {}, {}, {}};
  if (first.field_names().empty()) {
    return Unimplemented("`concat` of structures without fields");
  }
  for (const std::string& name : first.field_names()) {
    std::vector<GraphValue> columns;
    for (const GraphValue& value : values) columns.push_back(*FieldValue(value, name));
    auto column = JoinValues(expander, columns);
    if (!column.ok()) return At(Cat("field `", name, "`"), column.status());
    joined.fields.push_back({name, *std::move(column)});
  }
  return MakeStructureValue(expander, std::move(joined));
}

StatusOr<GraphValue> JoinValues(Expander& expander, std::span<const GraphValue> values) {
  if (values[0].spec.is(TypeKind::kStructured)) return JoinStructures(expander, values);
  if (values[0].spec.is(TypeKind::kRagged)) return JoinRagged(expander, values);
  return CallOnEach(expander, "concat", values, [](const GraphValue& value) { return value; });
}

}  // namespace

StatusOr<std::vector<GraphValue>> ExpandJoinRows(Expander& expander, const OpCall& call,
                                                 std::span<const GraphValue> inputs) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    // C5: composite inputs have one type, but for sizes, and are joined along axis 0.
    bool has_rows = inputs[i].spec && inputs[i].spec.shape() != nullptr &&
                    inputs[i].spec.shape()->has_rank() && inputs[i].spec.shape()->rank() > 0 &&
                    !inputs[i].spec.is(TypeKind::kSparse);
    bool alike = has_rows && inputs[i].spec.structure() == inputs[0].spec.structure() &&
                 inputs[i].spec.shape()->rank() == inputs[0].spec.shape()->rank();
    if (alike) continue;
    return InvalidArgument("C5 input ", i, " is `",
                           inputs[i].spec ? inputs[i].spec.ToString() : "None",
                           "`; takes values with rows, of the same structure as input 0, `",
                           inputs[0].spec ? inputs[0].spec.ToString() : "None", "`");
  }
  SIGNET_ASSIGN_OR_RETURN(int axis,
                          AxisAttribute(call, "axis", inputs[0].spec.shape()->rank(), "C3"));
  if (axis != 0) {
    return Unimplemented("`concat` of `", inputs[0].spec, "` along axis ", axis, "; takes axis 0");
  }
  SIGNET_ASSIGN_OR_RETURN(GraphValue joined, JoinValues(expander, inputs));
  return std::vector<GraphValue>{joined};
}

}  // namespace signet
