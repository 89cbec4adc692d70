#include "core/values/builders/inferring_builder.h"

#include <gtest/gtest.h>

#include "core/values/builders/value_notation.h"
#include "tests/core/values/builders/record_events.h"

namespace signet {
namespace {

// Returns the value of records in the form of JSON, or an error as `!! REASON message`.
std::string Build(std::string_view records, InferOptions options = {}, BuilderLimits limits = {}) {
  InferringBuilder builder(std::move(options), limits);
  Status status = TellRecords(records, builder);
  auto value = status.ok() ? builder.Finish() : StatusOr<Value>(status);
  if (value.ok()) return ToString(*value);
  return Cat("!! ", ReasonOf(value.status()), " ", MessageOf(value.status()));
}

TEST(InferringBuilderTest, MakesTheValueThatWasSeen) {
  struct Case {
    const char *records, *value;
  } const cases[] = {
      {"1", "int32[] 1"},
      {"[true, false]", "bool[2] [True, False]"},
      {"[-0.0, 1]", "float32[2] [-0.0, 1.0]"},
      {"[-9223372036854775808, 9223372036854775807]",
       "int64[2] [-9223372036854775808, 9223372036854775807]"},
      {"[[1, 2], [], [3]]", "ragged int32[3, (?)] [[1, 2], [], [3]]"},
      {"[\"\", \"a\\u0000\"]", "string[2] [\"\", \"a\\x00\"]"},
      {"{}", "{} {}"},
      {"{\"b\": [1], \"a\": \"x\"}", "{b: int32[1], a: string[]} {b: [1], a: \"x\"}"},
      {"[{\"a\": 1, \"b\": [\"x\"]}, {\"b\": [], \"a\": 2.5}]",
       "{a: float32[], b: string[(?)]}[2] [{a: 1.0, b: [\"x\"]}, {a: 2.5, b: []}]"},
      {"[[{\"a\": []}], []]", "{a: float32[(?)]}[2, ?] [[{a: []}], []]"},
      {"[18446744073709551615, 0.5]", "float32[2] [1.8446744e+19, 0.5]"},
  };
  for (const Case& c : cases) EXPECT_EQ(Build(c.records), c.value) << c.records;
}

TEST(InferringBuilderTest, RejectsNumbersThatDoNotFit) {
  EXPECT_EQ(Build("[1, 9223372036854775808]"),
            "!! OUT_OF_RANGE `[1]`: expected -9223372036854775808 to 9223372036854775807 for "
            "`int64`, found `9223372036854775808`");
  EXPECT_EQ(Build("{\"a\": [1e39]}"),
            "!! OUT_OF_RANGE `a[0]`: `1e+39`; beyond the largest `float32`");
  InferringBuilder builder;
  EXPECT_EQ(ReasonOf(builder.Int(absl::int128(INT64_MIN) - 1)), "OUT_OF_RANGE");
}

TEST(InferringBuilderTest, OptionsSayWhatItBecomes) {
  EXPECT_EQ(Build("[[1, 2], [3]]", {.dtype = DType::kFloat16}),
            "ragged float16[2, (?)] [[1.0, 2.0], [3.0]]");
  EXPECT_EQ(Build("[]", {.ragged_rank = 1, .inner_shape = Shape{2}}),
            "ragged float32[0, (?), 2] []");
  EXPECT_EQ(Build("[[1, 2], [3]]", {.ragged_rank = 0}),
            "!! NOT_RECTANGULAR `[1]`: expected lists of one length for `int32[?, ?]`, found a "
            "list of 1 and one of 2");
  EXPECT_EQ(Build("[1, true]", {.dtype = DType::kInt8}),
            "!! DTYPE_MISMATCH `[1]`: expected an integer for `int8`, found `true`");
}

TEST(InferringBuilderTest, StopsAtItsLimits) {
  EXPECT_EQ(Build("[1, 2, 3]", {}, {.max_elements = 2}),
            "!!  `[2]`: more than 2 elements, which is the limit");
  EXPECT_EQ(Build("[\"0123456789\"]", {}, {.max_bytes = 16}),
            "!!  `[0]`: more than 16 bytes of data, which is the limit");
  InferringBuilder builder({}, {}, {.max_fields = 0, .fields_flag = "--max_names"});
  EXPECT_EQ(MessageOf(TellRecords("{\"a\": 1}", builder)),
            "more than 0 different keys, which is the limit (--max_names)");
}

}  // namespace
}  // namespace signet
