#include "core/runtime/polymorphic_function.h"

#include <cmath>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/types/notation/notation.h"
#include "core/values/builders/value_notation.h"
#include "signet/sequence_spec.h"
#include "tests/support/body_maker.h"

namespace signet {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

FunctionDef ScaledSum() {
  return BodyMaker("scaled_sum", "(x: float32[...], /, y, *, by: float32[] = 2.0)")
      .Node("sum", "add", {"x", "y"})
      .Node("out", "mul", {"sum", "by"})
      .Make("out");
}

TEST(PolymorphicFunctionTest, BindsSpecialisesAndRuns) {
  FunctionDef def = ScaledSum();
  TestLibrary library;
  PolymorphicFunction function(def, library);
  Tensor x = Tensor::Of<float>({2}, {1, 2});
  Tensor y = Tensor::Of<float>({2}, {10, 20});
  auto result = function.Call({{x, y}, {}}, {});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_TRUE(SameTensor(result->tensor(), Tensor::Of<float>({2}, {22, 44})));
  auto scaled = function.Call({{x, y}, {{"by", Value::OfLiteral(Literal::Int(3))}}}, {});
  ASSERT_TRUE(scaled.ok()) << scaled.status();
  EXPECT_TRUE(SameTensor(scaled->tensor(), Tensor::Of<float>({2}, {33, 66})));
  EXPECT_EQ(function.cache_stats().specializations, 1u);  // both calls have the same types
}

TEST(PolymorphicFunctionTest, KeepsTheSignOfZeroWhicheverComesFirst) {
  FunctionDef inverse = BodyMaker("inverse", "(x)").Node("out", "div", {"1.0", "x"}).Make("out");
  FunctionDef same = BodyMaker("same", "(x)").Make("x");
  TestLibrary library;
  for (bool negative_first : {false, true}) {
    PolymorphicFunction inverse_function(inverse, library);
    PolymorphicFunction same_function(same, library);
    for (bool negative : {negative_first, !negative_first}) {
      Value zero = Value::OfLiteral(Literal::Float(negative ? -0.0 : 0.0));
      auto result = inverse_function.Call({{zero}, {}}, {});
      ASSERT_TRUE(result.ok()) << result.status();
      EXPECT_EQ(result->tensor().scalar<float>() < 0, negative);
      auto echoed = same_function.Call({{zero}, {}}, {});
      ASSERT_TRUE(echoed.ok()) << echoed.status();
      EXPECT_EQ(std::signbit(echoed->literal().float_value()), negative);
    }
  }
}

TEST(PolymorphicFunctionTest, KeepsTheBitsOfLiteralsInADict) {
  FunctionDef def = BodyMaker("pair", "()")
                        .Node("out", "make_dict", {"-0.0", "0.0"},
                              {{"names", ListType({AttributeOf("a"), AttributeOf("b")})}})
                        .Make("out");
  TestLibrary library;
  PolymorphicFunction function(def, library);
  auto result = function.Call({}, {});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->spec().ToString(), "dict(a: -0.0, b: 0.0)");
}

TEST(PolymorphicFunctionTest, CallsWithNamesThatPythonAccepts) {
  TestLibrary library;
  FunctionDef def =
      BodyMaker("f", "(a, /, *args, **kw)").Node("r", "make_tuple", {"a", "args", "kw"}).Make("r");
  PolymorphicFunction function(def, library);
  auto literal = [](int64_t number) { return Value::OfLiteral(Literal::Int(number)); };
  CallArguments arguments{{literal(1), literal(2)},
                          {{"args_0", literal(3)}, {"a", literal(4)}, {"odd key", literal(5)}}};
  auto result = function.Call(arguments, {});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->spec().ToString(), "tuple(1, tuple(2), dict(a: 4, args_0: 3, \"odd key\": 5))");
  // Each argument is explained as itself, even if another argument has its name.
  Explanation explanation = function.Explain(arguments);
  ASSERT_TRUE(explanation.error.ok()) << explanation.error;
  ASSERT_EQ(explanation.arguments.size(), 5u);
  for (const ExplainedArgument& argument : explanation.arguments) {
    EXPECT_EQ(argument.bound, argument.given) << argument.parameter;
  }
}

