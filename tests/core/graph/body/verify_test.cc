#include "core/graph/body/verify.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "tests/support/body_maker.h"

namespace signet {
namespace {

// Adds the defaults of attributes that are not given, as readers of models do.
FunctionDef WithDefaults(FunctionDef def) {
  for (GraphNode& node : def.graph.nodes) {
    NamedTypes all = node.attributes.entries();
    for (const AttributeDef& attribute : node.op->attributes) {
      const bool is_edge =
          std::any_of(node.attribute_edges.begin(), node.attribute_edges.end(),
                      [&](const auto& edge) { return edge.first == attribute.name; });
      if (is_edge || node.attributes.Has(attribute.name) || !attribute.default_value) continue;
      all.emplace_back(attribute.name, attribute.default_value);
    }
    node.attributes = Attributes(std::move(all));
  }
  return def;
}

// f(x, y): sum = add(x, y); best = top_k(sum, k=x); result best:1
FunctionDef SmallFunction() {
  return WithDefaults(BodyMaker("f", "(x, y)")
                          .Node("sum", "add", {"x", "y"})
                          .Node("best", "top_k", {"sum"}, {}, {{"k", "x"}})
                          .Make("best:1"));
}

Status VerifyAlone(const FunctionDef& def) {
  const Captures captures;
  const absl::flat_hash_set<std::string> functions = {"f", "g"};
  return Verify(def, {captures, functions});
}

TEST(VerifyBodyTest, AcceptsAFunctionInOrder) {
  EXPECT_TRUE(VerifyAlone(SmallFunction()).ok()) << VerifyAlone(SmallFunction());
}

TEST(VerifyBodyTest, RejectsIncorrectGraphs) {
  using Kind = GraphEdge::Kind;
  struct {
    const char* mistake;
    void (*make)(Graph&);
    const char* message;
  } const cases[] = {
      {"a node that reads itself",
       [](Graph& g) {
         g.nodes[0].inputs[1] = {Kind::kNode, 0};
       },
       "node `sum`: input 1: expected an earlier node, found node 0"},
      {"a node that reads a later node",
       [](Graph& g) {
         g.nodes[0].inputs[0] = {Kind::kNode, 1};
       },
       "node `sum`: input 0: expected an earlier node, found node 1"},
      {"a node that does not exist",
       [](Graph& g) {
         g.result = {Kind::kNode, 2};
       },
       "result: expected an earlier node, found node 2"},
      {"a negative index",
       [](Graph& g) {
         g.result = {Kind::kNode, -1};
       },
       "result: expected an earlier node, found node -1"},
      {"a parameter that does not exist",
       [](Graph& g) {
         g.result = {Kind::kParameter, 2};
       },
       "result: expected a parameter, found parameter 2"},
      {"a capture that does not exist",
       [](Graph& g) {
         g.result = {Kind::kCapture, 0};
       },
       "result: expected a capture, found capture 0"},
      {"a literal that does not exist",
       [](Graph& g) {
         g.nodes[0].inputs[0] = {Kind::kLiteral, 0};
       },
       "node `sum`: input 0: expected a literal, found literal 0"},
      {"a second output of a parameter",
       [](Graph& g) {
         g.result = {Kind::kParameter, 0, 1};
       },
       "result: expected output 0, found output 1"},
      {"a third output of top_k", [](Graph& g) { g.result.output = 2; },
       "result: expected an output of node `best`, which has 2 (op `top_k`), found output 2"},
      {"a node without an op", [](Graph& g) { g.nodes[0].op = nullptr; }, "node `sum`: no op"},
      {"too few inputs", [](Graph& g) { g.nodes[0].inputs.pop_back(); },
       "node `sum`: `add`: expected the inputs (x, y), found 1 input"},
      {"an edge of an attribute that does not exist",
       [](Graph& g) {
         g.nodes[1].attribute_edges[0].second = {Kind::kNode, 1};
       },
       "node `best`: attribute `k`: expected an earlier node, found node 1"},
      {"a missing attribute", [](Graph& g) { g.nodes[1].attribute_edges.clear(); },
       "node `best`: expected the attributes `axis=-1 k=None largest=True`, found `axis=-1 "
       "largest=True`"},
      {"a duplicate attribute",
       [](Graph& g) { g.nodes[1].attributes = g.nodes[1].attributes.With("k", AttributeOf(1)); },
       "node `best`: duplicate attribute `k`"},
      {"a capture that the model does not have", [](Graph& g) { g.captures.push_back("w"); },
       "capture `w` not found"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.mistake);
    FunctionDef def = SmallFunction();
    c.make(def.graph);
    EXPECT_EQ(MessageOf(VerifyAlone(def)), c.message);
  }
}

TEST(VerifyBodyTest, RejectsAttributesThatTheOpDoesNotDeclare) {
  FunctionDef def = SmallFunction();
  def.graph.nodes[0].attributes = Attributes({{"axis", AttributeOf(1)}});
  EXPECT_TRUE(
      MessageOf(VerifyAlone(def)).starts_with("node `sum`: attribute `axis` not found; `add` has"))
      << VerifyAlone(def);
}

TEST(VerifyBodyTest, RejectsFunctionsThatTheModelDoesNotHave) {
  auto calls = [](const char* function) {
    return WithDefaults(BodyMaker("f", "(x)")
                            .Node("y", "call", {"x"}, {{"function", AttributeOf(function)}})
                            .Make("y"));
  };
  EXPECT_TRUE(VerifyAlone(calls("g")).ok()) << VerifyAlone(calls("g"));
  EXPECT_EQ(MessageOf(VerifyAlone(calls("h"))),
            "node `y`: attribute `function`: function `h` not found; functions: `f`, `g`");
}

TEST(VerifyBodyTest, AcceptsAnyOutputOfAnOpThatTypesMayOverride) {
  FunctionDef def = BodyMaker("f", "(x)").Node("y", "abs", {"x"}).Make("y:3");
  const Captures captures;
  const absl::flat_hash_set<std::string> functions = {"f"};
  EXPECT_FALSE(Verify(def, {captures, functions, false}).ok());
  EXPECT_TRUE(Verify(def, {captures, functions, true}).ok());
}

}  // namespace
}  // namespace signet
