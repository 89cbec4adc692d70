// ragged_from_row_splits: groups values into rows.
//
//   ragged_from_row_splits([1, 2, 3], [0, 2, 3])  =>  [[1, 2], [3]]

#include "core/ops/build/literal_inputs.h"
#include "core/ops/build/op_builder.h"
#include "core/ops/build/parts.h"
#include "core/ops/build/row_splits.h"
#include "core/ops/build/rows/outer_dimension.h"
#include "core/ops/def/inference.h"
#include "core/ops/ragged/ragged_ops.h"

namespace signet {
namespace {

StatusOr<std::vector<GraphValue>> ExpandRaggedFromRowSplits(OpBuilder& build, const OpCall& call,
                                                            std::span<const GraphValue> inputs) {
  // C1: input 1 is row splits.
  SIGNET_ASSIGN_OR_RETURN(GraphValue given,
                          WithConstraint("C1", TensorFor(build, inputs[1], DType::kInt64)));
  const TypeSpec types[] = {call.inputs[0], given.spec};
  SIGNET_RETURN_IF_ERROR(SplitsInput({call.op, types, call.attributes}, 1).status());
  // C2: the values are a tensor, a ragged value, or a structure of rank at least 1.
  const TypeSpec& spec = call.inputs[0];
  bool fits = spec && spec.shape() != nullptr && !spec.is(TypeKind::kSparse) &&
              (!spec.shape()->has_rank() || spec.shape()->rank() > 0);
  if (!fits) {
    return WithConstraint("C2", InvalidArgument("input 0: expected a tensor, a ragged value, or a "
                                                "structure of rank at least 1, found `",
                                                spec ? spec.ToString() : "None", "`"));
  }
  // C3: the splits start at 0, never decrease, and end at the number of values.
  SIGNET_ASSIGN_OR_RETURN(GraphValue splits,
                          build.CheckRowSplits(given, build.StructNrows(inputs[0])));
  return OneOutput(WithOuterSplits(build, inputs[0], splits));
}

}  // namespace

OpDef RaggedFromRowSplits() {
  return {
      .name = "ragged_from_row_splits",
      .summary = "Groups values into rows by row splits",
      .description =
          "Groups the rows of a tensor, a ragged value, or a structure into new rows. Row i of the "
          "result consists of values[row_splits[i]:row_splits[i + 1]].",
      .inputs = {"values", "row_splits"},
      .result = "A value with one more dimension, which is ragged.",
      .constraints = {"Input 1 is row splits: a vector of int32 or int64 that starts at 0 and does "
                      "not decrease.",
                      "The values are a tensor, a ragged value, or a structure of rank at least 1.",
                      "The row splits end at the number of values."},
      .composites = "Ragged values gain an outer dimension. Structures are grouped field by field.",
      .expand = ExpandRaggedFromRowSplits,
      .literals_as_tensors = false,
  };
}

}  // namespace signet
