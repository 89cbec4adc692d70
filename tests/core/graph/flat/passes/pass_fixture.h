// Pass fixture: builds small flat graphs and runs one pass on them.
//
//   FlatMaker g({"float32[2, 3]"});
//   FlatGraph graph = g.Make({g.Node("identity", {0})});
//   EXPECT_EQ(RunPass(kRemoveIdentitiesPass, graph), "inputs: %0 float32[2, 3]\nresults: %0\n");

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/graph/flat/passes/pass.h"

namespace signet {

class FlatMaker {
 public:
  // Inputs of these types are edges 0, 1, ...
  explicit FlatMaker(const std::vector<std::string>& input_types);

  // Adds a float32 constant. The elements are random numbers between 0.5 and 1.5.
  int Constant(std::string_view type);
  int Scalar(float value);
  // Adds a node with the types that its op infers, and returns its first output.
  int Node(std::string_view op, std::vector<int> inputs, const NamedTypes& attributes = {});
  FlatGraph Make(std::vector<int> results);

 private:
  FlatGraph graph_;
};

// Runs `pass` alone, and returns the printed graph. Expects that the graph is correct, and that its
// results for random inputs are the same as before, apart from rounding.
std::string RunPass(const Pass& pass, const FlatGraph& graph);

}  // namespace signet
