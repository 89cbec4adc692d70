#include "core/formats/tensorflow/example_rows.h"

#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include "signet/notation.h"
#include "tensorflow/example.pb.h"

namespace signet::tf {
namespace {

using ::testing::HasSubstr;

Buffer Bytes(const std::string& text) {
  ::tensorflow::Example example;
  SIGNET_CHECK(google::protobuf::TextFormat::ParseFromString(text, &example));
  return Buffer::Copy(example.SerializeAsString());
}

std::string Read(const std::string& type, const std::vector<Buffer>& rows,
                 const Buffer& context = {}, const Limits& limits = {}) {
  auto spec = ParseTypeSpec(type);
  SIGNET_CHECK(spec.ok());
  auto value = ValueFromExamples(rows, context, *spec, limits);
  if (!value.ok()) return std::string(MessageOf(value.status()));
  return ToString(*value);
}

const char* const kSoup =
    "features {"
    " feature {key: 'name' value {bytes_list {value: 'soup'}}}"
    " feature {key: 'stars' value {int64_list {value: [4, 5]}}}"
    " feature {key: 'price' value {float_list {value: 1.5}}}}";

TEST(ExampleRowsTest, ReadsFeaturesAsFields) {
  EXPECT_EQ(Read("[{name: string[], stars: int64[(?)], price: float32[]}]",
                 {Bytes(kSoup), Bytes("features {"
                                      " feature {key: 'price' value {float_list {value: -2}}}"
                                      " feature {key: 'other' value {float_list {value: 3}}}"
                                      " feature {key: 'name' value {bytes_list {value: ''}}}"
                                      " feature {key: 'stars' value {int64_list {}}}}")}),
            "{name: string[], stars: int64[(?)], price: float32[]}[2] "
            "[{name: \"soup\", stars: [4, 5], price: 1.5}, {name: \"\", stars: [], price: -2.0}]");
}

TEST(ExampleRowsTest, ReadsOneRecord) {
  EXPECT_EQ(Read("{name: string[]}", {Bytes(kSoup)}), "{name: string[]} {name: \"soup\"}");
  EXPECT_EQ(Read("{name: string[]}", {}), "expected 1 example for `{name: string[]}`, found 0");
}

TEST(ExampleRowsTest, ReadsRowsOfSeveralValues) {
  const Buffer row =
      Bytes("features {feature {key: 'x' value {int64_list {value: [1, 2, 3, 4]}}}}");
  EXPECT_THAT(Read("[{x: int64[2, 2]}]", {row}), HasSubstr("[{x: [[1, 2], [3, 4]]}]"));
  EXPECT_THAT(Read("[{x: int64[(?), 2]}]", {row}), HasSubstr("[{x: [[1, 2], [3, 4]]}]"));
  EXPECT_THAT(Read("[{x: int64[?, 4]}]", {row}), HasSubstr("[{x: [[1, 2, 3, 4]]}]"));
  EXPECT_THAT(Read("[{x: int64[(?)]}]", {row}), HasSubstr("[{x: [1, 2, 3, 4]}]"));
  EXPECT_EQ(Read("[{x: int64[3]}]", {row}), "example 0: feature `x`: expected 3 values, found 4");
  EXPECT_EQ(Read("[{x: int64[]}]", {row}), "example 0: feature `x`: expected 1 value, found 4");
  EXPECT_EQ(Read("[{x: int64[(?), 3]}]", {row}),
            "example 0: feature `x`: expected a multiple of 3 values, found 4");
}

TEST(ExampleRowsTest, ConvertsIntegers) {
  const Buffer row = Bytes("features {feature {key: 'x' value {int64_list {value: 1}}}}");
  EXPECT_THAT(Read("[{x: int8[]}]", {row}), HasSubstr("[{x: 1}]"));
  EXPECT_THAT(Read("[{x: bool[]}]", {row}), HasSubstr("[{x: True}]"));
  const Buffer large = Bytes("features {feature {key: 'x' value {int64_list {value: 300}}}}");
  EXPECT_THAT(Read("[{x: int8[]}]", {large}), HasSubstr("example 0: feature `x`: "));
  EXPECT_EQ(Read("[{x: bool[]}]", {large}),
            "example 0: feature `x`: expected 0 or 1 for `bool`, found 300");
}

TEST(ExampleRowsTest, UsesDefaultsForMissingFeatures) {
  const Buffer empty = Bytes("");
  const Buffer without_kind = Bytes("features {feature {key: 'x' value {}}}");
  EXPECT_THAT(Read("[{x?: int64[]}]", {empty, without_kind}), HasSubstr("[{x: None}, {x: None}]"));
  EXPECT_THAT(Read("[{x: int64[] = 7}]", {empty, without_kind}), HasSubstr("[{x: 7}, {x: 7}]"));
  EXPECT_THAT(Read("[{x: int64[]}]", {Bytes(kSoup)}), HasSubstr("example 0: "));
}

TEST(ExampleRowsTest, RejectsOtherKinds) {
  EXPECT_EQ(Read("[{name: int64[]}]", {Bytes(kSoup)}),
            "example 0: feature `name`: expected int64_list for `int64`, found bytes_list");
  EXPECT_EQ(Read("[{stars: float32[(?)]}]", {Bytes(kSoup)}),
            "example 0: feature `stars`: expected float_list for `float32`, found int64_list");
  EXPECT_THAT(Read("[{x: {y: int64[]}}]", {}), HasSubstr("field `x: "));
  EXPECT_THAT(Read("int64[?]", {}), HasSubstr("require a parameter with records"));
}

TEST(ExampleRowsTest, UsesTheLastFeatureOfAName) {
  const Buffer first = Bytes("features {feature {key: 'x' value {int64_list {value: 1}}}}");
  const Buffer second = Bytes("features {feature {key: 'x' value {int64_list {value: [2]}}}}");
  const std::string both = std::string(first.text()) + std::string(second.text());
  EXPECT_THAT(Read("[{x: int64[]}]", {Buffer::Copy(both)}), HasSubstr("[{x: 2}]"));
  EXPECT_THAT(Read("[{x: int64[]}]", {second, Bytes("")}, first), HasSubstr("[{x: 2}, {x: 1}]"));
}

TEST(ExampleRowsTest, RejectsMalformedRows) {
  const std::string whole(Bytes(kSoup).text());
  for (size_t size = 0; size < whole.size(); ++size) {
    const std::string text = Read("[{name: string[], stars: int64[(?)], price: float32[]}]",
                                  {Bytes(kSoup), Buffer::Copy(whole.substr(0, size))});
    EXPECT_THAT(text, HasSubstr("example 1: ")) << size;
  }
}

TEST(ExampleRowsTest, PassesMessagesToStrings) {
  EXPECT_EQ(Read("string[?]", {Buffer::Copy(std::string_view("ab")), Buffer()},
                 Buffer::Copy(std::string_view("c"))),
            "string[2] [\"cab\", \"c\"]");
  EXPECT_THAT(Read("string[?, ?]", {}), HasSubstr("require a parameter with records"));
}

TEST(ExampleRowsTest, CountsAContextForEachExample) {
  Limits limits;
  limits.expanded_bytes = 1000;
  const std::vector<Buffer> rows(40, Bytes(""));
  EXPECT_THAT(Read("[{name: string[]}]", rows, Bytes(kSoup), limits), HasSubstr("context: "));
}

}  // namespace
}  // namespace signet::tf
