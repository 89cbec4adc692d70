// Control ops: calls of functions of the model. They are carried out by core/graph: as far as it is
// known which is called, when a function is specialised; else by the nodes of control_nodes.h. The
// constraints are those of docs/reference/ops.md.

#include "core/ops/control/control_ops.h"
#include "core/ops/def/inference.h"
#include "signet/sequence_spec.h"

namespace signet {

// Attributes with a default of an empty list: no keyword arguments.
OpDef Call() {
  return {
      .name = "call",
      .summary = "Calls another function of the model",
      .inputs = {"arguments..."},
      .attributes = {{"function", NoneAttribute()},
                     {"functions", ListType({})},
                     {"keywords", ListType({})}},
      .literals_as_tensors = false,
      .control = Control::kCall,
  };
}

OpDef Cond() {
  return {
      .name = "cond",
      .summary = "Calls one of two functions of the model, as a condition says",
      .inputs = {"condition", "arguments..."},
      .attributes = {{"then"},
                     {"else"},
                     {"keywords", ListType({})},
                     {"defer_errors", AttributeOf(false)}},
      .literals_as_tensors = false,
      .control = Control::kCond,
  };
}

}  // namespace signet
