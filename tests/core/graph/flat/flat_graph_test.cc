#include "core/graph/flat/flat_graph.h"

#include <gtest/gtest.h>

#include "core/ops/catalog.h"
#include "core/types/notation/notation.h"

namespace signet {
namespace {

// %2 = add(%0, %1); results: %2
FlatGraph Sum() {
  TypeSpec type = *ParseTypeSpec("float32[2]");
  FlatGraph graph;
  graph.num_inputs = 2;
  graph.edges = {{type, {}}, {type, {}}, {type, {}}};
  graph.nodes = {{BuiltinOps().Lookup("add"), {0, 1}, {}, {2}}};
  graph.results = {2};
  return graph;
}

TEST(FlatGraphTest, PrintsEdgesAndTypes) {
  EXPECT_EQ(Sum().ToString(),
            "inputs: %0 float32[2], %1 float32[2]\n%2 = add(%0, %1)  float32[2]\nresults: %2\n");
}

TEST(FlatGraphTest, DropsNodesThatNoResultNeeds) {
  FlatGraph graph = Sum();
  graph.edges.push_back(graph.edges[0]);
  graph.nodes.push_back({BuiltinOps().Lookup("mul"), {0, 2}, {}, {3}});
  PruneDead(graph);
  EXPECT_EQ(graph.nodes.size(), 1u);
  EXPECT_EQ(graph.nodes[0].op->name, "add");
}

}  // namespace
}  // namespace signet
