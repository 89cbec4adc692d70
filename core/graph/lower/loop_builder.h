// Loop builder: a `loop` node whose body is made by a function over values of any type.
//
// The types of variables are found by rounds of specialisation: what the body makes of the types it
// is given is joined with those, until nothing changes: sizes become unknown, literals tensors.
// Variables that are literals, and that the body leaves as they are, stay so. Stateless.

#pragma once

#include <span>
#include <vector>

#include <absl/functional/function_ref.h>

#include "core/graph/lower/inliner.h"

namespace signet {

struct LoopRequest {
  GraphValue limit = {};  // int64[]; no type: none
  GraphValue going = {};  // bool[]: whether there is a first round; no type: there is
  bool tests = false;     // LoopRound::going says whether there is another
  std::vector<GraphValue> variables = {};
  std::vector<GraphValue> outside = {};  // what rounds read besides
  bool backward = false;                 // stacks begin with the result of the last round
  bool ragged = false;                   // collected tensors are stacked into rows of any length
  // Lists that change their length become open lists (core/ops/build/rows/open_list.h); else they
  // are refused.
  bool opens_lists = false;
};

struct LoopRound {
  GraphValue going = {};  // bool[]
  std::vector<GraphValue> variables = {};
  std::vector<GraphValue> collected = {};  // the elements that this round adds to the stacks
};

using MakeRound = absl::FunctionRef<StatusOr<LoopRound>(Inliner& body, const GraphValue& round,
                                                        std::span<const GraphValue> variables,
                                                        std::span<const GraphValue> outside)>;

struct LoopOutputs {
  std::vector<GraphValue> variables;
  std::vector<GraphValue> collected;  // the stacks: loop_elements.h
};

// The inliner's expander builds a graph.
StatusOr<LoopOutputs> BuildLoop(Inliner& inliner, const LoopRequest& request, MakeRound make);

}  // namespace signet
