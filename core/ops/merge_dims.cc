// merge_dims: merges neighbouring dimensions into one. The constraints are those of
// docs/ops/dimensions.md.
//
//   merge_dims(x, outer=0, inner=1)   x: [[{a: int8[]}]]   =>  [{a: int8[]}]
//
// Expansion only: elements stay where they are.

#include "core/ops/dimension_ops.h"
#include "core/ops/inference.h"
#include "core/ops/rows.h"

namespace signet {
namespace {

StatusOr<std::vector<GraphValue>> ExpandMergeDims(Expander& expander, const OpCall& call,
                                                  std::span<const GraphValue> inputs) {
  // C1: the input is a tensor, ragged or structured value.
  SIGNET_ASSIGN_OR_RETURN(int rank, Labelled("C1", RankOf(inputs[0])));
  // C2: `outer` and `inner` are dimensions, one before the other.
  SIGNET_ASSIGN_OR_RETURN(int outer, AxisAttribute(call, "outer", rank, "C2"));
  SIGNET_ASSIGN_OR_RETURN(int inner, AxisAttribute(call, "inner", rank, "C2"));
  if (outer >= inner) {
    return InvalidArgument("C2 outer axis ", outer, " and inner axis ", inner,
                           "; takes an outer one before the inner one");
  }
  SIGNET_ASSIGN_OR_RETURN(Opened x, OpenRows(expander, inputs[0], inner + 1));
  SIGNET_ASSIGN_OR_RETURN(x.rows, JoinDims(expander, x.rows, outer, inner));
  SIGNET_ASSIGN_OR_RETURN(GraphValue merged,
                          CloseRows(expander, x.rows, x.elements, inputs[0].spec));
  return std::vector<GraphValue>{merged};
}

}  // namespace

OpDef MergeDims() {
  return {
      .name = "merge_dims",
      .summary = "Merges neighbouring dimensions into one",
      .inputs = {"x"},
      .attributes = {{"outer"}, {"inner"}},
      .expand = ExpandMergeDims,
  };
}

}  // namespace signet