TEST(PolymorphicFunctionTest, AnyIsSpecializedForTheActualType) {
  TestLibrary library;
  FunctionDef def = BodyMaker("f", "(x: any, y: any(float32[...]) = 1.0)")
                        .Node("r", "make_tuple", {"x", "y"})
                        .Make("r");
  PolymorphicFunction function(def, library);
  ASSERT_TRUE(function.CheckBody().ok());
  auto text = function.Call({{Value::OfLiteral(Literal::String("a"))}, {}}, {});
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_EQ(text->spec().ToString(), "tuple(\"a\", float32[])");
  auto tensor = function.Call({{Tensor::Of<int32_t>({2}, {1, 2})}, {}}, {});
  ASSERT_TRUE(tensor.ok()) << tensor.status();
  EXPECT_EQ(tensor->spec().ToString(), "tuple(int32[2], float32[])");
}

TEST(PolymorphicFunctionTest, AConcreteFunctionRemembersItsDefaults) {
  TestLibrary library;
  FunctionDef def = ScaledSum();
  PolymorphicFunction function(def, library);
  auto concrete = function.FindConcrete(
      {{Value::OfType(*ParseTypeSpec("float32[...]")), Value::OfType(*ParseTypeSpec("float32[?]"))},
       {}});
  ASSERT_TRUE(concrete.ok()) << concrete.status();
  Tensor x = Tensor::Of<float>({2}, {1, 2});
  auto result = (*concrete)->Call({{x}, {{"y", x}}}, {});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_TRUE(SameTensor(result->tensor(), Tensor::Of<float>({2}, {4, 8})));
  result = (*concrete)->Call({{x, x}, {{"by", Tensor::Scalar(3.0f)}}}, {});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_TRUE(SameTensor(result->tensor(), Tensor::Of<float>({2}, {6, 12})));
  EXPECT_EQ(ReasonOf((*concrete)->Call({{x}, {}}, {}).status()), "MISSING_REQUIRED");
  EXPECT_EQ(ReasonOf((*concrete)->Call({{x, x, x}, {}}, {}).status()), "TOO_MANY_POSITIONAL");
  auto other = (*concrete)->Call({{x, Tensor::Of<int32_t>({2}, {1, 2})}, {}}, {});
  EXPECT_EQ(ReasonOf(other.status()), "DTYPE_MISMATCH");
}

TEST(PolymorphicFunctionTest, Int32RowSplitsAreAcceptedForInt64) {
  TestLibrary library;
  FunctionDef def = BodyMaker("f", "(x: ragged float32[?, (?)], /)").Make("x");
  PolymorphicFunction function(def, library);
  auto narrow = ParseValue("ragged<splits=int32> float32[2, (?)] [[1], [2, 3]]");
  ASSERT_TRUE(narrow.ok()) << narrow.status();
  auto result = function.Call({{*narrow}, {}}, {});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(ToString(*result), "ragged float32[2, (?)] [[1.0], [2.0, 3.0]]");
}

TEST(PolymorphicFunctionTest, ResultsOutliveTheCall) {
  FunctionDef def = BodyMaker("same", "(x)").Make("x");
  TestLibrary library;
  PolymorphicFunction function(def, library);
  Value result;
  {
    Tensor x = Tensor::Of<float>({3}, {1, 2, 3});
    result = *function.Call({{x}, {}}, {});
  }
  EXPECT_TRUE(SameTensor(result.tensor(), Tensor::Of<float>({3}, {1, 2, 3})));
}

TEST(PolymorphicFunctionTest, StopsAtTheDeadlineAndOnCancellation) {
  FunctionDef def = ScaledSum();
  TestLibrary library;
  PolymorphicFunction function(def, library);
  Tensor x = Tensor::Of<float>({2}, {1, 2});
  RunControl late{.deadline = std::chrono::steady_clock::now() - std::chrono::seconds(1)};
  EXPECT_EQ(function.Call({{x, x}, {}}, late).status().code(), absl::StatusCode::kDeadlineExceeded);
  std::atomic<bool> cancelled = true;
  RunControl stopped{.cancelled = &cancelled};
  EXPECT_EQ(function.Call({{x, x}, {}}, stopped).status().code(), absl::StatusCode::kCancelled);
}

