#include "core/graph/lower/extension_types.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/graph/lower/declared_extension.h"
#include "core/graph/lower/evaluator.h"
#include "core/graph/lower/inliner.h"
#include "core/graph/lower/specializer.h"
#include "core/ops/build/parts.h"
#include "core/types/notation/notation.h"
#include "core/values/builders/value_notation.h"
#include "signet/extension_spec.h"
#include "tests/support/typed_library.h"

namespace signet {
namespace {

using testing::ElementsAreArray;
using testing::HasSubstr;

Value Parsed(std::string_view text) {
  auto value = ParseValue(text);
  EXPECT_TRUE(value.ok()) << text << ": " << value.status();
  return value.ok() ? *value : Value::None();
}

StatusOr<Value> RunOn(const FunctionLibrary& library, std::string_view op,
                      const std::vector<Value>& inputs, const Attributes& attributes = {}) {
  Evaluator run(library);
  std::vector<GraphValue> values;
  for (const Value& input : inputs) values.push_back(run.Constant(input));
  SIGNET_ASSIGN_OR_RETURN(auto outputs, run.Call(op, values, attributes));
  return run.ValueOf(outputs.at(0));
}

// Says that it was asked, and declines.
class Asked final : public ExtensionProtocol {
 public:
  Asked(ExtensionDeclaration declaration, std::vector<std::string>& log)
      : ExtensionProtocol(std::move(declaration)), log_(log) {}
  StatusOr<std::optional<std::vector<GraphValue>>> Override(
      CallExpander&, const OpCall& call, std::span<const GraphValue>,
      std::vector<std::string>&) const override {
    log_.push_back(Cat(declaration().name, " of ", Join(call.inputs, " ")));
    return std::optional<std::vector<GraphValue>>();
  }

