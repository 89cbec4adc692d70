// Calls: control ops that call functions of the model. core/graph executes them: when a function is
// specialized, if the called function is known, or else with the nodes of control_nodes.h.

#include "core/ops/control/control_ops.h"
#include "core/ops/def/inference.h"
#include "signet/sequence_spec.h"

namespace signet {

// An empty list of keywords means that there are no keyword arguments.
OpDef Call() {
  return {
      .name = "call",
      .summary = "Calls another function of the model",
      .description =
          "Calls the function that `function` names. The arguments are bound as the arguments of a "
          "request are: the last inputs are keyword arguments, whose names `keywords` lists, "
          "defaults are filled in, and literals are cast to the constraints of the signature. With "
          "`functions`, a list of names, the op calls the function that accepts the arguments. If "
          "several functions accept them, the one with the most specific signature is called, or "
          "the first if none is the most specific. If none accepts them, the error states the "
          "reason for each. The body of the called function becomes part of the caller when the "
          "caller is specialized.",
      .inputs = {"arguments..."},
      .attributes = {{"function", NoneAttribute()},
                     {"functions", ListType({})},
                     {"keywords", ListType({})}},
      .result = "The result of the function.",
      .constraints = {"Either `function` or `functions` is given, and not both."},
      .composites = "The arguments are values of any type.",
      .literals_as_tensors = false,
      .control = Control::kCall,
  };
}

OpDef Cond() {
  return {
      .name = "cond",
      .summary = "Calls one of two functions, depending on a condition",
      .description =
          "Calls the function that `then` names if the condition is true, and otherwise the "
          "function that `else` names, with the remaining inputs as arguments. The last inputs are "
          "keyword arguments, whose names `keywords` lists. If the condition is known when the "
          "function is specialized, only the chosen function becomes part of the caller. "
          "Otherwise, both are specialized and one of them runs. With `defer_errors`, a branch "
          "that does not accept the types of the arguments, although the other branch does, "
          "rejects the call only if it is chosen at run time.",
      .inputs = {"condition", "arguments..."},
      .attributes = {{"then"},
                     {"else"},
                     {"keywords", ListType({})},
                     {"defer_errors", AttributeOf(false)}},
      .result =
          "The result of the chosen function. If the condition is not known, the result has the "
          "common type of both results.",
      .constraints = {"The condition is a literal bool or `bool[]`.",
                      "The results of both functions have a common type."},
      .composites = "The arguments are values of any type.",
      .literals_as_tensors = false,
      .control = Control::kCond,
  };
}

}  // namespace signet
