// make_tuple: returns a tuple of its inputs, which may have any types.

#include "core/ops/build/parts.h"
#include "core/ops/structured/structured_ops.h"
#include "signet/sequence_spec.h"

namespace signet {
namespace {

StatusOr<std::vector<GraphValue>> ExpandMakeTuple(OpBuilder&, const OpCall& call,
                                                  std::span<const GraphValue> inputs) {
  std::vector<TypeSpec> types(call.inputs.begin(), call.inputs.end());
  return std::vector<GraphValue>{Joined(TupleType(std::move(types)), inputs)};
}

}  // namespace

OpDef MakeTuple() {
  return {
      .name = "make_tuple",
      .summary = "Creates a tuple",
      .description = "Creates a tuple of the inputs.",
      .inputs = {"elements..."},
      .result = "A tuple.",
      .composites = "The inputs are values of any type.",
      .expand = ExpandMakeTuple,
      .literals_as_tensors = false,
      .any_type = true,
  };
}

}  // namespace signet
