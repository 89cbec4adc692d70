#include "core/values/builders/value_notation.h"

#include <gtest/gtest.h>

namespace signet {
namespace {

TEST(ValueNotationTest, ReadsWhatItWrites) {
  for (const char* text : {
           "3",
           "-0.5",
           "nan",
           "None",
           "True",
           "\"a\\xff\\n\\\"\"",
           "18446744073709551615",
           "float32[2] [1.0, 2.0]",
           "float32[5] [nan, inf, -inf, -0.0, 1e-45]",
           "float64[2] [0.1, 5e-324]",
           "float32[2] [3.4028235e+38, 0.1]",
           "bfloat16[1] [0.100097656]",
           "uint64[1] [18446744073709551615]",
           "string[3] [\"\", \"\\x00\", \"é\"]",
           "bool[2] [True, False]",
           "complex64[1] [[1.0, -0.0]]",
           "float32[0, 3] []",
           "float32[2, 0] [[], []]",
           "int8[?] [1]",
           "int8[...] [[1], [2]]",
           "int8[] 3",
           "ragged int64[2, (?)] [[1, 2], []]",
           "ragged<splits=int32> string[?, (?), (?), 1] [[[[\"a\"]], []], []]",
           "ragged<rank=0> int8[?] [1, 2]",
           "sparse int64[3] {indices: [[1]], values: [7], dense_shape: [3]}",
           "{} {}",
           "[{}] [{}, {}]",
           "[[{a: int8[], b: string[(?)]}]] [[], [{a: 1, b: [\"x\"]}]]",
           "{a: int8[3]}[2, 1] [[{a: [1, 2, 3]}], [{a: [4, 5, 6]}]]",
           "{s: [{t: {u: int8[?]}[2]}]} {s: [{t: [{u: []}, {u: []}]}]}",
           "list() []",
           "tuple(3, int8[]) [3, 4]",
           "dict(a: list(None), \"odd key\": 3) {a: [None], \"odd key\": 3}",
           "namedtuple P(y: int8[], x: \"s\") {y: 1, x: \"s\"}",
           "app.M<n=1>(v: int8[?]) {v: []}",
       }) {
    SCOPED_TRACE(text);
    auto value = ParseValue(text);
    ASSERT_TRUE(value.ok()) << value.status();
    EXPECT_EQ(ToString(*value), text);
    EXPECT_TRUE(SameValue(*ParseValue(ToString(*value)), *value));
  }
}

TEST(ValueNotationTest, ToleratesSpacesAndLastCommas) {
  EXPECT_EQ(ToString(*ParseValue(" int8 [ 2 ] [ 1 , 2 , ] ")), "int8[2] [1, 2]");
  EXPECT_EQ(ToString(*ParseValue("dict(a: 1){a: 1,}")), "dict(a: 1) {a: 1}");
}

TEST(ValueNotationTest, RejectsWithTheColumn) {
  struct Case {
    const char *text, *message;
  } const cases[] = {
      {"int8[2]", "column 8: expected a value, found the end"},
      {"int8[2] [1, 2", "column 14: expected `,` or `]`, found the end"},
      {"int8[2] [1 2]", "column 12: expected `,` or `]`, found `2`"},
      {"int8[2] [,]", "column 10: expected a value, found `,`"},
      {"int8[2] [1,, 2]", "column 12: expected a value, found `,`"},
      {"int8[2] [1, 2] 3", "column 16: expected the end, found `3`"},
      {"int8[2] [1, 300]", "column 15: `[1]`: expected -128 to 127 for `int8`, found `300`"},
      {"{a: int8[]} {1: 2}", "column 14: expected a key, found `1`"},
      {"3 4", "column 3: expected the end, found `4`"},
      {"any 3", "expected a type that values can have, found `any`"},
  };
  for (const Case& c : cases)
    EXPECT_EQ(MessageOf(ParseValue(c.text).status()), c.message) << c.text;
}

TEST(ValueNotationTest, LongValuesEndInDotsInMessages) {
  struct Case {
    const char* text;
    int64_t most;
    const char* shown;
  } const cases[] = {
      {"int8[3] [1, 2, 3]", 2, "int8[3] [1, 2, ...]"},
      {"int8[3] [1, 2, 3]", 3, "int8[3] [1, 2, 3]"},
      {"int8[3] [1, 2, 3]", 0, "int8[3] [...]"},
      {"int8[2, 2] [[1, 2], [3, 4]]", 3, "int8[2, 2] [[1, 2], [3, ...]]"},
      {"[{a: int8[], b: int8[]}] [{a: 1, b: 2}, {a: 3, b: 4}]", 2,
       "[{a: int8[], b: int8[]}] [{a: 1, b: 2}, {a: ...}]"},
      {"list(1, 2, 3) [1, 2, 3]", 1, "list(1, 2, 3) [1, ...]"},
      {"complex64[2] [[1.0, 2.0], [3.0, 4.0]]", 1, "complex64[2] [[1.0, ...]]"},
      {"int8[3, 0] [[], [], []]", 2, "int8[3, 0] [[], [], ...]"},
      {"int8[2, 0] [[], []]", 2, "int8[2, 0] [[], []]"},
      {"{}[2] [{}, {}]", 1, "{}[2] [{}, ...]"},
  };
  for (const Case& c : cases) EXPECT_EQ(ToString(*ParseValue(c.text), c.most), c.shown);
  // There is nothing in it, and no end of lists.
  Value lists(*Tensor::Make(DType::kInt8, {1'000'000'000'000'000, 0}, Buffer()));
  EXPECT_EQ(ToString(lists, 1), "int8[1000000000000000, 0] [[], ...]");
}

TEST(ValueNotationTest, SurvivesHostileText) {
  std::string deep(50'000, '[');
  EXPECT_FALSE(ParseValue("int8[?] " + deep).ok());
  EXPECT_FALSE(ParseValue("int8[...] " + deep).ok());
  EXPECT_FALSE(ParseValue("{a: int8[]} " + std::string(50'000, '{')).ok());
  EXPECT_FALSE(ParseValue(deep).ok());
  EXPECT_FALSE(ParseValue("string[] \"").ok());
  EXPECT_FALSE(ParseValue("").ok());
  BuilderLimits limits;
  limits.max_elements = 2;
  EXPECT_EQ(ParseValue("int8[3] [1, 2, 3]", limits).status().code(),
            absl::StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace signet
