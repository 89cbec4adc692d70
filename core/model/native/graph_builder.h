// BuildGraph: builds the body of a function from the nodes in a model file.
//
//   nodes { name: "y" op: "mul" inputs: "x.amount" inputs: "2.0" }   result: "y"
//   =>  node 0 `x.amount` = struct_get(parameter x, field="amount")
//       node 1 `y` = mul(node 0, literal 2.0)
//
// References are described in core/model/native/references.h. The nodes of the message may be in
// any order; in the graph, inputs precede the nodes that use them. Time is linear in the size of
// the message. Stateless.

#pragma once

#include <string>
#include <vector>

#include <absl/container/flat_hash_set.h>

#include "core/graph/body/graph.h"
#include "signet/v1/model.pb.h"

namespace signet {

struct BuiltGraph {
  Graph graph;
  std::vector<std::string> callees;  // functions that nodes call, one entry per call
};

// Errors start with the place: `node `y`: input 1: ...`. `functions` are the names of the functions
// of the model. If types of the model may override ops (`may_override`), an op may have any number
// of outputs.
StatusOr<BuiltGraph> BuildGraph(const v1::Function& function, const FunctionType& type,
                                const Captures& captures,
                                const absl::flat_hash_set<std::string>& functions,
                                bool may_override);

}  // namespace signet