// A single kernel that takes seconds, so that only checks within it can end the call.
TEST(PolymorphicFunctionTest, StopsWithinAKernel) {
  FunctionDef def = BodyMaker("f", "(x)").Node("y", "det", {"x"}).Make("y");
  TestLibrary library;
  PolymorphicFunction function(def, library);
  constexpr int64_t kSize = 2500;
  Tensor x = *Tensor::Allocate(DType::kFloat32, {kSize, kSize});
  float* elements = x.mutable_elements<float>();
  for (int64_t i = 0; i < x.num_elements(); ++i) {
    elements[i] = static_cast<float>(i * 7919 % 1009) / 1009;
  }
  RunControl late{.deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(50)};
  EXPECT_EQ(function.Call({{x}, {}}, late).status().code(), absl::StatusCode::kDeadlineExceeded);
}

TEST(PolymorphicFunctionTest, ExplainsWhatACallWouldDo) {
  FunctionDef def = ScaledSum();
  TestLibrary library;
  PolymorphicFunction function(def, library);
  Value two = Tensor::Of<float>({2}, {1, 2});
  Explanation first = function.Explain({{two, two}, {}});
  ASSERT_TRUE(first.error.ok()) << first.error;
  EXPECT_EQ(first.outcome, Explanation::Outcome::kSpecialized);
  ASSERT_EQ(first.arguments.size(), 3u);
  EXPECT_EQ(first.arguments[2].source, ExplainedArgument::Source::kDefault);
  EXPECT_EQ(first.output.ToString(), "float32[2]");
  EXPECT_THAT(first.plan, HasSubstr("add"));
  EXPECT_EQ(function.Explain({{two, two}, {}}).outcome, Explanation::Outcome::kExact);

  Value three = Tensor::Of<float>({3}, {1, 2, 3});
  Explanation other = function.Explain({{three, three}, {}});
  ASSERT_EQ(other.candidates.size(), 1u);
  EXPECT_FALSE(other.candidates[0].accepts);
  EXPECT_THAT(other.candidates[0].why, HasSubstr("float32[3]"));

  // A type in place of a value stands for every value that its parameter takes.
  Value any_rank = Value::OfType(*ParseTypeSpec("float32[2]"));
  EXPECT_EQ(function.Explain({{any_rank, two}, {}}).output.ToString(), "float32[...]");

  Explanation rejected = function.Explain({{two}, {}});
  EXPECT_EQ(rejected.outcome, Explanation::Outcome::kRejected);
  EXPECT_EQ(ReasonOf(rejected.error), "MISSING_REQUIRED");
}

TEST(PolymorphicFunctionTest, ChecksABodyByItsSignature) {
  TestLibrary library;
  FunctionDef good = BodyMaker("f", "(x: float32[?, 4], w: float32[4, ?])")
                         .Node("y", "matmul", {"x", "w"})
                         .Make("y");
  EXPECT_TRUE(PolymorphicFunction(good, library).CheckBody().ok())
      << PolymorphicFunction(good, library).CheckBody();
  FunctionDef bad = BodyMaker("f", "(x: float32[?, 4], w: float32[5, ?])")
                        .Node("y", "matmul", {"x", "w"})
                        .Make("y");
  EXPECT_FALSE(PolymorphicFunction(bad, library).CheckBody().ok());
  // How many further arguments there are, no signature says.
  FunctionDef rest = BodyMaker("f", "(x: float32[], *rest)")
                         .Node("second", "get_item", {"rest"}, {{"key", AttributeOf(0)}})
                         .Make("second");
  EXPECT_TRUE(PolymorphicFunction(rest, library).CheckBody().ok())
      << PolymorphicFunction(rest, library).CheckBody();
}

