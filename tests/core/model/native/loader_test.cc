#include "core/model/native/loader.h"

#include <chrono>
#include <map>
#include <sys/stat.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/formats/safetensors/safetensors.h"
#include "core/frontends/load_model.h"
#include "core/graph/body/graph_builder.h"
#include "core/model/native/limits.h"
#include "core/model/native/model_files.h"
#include "core/ops/def/op_registry.h"
#include "core/types/notation/notation.h"
#include "core/values/builders/value_notation.h"
#include "tests/support/native_model.h"
#include "tests/support/temporary_folder.h"

namespace signet {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

StatusOr<ModelDef> LoadText(const std::string& text, Captures captures = {}) {
  auto proto = ParseModelText("format_version: 1 " + text);
  if (!proto.ok()) return proto.status();
  return ModelDefFromProto(*proto, std::move(captures), Limits());
}

// A model with the one function `f`, whose signature and body are given.
std::string OneFunction(const std::string& signature, const std::string& body) {
  return Cat("functions { name: \"f\" signature: \"", signature, "\" ", body, " }");
}

std::vector<std::string> NodeNames(const FunctionDef& function) {
  std::vector<std::string> names;
  for (const GraphNode& node : function.graph.nodes) names.push_back(node.name);
  return names;
}

// --- what is taken ------------------------------------------------------------------------------

TEST(LoaderTest, SortsNodesThatComeInAnyOrder) {
  auto model = LoadText(OneFunction("(x: float32[?])", R"(
      nodes { name: "c" op: "add" inputs: "b" inputs: "a" }
      nodes { name: "b" op: "mul" inputs: "a" inputs: "x" }
      nodes { name: "a" op: "add" inputs: "x" inputs: "2.5" }
      result: "c")"));
  ASSERT_TRUE(model.ok()) << model.status();
  const Graph& graph = model->functions[0].graph;
  EXPECT_THAT(NodeNames(model->functions[0]), ElementsAre("a", "b", "c"));
  EXPECT_EQ(graph.nodes[0].inputs[0].kind, GraphEdge::Kind::kParameter);
  EXPECT_EQ(graph.nodes[0].inputs[1].kind, GraphEdge::Kind::kLiteral);
  EXPECT_EQ(ToString(graph.literals[0]), "2.5");
  EXPECT_EQ(graph.nodes[2].inputs[0].index, 1);
  EXPECT_EQ(graph.nodes[2].inputs[1].index, 0);
  EXPECT_EQ(graph.result.index, 2);
}

TEST(LoaderTest, MakesFieldsIntoNodesThatAreShared) {
  auto model = LoadText(OneFunction("(x: [{a: [{b: float32[], c: float32[]}]}], *rest)", R"(
      nodes { name: "y" op: "add" inputs: "x.a.b" inputs: "x.a.c" }
      nodes { name: "z" op: "add" inputs: "x.a.b" inputs: "rest.0" }
      result: "y")"));
  ASSERT_TRUE(model.ok()) << model.status();
  const auto& nodes = model->functions[0].graph.nodes;
  EXPECT_THAT(NodeNames(model->functions[0]),
              ElementsAre("x.a", "x.a.b", "x.a.c", "y", "rest.0", "z"));
  EXPECT_EQ(nodes[0].op->name, "struct_get");
  EXPECT_EQ(nodes[1].attributes.ToString(), "field=\"b\"");
  EXPECT_EQ(nodes[4].op->name, "get_item");
}

TEST(LoaderTest, MakesBracketsIntoNodesThatAreShared) {
  Captures captures;
  captures.emplace("table.rows", Tensor::Scalar(1.0f));
  auto model = LoadText(OneFunction("(x: [{a: int64[?]}], i: int64[])", R"(
      nodes { name: "pair" op: "make_list" inputs: "x[0, \"a\"]" inputs: "x[0, \"a\"][i, ::-1]" }
      nodes { name: "two" op: "make_list" inputs: "pair:0[1].a.b[-1:]" inputs: "table.rows[None]" }
      result: "two[..., pair.first]")"),
                        std::move(captures));
  ASSERT_TRUE(model.ok()) << model.status();
  const Graph& graph = model->functions[0].graph;
  std::map<std::string, const GraphNode*> nodes;
  for (const GraphNode& node : graph.nodes) nodes[node.name] = &node;
  EXPECT_EQ(nodes.size(), graph.nodes.size());
  auto key_of = [&](const char* name) { return nodes.at(name)->attributes.ToString(); };
  EXPECT_EQ(key_of("x[0, \"a\"]"), "key=list(0, \"a\")");
  EXPECT_EQ(key_of("x[0, \"a\"][i, ::-1]"), "key=list(dict(input: 0), tuple(None, None, -1))");
  EXPECT_EQ(key_of("pair:0[1].a.b[-1:]"), "key=list(tuple(-1, None, None))");
  EXPECT_EQ(nodes.at("pair:0[1].a.b")->op->name, "struct_get");
  EXPECT_EQ(key_of("table.rows[None]"), "key=list(None)");
  const GraphNode& result = *nodes.at("two[..., pair.first]");
  EXPECT_EQ(result.attributes.ToString(), "key=list(\"...\", dict(input: 0))");
  ASSERT_EQ(result.inputs.size(), 2u);
  EXPECT_EQ(graph.nodes[static_cast<size_t>(result.inputs[1].index)].name, "pair.first");
}

TEST(LoaderTest, RejectsMalformedBrackets) {
  struct Row {
    const char* reference;
    const char* rejection;
  };
  constexpr Row kRows[] = {
      {"x[]", "`[]`: column 2: expected a key, found `]`"},
      {"x[0", "`[0`: column 3: expected `]` or `,`, found the end"},
      {"x[0]a", "expected `.` or `[` after `x[0]`, found `a`"},
      {"x[0.5]",
       "`[0.5]`: expected an integer, a name, a slice, `...`, or None as a key, found `0.5`"},
      {"x[1:2:0]", "`[1:2:0]`: expected a step other than 0"},
      {"x[:0.5]", "`[:0.5]`: expected integers in a slice, found `0.5`"},
      {"x[i]", "parameter, node, or capture `i` not found; available: `x`"},
  };
  for (const Row& row : kRows) {
    auto model = LoadText(OneFunction("(x)", Cat("result: \"", row.reference, "\"")));
    ASSERT_FALSE(model.ok()) << row.reference;
    EXPECT_THAT(std::string(MessageOf(model.status())), testing::EndsWith(row.rejection));
  }
}

TEST(LoaderTest, ResolvesCapturesWithPointsInTheirNames) {
  Captures captures;
  captures.emplace("encoder.weight", Tensor::Scalar(1.0f));
  captures.emplace("encoder/bias:0", Tensor::Scalar(1.0f));
  auto model = LoadText(OneFunction("(x: float32[])", R"(
      nodes { name: "y" op: "add" inputs: "encoder.weight" inputs: "encoder/bias:0" }
      result: "y")"),
                        std::move(captures));
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_THAT(model->functions[0].graph.captures, ElementsAre("encoder.weight", "encoder/bias:0"));
}

TEST(LoaderTest, ReadsValuesAsReferences) {
  struct Row {
    const char* reference;
    const char* value;
  };
  constexpr Row kRows[] = {
      {"2.0", "2.0"},
      {"-3", "-3"},
      {"None", "None"},
      {"True", "True"},
      {"inf", "inf"},
      {"\\\"a.b:c\\\"", "\"a.b:c\""},
      {"[]", "list() []"},
      {"[0, [1, 2]]", "list(0, list(1, 2)) [0, [1, 2]]"},
      {"float32[] 0.5", "float32[] 0.5"},
      {"int64[2] [3, 4]", "int64[2] [3, 4]"},
      {"list(0, list(1, 2))", "list(0, list(1, 2)) [0, [1, 2]]"},
      {"[dict(a: 1), 2]", "list(dict(a: 1), 2) [{a: 1}, 2]"},
      {"[{a: int64[(?)]}] [{a: [1]}]", "[{a: int64[(?)]}] [{a: [1]}]"},
      {"[[[{a: int8[]}]] [[{a: 1}], []], 2]", "list([[{a: int8[]}]], 2) [[[{a: 1}], []], 2]"},
  };
  for (const Row& row : kRows) {
    SCOPED_TRACE(row.reference);
    auto model = LoadText(OneFunction("()", Cat("result: \"", row.reference, "\"")));
    ASSERT_TRUE(model.ok()) << model.status();
    const Graph& graph = model->functions[0].graph;
    ASSERT_EQ(graph.result.kind, GraphEdge::Kind::kLiteral);
    EXPECT_EQ(ToString(graph.literals[0]), row.value);
  }
}

TEST(LoaderTest, ReadsLongValuesAsReferences) {
  std::string elements = "0.5";
  for (int i = 1; i < 100; ++i) elements += ", 0.5";
  auto model = LoadText(OneFunction("()", Cat("result: \"float32[100] [", elements, "]\"")));
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_EQ(model->functions[0].graph.literals[0].spec().ToString(), "float32[100]");
}

TEST(LoaderTest, ReadsAttributesOfEveryKind) {
  struct Row {
    const char* attribute;
    const char* value;
  };
  constexpr Row kRows[] = {
      {"bool: true", "True"},
      {"int: -4", "-4"},
      {"float: 0.5", "0.5"},
      {"string: \"a\"", "\"a\""},
      {"ints { values: [1, 2] }", "list(1, 2)"},
      {"floats { values: 1 }", "list(1.0)"},
      {"strings { values: [\"a\", \"b\"] }", "list(\"a\", \"b\")"},
      {"type: \"float32\"", "\"float32\""},
      {"type: \"float32[?]@name\"", "float32[?]"},
  };
  for (const Row& row : kRows) {
    SCOPED_TRACE(row.attribute);
    auto model = LoadText(OneFunction("(x)", Cat(R"(
        nodes { name: "y" op: "struct_get" inputs: "x" attributes { key: "field" value { )",
                                                 row.attribute, R"( } } } result: "y")")));
    ASSERT_TRUE(model.ok()) << model.status();
    TypeSpec value = model->functions[0].graph.nodes[0].attributes.Lookup("field");
    ASSERT_TRUE(value);
    EXPECT_EQ(value.ToString(), row.value);
  }
}

TEST(LoaderTest, KeepsAttributesThatComeFromValuesApart) {
  auto model = LoadText(OneFunction("(x, name = \\\"a\\\")", R"(
      nodes { name: "y" op: "struct_get" inputs: "x" attributes { key: "field" value { from: "name" } } }
      result: "y")"));
  ASSERT_TRUE(model.ok()) << model.status();
  const GraphNode& node = model->functions[0].graph.nodes[0];
  ASSERT_EQ(node.attribute_edges.size(), 1u);
  EXPECT_EQ(node.attribute_edges[0].first, "field");
  EXPECT_EQ(node.attribute_edges[0].second.index, 1);
  EXPECT_FALSE(node.attributes.Has("field"));
}

TEST(LoaderTest, DropsTheNamesOfTensors) {
  auto model = LoadText(OneFunction(
      "(x: float32[?]@input, y: list(int64[]@i)) -> float32[?]@output", R"(result: "x")"));
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_EQ(model->functions[0].type.ToString(), "(x: float32[?], y: list(int64[])) -> float32[?]");
}

TEST(LoaderTest, TakesATypeAndDefaultsInPlaceOfText) {
  auto model = LoadText(R"(
      functions {
        name: "f"
        type {
          parameters { name: "x" kind: POSITIONAL_ONLY type { text: "float32[?]@x" } }
          parameters { name: "k" kind: KEYWORD_ONLY optional: true type { text: "float32[]" } }
        }
        defaults { key: "k" value { literal { int: 3 } } }
        result: "x"
      })");
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_EQ(model->functions[0].type.ToString(), "(x: float32[?], /, *, k: float32[] = ...)");
  EXPECT_TRUE(model->functions[0].defaults.contains("k"));
}

TEST(LoaderTest, TakesCapturesAsDefaults) {
  auto load = [](const std::string& more) {
    return LoadText(Cat(R"(
        functions {
          name: "f"
          type { parameters { name: "k" kind: KEYWORD_ONLY optional: true type { text: "float32[?]" } } }
          default_captures { key: "k" value: "w" }
          result: "k" )",
                        more, "}"),
                    {{"w", Value(Tensor::Of<float>({2}, {1, 2}))}});
  };
  auto model = load("");
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_EQ(ToString(model->functions[0].defaults.at("k")), "float32[2] [1.0, 2.0]");
  EXPECT_EQ(MessageOf(load("default_captures { key: \"k\" value: \"v\" }").status()),
            "function `f`: default of `k`: capture `v` not found");
  EXPECT_EQ(MessageOf(load("defaults { key: \"k\" value { literal { int: 1 } } }").status()),
            "function `f`: default of `k`: expected a value or a capture, found both");
}

TEST(LoaderTest, RegistersParentsBeforeTheirChildren) {
  auto model = LoadText(OneFunction("(x: app.B(v: float32[2]))", R"(result: "x")") + R"(
      extension_types { name: "app.B" parent: "app.A" components { name: "v" type { text: "float32[?]@v" } } }
      extension_types { name: "app.A" doc: "A" })");
  ASSERT_TRUE(model.ok()) << model.status();
  ASSERT_EQ(model->extension_types.size(), 2u);
  // Parents come first.
  EXPECT_EQ(model->extension_types[1].declaration.components[0].second.ToString(), "float32[?]");
}

TEST(LoaderTest, TakesTheExamples) {
  for (const char* name : {"half_plus_two", "recipes", "text"}) {
    SCOPED_TRACE(name);
    auto model = LoadModelDef(Cat("examples/models/", name, "/1"), Limits());
    EXPECT_TRUE(model.ok()) << model.status();
  }
}

// --- rejected models ----------------------------------------------------------------------------

struct Rejection {
  std::string text;
  std::string message;
};

std::string Node(const std::string& text) {
  return OneFunction("(x: float32[?], k = 1)",
                     Cat("nodes { name: \"y\" ", text, " } result: \"y\""));
}

TEST(LoaderTest, RejectsAndNamesThePlace) {
  const Rejection kRows[] = {
      // The model.
      {"", "expected at least one function, found none"},
      {"functions { name: \"a-b\" signature: \"()\" result: \"1\" }",
       "function `a-b`: expected a name of a letter or `_`, then letters, digits, or `_`, at most "
       "128 "
       "characters, found `a-b`"},
      {"functions { signature: \"()\" result: \"1\" }",
       "function 0: expected a name of a letter or `_`, then"},
      {OneFunction("()", "result: \"1\"") + OneFunction("()", "result: \"1\""),
       "function `f`: duplicate name of a function"},
      {OneFunction("()", "result: \"1\"") +
           "captures { key: \"c\" value { encoded { data: \"x\" } } }",
       "capture `c`: "},

      // Signatures.
      {OneFunction("(x", "result: \"x\""),
       "function `f`: signature: column 3: expected `,` or `)`, found the end"},
      {"functions { name: \"f\" result: \"1\" }",
       "function `f`: missing signature; write `signature`, or `type` and `defaults`"},
      {OneFunction("()", "type { } result: \"1\""),
       "function `f`: `signature` excludes `type` and `defaults`; write one or the other"},
      {OneFunction("g(x)", "result: \"x\""),
       "function `f`: signature: expected the name `f` or no name, found `g`"},
      {OneFunction("(k = ...)", "result: \"k\""),
       "function `f`: optional parameter `k` has no default value"},
      {OneFunction("(k: int32[] = 2.5)", "result: \"k\""), "function `f`: signature: "},
      {R"(functions { name: "f" result: "k"
             type { parameters { name: "k" kind: KEYWORD_ONLY optional: true type { text: "int32[]" } } }
             defaults { key: "k" value { literal { float: 2.5 } } } })",
       "function `f`: default of `k`: "},
      {R"(functions { name: "f" result: "k"
             type { parameters { name: "k" kind: KEYWORD_ONLY } }
             defaults { key: "j" value { literal { int: 1 } } } })",
       "function `f`: default of `j`: expected the name of an optional parameter"},
      {OneFunction("(x)", "parameter_docs { key: \"y\" value: \"\" } result: \"x\""),
       "function `f`: parameter_docs: parameter `y` not found; parameters: `x`"},
      {OneFunction("(x: app.M(v: float32[]))", "result: \"x\""), "function `f`: parameter `x`: "},

      // Nodes.
      {OneFunction("(x)", ""),
       "function `f`: result: missing reference to the value that the function returns"},
      {OneFunction("(x)", "result: \"yy\""),
       "function `f`: result: parameter, node, or capture `yy` not found; available: `x`"},
      {OneFunction("(x)", "nodes { op: \"neg\" } result: \"x\""),
       "function `f`: node 0: expected a name of a letter or `_`, then letters, digits, or `_`, at "
       "most 128 characters, found ``"},
      {OneFunction("(x)", "nodes { name: \"x\" op: \"neg\" } result: \"x\""),
       "function `f`: node `x`: duplicate name; a parameter has it, too"},
      {OneFunction("(x)", "nodes { name: \"y\" } nodes { name: \"y\" } result: \"x\""),
       "function `f`: node `y`: duplicate name; another node has it, too"},
      {Node(""), "function `f`: node `y`: missing op"},
      {Node("op: \"ad\" inputs: \"x\""),
       "function `f`: node `y`: op `ad` not found; the nearest is `add`"},
      {Node("op: \"same_size\" inputs: \"x\""),
       "function `f`: node `y`: op `same_size` is internal to Signet; models cannot call it"},
      {Node("op: \"add\" inputs: \"x\""), "function `f`: node `y`: `add`: expected the inputs ("},
      {Node("op: \"add\" inputs: \"x\" inputs: \"q\""),
       "function `f`: node `y`: input 1: parameter, node, or capture `q` not found; available: "
       "`k`, `x`, "
       "`y`"},
      {Node("op: \"add\" inputs: \"x\" inputs: \"\""),
       "function `f`: node `y`: input 1: expected a reference, found an empty text"},
      {Node("op: \"add\" inputs: \"x\" inputs: \"x:1\""),
       "function `f`: node `y`: input 1: expected a node before output 1; parameters and captures "
       "have no outputs"},
      {Node("op: \"add\" inputs: \"x\" inputs: \"x:many\""),
       "function `f`: node `y`: input 1: expected an output from 0 to 255, found `many`"},
      {Node("op: \"add\" inputs: \"x\" inputs: \"x..a\""),
       "function `f`: node `y`: input 1: `x..a`: expected the name of a field, found an empty "
       "text"},
      {Node("op: \"add\" inputs: \"x\" inputs: \"[1, \""),
       "function `f`: node `y`: input 1: `[1, `: column 5: "},
      {Node("op: \"add\" inputs: \"x\" inputs: \"12x\""),
       "function `f`: node `y`: input 1: `12x`: column "},
      {Node("op: \"add\" inputs: \"x\" inputs: \"\\\"open\""),
       "function `f`: node `y`: input 1: `\"open`: column "},
      {Node("op: \"add\" inputs: \"y\" inputs: \"x\""),
       "function `f`: nodes use each other in a cycle: `y` <- `y`"},
      {OneFunction("(x)", R"(nodes { name: "a" op: "add" inputs: "x" inputs: "c.field" }
                             nodes { name: "b" op: "add" inputs: "x" inputs: "a" }
                             nodes { name: "c" op: "add" inputs: "b" inputs: "x" } result: "x")"),
       "function `f`: nodes use each other in a cycle: `a` <- `c.field` <- `c` <- `b` <- `a`"},

      // Attributes.
      {Node("op: \"struct_get\" inputs: \"x\""),
       "function `f`: node `y`: missing attribute `field`, which `struct_get` requires"},
      {Node("op: \"add\" inputs: [\"x\", \"x\"] attributes { key: \"axis\" value { int: 1 } }"),
       "function `f`: node `y`: attribute `axis` not found; `add` has: none"},
      {Node("op: \"struct_get\" inputs: \"x\" attributes { key: \"field\" value { } }"),
       "function `f`: node `y`: attribute `field`: missing value; write one of bool, int, "},
      {Node("op: \"struct_get\" inputs: \"x\" attributes { key: \"field\" value { from: \"q\" } }"),
       "function `f`: node `y`: attribute `field`: parameter, node, or capture `q` not found; "},
      {Node("op: \"struct_get\" inputs: \"x\" attributes { key: \"field\" value { type: "
            "\"float33[]\" } }"),
       "function `f`: node `y`: attribute `field`: column 1: expected a type, found `float33`; the "
       "nearest is `float32`"},

      // Calls.
      {Node(
           "op: \"call\" inputs: \"x\" attributes { key: \"function\" value { function: \"g\" } }"),
       "function `f`: node `y`: attribute `function`: function `g` not found; functions: `f`"},
      {Node("op: \"call\" inputs: \"x\" attributes { key: \"function\" value { string: \"f\" } }"),
       "function `f`: node `y`: attribute `function`: expected the name of a function of the "
       "model, "
       "`function: \"NAME\"`"},
      {Node(
           "op: \"call\" inputs: \"x\" attributes { key: \"function\" value { function: \"f\" } }"),
       "functions call each other in a cycle: `f` -> `f`"},

      // Extension types.
      {OneFunction("()", "result: \"1\"") + "extension_types { name: \"plain\" }",
       "extension type `plain`: "},
      {OneFunction("()", "result: \"1\"") + "extension_types { name: \"a.B\" parent: \"a.C\" }",
       "extension type `a.B`: "},
      {OneFunction("()", "result: \"1\"") + "extension_types { name: \"a.B\" parent: \"a.C\" } "
                                            "extension_types { name: \"a.C\" parent: \"a.B\" }",
       "extension type `a.B`: expected a parent that does not derive from this type, found a "
       "cycle"},
      {OneFunction("()", "result: \"1\"") +
           "extension_types { name: \"a.B\" } extension_types { name: \"a.B\" }",
       "extension type `a.B`: duplicate name of an extension type"},
      {OneFunction("()", "result: \"1\"") +
           "extension_types { name: \"a.B\" components { name: \"v\" type { text: \"nope\" } } }",
       "extension type `a.B`: component `v`: "},
  };
  for (const Rejection& row : kRows) {
    SCOPED_TRACE(row.text);
    auto model = LoadText(row.text);
    ASSERT_FALSE(model.ok());
    EXPECT_THAT(std::string(MessageOf(model.status())), StartsWith(row.message));
  }
}

// The number of outputs is checked before the types of the parameters are known.
TEST(LoaderTest, RejectsOutputsThatNodesDoNotHave) {
  struct Row {
    const char* nodes;
    const char* result;
    const char* error;  // empty: loads
  };
  constexpr Row kRows[] = {
      {R"(nodes { name: "a" op: "abs" inputs: "x" })", "a:99",
       "result: expected an output of node `a`, which has 1 (op `abs`), found output 99"},
      {R"(nodes { name: "t" op: "top_k" inputs: "x" attributes { key: "k" value { int: 1 } } })",
       "t:2", "result: expected an output of node `t`, which has 2 (op `top_k`), found output 2"},
      {R"(nodes { name: "t" op: "top_k" inputs: "x" attributes { key: "k" value { int: 1 } } })",
       "t:1", ""},
      {R"(nodes { name: "a" op: "abs" inputs: "x" } nodes { name: "b" op: "neg" inputs: "a:1" })",
       "b",
       "node `b`: input 0: expected an output of node `a`, which has 1 (op `abs`), found output 1"},
      {R"(nodes { name: "a" op: "call" inputs: "x"
                  attributes { key: "function" value { function: "g" } } })",
       "a:1", "result: expected an output of node `a`, which has 1 (op `call`), found output 1"},
      // How many parts there are depends on the type.
      {R"(nodes { name: "s" op: "unstack" inputs: "x" attributes { key: "axis" value { int: 0 } } })",
       "s:99", ""},
  };
  const std::string other = " functions { name: \"g\" signature: \"(x)\" result: \"x\" }";
  for (const char* signature : {"(x)", "(x: float32[...])"}) {
    for (const Row& row : kRows) {
      SCOPED_TRACE(Cat(signature, " ", row.nodes, " ", row.result));
      const std::string body = Cat(row.nodes, " result: \"", row.result, "\"");
      auto model = LoadText(OneFunction(signature, body) + other);
      EXPECT_EQ(model.ok(), *row.error == '\0') << model.status();
      if (model.ok()) continue;
      EXPECT_EQ(std::string(MessageOf(model.status())), Cat("function `f`: ", row.error));
    }
  }
}

