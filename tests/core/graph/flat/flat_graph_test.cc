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

TEST(FlatGraphTest, AcceptsAGraphInOrder) { EXPECT_TRUE(Verify(Sum()).ok()); }

TEST(FlatGraphTest, PrintsEdgesAndTypes) {
  EXPECT_EQ(Sum().ToString(),
            "inputs: %0 float32[2], %1 float32[2]\n%2 = add(%0, %1)  float32[2]\nresults: %2\n");
}

TEST(FlatGraphTest, RefusesWhatAPassMustNotDo) {
  struct {
    const char* mistake;
    void (*make)(FlatGraph&);
    const char* message;
  } const cases[] = {
      {"an edge read before it is written",
       [](FlatGraph& g) {
         g.nodes[0].inputs = {0, 2};
       },
       "add reads %2, which is not written yet"},
      {"an edge written twice", [](FlatGraph& g) { g.nodes[0].outputs = {1}; },
       "add writes %1, which is written already"},
      {"an edge that does not exist",
       [](FlatGraph& g) {
         g.nodes[0].inputs = {0, 9};
       },
       "add reads %9, which is not written yet"},
      {"a type that inference does not give",
       [](FlatGraph& g) { g.edges[2].spec = *ParseTypeSpec("float32[3]"); },
       "add gives `float32[2]`; its edge is `float32[3]`"},
      {"a result that nothing writes", [](FlatGraph& g) { g.nodes.clear(); },
       "result %2 is not written"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.mistake);
    FlatGraph graph = Sum();
    c.make(graph);
    Status status = Verify(graph);
    EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
    EXPECT_EQ(MessageOf(status), c.message);
  }
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
