
#include "core/ops/control/control_ops.h"
#include "core/ops/def/inference.h"
#include "signet/sequence_spec.h"

namespace signet {
namespace {

OpDef Case() {
  return {
      .name = "case",
      .summary = "Calls one of several functions of the model, as a number says",
      .inputs = {"index", "arguments..."},
      .attributes = {{"functions"},
                     {"keywords", ListType({})},
                     {"defer_errors", AttributeOf(false)}},
      .literals_as_tensors = false,
      .control = Control::kCase,
  };
}

OpDef While() {
  return {
      .name = "while",
      .summary = "Calls a function on what it gave before, as long as a condition holds",
      .inputs = {"variables..."},
      .attributes = {{"condition"}, {"body"}, {"max_steps", NoneAttribute()}},
      .literals_as_tensors = false,
      .control = Control::kWhile,
  };
}

OpDef Loop() {
  return {
      .name = "loop",
      .summary =
          "Calls a function a number of times, or until it says so, and stacks what it gives",
      .inputs = {"limit", "going", "values..."},
      .attributes = {{"body"}, {"carried"}},
      .literals_as_tensors = false,
      .control = Control::kLoop,
  };
}

OpDef Map() {
  return {
      .name = "map",
      .summary = "Calls a function on each element and stacks the results",
      .inputs = {"elements..."},
      .attributes = {{"function"}, {"ragged", AttributeOf(false)}},
      .literals_as_tensors = false,
      .control = Control::kMap,
  };
}

OpDef Scan() {
  return {
      .name = "scan",
      .summary = "Carries a value from element to element and stacks what each gives besides",
      .inputs = {"initial", "elements..."},
      .attributes = {{"function"}, {"reverse", AttributeOf(false)}, {"ragged", AttributeOf(false)}},
      .literals_as_tensors = false,
      .control = Control::kScan,
  };
}

OpDef Reduce() {
  return {
      .name = "reduce",
      .summary = "Carries a value from element to element",
      .inputs = {"initial", "elements..."},
      .attributes = {{"function"}},
      .literals_as_tensors = false,
      .control = Control::kReduce,
  };
}

}  // namespace

std::vector<OpDef> ControlFlowOps() { return {Case(), While(), Loop(), Map(), Scan(), Reduce()}; }

}  // namespace signet
