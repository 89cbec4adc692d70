
#include "core/ops/control/control_ops.h"
#include "core/ops/def/inference.h"
#include "signet/sequence_spec.h"

namespace signet {
namespace {

OpDef Case() {
  return {
      .name = "case",
      .summary = "Calls one of several functions by index",
      .description =
          "Calls the function at position `index` in the list `functions`, with the remaining "
          "inputs as arguments. If the index is out of range, the last function is called. "
          "`keywords` and `defer_errors` are as in `cond`.",
      .inputs = {"index", "arguments..."},
      .attributes = {{"functions"},
                     {"keywords", ListType({})},
                     {"defer_errors", AttributeOf(false)}},
      .result =
          "The result of the chosen function, or a value of the common type of all results if the "
          "index is not known when the function is specialized.",
      .constraints = {"The index is a literal integer, `int32[]`, or `int64[]`.",
                      "The results of all functions have a common type."},
      .composites = "The arguments are values of any type.",
      .literals_as_tensors = false,
      .control = Control::kCase,
  };
}

OpDef While() {
  return {
      .name = "while",
      .summary = "Calls a function on variables while a condition holds",
      .description =
          "Calls the function `body` on the variables as long as the function `condition` returns "
          "true for them, but at most `max_steps` times. The body returns the new values of the "
          "variables: a tuple, or the value itself if there is one variable. The last `fixed` "
          "inputs "
          "are not variables: both functions receive them, after the variables, in each step.",
      .inputs = {"variables..."},
      .attributes = {{"condition"},
                     {"body"},
                     {"max_steps", NoneAttribute()},
                     {"fixed", AttributeOf(0)}},
      .outputs = {"variables..."},
      .result = "One output per variable, with its last value.",
      .constraints =
          {"The condition returns a literal bool or `bool[]`.",
           "The body returns a tuple with the same number of values as there are variables.",
           "The types of a variable before and after a step have a common type, which stays the "
           "same after further steps."},
      .composites = "The variables are values of any type.",
      .literals_as_tensors = false,
      .control = Control::kWhile,
  };
}

OpDef Loop() {
  return {
      .name = "loop",
      .summary = "Calls a function a number of times, and collects values",
      .description =
          "Calls the function `body` `limit` times, or until the body ends the loop. If the limit "
          "is None, the number of calls is not limited. The first `carried` values are carried "
          "from step to step; the other "
          "values are the same in each step. The body receives the index of the step, starting "
          "with 0, then True, then the values. It returns a tuple: whether another step follows, "
          "the new carried values, and any number of values to collect. If `going` is False, the "
          "body is not called; None counts as True.",
      .inputs = {"limit", "going", "values..."},
      .attributes = {{"body"}, {"carried"}},
      .outputs = {"values..."},
      .result =
          "The last carried values, followed by the collected values of all steps, which are "
          "stacked.",
      .constraints =
          {"`going` and the first value that the body returns are literal bools or `bool[]`.",
           "The body returns a tuple of the bool, the carried values, and any number of further "
           "values.",
           "There are at least `carried` values, and their types settle as in `while`.",
           "The limit is a literal integer, `int64[]`, or None."},
      .composites = "The values are values of any type.",
      .literals_as_tensors = false,
      .control = Control::kLoop,
  };
}

OpDef Map() {
  return {
      .name = "map",
      .summary = "Calls a function on each element, and stacks the results",
      .description =
          "Calls the function on each element along dimension 0 of all inputs at the same time, "
          "and stacks the results. The type of the stack follows from the type that the function "
          "returns, and never from the number of elements: a tensor of one shape in all calls "
          "becomes a tensor; a tensor whose first dimension is the first dimension of a ragged row "
          "becomes rows, which may differ in length; a ragged value becomes a ragged value with "
          "one more dimension; a structure becomes a structure with one more dimension; a sparse "
          "value becomes a sparse value with the index of the row first and with the largest "
          "sizes; an extension value is stacked component by component. The first dimension of an "
          "element is the dimension of a ragged row if the element comes from a ragged value or is "
          "a list in a record. Elementwise ops, ops along one axis, indexing, `gather`, "
          "`boolean_mask`, `concat`, `pad`, `tile`, `unique`, `top_k`, `map`, and `cond` keep this "
          "property, even if they change the length; `reshape`, `while`, and ops that create "
          "tensors, such as `range`, do not. With `ragged`, tensors are always stacked into rows. "
          "If there are no elements, sizes that only a result could show are 0. If the function "
          "chooses between values of different types, the common type is stacked. The last `fixed` "
          "inputs are not stacks of elements: the function receives them as they are in each call, "
          "after the elements.",
      .inputs = {"elements..."},
      .attributes = {{"function"}, {"ragged", AttributeOf(false)}, {"fixed", AttributeOf(0)}},
      .result = "The stacked results.",
      .constraints = {"The stacks have the same number of elements and a rank of at least 1. The "
                      "extension types of inputs and results are declared, and can be batched."},
      .composites = "The inputs are values of any kind, or nests of values.",
      .literals_as_tensors = false,
      .control = Control::kMap,
  };
}

OpDef Scan() {
  return {
      .name = "scan",
      .summary = "Calls a function on each element with a carried value, and stacks the outputs",
      .description =
          "Calls the function on the carried value, which is `initial` at first, and on each "
          "element. The function returns a tuple: the new carried value and an output. With "
          "`reverse`, the last element comes first, and each output stays at the position of its "
          "element. `ragged` and `fixed` are as in `map`.",
      .inputs = {"initial", "elements..."},
      .attributes = {{"function"},
                     {"reverse", AttributeOf(false)},
                     {"ragged", AttributeOf(false)},
                     {"fixed", AttributeOf(0)}},
      .outputs = {"carried", "outputs"},
      .result = "Two outputs: the last carried value, and the stacked outputs.",
      .constraints = {"The elements are as in `map`.", "The function returns a tuple of 2 values.",
                      "The type of the carried value settles as in `while`."},
      .composites = "The inputs are values of any kind, or nests of values.",
      .literals_as_tensors = false,
      .control = Control::kScan,
  };
}

OpDef Reduce() {
  return {
      .name = "reduce",
      .summary = "Calls a function on each element with a carried value",
      .description =
          "Calls the function on the carried value, which is `initial` at first, and on each "
          "element. The function returns the new carried value. `fixed` is as in `map`.",
      .inputs = {"initial", "elements..."},
      .attributes = {{"function"}, {"fixed", AttributeOf(0)}},
      .result = "The last carried value.",
      .constraints = {"The elements are as in `map`.", "",
                      "The type of the carried value settles as in `while`."},
      .composites = "The inputs are values of any kind, or nests of values.",
      .literals_as_tensors = false,
      .control = Control::kReduce,
  };
}

}  // namespace

std::vector<OpDef> ControlFlowOps() { return {Case(), While(), Loop(), Map(), Scan(), Reduce()}; }

}  // namespace signet