TEST(LoaderTest, RejectsAnotherFormatVersion) {
  v1::Model proto;
  EXPECT_EQ(MessageOf(ModelDefFromProto(proto, {}, Limits()).status()),
            "missing format_version; write `format_version: 1`");
  proto.set_format_version(2);
  EXPECT_EQ(MessageOf(ModelDefFromProto(proto, {}, Limits()).status()),
            "format_version: expected 1 to 1, found 2");
}

TEST(LoaderTest, RejectsNamesOfCaptures) {
  const Rejection kRows[] = {
      {OneFunction("(w)", "result: \"w\""),
       "function `f`: parameter `w`: duplicate name; a capture has it, too"},
      {OneFunction("(x)", "nodes { name: \"w\" op: \"add\" } result: \"x\""),
       "function `f`: node `w`: duplicate name; a capture has it, too"},
      {OneFunction("(e)", "result: \"e.weight\""),
       "function `f`: result: `e.weight` is ambiguous: it is a capture, and a part of `e`; rename "
       "one of "
       "them"},
      {OneFunction("()", "result: \"1\"") + "captures { key: \"w\" value { literal { int: 1 } } }",
       "capture `w`: duplicate capture; it is also in captures.safetensors"},
  };
  for (const Rejection& row : kRows) {
    SCOPED_TRACE(row.text);
    Captures captures;
    captures.emplace("w", Tensor::Scalar(1.0f));
    captures.emplace("e.weight", Tensor::Scalar(1.0f));
    auto model = LoadText(row.text, std::move(captures));
    ASSERT_FALSE(model.ok());
    EXPECT_EQ(std::string(MessageOf(model.status())), row.message);
  }
}

