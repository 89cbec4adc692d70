// BuildLoop: builds a `loop` node whose body a C++ function makes from values of any type.
//
// The body is specialized repeatedly to find the types of the variables: the type of a variable
// after the body is joined with its type before, until no type changes. Changing sizes become
// unknown, and changing literals become tensors. A literal that the body does not change remains a
// literal. Stateless.

#pragma once

#include <span>
#include <vector>

#include <absl/functional/function_ref.h>

#include "core/graph/lower/inliner.h"

namespace signet {

struct LoopRequest {
  GraphValue limit = {};  // int64[], the maximum number of iterations; no type for no limit
  GraphValue going = {};  // bool[], true if there is a first iteration; no type for true
  bool tests = false;     // LoopRound::going states whether there is another iteration
  std::vector<GraphValue> variables = {};
  std::vector<GraphValue> outside = {};  // other values that iterations read
  bool backward = false;                 // stacks begin with the result of the last iteration
  bool ragged = false;                   // collected tensors are stacked into rows of any length
  // If true, lists that change their length become open lists (core/ops/build/rows/open_list.h).
  // Otherwise, they are rejected.
  bool opens_lists = false;
};

struct LoopRound {
  GraphValue going = {};  // bool[]
  std::vector<GraphValue> variables = {};
  std::vector<GraphValue> collected = {};  // the elements that this iteration adds to the stacks
};

using MakeRound = absl::FunctionRef<StatusOr<LoopRound>(Inliner& body, const GraphValue& round,
                                                        std::span<const GraphValue> variables,
                                                        std::span<const GraphValue> outside)>;

struct LoopOutputs {
  std::vector<GraphValue> variables;
  std::vector<GraphValue> collected;  // the stacks (loop_elements.h)
};

// Builds the loop. The expander of the inliner must build a graph.
StatusOr<LoopOutputs> BuildLoop(Inliner& inliner, const LoopRequest& request, MakeRound make);

}  // namespace signet