// Which branch a run takes does not change the type of a result if all branches agree on it.
TEST(PolymorphicFunctionTest, StatesTheResultOfBranchesAndLoopsIfItHoldsForEveryCall) {
  TestLibrary library;
  auto define = [&](const BodyMaker& body, std::string_view name, std::string_view result) {
    library.functions.emplace(std::string(name), BodyMaker(body).Make(result));
  };
  define(BodyMaker("halves", "(x)").Node("y", "mul", {"x", "0.5"}), "halves", "y");
  define(BodyMaker("negative", "(x)").Node("y", "neg", {"x"}), "negative", "y");
  define(BodyMaker("total", "(x)").Node("y", "reduce_sum", {"x"}), "total", "y");
  define(BodyMaker("none", "(x)"), "none", "0.0");
  define(BodyMaker("small", "(x)").Node("s", "reduce_sum", {"x"}).Node("y", "less", {"s", "9.0"}),
         "small", "y");
  auto stated = [&](std::string_view then, std::string_view otherwise) {
    FunctionDef def = BodyMaker("f", "(x: float32[?])")
                          .Node("n", "size", {"x"})
                          .Node("big", "greater", {"n", "1"})
                          .Node("y", "cond", {"big", "x"},
                                {{"then", AttributeOf(then)}, {"else", AttributeOf(otherwise)}})
                          .Make("y");
    PolymorphicFunction function(def, library);
    EXPECT_TRUE(function.CheckBody().ok()) << function.CheckBody();
    return function.output() ? function.output().ToString() : "";
  };
  EXPECT_EQ(stated("halves", "negative"), "float32[?]");
  EXPECT_EQ(stated("total", "total"), "float32[]");
  // With one element, the result is a literal: only a call can tell.
  EXPECT_EQ(stated("total", "none"), "");

  FunctionDef loop =
      BodyMaker("f", "(x: float32[?])")
          .Node("y", "while", {"x"},
                {{"condition", AttributeOf("small")}, {"body", AttributeOf("halves")}})
          .Make("y");
  PolymorphicFunction function(loop, library);
  ASSERT_TRUE(function.CheckBody().ok()) << function.CheckBody();
  ASSERT_TRUE(function.output());
  EXPECT_EQ(function.output().ToString(), "float32[?]");
}

TEST(PolymorphicFunctionTest, CallsOfTypesMetBeforeAreBoundAsTheFirst) {
  FunctionDef def =
      BodyMaker("sum", "(x: float32[?], y: float32[?])").Node("out", "add", {"x", "y"}).Make("out");
  TestLibrary library;
  PolymorphicFunction function(def, library);
  Value x = Tensor::Of<float>({2}, {1, 2});
  Value list = ListOf(
      std::vector<Value>{Value::OfLiteral(Literal::Int(10)), Value::OfLiteral(Literal::Int(20))});
  Tensor sum = Tensor::Of<float>({2}, {11, 22});
  for (int round = 0; round < 3; ++round) {
    EXPECT_TRUE(SameTensor(function.Call({{x, list}, {}}, {})->tensor(), sum));
    EXPECT_TRUE(SameTensor(function.Call({{list, x}, {}}, {})->tensor(), sum));
    EXPECT_TRUE(SameTensor(function.Call({{x}, {{"y", list}}}, {})->tensor(), sum));
    Value y = Tensor::Of<float>({2}, {10, 20});
    EXPECT_TRUE(SameTensor(function.Call({{x, y}, {}}, {})->tensor(), sum));
    EXPECT_TRUE(SameTensor(function.Call({{y}, {{"y", x}}}, {})->tensor(), sum));
    EXPECT_FALSE(function.Call({{x, Value(Tensor::Of<double>({2}, {1, 2}))}, {}}, {}).ok());
    EXPECT_FALSE(function.Call({{x, Value()}, {}}, {}).ok());
    EXPECT_FALSE(function.Call({{x}, {}}, {}).ok());
    EXPECT_FALSE(function.Call({{x, x, x}, {}}, {}).ok());
  }
  FunctionCacheStats stats = function.cache_stats();
  EXPECT_EQ(stats.specializations, 1u);
  EXPECT_EQ(stats.hits, 14u);  // of 15 calls that were answered
}