// --- limits -------------------------------------------------------------------------------------

// `f` calls `g0` twice, `g0` calls `g1` twice, and so on.
std::string DoublingCalls(int depth) {
  auto call = [](int callee, const char* name) {
    return Cat("nodes { name: \"", name,
               "\" op: \"call\" attributes { key: \"function\" value { function: \"g", callee,
               "\" } } } ");
  };
  std::string text;
  for (int i = 0; i < depth; ++i) {
    text += Cat("functions { name: \"g", i, "\" signature: \"()\" result: \"1\" ");
    if (i + 1 < depth) text += call(i + 1, "a") + call(i + 1, "b");
    text += "} ";
  }
  return text;
}

TEST(LoaderTest, RejectsCallsThatGrowExponentially) {
  EXPECT_TRUE(LoadText(DoublingCalls(15)).ok());
  auto model = LoadText(DoublingCalls(40));
  ASSERT_FALSE(model.ok());
  EXPECT_THAT(std::string(MessageOf(model.status())),
              HasSubstr("that it calls exceed the limit of 1000000"));
}

TEST(LoaderTest, RejectsAMillionNodesQuickly) {
  v1::Model proto;
  proto.set_format_version(1);
  v1::Function& function = *proto.add_functions();
  function.set_name("f");
  function.set_signature("(x)");
  function.set_result("x");
  for (int i = 0; i < 1'000'000; ++i) function.add_nodes();
  std::string bytes = proto.SerializeAsString();
  auto start = std::chrono::steady_clock::now();
  auto read = ParseModelBinary(bytes);
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(std::string(MessageOf(read.status())),
            "1000001 functions and nodes exceed the limit of 1000000");
  auto model = ModelDefFromProto(proto, {}, Limits());
  ASSERT_FALSE(model.ok());
  EXPECT_EQ(std::string(MessageOf(model.status())),
            "function `f`: 1000000 nodes exceed the limit of 100000");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(2));
}

