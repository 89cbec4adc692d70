#include "core/function/cast.h"

#include <string>

#include <gtest/gtest.h>

#include "core/function/plain_data.h"
#include "core/values/builders/value_notation.h"
#include "signet/literal_spec.h"

namespace signet {
namespace {

Value PlainValue(std::string_view text) {
  NotationReader in(text);
  auto value = ReadPlainData(in, {});
  EXPECT_TRUE(value.ok()) << text << ": " << value.status();
  return value.ok() ? *value : Value::None();
}

TEST(CastTest, MakesWhatTheConstraintWants) {
  struct Case {
    const char* value;
    const char* constraint;
    const char* made;
  } const cases[] = {
      {"3", "float32[]", "float32[] 3.0"},
      {"3", "complex64[...]", "complex64[] [3.0, 0.0]"},
      {"[1, 2.5]", "float32[?]", "float32[2] [1.0, 2.5]"},
      {"[[1, 2], (3, 4)]", "int8[?, ?]", "int8[2, 2] [[1, 2], [3, 4]]"},
      {"[]", "string[?]", "string[0] []"},
      {"[[], []]", "float32[...]", "float32[2, 0] [[], []]"},
      {"[\"a\", \"\", \"bc\"]", "string[3]", "string[3] [\"a\", \"\", \"bc\"]"},
      {"[True, False]", "bool[2]", "bool[2] [True, False]"},
      {"(1, [2, 3])", "tuple(int8[], int64[?])", "tuple(int8[], int64[2]) [1, [2, 3]]"},
      {"{b: 1, a: \"x\"}", "dict(a: \"x\", b: float32[])",
       "dict(a: \"x\", b: float32[]) {a: \"x\", b: 1.0}"},
      {"inf", "float16[]", "float16[] inf"},
      {"65504.0", "float16[]", "float16[] 65504.0"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(Cat(c.value, " for ", c.constraint));
    auto made = CastTo(PlainValue(c.value), *ParseTypeSpec(c.constraint));
    ASSERT_TRUE(made.ok()) << made.status();
    auto expected = ParseValue(c.made);
    ASSERT_TRUE(expected.ok()) << expected.status();
    EXPECT_TRUE(SameValue(*made, *expected)) << ToString(*made);
  }
}

TEST(CastTest, SaysWhatDoesNotFitAndWhere) {
  struct Case {
    const char* value;
    const char* constraint;
    const char* reason;
    const char* message;
  } const cases[] = {
      {"2.0", "int32[]", "DTYPE_MISMATCH", "expected an integer for `int32`, found `2.0`"},
      {"1", "bool[]", "DTYPE_MISMATCH", "expected true or false for `bool`, found `1`"},
      {"True", "float32[]", "DTYPE_MISMATCH", "expected a number for `float32`, found `true`"},
      {"\"1\"", "float32[]", "DTYPE_MISMATCH", "expected a number for `float32`, found `\"1\"`"},
      {"[1, 300]", "uint8[2]", "OUT_OF_RANGE",
       "argument `x[1]`: expected 0 to 255 for `uint8`, found `300`"},
      {"1e300", "float32[]", "OUT_OF_RANGE", "`1e+300`; beyond the largest `float32`"},
      {"65520", "float16[]", "OUT_OF_RANGE", "`65520`; beyond the largest `float16`"},
      {"None", "float32[]", "NOT_CONVERTIBLE", "found `None`, which has no tensor form"},
      {"[1, None]", "float32[?]", "NOT_CONVERTIBLE",
       "argument `x[1]`: expected a number for `float32`, found `None`, which has no tensor form"},
      {"{a: 1}", "float32[]", "NOT_CONVERTIBLE", "found `dict(a: 1)`, which has no tensor form"},
      {"[[1], [2, 3]]", "float32[?, ?]", "NOT_RECTANGULAR",
       "argument `x[1]`: a list of 2 where its neighbors have one of 1"},
      {"[1, [2]]", "float32[?]", "NOT_RECTANGULAR",
       "argument `x[1]`: a list where its neighbors have a scalar"},
      {"[[1], 2]", "float32[?, 1]", "NOT_RECTANGULAR",
       "argument `x[1]`: a scalar where its neighbors have a list of 1"},
      {"[1]", "float32[]", "SHAPE_MISMATCH", "expected `float32[]`, found `float32[1]`"},
      {"float32[2] [1, 2]", "float32[2, 1]", "SHAPE_MISMATCH",
       "expected `float32[2, 1]`, found `float32[2]`"},
      {"float32[1] [1]", "float64[1]", "DTYPE_MISMATCH",
       "expected `float64[1]`, found `float32[1]`"},
      {"int64[] 1", "1", "LITERAL_MISMATCH", "expected `1`, found `int64[]`"},
      {"1.0", "1", "LITERAL_MISMATCH", "expected `1`, found `1.0`"},
      {"(1, 2)", "list(1, 2)", "STRUCTURE_MISMATCH", "expected `list(1, 2)`, found `tuple(1, 2)`"},
      {"{a: 1}", "dict(b: 1)", "STRUCTURE_MISMATCH", "expected `dict(b: 1)`, found `dict(a: 1)`"},
      {"[{a: [1]}]", "list(dict(a: list(2)))", "LITERAL_MISMATCH",
       "argument `x[0].a[0]`: expected `2`, found `1`"},
      {"[[1], [2, 3]]", "ragged int64[?, (?)]", "STRUCTURE_MISMATCH",
       "expected `ragged int64[?, (?)]`"},
      {"{n: int64[]} {n: 1}", "{n: int32[]}", "DTYPE_MISMATCH",
       "argument `x.n`: expected `int32[]`, found `int64[]`"},
      {"1.5", "any(int64[])", "DTYPE_MISMATCH", "expected an integer for `int64`, found `1.5`"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(Cat(c.value, " for ", c.constraint));
    auto made = CastTo(PlainValue(c.value), *ParseTypeSpec(c.constraint), "x");
    ASSERT_FALSE(made.ok()) << ToString(*made);
    EXPECT_EQ(ReasonOf(made.status()), c.reason);
    EXPECT_NE(MessageOf(made.status()).find(c.message), std::string_view::npos) << made.status();
    EXPECT_EQ(FieldOf(made.status()).substr(0, 1), "x");
  }
}

TEST(CastTest, ReturnsTheSameTensorWhenNothingChanges) {
  Value value = PlainValue("float32[2] [1.0, 2.0]");
  auto made = CastTo(value, *ParseTypeSpec("float32[?]"));
  ASSERT_TRUE(made.ok());
  EXPECT_EQ(made->tensor().data().data(), value.tensor().data().data());
}

TEST(CastTest, APlaceholderBecomesTheConstraint) {
  TypeSpec wide = *ParseTypeSpec("list(float32[?], int64[])");
  Value given =
      ListOf(std::vector<Value>{Value::OfType(*ParseTypeSpec("float32[2]")), PlainValue("3")});
  auto made = CastTo(given, wide);
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_TRUE(made->is_placeholder());
  EXPECT_EQ(made->spec(), wide);
  EXPECT_EQ(
      ReasonOf(CastTo(Value::OfType(wide), *ParseTypeSpec("list(float32[2], int64[])")).status()),
      "SHAPE_MISMATCH");
}

TEST(CastTest, SizesThatTheTypeLeavesOpenAreLookedUp) {
  auto value = ParseValue("ragged float32[?, (?)] [[1.0], []]");
  ASSERT_TRUE(value.ok()) << value.status();
  auto made = CastTo(*value, *ParseTypeSpec("ragged float32[2, (?)]"));
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_EQ(made->spec().ToString(), "ragged float32[2, (?)]");
  EXPECT_EQ(ReasonOf(CastTo(*value, *ParseTypeSpec("ragged float32[3, (?)]")).status()),
            "SHAPE_MISMATCH");
}

TEST(CastTest, ConvertsLongLists) {
  std::vector<Value> elements;
  for (int i = 0; i < 20000; ++i) elements.push_back(Value::OfLiteral(Literal::Int(i % 100)));
  auto made = CastTo(ListOf(elements), *ParseTypeSpec("int8[?]"));
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_EQ(made->tensor().num_elements(), 20000);
  EXPECT_EQ(made->tensor().elements<int8_t>()[150], 50);
  elements.push_back(Value::None());
  auto rejected = CastTo(ListOf(elements), *ParseTypeSpec("string[]"), "x");
  EXPECT_LT(MessageOf(rejected.status()).size(), 400U);
}

TEST(CastTest, MakesTensorsRaggedWhereRowsAreWanted) {
  struct Case {
    const char *value, *constraint, *made;
  } const cases[] = {
      {"float32[2, 2] [[1, 2], [3, 4]]", "ragged float32[?, (?)]",
       "ragged float32[2, (2)] [[1.0, 2.0], [3.0, 4.0]]"},
      {"int8[1, 2, 1] [[[1], [2]]]", "ragged<splits=int32> int8[?, (?), 1]",
       "ragged<splits=int32> int8[1, (2), 1] [[[1], [2]]]"},
      {"int8[2, 1, 2] [[[1, 2]], [[3, 4]]]", "ragged int8[?, (?), (?)]",
       "ragged int8[2, (1), (2)] [[[1, 2]], [[3, 4]]]"},
      {"string[0, 3] []", "ragged string[?, (?)]", "ragged string[0, (3)] []"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(Cat(c.value, " for ", c.constraint));
    auto value = ParseValue(c.value);
    ASSERT_TRUE(value.ok()) << value.status();
    auto made = CastTo(*value, *ParseTypeSpec(c.constraint));
    ASSERT_TRUE(made.ok()) << made.status();
    EXPECT_EQ(ToString(*made), c.made);
    EXPECT_TRUE(
        MakeValue(made->spec(), {made->components().begin(), made->components().end()}).ok());
    auto type = CastTo(Value::OfType(value->spec()), *ParseTypeSpec(c.constraint));
    ASSERT_TRUE(type.ok()) << type.status();
    EXPECT_EQ(type->spec().ToString(), c.constraint);
  }
  auto rejected = [](const char* value, const char* constraint) {
    return ReasonOf(CastTo(*ParseValue(value), *ParseTypeSpec(constraint)).status());
  };
  EXPECT_EQ(rejected("int8[2] [1, 2]", "ragged int8[?, (?)]"), "STRUCTURE_MISMATCH");
  EXPECT_EQ(rejected("int8[1, 1] [[1]]", "ragged int16[?, (?)]"), "STRUCTURE_MISMATCH");
  EXPECT_EQ(rejected("int8[1, 1] [[1]]", "ragged int8[2, (?)]"), "SHAPE_MISMATCH");
}

// Makes pairs of numbers, and of nothing else.
class PairsOfNumbers final : public Converter {
 public:
  StatusOr<std::optional<ConvertedValue>> Convert(const Value& value,
                                                  const TypeSpec&) const override {
    if (!value.spec().is(TypeKind::kTensor)) return std::optional<ConvertedValue>();
    return std::optional(ConvertedValue{*ParseValue("app.Pair(a: int8[]) {a: 1}"), "pair"});
  }
};

TEST(CastTest, AsksAConverterForExtensionTypesOnly) {
  PairsOfNumbers converter;
  TypeSpec list = *ParseTypeSpec("list(app.Pair(a: int8[]))");
  Value number = *ParseValue("float32[] 3");
  auto made = CastTo(ListOf({&number, 1}), list, "x", &converter);
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_EQ(made->spec(), list);
  Value text = Value::OfLiteral(Literal::String("a"));
  EXPECT_EQ(MessageOf(CastTo(ListOf({&text, 1}), list, "x", &converter).status()),
            "argument `x[0]`: expected `app.Pair(a: int8[])`, found `\"a\"`");
  EXPECT_FALSE(CastTo(number, *ParseTypeSpec("int8[]"), "x", &converter).ok());
}

}  // namespace
}  // namespace signet