// The order of fields comes from the signature and the body, not from the first call.
TEST(PolymorphicFunctionTest, ResultsHaveTheOrderOfTheSignatureWhateverACallerWrites) {
  FunctionDef same = BodyMaker("same", "(x: [{b: int8[], a: string[]}])").Make("x");
  FunctionDef anything = BodyMaker("anything", "(x)").Make("x");
  FunctionDef declared =
      BodyMaker("declared", "(x: [{b: int8[], a: string[]}]) -> [{a: string[], b: int8[]}]")
          .Make("x");
  TestLibrary library;
  const Value values[] = {
      *ParseValue("{b: int8[], a: string[]}[1] [{b: 1, a: \"x\"}]"),
      *ParseValue("{a: string[], b: int8[]}[1] [{b: 1, a: \"x\"}]"),
  };
  for (bool is_reversed : {false, true}) {
    PolymorphicFunction functions[] = {PolymorphicFunction(same, library),
                                       PolymorphicFunction(anything, library),
                                       PolymorphicFunction(declared, library)};
    const char* expected[] = {"{b: int8[], a: string[]}[1]", "{a: string[], b: int8[]}[1]",
                              "{a: string[], b: int8[]}[1]"};
    for (size_t f = 0; f < 3; ++f) {
      for (int i = 0; i < 4; ++i) {
        auto result = functions[f].Call({{values[(i + is_reversed) % 2]}, {}}, {});
        ASSERT_TRUE(result.ok()) << result.status();
        EXPECT_EQ(result->spec().ToString(), expected[f]);
      }
      // One function serves both orders.
      EXPECT_EQ(functions[f].cache_stats().specializations, 1u);
    }
  }
}

TEST(PolymorphicFunctionTest, ManyNewTypesStayBoundedAndAnswerRight) {
  FunctionDef def = BodyMaker("twice", "(x)").Node("y", "add", {"x", "x"}).Make("y");
  TestLibrary library;
  PolymorphicFunction function(def, library, {.max_concrete_functions = 32});
  for (int64_t n = 1; n <= 2000; ++n) {
    auto x = Tensor::Allocate(DType::kFloat32, Shape{n});
    std::fill_n(x->mutable_elements<float>(), n, 1.0f);
    auto y = function.Call({{*x}, {}}, {});
    ASSERT_TRUE(y.ok()) << y.status();
    ASSERT_EQ(y->tensor().num_elements(), n);
    ASSERT_EQ(y->tensor().elements<float>().back(), 2.0f);
  }
  FunctionCacheStats stats = function.cache_stats();
  EXPECT_LE(stats.targets, 32u);
  EXPECT_GE(stats.generalizations, 1u);
  EXPECT_LT(stats.specializations, 100u);
}

Value Parsed(const std::string& text) {
  auto value = ParseValue(text);
  EXPECT_TRUE(value.ok()) << text << ": " << value.status();
  return value.ok() ? *value : Value::None();
}

FunctionDef SumWithRagged(std::string_view op = "add") {
  return BodyMaker("f", "(x: float32[?, ?], r: ragged float32[?, (?)])")
      .Node("s", op, {"x", "r"})
      .Make("s");
}

// x has `rows` rows, as r has.
CallArguments RaggedArguments(int rows) {
  std::string x, r;
  for (int i = 0; i < rows; ++i) {
    x += Cat(i == 0 ? "" : ", ", "[", i, ".0]");
    r += Cat(i == 0 ? "" : ", ", "[1.0, 2.0]");
  }
  return {{Parsed(Cat("float32[", rows, ", 1] [", x, "]")),
           Parsed(Cat("ragged float32[", rows, ", (?)] [", r, "]"))},
          {}};
}

