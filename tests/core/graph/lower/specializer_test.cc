#include "core/graph/lower/specializer.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/types/notation/notation.h"
#include "tests/support/body_maker.h"

namespace signet {
namespace {

using ::testing::HasSubstr;

std::vector<std::string> OpsOf(const FlatGraph& graph) {
  std::vector<std::string> names;
  for (const FlatNode& node : graph.nodes) names.push_back(node.op->name);
  return names;
}

Value Placeholder(std::string_view type) { return Value::OfType(*ParseTypeSpec(type)); }

StatusOr<Specialization> Try(const FunctionDef& def, std::vector<Value> arguments,
                             const TestLibrary& library = {}) {
  return Specialize(def, CallType(def, std::move(arguments)), library,
                    {.fuse = false, .verify = true});
}

TEST(SpecializerTest, InfersEveryType) {
  FunctionDef f = BodyMaker("f", "(x, y)").Node("sum", "add", {"x", "y"}).Make("sum");
  auto made = Try(f, {Placeholder("float32[2, 1]"), Placeholder("float32[3]")});
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_EQ(made->output.ToString(), "float32[2, 3]");
}

TEST(SpecializerTest, SaysWhichNodeDoesNotFit) {
  FunctionDef f = BodyMaker("f", "(x, y)").Node("sum", "add", {"x", "y"}).Make("sum");
  auto made = Try(f, {Placeholder("float32[2]"), Placeholder("float32[3]")});
  ASSERT_FALSE(made.ok());
  EXPECT_THAT(MessageOf(made.status()), HasSubstr("node `sum`: `add`: "));
}

TEST(SpecializerTest, MakesLiteralsOfTheDTypeBesideThem) {
  FunctionDef f = BodyMaker("f", "(x, k = 2)").Node("y", "mul", {"x", "k"}).Make("y");
  auto made = Try(f, {Placeholder("float64[2]")});
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_EQ(made->output.ToString(), "float64[2]");
  EXPECT_EQ(made->graph.num_inputs, 1);
}

TEST(SpecializerTest, RejectsALiteralOutsideTheRangeOfTheDType) {
  FunctionDef f = BodyMaker("f", "(x, k = 2.5)").Node("y", "mul", {"x", "k"}).Make("y");
  auto made = Try(f, {Placeholder("int32[2]")});
  ASSERT_FALSE(made.ok());
  EXPECT_THAT(MessageOf(made.status()), HasSubstr("input 1 of `mul`"));
}

// The type states one of two sizes. It stays known while sizes are copied (known_elements.h).
TEST(SpecializerTest, FoldsElementsOfAShapeThatTheTypeStates) {
  auto list = [](std::vector<int64_t> elements) {
    return AttributeOf(std::span<const int64_t>(elements));
  };
  FunctionDef f = BodyMaker("f", "(x)")
                      .Node("sizes", "shape", {"x"})
                      .Node("twice", "concat", {"sizes", "sizes"})
                      .Node("column", "expand_dims", {"twice"}, {{"axis", AttributeOf(1)}})
                      .Node("last", "slice", {"column"}, {{"starts", list({3})}})
                      .Node("flat", "reshape", {"last"}, {{"shape", list({})}})
                      .Node("y", "equal", {"flat", "3"})
                      .Make("y");
  auto made = Try(f, {Placeholder("float32[?, 3]")});
  ASSERT_TRUE(made.ok()) << made.status();
  const FlatEdge& y = made->graph.edges[static_cast<size_t>(made->graph.results[0])];
  ASSERT_TRUE(y.constant.has_value()) << made->graph.ToString();
  EXPECT_TRUE(y.constant.scalar<bool>());
  auto open = Try(f, {Placeholder("float32[3, ?]")});
  ASSERT_TRUE(open.ok()) << open.status();
  EXPECT_FALSE(open->graph.edges[static_cast<size_t>(open->graph.results[0])].constant.has_value());
}

TEST(SpecializerTest, SharesEqualCallsAndFoldsConstants) {
  TestLibrary library;
  library.values["w"] = Tensor::Of<float>({2}, {1, 2});
  FunctionDef f = BodyMaker("f", "(x)")
                      .Node("w2", "mul", {"$w", "$w"})
                      .Node("a", "add", {"x", "w2"})
                      .Node("b", "add", {"x", "w2"})
                      .Node("y", "mul", {"a", "b"})
                      .Make("y");
  auto made = Try(f, {Placeholder("float32[2]")}, library);
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_EQ(OpsOf(made->graph), (std::vector<std::string>{"add", "mul"}));
}

TEST(SpecializerTest, LeavesToTheRunWhatIsTooMuchToFold) {
  FunctionDef counts =
      BodyMaker("f", "(x)").Node("y", "range", {"0", "100000000000", "1"}).Make("y");
  auto made = Try(counts, {Placeholder("float32[2]")});
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_EQ(OpsOf(made->graph), std::vector<std::string>{"range"});

  BodyMaker doubles("f", "(x)");
  doubles.Node("n0", "string_concat", {"\"abcdefgh\"", "\"abcdefgh\""});
  for (int i = 1; i < 60; ++i) {
    std::string before = Cat("n", i - 1);
    doubles.Node(Cat("n", i), "string_concat", {before, before});
  }
  made = Try(doubles.Make("n59"), {Placeholder("float32[2]")});
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_GT(made->graph.nodes.size(), 30u);
}

// Little memory, and minutes of arithmetic or more.
TEST(SpecializerTest, LeavesToTheRunWhatTakesLongToFold) {
  TestLibrary library;
  auto zeros = [&](const char* name, const Shape& shape, auto zero) {
    Tensor tensor = *Tensor::Allocate(DTypeOf<decltype(zero)>::value, shape);
    std::fill_n(tensor.mutable_elements<decltype(zero)>(), tensor.num_elements(), zero);
    library.values[name] = tensor;
  };
  zeros("image", {1, 1, 2000, 2000}, 0.0f);
  zeros("window", {1, 1, 512, 512}, 0.0f);
  zeros("matrix", {4000, 4000}, 0.0f);
  zeros("boxes", {1, 4000, 4}, 0.0f);
  zeros("scores", {1, 1000, 4000}, 0.0f);
  zeros("regions", {1000, 4}, 0.0f);
  zeros("images", {1000}, int64_t{0});
  library.values["most"] = Tensor::Scalar<int64_t>(100'000);
  auto ints = [](std::vector<int64_t> values) {
    return AttributeOf(std::span<const int64_t>(values));
  };
  struct Case {
    const char* op;
    std::vector<std::string> inputs;
    NamedTypes attributes = {};
  };
  const Case cases[] = {
      {"conv", {"$image", "$window"}},
      {"conv_transpose", {"$image", "$window"}},
      {"matmul", {"$matrix", "$matrix"}},
      {"det", {"$matrix"}},
      {"max_pool", {"$image"}, {{"kernel", ints({1000, 1000})}}},
      {"squared_distances", {"$matrix", "$matrix"}},
      {"non_max_suppression", {"$boxes", "$scores", "$most"}},
      {"roi_align",
       {"$image", "$regions", "$images"},
       {{"size", ints({1, 1})}, {"sampling_ratio", AttributeOf(1024)}}},
  };
  for (const Case& each : cases) {
    BodyMaker f("f", "(x)");
    auto made = Try(f.Node("y", each.op, each.inputs, each.attributes).Make("y"),
                    {Placeholder("float32[2]")}, library);
    ASSERT_TRUE(made.ok()) << made.status();
    EXPECT_EQ(OpsOf(made->graph), std::vector<std::string>{each.op});
  }
}

// 2 to the 60th calls, which come to one node or none.
TEST(SpecializerTest, RejectsCallChainsThatAreTooDeep) {
  for (const char* op : {"neg", ""}) {
    TestLibrary library;
    BodyMaker first("f0", "(x)");
    library.functions.emplace("f0",
                              *op == 0 ? first.Make("x") : first.Node("y", op, {"x"}).Make("y"));
    for (int i = 1; i <= 60; ++i) {
      NamedTypes callee = {{"function", AttributeOf(Cat("f", i - 1))}};
      std::string name = Cat("f", i);
      library.functions.emplace(name, BodyMaker(name, "(x)")
                                          .Node("a", "call", {"x"}, callee)
                                          .Node("b", "call", {"x"}, callee)
                                          .Make("b"));
    }
    auto made = Try(library.functions.at("f60"), {Placeholder("float32[2]")}, library);
    EXPECT_EQ(made.status().code(), absl::StatusCode::kResourceExhausted) << made.status();
    EXPECT_THAT(MessageOf(made.status()), HasSubstr("calls"));
  }
}

// A node and a level each: 2 to the 60th tensors.
TEST(SpecializerTest, RejectsNestsThatGrowExponentially) {
  BodyMaker doubles("f", "(x)");
  doubles.Node("n0", "make_tuple", {"x", "x"});
  for (int i = 1; i < 60; ++i) {
    std::string before = Cat("n", i - 1);
    doubles.Node(Cat("n", i), "make_tuple", {before, before});
  }
  auto made = Try(doubles.Make("n59"), {Placeholder("float32[2]")});
  EXPECT_EQ(made.status().code(), absl::StatusCode::kResourceExhausted) << made.status();
}

TEST(SpecializerTest, DropsWhatNoResultNeeds) {
  FunctionDef f =
      BodyMaker("f", "(x, y)").Node("used", "neg", {"x"}).Node("unused", "exp", {"y"}).Make("used");
  auto made = Try(f, {Placeholder("float32[2]"), Placeholder("float32[2]")});
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_EQ(OpsOf(made->graph), (std::vector<std::string>{"neg"}));
}

TEST(SpecializerTest, TakesAttributesFromLiteralArguments) {
  FunctionDef f =
      BodyMaker("f", "(x, k = 3)").Node("top", "top_k", {"x"}, {}, {{"k", "k"}}).Make("top");
  auto by_default = Try(f, {Placeholder("float32[10]")});
  ASSERT_TRUE(by_default.ok()) << by_default.status();
  EXPECT_EQ(by_default->output.ToString(), "float32[3]");
  auto given = Try(f, {Placeholder("float32[10]"), Value::OfLiteral(Literal::Int(5))});
  ASSERT_TRUE(given.ok()) << given.status();
  EXPECT_EQ(given->output.ToString(), "float32[5]");
  auto tensor = Try(f, {Placeholder("float32[10]"), Placeholder("int32[]")});
  ASSERT_FALSE(tensor.ok());
  EXPECT_THAT(MessageOf(tensor.status()),
              HasSubstr("attribute `k`: expected a literal, or a tensor that is known when the "
                        "function is specialized, found a value of type `int32[]`"));
}

TEST(SpecializerTest, DecidesBranchesOnLiterals) {
  TestLibrary library;
  library.functions.emplace("twice",
                            BodyMaker("twice", "(x)").Node("y", "add", {"x", "x"}).Make("y"));
  library.functions.emplace("root", BodyMaker("root", "(x)").Node("y", "sqrt", {"x"}).Make("y"));
  FunctionDef f = BodyMaker("f", "(x, flag)")
                      .Node("y", "cond", {"flag", "x"},
                            {{"then", AttributeOf("twice")}, {"else", AttributeOf("root")}})
                      .Make("y");
  for (bool flag : {true, false}) {
    auto made = Try(f, {Placeholder("float32[2]"), Value::OfLiteral(Literal::Bool(flag))}, library);
    ASSERT_TRUE(made.ok()) << made.status();
    EXPECT_EQ(OpsOf(made->graph), (std::vector<std::string>{flag ? "add" : "sqrt"}));
  }
  auto unknown = Try(f, {Placeholder("float32[2]"), Placeholder("bool[]")}, library);
  ASSERT_TRUE(unknown.ok()) << unknown.status();
  EXPECT_EQ(OpsOf(unknown->graph), (std::vector<std::string>{"switch"}));
  auto number = Try(f, {Placeholder("float32[2]"), Placeholder("int32[]")}, library);
  ASSERT_FALSE(number.ok());
  EXPECT_THAT(MessageOf(number.status()), HasSubstr("expected `bool[]`"));
}

TEST(SpecializerTest, DecidesBranchesOnWhatItCanCompute) {
  TestLibrary library;
  library.values["limit"] = Tensor::Scalar<int32_t>(3);
  library.functions.emplace("twice",
                            BodyMaker("twice", "(x)").Node("y", "add", {"x", "x"}).Make("y"));
  library.functions.emplace("root", BodyMaker("root", "(x)").Node("y", "sqrt", {"x"}).Make("y"));
  FunctionDef f = BodyMaker("f", "(x)")
                      .Node("big", "greater", {"$limit", "2"})
                      .Node("y", "cond", {"big", "x"},
                            {{"then", AttributeOf("twice")}, {"else", AttributeOf("root")}})
                      .Make("y");
  for (bool optimize : {false, true}) {
    auto made = Specialize(f, CallType(f, {Placeholder("float32[2]")}), library,
                           {.optimize = optimize, .verify = true});
    ASSERT_TRUE(made.ok()) << made.status();
    EXPECT_EQ(OpsOf(made->graph).back(), "add");
  }
}

TEST(SpecializerTest, InlinesCallsBySignature) {
  TestLibrary library;
  library.functions.emplace(
      "scale",
      BodyMaker("scale", "(x, /, *, by: float32[] = 2.0)").Node("y", "mul", {"x", "by"}).Make("y"));
  FunctionDef f =
      BodyMaker("f", "(x)")
          .Node("a", "call", {"x"}, {{"function", AttributeOf("scale")}})
          .Node("b", "call", {"a", "3"},
                {{"function", AttributeOf("scale")}, {"keywords", *ParseTypeSpec("list(\"by\")")}})
          .Make("b");
  auto made = Try(f, {Placeholder("float32[2]")}, library);
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_EQ(OpsOf(made->graph), (std::vector<std::string>{"mul", "mul"}));
  FunctionDef wrong = BodyMaker("g", "(x)")
                          .Node("a", "call", {"x", "x"}, {{"function", AttributeOf("scale")}})
                          .Make("a");
  auto rejected = Try(wrong, {Placeholder("float32[2]")}, library);
  ASSERT_FALSE(rejected.ok());
  EXPECT_EQ(ReasonOf(rejected.status()), "TOO_MANY_POSITIONAL");
}

TEST(SpecializerTest, RejectsAResultThatDoesNotFitTheSignature) {
  FunctionDef f = BodyMaker("f", "(x) -> int32[]").Node("y", "neg", {"x"}).Make("y");
  auto made = Try(f, {Placeholder("float32[2]")});
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(MessageOf(made.status()),
            "result: expected `int32[]` as in the signature, found `float32[2]`");
}

TEST(SpecializerTest, GivesVariadicArgumentsAsTupleAndDict) {
  FunctionDef f = BodyMaker("f", "(*args, **kw)")
                      .Node("second", "get_item", {"args"}, {{"key", AttributeOf(1)}})
                      .Node("named", "get_item", {"kw"}, {{"key", AttributeOf("bias")}})
                      .Node("y", "add", {"second", "named"})
                      .Make("y");
  auto call = Canonicalize(
      f.type,
      {{Placeholder("int32[]"), Placeholder("float32[2]")}, {{"bias", Placeholder("float32[]")}}},
      f.defaults);
  ASSERT_TRUE(call.ok()) << call.status();
  auto made = Specialize(f, call->type, TestLibrary(), {.verify = true});
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_EQ(made->output.ToString(), "float32[2]");
  EXPECT_EQ(made->graph.num_inputs, 3);
}

}  // namespace
}  // namespace signet