TEST(LoaderTest, TakesAChainAsLongAsTheLimit) {
  v1::Model proto;
  proto.set_format_version(1);
  v1::Function& function = *proto.add_functions();
  function.set_name("f");
  function.set_signature("(x)");
  function.set_result("n99999");
  for (int i = 0; i < kMaxNodes; ++i) {
    v1::Node& node = *function.add_nodes();
    node.set_name(Cat("n", i));
    node.set_op("add");
    node.add_inputs(i == 0 ? "x" : Cat("n", i - 1));
    node.add_inputs("1");
  }
  auto model = ModelDefFromProto(proto, {}, Limits());
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_EQ(model->functions[0].graph.nodes.size(), static_cast<size_t>(kMaxNodes));
}

TEST(LoaderTest, BoundsReferences) {
  std::string deep = "x";
  for (int i = 0; i < 100; ++i) deep += ".a";
  const Rejection kRows[] = {
      {deep, "function `f`: result: a reference exceeds the limit of 64 points"},
      {"q" + deep, "function `f`: result: a reference exceeds the limit of 64 points"},
      {std::string(5000, 'x'),
       "function `f`: result: a reference of 5000 characters exceeds the limit of 4096"},
      {std::string(100, '['), "function `f`: result: `"},
  };
  for (const Rejection& row : kRows) {
    SCOPED_TRACE(row.text);
    auto model = LoadText(OneFunction("(x)", Cat("result: \"", row.text, "\"")));
    ASSERT_FALSE(model.ok());
    EXPECT_THAT(std::string(MessageOf(model.status())), StartsWith(row.message));
  }
}

