// Inliner: replaces calls of functions by their bodies, with any CallExpander.
//
//   f(x) -> g(x, 3)      g(a, k) -> add(mul(a, k), 1)
//   Inline(f, {x})  =>  add(mul(x, 3), 1)
//
// The Inliner also handles control ops: `call` by inlining, and `cond` and `case` by inlining the
// selected function if it is known. If it is known only when the function runs, the result is a
// node with bodies (branches.h, loop_ops.h). Captures are constants. Not thread-safe.

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
// The names of `items` are distinct. The items of a dict are in byte order.
StatusOr<GraphValue> DictOfValues(std::vector<std::pair<std::string, GraphValue>> items);

// Returns `value` as static data: a literal or a nest of literals unchanged; a known scalar or
// vector as a literal or a list; a dict or tuple of these likewise. Returns null if `value` is not
// known.
TypeSpec PlainTypeOf(const GraphValue& value, const CallExpander& build);

class Inliner {
 public:
  // Uses the functions and captures of the expander's library.
  explicit Inliner(CallExpander& build) : expander_(build) {}
  // Makes an inliner for a body of a control node.
  Inliner Within(CallExpander& body) const {
    Inliner inliner(body);
    inliner.depth_ = depth_;
    return inliner;
  }

  CallExpander& expander() const { return expander_; }

  // Returns the result of `function`. Errors start with the node: `node `q`: `matmul`: C2 ...`.
  StatusOr<GraphValue> Inline(const FunctionDef& function, const ParameterValues& parameters);
  // Binds `inputs` to the parameters of `callee`, as the arguments of a request are bound. The last
  // inputs are keyword arguments with the names `keywords`.
  StatusOr<ParameterValues> Bind(const FunctionDef& callee, std::span<const GraphValue> inputs,
                                 std::span<const std::string> keywords);
  // Returns an argument that is bound to `parameter`, cast to its type.
  StatusOr<GraphValue> Constrained(const Parameter& parameter, GraphValue value);
  // Inlines a function that a node calls by name. Errors start with the name.
  StatusOr<GraphValue> InlineNamed(const FunctionDef& function,
                                   const StatusOr<ParameterValues>& parameters);
  // Returns the result of the function `name`.
  StatusOr<GraphValue> CallNamed(std::string_view name, std::span<const GraphValue> inputs,
                                 std::span<const std::string> keywords = {});
  StatusOr<const FunctionDef*> FindFunction(std::string_view name) const;
  // Calls any op, including control ops.
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
  // Calls cond or case.
  StatusOr<GraphValue> CallBranch(const OpDef& op, std::span<const GraphValue> inputs,
                                  const Attributes& attributes,
                                  std::span<const std::string> keywords);

  CallExpander& expander_;
  int depth_ = 0;  // of nested calls
};

}  // namespace signet
