// Evaluator: a CallExpander that runs each call at once, so that ops on values use the same
// expansions as functions.
//
//   Evaluator run(library);
//   auto out = run.Call("gather", {run.Constant(recipes), run.Constant(rows)}, {});
//   Value picked = run.ValueOf((*out)[0]);
//
// Its edges are tensors. Expansions and inference see every input as a constant, and the type of an
// output is the type of the computed tensor. core/eager has functions from values to values that
// use it. Not thread-safe.

#pragma once

#include <deque>
#include <functional>

#include "core/graph/flat/flat_runner.h"
#include "core/graph/flat/run_kernel.h"
#include "core/graph/lower/call_expander.h"

namespace signet {

class Evaluator final : public CallExpander {
 public:
  // `check` is called before and within each kernel, on any thread. Its error, such as a deadline,
  // ends the run. The library and the objects that `check` refers to must outlive the evaluator.
  // The evaluator keeps all tensors that it makes.
  explicit Evaluator(const FunctionLibrary& library, std::function<Status()> check = {},
                     RunBudget budget = {}, Parallel& parallel = SerialParallel())
      : CallExpander(library), check_(std::move(check)), budget_(budget), parallel_(parallel) {}

  Evaluator* AsEvaluator() override { return this; }
  GraphValue Constant(const Value& value) override;
  const Tensor* LookupConstant(int edge) const override;  // never null
  // Returns a Value that shares the tensors. Its type has their sizes.
  Value ValueOf(const GraphValue& value) const;
  // Runs `graph` on the components of `inputs` and returns the edges of its results. Used for
  // loops.
  StatusOr<std::vector<int>> RunGraph(const FlatGraph& graph, std::span<const GraphValue> inputs);

 private:
  StatusOr<std::vector<GraphValue>> CallOnTensors(const OpDef& op,
                                                  std::span<const GraphValue> inputs,
                                                  const Attributes& attributes) override;
  int AddEdge(Tensor tensor);

  const std::function<Status()> check_;
  RunBudget budget_;
  Parallel& parallel_;
  std::deque<Tensor> edges_;  // a deque, so that their addresses do not change
};

}  // namespace signet