// --- folders ------------------------------------------------------------------------------------

constexpr char kModel[] = R"pb(format_version: 1
                               functions {
                                 name: "f"
                                 signature: "(x: float32[])"
                                 result: "y"
                                 nodes { name: "y" op: "add" inputs: "x" inputs: "bias" }
                               })pb";

class LoaderFolderTest : public testing::Test {
 protected:
  LoaderFolderTest() {
    folder_.Write("m/1/model.pb", BinaryModel(kModel));
    EXPECT_TRUE(WriteSafetensors(path() / kCapturesFile, {{"bias", Tensor::Scalar(2.0f)}}).ok());
  }

  std::filesystem::path path() const { return folder_.path() / "m" / "1"; }
  Status Load() const { return LoadModelDef(path(), Limits()).status(); }
  // Returns the error message without the directory.
  std::string Rejected() const {
    Status status = Load();
    EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << status;
    std::string place = "m/1: ";
    std::string message(MessageOf(status));
    EXPECT_THAT(message, StartsWith(place));
    return message.substr(std::min(place.size(), message.size()));
  }

  TemporaryFolder folder_;
};

TEST_F(LoaderFolderTest, ReadsTheMessageAndCaptures) {
  auto model = LoadModelDef(path(), Limits());
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_EQ(ToString(*model->captures.at("bias").Get()), "float32[] 2.0");
}