 private:
  std::vector<std::string>& log_;
};

TEST(ExtensionTypesTest, AsksChildrenBeforeParentsAndElseFromTheLeft) {
  std::vector<std::string> log;
  TypedLibrary library;
  for (const auto& [name, parent] :
       std::vector<std::pair<std::string, std::string>>{{"t.A", ""}, {"t.B", "t.A"}, {"t.C", ""}}) {
    ExtensionDeclaration declaration;
    declaration.name = name;
    declaration.parent = parent;
    declaration.components = {{"x", TypeSpec()}};
    ASSERT_TRUE(library.extension_types.Add(std::make_shared<Asked>(declaration, log)).ok());
  }
  struct Case {
    std::vector<std::string> inputs;
    std::vector<std::string> asked;
  } const cases[] = {
      {{"A", "C"}, {"t.A of A C", "t.C of A C"}},
      {{"C", "A"}, {"t.C of C A", "t.A of C A"}},
      {{"A", "B"}, {"t.B of A B", "t.A of A A"}},
      {{"B", "C"}, {"t.B of B C", "t.A of A C", "t.C of B C"}},
      {{"A", "C", "B", "A"}, {"t.B of A C B A", "t.A of A C A A", "t.C of A C B A"}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(Join(c.inputs, " "));
    log.clear();
    std::vector<Value> inputs;
    for (const std::string& name : c.inputs) {
      inputs.push_back(Parsed(Cat("t.", name, "(x: int8[]) {x: 1}")));
    }
    auto made = RunOn(library, "concat", inputs, Attributes({{"axis", AttributeOf(0)}}));
    EXPECT_EQ(made.status().code(), absl::StatusCode::kUnimplemented) << made.status();
    std::vector<std::string> asked;
    for (std::string line : log) {
      for (size_t at; (at = line.find("(x: int8[])")) != std::string::npos;) line.erase(at, 11);
      for (size_t at; (at = line.find(" t.")) != std::string::npos;) line.erase(at + 1, 2);
      asked.push_back(line);
    }
    EXPECT_THAT(asked, ElementsAreArray(c.asked));
  }
}

TEST(ExtensionTypesTest, FallsThroughWhatDeclines) {
  TypedLibrary library;
  library.Define(BodyMaker("no", "(a, b, /)").Node("n", "decline", {"a"}).Make("n"));
  library.Define(BodyMaker("first", "(a: t.A(x: int8[]), b, /)")
                     .Node("x", "struct_get", {"a"}, {{"field", AttributeOf("x")}})
                     .Make("x"));
  library.Define(BodyMaker("name", "(a, b, /, *, op)").Make("op"));
  ExtensionFunctions functions;
  functions.overrides = {
      {.op = "add", .function = "no", .inputs = {"any"}},
      {.op = "add", .function = "first", .inputs = {"t.A", "tensor"}},
      {.family = OpFamily::kBinaryElementwise, .function = "name", .inputs = {"any"}},
  };
  library.Declare("t.A", "", functions);
  Value small = Parsed("t.A(x: int8[]) {x: 1}");
  Value wide = Parsed("t.A(x: int16[]) {x: 1}");
  Value two = Value::OfLiteral(Literal::Int(2));
  struct Case {
    const char* op;
    std::vector<Value> inputs;
    const char* made;
  } const cases[] = {
      {"add", {small, two}, "int8[] 1"},  // a number is a tensor
      {"add", {two, small}, "\"add\""},   // not the first, by its place
      {"add", {wide, two}, "\"add\""},    // nor by its signature
      {"mul", {small, wide}, "\"mul\""},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(Cat(c.op, " => ", c.made));
    auto made = RunOn(library, c.op, c.inputs);
    ASSERT_TRUE(made.ok()) << made.status();
    EXPECT_EQ(ToString(*made), c.made);
  }
  Status rejected = RunOn(library, "neg", {small}).status();
  EXPECT_EQ(rejected.code(), absl::StatusCode::kUnimplemented);
  EXPECT_EQ(MessageOf(rejected),
            "`neg` of `t.A(x: int8[])`; types that were tried, in this order: `t.A`\n  t.A has no "
            "override");
}

TEST(ExtensionTypesTest, SaysWhatWasTried) {
  TypedLibrary library;
  library.Define(BodyMaker("no", "(a, b, /)").Node("n", "decline", {"a"}).Make("n"));
  library.Define(BodyMaker("one", "(a, /)").Make("a"));
  ExtensionFunctions functions;
  functions.overrides = {{.op = "add", .function = "no", .inputs = {"any"}},
                         {.op = "add", .function = "one", .inputs = {"any"}},
                         {.op = "add", .function = "no", .inputs = {"t.A", "ragged"}}};
  library.Declare("t.A", "", functions);
  Value a = Parsed("t.A(x: int8[]) {x: 1}");
  Status rejected = RunOn(library, "add", {a, a}).status();
  EXPECT_EQ(rejected.code(), absl::StatusCode::kUnimplemented);
  EXPECT_THAT(MessageOf(rejected), HasSubstr("\n  t.A: `no` declined\n  t.A: `one`: "));
  EXPECT_THAT(MessageOf(rejected), HasSubstr("\n  t.A: `no` accepts t.A, ragged"));
}

TEST(ExtensionTypesTest, BatchesByComponentWhatNoOverrideTakes) {
  TypedLibrary library;
  library.Declare("t.A", "");
  library.Declare("t.B", "");
  ExtensionDeclaration never;
  never.name = "t.N";
  never.components = {{"x", TypeSpec()}};
  never.batches = false;
  ASSERT_TRUE(
      library.extension_types.Add(std::make_shared<DeclaredExtension>(never, ExtensionFunctions()))
          .ok());
  std::vector<Value> values = {Parsed("t.A(x: list(int8[2], \"k\")) {x: [[1, 2], \"k\"]}"),
                               Parsed("t.A(x: list(int8[2], \"k\")) {x: [[3, 4], \"k\"]}")};
  auto stacked = RunOn(library, "stack", values);
  ASSERT_TRUE(stacked.ok()) << stacked.status();
  EXPECT_EQ(ToString(*stacked), "t.A(x: list(int8[2, 2], \"k\")) {x: [[[1, 2], [3, 4]], \"k\"]}");
  auto first = RunOn(library, "unstack", {*stacked});
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_EQ(ToString(*first), ToString(values[0]));
  auto second = RunOn(library, "gather", {*stacked, Tensor::Scalar<int64_t>(1)});
  ASSERT_TRUE(second.ok()) << second.status();
  EXPECT_EQ(ToString(*second), ToString(values[1]));
  // Dimensions are folded and merged by component, too.
  Value four = Parsed("t.A(x: list(int8[4, 1], \"k\")) {x: [[[1], [2], [3], [4]], \"k\"]}");
  auto folded = RunOn(library, "partition_outer_dimension", {four},
                      Attributes({{"uniform_row_length", AttributeOf(2)}}));
  ASSERT_TRUE(folded.ok()) << folded.status();
  EXPECT_EQ(ToString(*folded),
            "t.A(x: list(int8[2, 2, 1], \"k\")) {x: [[[[1], [2]], [[3], [4]]], \"k\"]}");
  auto merged = RunOn(library, "merge_dims", {*folded},
                      Attributes({{"outer", AttributeOf(0)}, {"inner", AttributeOf(1)}}));
  ASSERT_TRUE(merged.ok()) << merged.status();
  EXPECT_EQ(ToString(*merged), ToString(four));
  // Not together with another type, without a declaration, with a type that never batches, or by
  // any other op.
  Value other = Parsed("t.B(x: int8[]) {x: 1}");
  Value unknown = Parsed("t.U(x: int8[]) {x: 1}");
  Value alone = Parsed("t.N(x: int8[]) {x: 1}");
  for (const auto& inputs :
       {std::vector<Value>{values[0], other}, {unknown, unknown}, {alone, alone}}) {
    EXPECT_EQ(RunOn(library, "stack", inputs).status().code(), absl::StatusCode::kUnimplemented);
  }
  EXPECT_EQ(RunOn(library, "neg", {values[0]}).status().code(), absl::StatusCode::kUnimplemented);
}

TEST(ExtensionTypesTest, ChecksWhatComesOfComponents) {
  TypedLibrary library;
  ExtensionDeclaration vector;
  vector.name = "t.V";
  vector.components = {{"x", *ParseTypeSpec("int8[?]")}};
  ASSERT_TRUE(
      library.extension_types.Add(std::make_shared<DeclaredExtension>(vector, ExtensionFunctions()))
          .ok());
  Value value = Parsed("t.V(x: int8[2]) {x: [1, 2]}");
  auto joined = RunOn(library, "concat", {value, value});
  ASSERT_TRUE(joined.ok()) << joined.status();
  EXPECT_EQ(ToString(*joined), "t.V(x: int8[4]) {x: [1, 2, 1, 2]}");
  EXPECT_THAT(MessageOf(RunOn(library, "stack", {value, value}).status()), HasSubstr("`stack`: "));
}

TEST(ExtensionTypesTest, KeepsTheErrorOfAnOverride) {
  TypedLibrary library;
  library.Define(BodyMaker("strict", "(a, /)")
                     .Node("c", "check_true", {"False"}, {{"message", AttributeOf("not today")}})
                     .Make("a"));
  ExtensionFunctions functions;
  functions.overrides = {{.op = "neg", .function = "strict", .inputs = {"any"}}};
  library.Declare("t.A", "", functions);
  Status rejected = RunOn(library, "neg", {Parsed("t.A(x: int8[]) {x: 1}")}).status();
  EXPECT_EQ(rejected.code(), absl::StatusCode::kInvalidArgument) << rejected;
  EXPECT_THAT(MessageOf(rejected), HasSubstr("not today"));
}

TEST(ExtensionTypesTest, BoundsOverridesThatCallThemselves) {
  TypedLibrary library;
  library.Define(BodyMaker("again", "(a, /, *, op)")
                     .Node("y", "apply", {"a"}, {}, {{"op", "op"}})
                     .Node("z", "apply", {"a"}, {}, {{"op", "op"}})
                     .Make("y"));
  ExtensionFunctions functions;
  functions.overrides = {
      {.family = OpFamily::kUnaryElementwise, .function = "again", .inputs = {"any"}}};
  library.Declare("t.A", "", functions);
  Status rejected = RunOn(library, "neg", {Parsed("t.A(x: int8[]) {x: 1}")}).status();
  EXPECT_EQ(rejected.code(), absl::StatusCode::kResourceExhausted) << rejected;
}

TEST(ExtensionTypesTest, ChecksWhatEntersOnceItIsKnown) {
  TypedLibrary library;
  FunctionDef positive = BodyMaker("positive", "(a, /)")
                             .Node("x", "struct_get", {"a"}, {{"field", AttributeOf("x")}})
                             .Node("p", "greater", {"x", "0"})
                             .Node("all", "reduce_all", {"p"})
                             .Make("all");
  positive.doc = "x is above 0\nnot shown";
  library.Define(positive);
  ExtensionFunctions functions;
  functions.invariants = {"positive"};
  library.Declare("t.A", "", functions);
  FunctionDef def = BodyMaker("f", "(arg, /)").Make("1");
  FunctionType type = CallType(def, {Parsed("list(t.A(x: int8[2])) [{x: [1, 0]}]")});
  for (bool optimize : {false, true}) {
    auto made = Specialize(def, type, library, {.optimize = optimize, .verify = true});
    ASSERT_TRUE(made.ok()) << made.status();
    ASSERT_FALSE(made->graph.nodes.empty());
    const FlatNode& last = made->graph.nodes.back();
    EXPECT_EQ(last.op->name, "check_true");  // though no result needs it
    EXPECT_EQ(*last.attributes.String("message"), "argument `arg`: `t.A`: x is above 0");
  }
}

TEST(ExtensionTypesTest, RejectsInvariantsThatAreNotBoolean) {
  TypedLibrary library;
  library.Define(BodyMaker("count", "(a, /)").Make("1"));
  ExtensionFunctions functions;
  functions.invariants = {"count"};
  library.Declare("t.A", "", functions);
  FunctionDef def = BodyMaker("f", "(arg, /)").Make("1");
  FunctionType type = CallType(def, {Parsed("t.A(x: int8[2]) {x: [1, 0]}")});
  EXPECT_EQ(MessageOf(Specialize(def, type, library).status()),
            "argument `arg`: `t.A`: invariant `count`: expected the result `bool[]`, found `1`");
}

TEST(ExtensionTypesTest, ConvertsOneVersionAfterAnother) {
  TypedLibrary library;
  for (int version : {1, 2}) {
    library.Define(BodyMaker(Cat("upgrade_", version), "(a, /)")
                       .Node("x", "struct_get", {"a"}, {{"field", AttributeOf("x")}})
                       .Node("y", "mul", {"x", "10"})
                       .Node("made", "make_extension", {"y"},
                             {{"type", AttributeOf("t.A")},
                              {"statics", *ParseTypeSpec(Cat("dict(v: ", version + 1, ")"))}})
                       .Make("made"));
  }
  ExtensionFunctions functions;
  functions.conversions = {{*ParseTypeSpec("t.A<v=1>()"), "upgrade_1"},
                           {*ParseTypeSpec("t.A<v=2>()"), "upgrade_2"}};
  library.Declare("t.A", "", functions, {"v"});
  Evaluator run(library);
  TypeSpec wanted = *ParseTypeSpec("t.A<v=3>(x: int32[])");
  auto made = library.extension_types.Convert(
      run, run.Constant(Parsed("t.A<v=1>(x: int32[]) {x: 7}")), wanted);
  ASSERT_TRUE(made.ok()) << made.status();
  ASSERT_TRUE(made->has_value());
  EXPECT_EQ(ToString(run.ValueOf((*made)->value)), "t.A<v=3>(x: int32[]) {x: 700}");
  EXPECT_EQ((*made)->by, "upgrade_1, upgrade_2");
  auto none = library.extension_types.Convert(
      run, run.Constant(Parsed("t.A<v=4>(x: int32[]) {x: 7}")), wanted);
  ASSERT_TRUE(none.ok()) << none.status();
  EXPECT_FALSE(none->has_value());
}

TEST(ExtensionTypesTest, BoundsConversionsThatNeedThemselves) {
  TypedLibrary library;
  library.Define(BodyMaker("again", "(a: t.A<v=2>(x: int8[]), /)").Make("a"));
  ExtensionFunctions functions;
  functions.conversions = {{*ParseTypeSpec("t.A<v=1>()"), "again"}};
  library.Declare("t.A", "", functions, {"v"});
  Evaluator run(library);
  auto made = run.Convert(run.Constant(Parsed("t.A<v=1>(x: int8[]) {x: 7}")),
                          *ParseTypeSpec("t.A<v=2>(x: int8[])"));
  EXPECT_EQ(made.status().code(), absl::StatusCode::kResourceExhausted) << made.status();
}

TEST(ExtensionTypesTest, KeepsUnknownTypesOpaque) {
  TypedLibrary library;
  library.Declare("t.A", "");
  Value stranger = Parsed("u.B(y: int8[]) {y: 1}");
  auto passed = RunOn(library, "identity", {stranger});
  ASSERT_TRUE(passed.ok()) << passed.status();
  EXPECT_TRUE(SameValue(*passed, stranger));
  EXPECT_EQ(RunOn(library, "neg", {stranger}).status().code(), absl::StatusCode::kUnimplemented);
}

}  // namespace
}  // namespace signet
