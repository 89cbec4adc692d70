// Control ops: calls between the functions of a model, carried out when a function is specialised.

#include "core/ops/all_ops.h"
#include "core/types/sequence_spec.h"

namespace signet {

// Attributes with a default of an empty list: no keyword arguments.
OpDef Call() {
  return {
      .name = "call",
      .summary = "Calls another function of the model",
      .inputs = {"arguments..."},
      .attributes = {{"function"}, {"keywords", ListType({})}},
      .literals_as_tensors = false,
      .control = Control::kCall,
  };
}

OpDef Cond() {
  return {
      .name = "cond",
      .summary = "Calls one of two functions of the model, as a literal says",
      .inputs = {"condition", "arguments..."},
      .attributes = {{"then"}, {"else"}, {"keywords", ListType({})}},
      .literals_as_tensors = false,
      .control = Control::kCond,
  };
}

}  // namespace signet
