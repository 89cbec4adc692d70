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

#include "core/graph/body/graph.h"
#include "signet/v1/model.pb.h"

namespace signet {

// Errors start with the place: `node `y`: input 1: ...`. Verify (core/graph/body/verify.h) checks
// the graph once all functions of the model are read.
StatusOr<Graph> BuildGraph(const v1::Function& function, const FunctionType& type,
                           const Captures& captures);

}  // namespace signet