TEST(PolymorphicFunctionTest, StretchesSizesOfOneWhateverTypesCameBefore) {
  constexpr char kSignature[] = "(x: float32[?, ?], r: ragged float32[?, (?)])";
  const FunctionDef defs[] = {
      SumWithRagged("add"),
      SumWithRagged("maximum"),
      SumWithRagged("mul"),
      BodyMaker("f", kSignature)
          .Node("c", "less", {"r", "1.5"})
          .Node("y", "select", {"c", "x", "r"})
          .Make("y"),
      BodyMaker("f", kSignature).Node("y", "clip", {"r", "x", "20.0"}).Make("y"),
  };
  for (const FunctionDef& def : defs) {
    TestLibrary library;
    PolymorphicFunction function(def, library);
    CallArguments stretched = RaggedArguments(6);
    stretched.positional[0] = Parsed("float32[1, 1] [[10.0]]");
    auto expected = PolymorphicFunction(def, library).Call(stretched, {});
    ASSERT_TRUE(expected.ok()) << expected.status();
    for (int rows = 2; rows < 14; ++rows) {
      ASSERT_TRUE(function.Call(RaggedArguments(rows), {}).ok());
    }
    EXPECT_GE(function.cache_stats().generalizations, 1u);
    for (int i = 0; i < 2; ++i) {
      auto found = function.Call(stretched, {});
      ASSERT_TRUE(found.ok()) << found.status();
      EXPECT_TRUE(SameValue(*found, *expected));
    }
    PolymorphicFunction explained(def, library);
    explained.Explain(
        {{Value::OfType(*ParseTypeSpec("float32[?, ?]")), stretched.positional[1]}, {}});
    auto found = explained.Call(stretched, {});
    ASSERT_TRUE(found.ok()) << found.status();
    EXPECT_TRUE(SameValue(*found, *expected));
  }
}

TEST(PolymorphicFunctionTest, RepeatsErrorsOfTheTypeOfTheCall) {
  FunctionDef def = BodyMaker("f", "(x: float32[?], y: float32[?])")
                        .Node("unused", "add", {"x", "y"})
                        .Node("z", "neg", {"x"})
                        .Make("z");
  TestLibrary library;
  PolymorphicFunction function(def, library);
  auto vector = [](int n) { return Value(*Tensor::Allocate(DType::kFloat32, Shape{n})); };
  for (int n = 2; n < 14; ++n) ASSERT_TRUE(function.Call({{vector(n), vector(n)}, {}}, {}).ok());
  auto expected = PolymorphicFunction(def, library).Call({{vector(2), vector(3)}, {}}, {});
  EXPECT_FALSE(expected.ok());
  EXPECT_EQ(function.Call({{vector(2), vector(3)}, {}}, {}).status(), expected.status());
}

TEST(PolymorphicFunctionTest, KeepsTheKindOfAResultThatDependsOnASize) {
  FunctionDef def =
      BodyMaker("kind", "(x: float32[?])")
          .Node("n", "dim_size", {"x"}, {{"axis", AttributeOf(0)}})
          .Node("c", "less", {"n", "4"})
          .Node("r", "cond", {"c"}, {{"then", AttributeOf("small")}, {"else", AttributeOf("big")}})
          .Make("r");
  TestLibrary library;
  library.functions.emplace("small", BodyMaker("small", "()").Make("\"small\""));
  library.functions.emplace("big", BodyMaker("big", "()").Make("\"big\""));
  PolymorphicFunction function(def, library);
  function.Explain({{Value::OfType(*ParseTypeSpec("float32[?]"))}, {}});
  for (int round = 0; round < 2; ++round) {
    for (int n = 0; n < 20; ++n) {
      auto found = function.Call({{*Tensor::Allocate(DType::kFloat32, Shape{n})}, {}}, {});
      ASSERT_TRUE(found.ok()) << found.status();
      EXPECT_EQ(found->spec().ToString(), n < 4 ? "\"small\"" : "\"big\"");
    }
  }
}

TEST(PolymorphicFunctionTest, ExplainsWhichFunctionLendsItsPlan) {
  FunctionDef def = BodyMaker("twice", "(x)").Node("y", "add", {"x", "x"}).Make("y");
  TestLibrary library;
  PolymorphicFunction function(def, library);
  Value any_size = Value::OfType(*ParseTypeSpec("float32[?]"));
  ASSERT_TRUE(function.Explain({{any_size}, {}}).error.ok());
  Value two = Tensor::Of<float>({2}, {1, 2});
  for (int round = 0; round < 2; ++round) {
    Explanation explanation = function.Explain({{two}, {}});
    EXPECT_EQ(explanation.outcome, Explanation::Outcome::kSupertype);
    int num_chosen = 0;
    for (const ExplainedCandidate& candidate : explanation.candidates) {
      num_chosen += candidate.chosen ? 1 : 0;
    }
    EXPECT_EQ(num_chosen, 1);
  }
}

