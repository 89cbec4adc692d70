#include "core/types/notation/notation.h"

#include <string>

#include <gtest/gtest.h>

namespace signet {
namespace {

TEST(NotationTest, ReadsWhatItWrites) {
  const char* const texts[] = {
      "float32[?, 3]",
      "string[]",
      "int64[...]",
      "float32[2]@x",
      "complex128[0]",
      "ragged int64[?, (?)]",
      "ragged int64[2, (3), (?), 4]",
      "ragged<rank=0> float32[3]",
      "ragged<rank=2> float32[...]",
      "ragged<splits=int32> float32[2, (?)]",
      "ragged<rank=1, splits=int32> float32[...]",
      "sparse float32[2, 3]",
      "sparse float32[...]",
      "3",
      "-3",
      "18446744073709551615",
      "1.5",
      "-0.5",
      "-0.0",
      "nan",
      "nan(0x7ff8000000000001)",
      "list(0.0, -0.0)",
      "inf",
      "-inf",
      "True",
      "None",
      "\"a\\\"b\"",
      "list()",
      "list(int64[], 3)",
      "tuple(float32[?], \"a\")",
      "dict()",
      "dict(a: int64[], \"odd key\": 3)",
      "namedtuple Point(x: float32[], y: float32[])",
      "attrs Point(x: float32[])",
      "app.Masked(values: float32[?], mask: bool[?])",
      "ragged.Rows(values: float32[?])",
      "list.Of(x: dict.Of())",
      "app.Masked<axes=list(\"batch\", \"time\"), n=3>(values: float32[?])",
      "1.2()",
      "any",
      "any(float32[])",
      "any(any)",
      "{}",
      "[{}]",
      "{}[2, ?]",
      "{a: string[]}",
      "[{ids: int64[(?)], title: string[]}]",
      "[[{a: float32[], b: int64[3], c: string[(?)]}]]",
      "[[{a: dense float32[]}]]",
      "{a: {b: [{c: string[]}]}, d: ragged int64[?, (?)]}",
      "[{a: ragged<splits=int32> int64[(?)]}]",
      "[{a: ragged int64[]}]",
      "{a: float32[]}[2, 3]",
      "[{a: {b: float32[]}, c: [{d: int8[]}]}]",
      "[[[{a: ragged<rank=1> float32[]}]]]",
      // The author's order, optional fields and defaults.
      "{title: string[], ids: int64[?], author: {name: string[], born: int32[]}}",
      "dict(z: int64[], a: dict(y: 1, x: 2))",
      "{b?: string[], a?: int64[?], c?: {d: int8[]}}",
      "[{name?: string[], tags?: string[(?)], box?: float32[4], home?: {city: string[]}}]",
      "[[{b?: int8[], a?: [{c?: int8[]}]}]]",
      "[{a?: ragged<splits=int32> int64[]}]",
      "{age: float32[] = nan, n: int64[] = -1, s: string[] = \"x\", on: bool[] = True}",
      "[{tags: string[(?)] = [], m: float32[2, 2] = [[1, 2.5], [3, 4]], u: uint8[] = 255}]",
      "(float32[?, 1] = nan)",
      "(ragged int64[?, (?)] = 0)",
      "(float32[...] = nan)",
      "dict(b: (float32[?] = nan), a: (int64[] = 1))",
      "list((float32[?] = nan), 3)",
  };
  for (const char* text : texts) {
    SCOPED_TRACE(text);
    auto spec = ParseTypeSpec(text);
    ASSERT_TRUE(spec.ok()) << spec.status();
    EXPECT_EQ(spec->ToString(), text);
    EXPECT_EQ(*ParseTypeSpec(spec->ToString()), *spec);
  }
}

TEST(NotationTest, TakesSpacesAnywhereAndCommasAtTheEnd) {
  EXPECT_EQ(*ParseTypeSpec(" float32 [ ? , 3 ] "), *ParseTypeSpec("float32[?, 3]"));
  EXPECT_EQ(*ParseTypeSpec("{\n  a : int64[],\n}"), *ParseTypeSpec("{a: int64[]}"));
  EXPECT_EQ(*ParseTypeSpec("null"), *ParseTypeSpec("None"));
}

TEST(NotationTest, RejectsWithTheColumn) {
  struct Case {
    std::string text, message;
  } const cases[] = {
      {"", "column 1: expected a type, found the end"},
      {"float32[2, , 3]", "column 12: expected a dimension, found `,`"},
      {"float32[-1]", "column 9: expected a dimension, found `-`"},
      {"float32[9223372036854775808]",
       "column 9: expected a dimension, found `9223372036854775808`"},
      {"float32[99999999999999999999]",
       "column 9: expected a dimension, found `99999999999999999999`"},
      {"float32", "column 8: expected `[` after a dtype, found the end; a scalar is `float32[]`"},
      {"floaty[2]", "column 1: expected a type, found `floaty`; the nearest is `float16`"},
      {"float32[2] x", "column 12: expected the end, found `x`"},
      {"\"abc", "column 5: expected a closing `\"`, found the end"},
      {"18446744073709551616",
       "column 1: expected an integer from -2^63 to 2^64 - 1, found `18446744073709551616`"},
      {"1e999", "column 1: expected a float64, found `1e999`"},
      {"list(int64[]", "column 13: expected `,` or `)`, found the end"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.text);
    auto spec = ParseTypeSpec(c.text);
    ASSERT_FALSE(spec.ok());
    EXPECT_EQ(spec.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(MessageOf(spec.status()), c.message);
  }
}

TEST(NotationTest, RejectsTypesThatDoNotFitTogether) {
  for (const char* text :
       {"ragged int64[?]", "ragged int64[(?), ?]", "ragged int64[?, ?, (?)]",
        "ragged<rank=2> int64[?, ?]", "{a: sparse float32[2]}", "{a: list()}", "{a: 3}",
        "{a: float32[...]}", "{_a: float32[]}", "{a: int8[], a: int8[]}", "dict(a: 3, a: 4)",
        "namedtuple P(x: 3, x: 4)", "{}[...]", "[float32[]]", "app.M<a=float32[]>()", "app.()",
        "dense ragged int64[2]", "ragged<rank=99> float32[...]",
        "ragged<splits=int8> float32[2, (?)]",
        // Defaults that could not be written where they stand.
        "{a: float32[] = \"x\"}", "{a: int8[] = 128}", "{a: uint8[] = -1}", "{a: int64[] = 1.0}",
        "{a: float32[] = 1e39}", "{a: bool[] = 1}", "{a: string[] = None}", "{a: float32[] = [1]}",
        "{a: float32[3] = [1, 2]}", "[{a: float32[?, ?] = [[1, 2], [3]]}]",
        "{a: float32[?] = [[]]}", "{a: {b: int8[]} = 1}", "{a: int8[] = 1 = 2}",
        "(float32[?] = [\"x\"])", "(float32[?])", "((float32[?] = 1) = 2)", "(3 = 3)",
        "(float32[...] = [1])",
        // Optional fields.
        "{a?: int8[] = 1}", "{a?: float32[...]}", "[{a?: dense int8[]}]", "{a?: list()}",
        "dict(a?: int8[])"}) {
    SCOPED_TRACE(text);
    EXPECT_FALSE(ParseTypeSpec(text).ok());
  }
}

std::string Repeat(std::string_view text, int n) {
  std::string out;
  for (int i = 0; i < n; ++i) out.append(text);
  return out;
}

TEST(NotationTest, SurvivesHostileDepthAndRank) {
  for (const std::string& open :
       {std::string("["), std::string("list("), std::string("{a:"), std::string("any("),
        std::string("[{a:"), std::string("a.b<x=list("), std::string("dict(a: "), std::string("("),
        std::string("{a?:")}) {
    auto spec = ParseTypeSpec(Repeat(open, 50'000));
    ASSERT_FALSE(spec.ok());
    EXPECT_LT(MessageOf(spec.status()).size(), 200u);
  }
  EXPECT_FALSE(ParseTypeSpec(Cat("float32[", Repeat("1,", 50'000), "1]")).ok());
  EXPECT_TRUE(ParseTypeSpec(Cat(Repeat("list(", 63), "3", Repeat(")", 63))).ok());
  EXPECT_FALSE(ParseTypeSpec(Cat(Repeat("list(", 64), "3", Repeat(")", 64))).ok());
}

}  // namespace
}  // namespace signet
