// GraphBuilder: the body of a function, from the nodes that a model file states.
//
//   nodes { name: "y" op: "mul" inputs: "x.amount" inputs: "2.0" }   result: "y"
//   =>  node 0 `x.amount` = struct_get(parameter x, field="amount")
//       node 1 `y` = mul(node 0, literal 2.0)
//
// References: core/model/native/references.h. Nodes come in any order and leave with their inputs
// first. Time is linear in the size of the message; stateless.

#pragma once

#include <string>
#include <vector>

#include <absl/container/flat_hash_set.h>

#include "core/graph/body/graph.h"
#include "signet/v1/model.pb.h"

namespace signet {

struct BuiltGraph {
  Graph graph;
  std::vector<std::string> callees;  // functions that nodes call, once for each time
};

// Refusals start with the place: `node `y`: input 1: ...`. `functions` are the names in the model.
// Types of the model may override ops (`may_override`), with any number of outputs.
StatusOr<BuiltGraph> BuildGraph(const v1::Function& function, const FunctionType& type,
                                const Captures& captures,
                                const absl::flat_hash_set<std::string>& functions,
                                bool may_override);

}  // namespace signet