TEST(PolymorphicFunctionTest, StatesTheNumberOfRowsOfAResult) {
  FunctionDef def = BodyMaker("same", "(x)").Make("x");
  TestLibrary library;
  PolymorphicFunction function(def, library);
  const std::string type = "[{a: float32[], b: float32[(?)]}]";
  function.Explain({{Value::OfType(*ParseTypeSpec(type))}, {}});
  for (int n = 0; n < 20; ++n) {
    std::string rows;
    for (int i = 0; i < n; ++i) rows += Cat(i == 0 ? "" : ", ", "{a: 1.0, b: [2.0]}");
    Value open = Parsed(Cat(type, " [", rows, "]"));
    auto found = function.Call({{open}, {}}, {});
    ASSERT_TRUE(found.ok()) << found.status();
    EXPECT_EQ(found->spec().shape()->dim(0), n);
  }
}

TEST(PolymorphicFunctionTest, StatesNoOutputThatOnlyDefaultsGive) {
  TestLibrary library;
  struct Case {
    FunctionDef def;
    const char* output;
  } const cases[] = {
      {BodyMaker("d", "(x = 1)").Make("x"), "any type"},
      {BodyMaker("d", "(x = int32[1] [1])").Make("x"), "any type"},
      {BodyMaker("d", "(x: float32[], y = 1)").Node("z", "neg", {"x"}).Make("z"), "any type"},
      {BodyMaker("d", "(x: float32[] = 1.0)").Node("z", "neg", {"x"}).Make("z"), "float32[]"},
      {BodyMaker("d", "(x: float32[?])").Node("z", "neg", {"x"}).Make("z"), "float32[?]"},
  };
  for (const Case& c : cases) {
    PolymorphicFunction function(c.def, library);
    EXPECT_TRUE(function.CheckBody().ok());
    EXPECT_EQ(function.output().ToString(), c.output);
  }
}

constexpr int64_t kMiB = int64_t{1} << 20;

TEST(PolymorphicFunctionTest, CountsTheTextOfLiterals) {
  FunctionDef def = BodyMaker("length", "(x)").Node("y", "string_length", {"x"}).Make("y");
  TestLibrary library;
  PolymorphicFunction function(def, library, {.max_function_bytes = 8 * kMiB});
  for (char c = 'a'; c <= 'z'; ++c) {
    auto length =
        function.Call({{Value::OfLiteral(Literal::String(std::string(kMiB, c)))}, {}}, {});
    ASSERT_TRUE(length.ok()) << length.status();
    FunctionCacheStats stats = function.cache_stats();
    EXPECT_LE(stats.bytes, 8 * kMiB);
    EXPECT_GE(stats.bytes, static_cast<int64_t>(stats.targets) * kMiB);
  }
  EXPECT_GE(function.cache_stats().evictions, 18U);
}

TEST(PolymorphicFunctionTest, CountsFoldedConstants) {
  FunctionDef def = BodyMaker("numbers", "(n)").Node("y", "range", {"n"}).Make("y");
  TestLibrary library;
  PolymorphicFunction function(def, library, {.max_function_bytes = 5 * kMiB});
  auto explain = [&](int64_t n) {
    EXPECT_TRUE(function.Explain({{Value::OfLiteral(Literal::Int(n))}, {}}).error.ok());
  };
  explain(100);
  EXPECT_LT(function.cache_stats().bytes, kMiB);
  explain(1 << 19);  // 2 MiB of int32
  EXPECT_GT(function.cache_stats().bytes, 2 * kMiB);
  for (int64_t n = 1; n < 20; ++n) {
    explain((1 << 19) + n);
    EXPECT_LE(function.cache_stats().bytes, 5 * kMiB);
  }
}

// The captured matrix belongs to the model, and its packed copy to the concrete function.
TEST(PolymorphicFunctionTest, CountsPackedWeights) {
  TestLibrary library;
  library.values["w"] = *Tensor::Allocate(DType::kFloat32, Shape{512, 512});
  FunctionDef def =
      BodyMaker("project", "(x: float32[?, 512])").Node("y", "matmul", {"x", "$w"}).Make("y");
  PolymorphicFunction function(def, library);
  const CallArguments types = {{Value::OfType(*ParseTypeSpec("float32[1, 512]"))}, {}};
  EXPECT_TRUE(function.Explain(types).error.ok());
  EXPECT_GE(function.cache_stats().bytes, kMiB);
  EXPECT_LE(function.cache_stats().bytes, 3 * kMiB);
}

