// Inliner: puts the bodies of functions where they are called, over any CallExpander.
//
//   f(x) -> g(x, 3)      g(a, k) -> add(mul(a, k), 1)
//   Inline(f, {x})  =>  add(mul(x, 3), 1)
//
// Control ops are carried out here: `call` by inlining, `cond` and `case` by inlining the function
// that is known now to be the one. What is known only when the function runs becomes a node with
// bodies (branches.h, loop_ops.h). Captures become constants. One thread.

#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/graph/body/graph.h"
#include "core/graph/lower/call_expander.h"

namespace signet {

// The values of a function's parameters, in signature order.
using ParameterValues = std::vector<GraphValue>;

GraphValue TupleOfValues(std::span<const GraphValue> elements);
// `items` have names unlike each other; those of a dict are in byte order.
StatusOr<GraphValue> DictOfValues(std::vector<std::pair<std::string, GraphValue>> items);

class Inliner {
 public:
  // Functions and captures are those of the expander's library.
  explicit Inliner(CallExpander& build) : expander_(build) {}
  // One for a body of a control node, called from here.
  Inliner Within(CallExpander& body) const {
    Inliner inliner(body);
    inliner.depth_ = depth_;
    return inliner;
  }

  CallExpander& expander() const { return expander_; }

  // The result of `function`. A refusal starts with the node: `node `q`: `matmul`: C2 ...`.
  StatusOr<GraphValue> Inline(const FunctionDef& function, const ParameterValues& parameters);
  // The values of `callee`'s parameters, as a request's arguments are bound to them. The last of
  // `inputs` are keyword arguments, named by `keywords`.
  StatusOr<ParameterValues> Bind(const FunctionDef& callee, std::span<const GraphValue> inputs,
                                 std::span<const std::string> keywords);
  // As Inline, for a function that a node calls by name: an error starts with its name.
  StatusOr<GraphValue> InlineNamed(const FunctionDef& function,
                                   const StatusOr<ParameterValues>& parameters);
  // The result of the function called `name`.
  StatusOr<GraphValue> CallNamed(std::string_view name, std::span<const GraphValue> inputs,
                                 std::span<const std::string> keywords = {});
  StatusOr<const FunctionDef*> FindFunction(std::string_view name) const;
  // Any op, those of control included.
  StatusOr<std::vector<GraphValue>> Call(const OpDef& op, std::span<const GraphValue> inputs,
                                         const Attributes& attributes);

 private:
  using NodeValues = std::vector<std::vector<GraphValue>>;  // outputs by node

  StatusOr<GraphValue> InlineAtDepth(const FunctionDef& function,
                                     const ParameterValues& parameters);
  StatusOr<GraphValue> Resolve(const Graph& graph, const GraphEdge& edge,
                               const ParameterValues& parameters, const NodeValues& nodes);
  StatusOr<std::vector<GraphValue>> RunNode(const FunctionDef& function, const GraphNode& node,
                                            const ParameterValues& parameters,
                                            const NodeValues& nodes);
  StatusOr<GraphValue> CallFunction(std::span<const GraphValue> inputs,
                                    const Attributes& attributes,
                                    std::span<const std::string> keywords);
  // cond and case.
  StatusOr<GraphValue> CallBranch(const OpDef& op, std::span<const GraphValue> inputs,
                                  const Attributes& attributes,
                                  std::span<const std::string> keywords);
  StatusOr<GraphValue> Constrained(const Parameter& parameter, GraphValue value);

  CallExpander& expander_;
  int depth_ = 0;  // of functions within functions
};

}  // namespace signet
