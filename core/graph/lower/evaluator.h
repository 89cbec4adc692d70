// Evaluator: an expander that runs each call at once, so that ops work on values as they do in
// functions.
//
//   Evaluator run(library);
//   auto out = run.Call("gather", {run.Constant(recipes), run.Constant(rows)}, {});
//   Value picked = run.ValueOf((*out)[0]);
//
// Its edges are tensors, all of them known: expansions decide by the very values, inference sees
// every input as a constant, and the type of an output is that of the tensor made. core/eager has
// functions from values to values over it. One thread.

#pragma once

#include <deque>
#include <functional>

#include "core/graph/flat/flat_runner.h"
#include "core/graph/flat/run_kernel.h"
#include "core/graph/lower/call_expander.h"

namespace signet {

class Evaluator final : public CallExpander {
 public:
  // `check` is called before each kernel, and within them, from any thread; its error ends the run,
  // as that of a deadline. What the library and it refer to must
  // outlive the evaluator, which holds all that it makes.
  explicit Evaluator(const FunctionLibrary& library, std::function<Status()> check = {},
                     RunBudget budget = {}, Parallel& parallel = SerialParallel())
      : CallExpander(library), check_(std::move(check)), budget_(budget), parallel_(parallel) {}

  Evaluator* AsEvaluator() override { return this; }
  GraphValue Constant(const Value& value) override;
  const Tensor* LookupConstant(int edge) const override;  // never null
  // The value, of the type that its tensors show; shares them.
  Value ValueOf(const GraphValue& value) const;
  // The edges of a graph's results, run on the components of `inputs`: what a loop becomes.
  StatusOr<std::vector<int>> RunGraph(const FlatGraph& graph, std::span<const GraphValue> inputs);

 private:
  StatusOr<std::vector<GraphValue>> CallOnTensors(const OpDef& op,
                                                  std::span<const GraphValue> inputs,
                                                  const Attributes& attributes) override;
  int AddEdge(Tensor tensor);

  const std::function<Status()> check_;
  RunBudget budget_;
  Parallel& parallel_;
  std::deque<Tensor> edges_;  // which stay where they are
};

}  // namespace signet