// What is large and quick to make is made by each run.
TEST(PolymorphicFunctionTest, DoesNotFoldWhatExpandsWithoutBound) {
  FunctionDef def = BodyMaker("numbers", "(n)").Node("y", "range", {"n"}).Make("y");
  TestLibrary library;
  PolymorphicFunction function(def, library);
  for (int64_t n = 190'000'000; n < 190'000'009; ++n) {
    Explanation explanation = function.Explain({{Value::OfLiteral(Literal::Int(n))}, {}});
    ASSERT_TRUE(explanation.error.ok()) << explanation.error;
    EXPECT_THAT(explanation.plan, HasSubstr("range"));
  }
  EXPECT_LT(function.cache_stats().bytes, kMiB);
}

// The weights of some networks are written as fills, and a convolution packs only known weights.
TEST(PolymorphicFunctionTest, FoldsWhatExpandsLittleComparedWithTheLimitOfACall) {
  FunctionDef def = BodyMaker("numbers", "(n)").Node("y", "range", {"n"}).Make("y");
  TestLibrary library;
  const CallArguments numbers = {{Value::OfLiteral(Literal::Int(8 * kMiB))}, {}};  // 32 MiB
  PolymorphicFunction function(def, library);
  EXPECT_THAT(function.Explain(numbers).plan, Not(HasSubstr("range")));
  PolymorphicFunction bounded(def, library, {.max_call_bytes = 256 * kMiB});
  EXPECT_THAT(bounded.Explain(numbers).plan, HasSubstr("range"));
}

TEST(PolymorphicFunctionTest, AnswersTheSameWithFunctionsThatAreNotKept) {
  FunctionDef def = BodyMaker("numbers", "(n)").Node("y", "range", {"n"}).Make("y");
  TestLibrary library;
  PolymorphicFunction function(def, library, {.max_function_bytes = 1000});
  for (int i = 0; i < 3; ++i) {
    auto numbers = function.Call({{Value::OfLiteral(Literal::Int(5000))}, {}}, {});
    ASSERT_TRUE(numbers.ok()) << numbers.status();
    EXPECT_EQ(numbers->tensor().num_elements(), 5000);
  }
  EXPECT_EQ(function.cache_stats().targets, 0U);
}

// Each concrete function keeps the memory of its last runs, and a server has many of them.
TEST(PolymorphicFunctionTest, KeepsABoundedNumberOfLargeFrames) {
  FunctionDef def = BodyMaker("sum", "(x: float32[?], by)")
                        .Node("scaled", "mul", {"x", "by"})
                        .Node("y", "reduce_max", {"scaled"})
                        .Make("y");
  TestLibrary library;
  {
    PolymorphicFunction function(def, library);
    std::vector<float> elements(4 * kMiB, 1.0f);
    Tensor x = Tensor::Of<float>({4 * kMiB}, elements);
    for (int64_t by = 1; by < 20; ++by) {
      auto result = function.Call({{x, Value::OfLiteral(Literal::Int(by))}, {}}, {});
      ASSERT_TRUE(result.ok()) << result.status();
      EXPECT_LE(FramePool::pooled_bytes(), FramePool::kMaxPooledBytes);
    }
    EXPECT_GT(FramePool::pooled_bytes(), 0U);
  }
  EXPECT_EQ(FramePool::pooled_bytes(), 0U);
}

TEST(PolymorphicFunctionTest, DoesNotExplainCandidatesWithMuchText) {
  FunctionDef def = BodyMaker("same", "(x)").Make("x");
  TestLibrary library;
  PolymorphicFunction function(def, library);
  auto explain = [&](char c, size_t size) {
    return function.Explain({{Value::OfLiteral(Literal::String(std::string(size, c)))}, {}});
  };
  explain('a', kMiB);
  explain('b', 10);
  EXPECT_EQ(explain('c', 10).candidates.size(), 1U);  // that of `b`
}

}  // namespace
}  // namespace signet
