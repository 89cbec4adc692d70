#include "core/graph/body/graph_builder.h"

#include <gtest/gtest.h>

#include "core/graph/body/verify.h"
#include "core/ops/catalog.h"
#include "signet/sequence_spec.h"

namespace signet {
namespace {

using Kind = GraphEdge::Kind;

Captures OneCapture() {
  Captures captures;
  captures.emplace("weights", Tensor::Of<float>({2}, {1, 2}));
  return captures;
}

std::vector<std::string> NodeNames(const Graph& graph) {
  std::vector<std::string> names;
  for (const GraphNode& node : graph.nodes) names.push_back(node.name);
  return names;
}

void ExpectEdge(const GraphEdge& edge, Kind kind, int index, int output = 0) {
  EXPECT_EQ(edge.kind, kind);
  EXPECT_EQ(edge.index, index);
  EXPECT_EQ(edge.output, output);
}

// Returns the error of building a graph with `make`, whose parameters are `x` and `k`.
template <class Make>
std::string ErrorOf(Make make) {
  const Captures captures = OneCapture();
  GraphBuilder build(BuiltinOps(), captures);
  const GraphEdge x = build.AddParameter("x");
  build.AddParameter("k");
  const GraphEdge result = make(build, x);
  auto graph = std::move(build).Finish(result);
  return graph.ok() ? "" : std::string(MessageOf(graph.status()));
}

TEST(GraphBuilderTest, BuildsAGraphThatPassesVerify) {
  const Captures captures = OneCapture();
  GraphBuilder build(BuiltinOps(), captures);
  const GraphEdge x = build.AddParameter("x");
  const GraphEdge k = build.AddParameter("k");
  const GraphEdge scaled = build.AddNode("scaled", "mul", {x, build.AddCapture("weights")});
  GraphEdge best = build.AddNode("best", "top_k", {scaled}, {}, {{"k", k}});
  best.output = 1;
  auto graph = std::move(build).Finish(best);
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(NodeNames(*graph), (std::vector<std::string>{"scaled", "best"}));
  EXPECT_EQ(graph->captures, std::vector<std::string>{"weights"});
  ExpectEdge(graph->result, Kind::kNode, 1, 1);
  ExpectEdge(graph->nodes[0].inputs[1], Kind::kCapture, 0);
  // The attribute from an edge is not among the values; the others have their defaults.
  EXPECT_EQ(graph->nodes[1].attributes.ToString(), "axis=-1 largest=True");
  FunctionDef def{.name = "f", .doc = "", .type = {}, .defaults = {}, .graph = *std::move(graph)};
  auto type = FunctionType::Make({{.name = "x"}, {.name = "k"}});
  ASSERT_TRUE(type.ok());
  def.type = *type;
  const absl::flat_hash_set<std::string> functions = {"f"};
  Status verified = Verify(def, {captures, functions});
  EXPECT_TRUE(verified.ok()) << verified;
}

TEST(GraphBuilderTest, SharesCapturesAndPlainValues) {
  const Captures captures = OneCapture();
  GraphBuilder build(BuiltinOps(), captures);
  ExpectEdge(build.AddCapture("weights"), Kind::kCapture, 0);
  ExpectEdge(build.AddCapture("weights"), Kind::kCapture, 0);
  ExpectEdge(build.AddLiteral(Literal()), Kind::kLiteral, 0);
  ExpectEdge(build.AddLiteral(Literal::Float(0.0)), Kind::kLiteral, 1);
  ExpectEdge(build.AddLiteral(Literal::Float(-0.0)), Kind::kLiteral, 2);
  ExpectEdge(build.AddLiteral(Literal()), Kind::kLiteral, 0);
  ExpectEdge(build.AddLiteral(Value(Tensor::Scalar(1.0f))), Kind::kLiteral, 3);
}

TEST(GraphBuilderTest, FindsParametersAndNodesByName) {
  const Captures captures;
  GraphBuilder build(BuiltinOps(), captures);
  const GraphEdge x = build.AddParameter("x");
  build.AddSignatureCheck("dimension n", "same_size", {x, x},
                          Attributes({{"axes", AttributeOf(std::vector<int64_t>{0, 0})},
                                      {"parameters", ListType({})},
                                      {"name", AttributeOf("n")}}));
  build.AddNode("y", "neg", {x});
  ASSERT_TRUE(build.status().ok()) << build.status();
  EXPECT_EQ(build.num_nodes(), 2u);
  ASSERT_TRUE(build.Lookup("x"));
  ExpectEdge(*build.Lookup("x"), Kind::kParameter, 0);
  ASSERT_TRUE(build.Lookup("y"));
  ExpectEdge(*build.Lookup("y"), Kind::kNode, 1);
  EXPECT_FALSE(build.Lookup("z"));
  EXPECT_FALSE(build.Lookup("dimension n"));
  EXPECT_EQ(build.Names().size(), 2u);
}

TEST(GraphBuilderTest, SortsDeclaredNodes) {
  const Captures captures;
  GraphBuilder build(BuiltinOps(), captures);
  const GraphEdge x = build.AddParameter("x");
  const GraphEdge last = build.DeclareNode("last");
  const GraphEdge first = build.DeclareNode("first");
  build.DefineNode(last, "add", {first, x});
  const GraphEdge other = build.AddNode("other", "neg", {last});
  build.DefineNode(first, "neg", {x});
  auto graph = std::move(build).Finish(other);
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_EQ(NodeNames(*graph), (std::vector<std::string>{"first", "last", "other"}));
  ExpectEdge(graph->nodes[1].inputs[0], Kind::kNode, 0);
  ExpectEdge(graph->nodes[2].inputs[0], Kind::kNode, 1);
  ExpectEdge(graph->result, Kind::kNode, 2);
}

TEST(GraphBuilderTest, ReportsMistakesWithTheirPlace) {
  struct {
    GraphEdge (*make)(GraphBuilder& build, GraphEdge x);
    const char* error;
  } const cases[] = {
      {[](GraphBuilder& b, GraphEdge x) { return b.AddNode("y", "ad", {x}); },
       "node `y`: op `ad` not found; the nearest is `add`"},
      {[](GraphBuilder& b, GraphEdge x) { return b.AddNode("y", "same_size", {x}); },
       "node `y`: op `same_size` is internal to Signet; models cannot call it"},
      {[](GraphBuilder& b, GraphEdge x) { return b.AddNode("y", "add", {x}); },
       "node `y`: `add`: expected the inputs (x, y), found 1 input"},
      {[](GraphBuilder& b, GraphEdge x) {
         return b.AddNode("y", "add", {x, {Kind::kNode, 0}});
       },
       "node `y`: input 1: expected an earlier node, found node 0"},
      {[](GraphBuilder& b, GraphEdge x) {
         return b.AddNode("y", "add", {x, {Kind::kParameter, 2}});
       },
       "node `y`: input 1: expected a parameter, found parameter 2"},
      {[](GraphBuilder& b, GraphEdge x) {
         return b.AddNode("y", "add", {x, {Kind::kParameter, 0, 1}});
       },
       "node `y`: input 1: expected output 0, found output 1"},
      {[](GraphBuilder& b, GraphEdge x) { return b.AddNode("y", "struct_get", {x}); },
       "node `y`: missing attribute `field`, which `struct_get` requires"},
      {[](GraphBuilder& b, GraphEdge x) {
         return b.AddNode("y", "top_k", {x}, {{{"k", AttributeOf(1)}}},
                          {{"k", {Kind::kParameter, 1}}});
       },
       "node `y`: duplicate attribute `k`"},
      {[](GraphBuilder& b, GraphEdge x) {
         return b.AddNode("y", "top_k", {x}, {}, {{"k", {Kind::kCapture, 0}}});
       },
       "node `y`: attribute `k`: expected a capture, found capture 0"},
      {[](GraphBuilder& b, GraphEdge x) { return b.AddNode("x", "neg", {x}); },
       "node `x`: duplicate name; a parameter has it, too"},
      {[](GraphBuilder& b, GraphEdge x) {
         b.AddNode("y", "neg", {x});
         return b.AddNode("y", "neg", {x});
       },
       "node `y`: duplicate name; another node has it, too"},
      {[](GraphBuilder& b, GraphEdge) { return b.AddParameter("k"); },
       "parameter `k`: duplicate name; another parameter or a node has it, too"},
      {[](GraphBuilder& b, GraphEdge) { return b.AddCapture("bias"); }, "capture `bias` not found"},
      {[](GraphBuilder& b, GraphEdge) { return b.DeclareNode("y"); },
       "node `y`: missing definition"},
      {[](GraphBuilder& b, GraphEdge) {
         const GraphEdge a = b.DeclareNode("a");
         const GraphEdge c = b.AddNode("c", "neg", {a});
         b.DefineNode(a, "neg", {c});
         return c;
       },
       "nodes use each other in a cycle: `a` <- `c` <- `a`"},
      {[](GraphBuilder&, GraphEdge) {
         return GraphEdge{Kind::kNode, 0};
       },
       "result: expected an earlier node, found node 0"},
      {[](GraphBuilder& b, GraphEdge x) {
         return b.AddNode("y", "add", std::vector<GraphEdge>(4097, x));
       },
       "node `y`: 4097 inputs exceed the limit of 4096"},
  };
  for (const auto& c : cases) EXPECT_EQ(ErrorOf(c.make), c.error);
}

TEST(GraphBuilderTest, KeepsTheFirstErrorAndIgnoresLaterCalls) {
  const Captures captures;
  GraphBuilder build(BuiltinOps(), captures);
  const GraphEdge x = build.AddParameter("x");
  const GraphEdge wrong = build.AddNode("first", "none", {x});
  build.AddNode("second", "add", {wrong});
  build.AddCapture("bias");
  build.DeclareNode("first");
  EXPECT_EQ(build.num_nodes(), 0u);
  Status status = std::move(build).Finish(x).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_TRUE(MessageOf(status).starts_with("node `first`: op `none` not found")) << status;
}

TEST(GraphBuilderTest, BoundsTheNumberOfNodes) {
  const std::string error = ErrorOf([](GraphBuilder& build, GraphEdge x) {
    GraphEdge last = x;
    for (int i = 0; i <= kMaxNodes; ++i) last = build.AddNode(Cat("n", i), "neg", {last});
    return last;
  });
  EXPECT_EQ(error, "nodes exceed the limit of 100000");
}

}  // namespace
}  // namespace signet
