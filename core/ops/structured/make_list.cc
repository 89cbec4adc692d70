// make_list: returns a list of its inputs, which may have any types.

#include "core/ops/build/parts.h"
#include "core/ops/structured/structured_ops.h"
#include "signet/sequence_spec.h"

namespace signet {
namespace {

StatusOr<std::vector<GraphValue>> ExpandMakeList(OpBuilder&, const OpCall& call,
                                                 std::span<const GraphValue> inputs) {
  std::vector<TypeSpec> types(call.inputs.begin(), call.inputs.end());
  return std::vector<GraphValue>{Joined(ListType(std::move(types)), inputs)};
}

}  // namespace

OpDef MakeList() {
  return {
      .name = "make_list",
      .summary = "Creates a list",
      .description = "Creates a list of the inputs.",
      .inputs = {"elements..."},
      .result = "A list.",
      .composites = "The inputs are values of any type.",
      .expand = ExpandMakeList,
      .literals_as_tensors = false,
      .any_type = true,
  };
}

}  // namespace signet
