#include "core/ops/join_rows.h"

#include "core/ops/inference.h"
#include "core/ops/rows.h"

namespace signet {

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
  SIGNET_ASSIGN_OR_RETURN(GraphValue joined, JoinRows(expander, inputs));
  return std::vector<GraphValue>{joined};
}

}  // namespace signet