TEST_F(LoaderFolderTest, RejectsBothForms) {
  folder_.Write("m/1/model.signet", "");
  EXPECT_EQ(Rejected(), "model.signet and model.pb are mutually exclusive");
}

TEST_F(LoaderFolderTest, RejectsNeitherForm) {
  std::filesystem::remove(path() / kBinaryFile);
  EXPECT_EQ(
      Rejected(),
      "expected a model.onnx, saved_model.pb, saved_model.pbtxt, frozen_graph.pb, model.signet, "
      "or model.pb, found none");
}

TEST_F(LoaderFolderTest, RejectsAMissingFolder) {
  std::filesystem::remove_all(path());
  EXPECT_EQ(Rejected(), "no such folder");
}

TEST_F(LoaderFolderTest, RejectsAFileAboveTheLimit) {
  std::filesystem::resize_file(path() / kBinaryFile, kMaxModelBytes + 1);  // sparse
  EXPECT_EQ(Rejected(), "model.pb: 67108865 bytes exceed the limit of 67108864");
}

TEST_F(LoaderFolderTest, RejectsPipesWithoutWaiting) {
  std::filesystem::remove(path() / kBinaryFile);
  ASSERT_EQ(::mkfifo((path() / kBinaryFile).c_str(), 0600), 0);
  EXPECT_EQ(Rejected(), "model.pb: expected a regular file");
}

