#include "core/graph/flat/verify.h"

#include <gtest/gtest.h>

#include "core/graph/flat/control_nodes.h"
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

// %3 = switch(%0, %1, %2) of two sums
FlatGraph Switch() {
  FlatGraph graph;
  TypeSpec type = *ParseTypeSpec("float32[2]");
  graph.num_inputs = 3;
  graph.edges = {{*ParseTypeSpec("bool[]"), {}}, {type, {}}, {type, {}}, {type, {}}};
  const auto body = std::make_shared<const FlatGraph>(Sum());
  graph.nodes = {{&SwitchOp(), {0, 1, 2}, {}, {3}, {body, body}}};
  graph.results = {3};
  return graph;
}

TEST(VerifyTest, AcceptsAGraphInOrder) {
  EXPECT_TRUE(Verify(Sum()).ok());
  EXPECT_TRUE(Verify(Switch()).ok()) << Verify(Switch());
}

TEST(VerifyTest, RejectsIncorrectGraphs) {
  struct {
    const char* mistake;
    void (*make)(FlatGraph&);
    const char* message;
  } const cases[] = {
      {"an edge read before it is written",
       [](FlatGraph& g) {
         g.nodes[0].inputs = {0, 2};
       },
       "node 0 (`add`): input 1: expected an edge that is written before, found %2"},
      {"an edge written twice", [](FlatGraph& g) { g.nodes[0].outputs = {1}; },
       "node 0 (`add`): output 0: expected an edge that is not written yet, found %1"},
      {"an edge that does not exist",
       [](FlatGraph& g) {
         g.nodes[0].inputs = {0, 9};
       },
       "node 0 (`add`): input 1: expected an edge that is written before, found %9"},
      {"a type that inference does not return",
       [](FlatGraph& g) { g.edges[2].spec = *ParseTypeSpec("float32[3]"); },
       "node 0 (`add`): output 0: expected an edge of type `float32[2]`, found %2 of type "
       "`float32[3]`"},
      {"a result that no node writes", [](FlatGraph& g) { g.nodes.clear(); },
       "result 0: expected an edge that is written, found %2"},
      {"a node without an op", [](FlatGraph& g) { g.nodes[0].op = nullptr; },
       "node 0: expected an op, found none"},
      {"an edge that is not a tensor",
       [](FlatGraph& g) { g.edges[1].spec = *ParseTypeSpec("ragged int64[?, (?)]"); },
       "edge %1: expected the type of a tensor, found `ragged int64[?, (?)]`"},
      {"a constant of another type",
       [](FlatGraph& g) { g.edges[1].constant = Tensor::Scalar(1.0F); },
       "edge %1: expected a constant of type `float32[2]`, found `float32[]`"},
      {"more inputs than edges", [](FlatGraph& g) { g.num_inputs = 4; },
       "expected an edge for each of 4 inputs, found 3 edges"},
      {"too many outputs",
       [](FlatGraph& g) {
         g.nodes[0].outputs = {2, 2};
       },
       "node 0 (`add`): expected 1 outputs, found 2"},
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

TEST(VerifyTest, RejectsCallsThatTheOpDoesNotDeclare) {
  FlatGraph arity = Sum();
  arity.nodes[0].inputs = {0};
  EXPECT_EQ(Verify(arity).code(), absl::StatusCode::kInternal);
  FlatGraph unknown = Sum();
  unknown.nodes[0].attributes = Attributes({{"axis", AttributeOf(1)}});
  EXPECT_EQ(Verify(unknown).code(), absl::StatusCode::kInternal);
  FlatGraph incomplete = Sum();  // without the default of `axes` and `keepdims`
  incomplete.nodes[0] = {BuiltinOps().Lookup("reduce_sum"), {0}, {}, {2}};
  const Status status = Verify(incomplete);
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  EXPECT_TRUE(MessageOf(status).starts_with("node 0 (`reduce_sum`): expected the attributes `"))
      << status;
}

TEST(VerifyTest, ChecksTheGraphsOfControlNodes) {
  FlatGraph graph = Switch();
  FlatGraph body = Sum();
  body.nodes[0].inputs = {0, 7};
  graph.nodes[0].bodies[1] = std::make_shared<const FlatGraph>(body);
  EXPECT_EQ(MessageOf(Verify(graph)),
            "node 0 (`switch`): body 1: node 0 (`add`): input 1: expected an edge "
            "that is written before, found %7");
  FlatGraph narrow = Switch();
  narrow.nodes[0].inputs = {0, 1};
  EXPECT_EQ(Verify(narrow).code(), absl::StatusCode::kInternal);
}

}  // namespace
}  // namespace signet