TEST_F(LoaderFolderTest, RejectsCapturesThatAreNotAFile) {
  std::filesystem::remove(path() / kCapturesFile);
  std::filesystem::create_directory(path() / kCapturesFile);
  EXPECT_EQ(Rejected(), "captures.safetensors: expected a regular file");
}

TEST_F(LoaderFolderTest, RejectsCapturesLargerThanTheirFile) {
  std::string bytes = ReadWholeFile(path() / kCapturesFile);
  folder_.Write("m/1/captures.safetensors", bytes.substr(0, bytes.size() - 1));
  EXPECT_THAT(Rejected(), StartsWith("captures.safetensors: expected tensors to end at byte "));
}

TEST_F(LoaderFolderTest, SaysWhichCaptureIsMissing) {
  std::filesystem::remove(path() / kCapturesFile);
  EXPECT_EQ(Rejected(),
            "function `f`: node `y`: input 1: parameter, node, or capture `bias` not found; "
            "available: `x`, `y`");
}

TEST_F(LoaderFolderTest, SurvivesTruncationAtEachByte) {
  auto proto = ReadModelProto(path());
  ASSERT_TRUE(proto.ok()) << proto.status();
  std::string bytes = proto->SerializeAsString();
  std::filesystem::remove(path() / kBinaryFile);
  folder_.Write("m/1/model.pb", bytes);
  ASSERT_TRUE(Load().ok()) << Load();
  for (size_t size = 0; size < bytes.size(); ++size) {
    SCOPED_TRACE(size);
    folder_.Write("m/1/model.pb", std::string_view(bytes).substr(0, size));
    EXPECT_FALSE(Rejected().empty());
  }
}

TEST_F(LoaderFolderTest, SurvivesEachFlippedBit) {
  auto proto = ReadModelProto(path());
  ASSERT_TRUE(proto.ok()) << proto.status();
  std::string bytes = proto->SerializeAsString();
  for (size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    std::string flipped = bytes;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
    auto read = ParseModelBinary(flipped);
    if (read.ok()) static_cast<void>(ModelDefFromProto(*read, {}, Limits()));
  }
}

// Responses repeat these texts: text that is not UTF-8 would make them unreadable for every client.
TEST(LoaderTest, RejectsTextThatIsNotUtf8) {
  const std::string latin = "caf\xe9";
  const std::string one = OneFunction("(x)", "result: \"x\"");
  const std::string inside = one.substr(0, one.size() - 2);
  const std::pair<std::string, std::string> kTexts[] = {
      {Cat("doc: \"", latin, "\" ", one), "doc: expected UTF-8, found `caf\\xe9`; byte 4"},
      {Cat("doc: \"caf\\351\" ", one), "doc: expected UTF-8"},
      {Cat(inside, " doc: \"", latin, "\" }"), "functions[0]: doc: "},
      {Cat(inside, " examples: \"1\" examples: \"", latin, "\" }"), "functions[0]: examples[1]: "},
      {Cat(inside, " parameter_docs { key: \"x\" value: \"", latin, "\" } }"),
       "functions[0]: parameter_docs[`x`]: value: "},
      {Cat(one, " metadata { key: \"author\" value: \"", latin, "\" }"),
       "metadata[`author`]: value: "},
      {Cat(one, " metadata { key: \"", latin, "\" value: \"a\" }"), "key: expected UTF-8"},
      {Cat(one, " extension_types { name: \"a.B\" doc: \"", latin, "\" }"),
       "extension_types[0]: doc: "},
  };
  for (const auto& [text, message] : kTexts) {
    SCOPED_TRACE(message);
    Status status = LoadText(text).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
    EXPECT_THAT(std::string(MessageOf(status)), HasSubstr(message));
  }
  auto proto = ParseModelText("format_version: 1 doc: \"caf\xc3\xa9\" " + one);
  ASSERT_TRUE(proto.ok()) << proto.status();
  EXPECT_TRUE(ModelDefFromProto(*proto, {}, Limits()).ok());
  proto->set_doc("abcd");
  std::string bytes = proto->SerializeAsString();
  bytes.replace(bytes.find("abcd"), 4, latin);
  EXPECT_EQ(ParseModelBinary(bytes).status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace signet
