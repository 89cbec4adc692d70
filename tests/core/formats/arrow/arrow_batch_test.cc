#include "core/formats/arrow/arrow_batch.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/formats/arrow/arrow.h"
#include "core/formats/json/json.h"
#include "core/types/notation/notation.h"
#include "tests/core/formats/arrow/arrow_maker.h"

namespace signet {
namespace {

using nlohmann::json;

std::string Joined(const std::vector<Buffer>& pieces) {
  std::string out;
  for (const Buffer& piece : pieces) out += piece.text();
  return out;
}

// Rows of every kind, with nulls at each level, of lists that do not start at 0.
TEST(ArrowBatchTest, SlicesAreTheirRows) {
  const std::vector<FlatWriter::Field> kInt32 = {{0, 4, 32}, {1, 1, 1}};
  ArrowMaker maker(
      {{"bool", arrow::kBool, {}, {}, true},
       {"text", arrow::kUtf8},
       {"bytes", arrow::kLargeBinary, {}, {}, true},
       {"fixed", arrow::kFixedSizeBinary, {{0, 4, 2}}},
       {"word", arrow::kUtf8, {}, {}, true, 7},
       {"list", arrow::kList, {}, {{"item", arrow::kInt, kInt32, {}, true}}},
       {"deep", arrow::kLargeList, {}, {{"item", arrow::kList, {}, {{"item", arrow::kBool}}}}},
       {"pair", arrow::kFixedSizeList, {{0, 4, 2}}, {{"item", arrow::kInt, kInt32}}},
       {"none", arrow::kNull},
       {"part", arrow::kStruct, {}, {{"a", arrow::kUtf8}, {"b", arrow::kInt, kInt32}}, true}});
  maker.AddDictionary(7, {{2, 0}}, {"", Bytes<int32_t>({0, 3, 8}), "redgreen"});
  std::string head = maker.text();
  std::string int32s = Bytes<int32_t>({0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  maker.AddBatch(5,
                 {{5, 2},
                  {5, 0},
                  {5, 1},
                  {5, 0},
                  {5, 1},
                  {5, 0},
                  {10, 3},
                  {5, 0},
                  {4, 0},
                  {9, 0},
                  {5, 0},
                  {10, 0},
                  {5, 5},
                  {5, 1},
                  {5, 0},
                  {5, 0}},
                 {"\x16",
                  "\x0a",
                  "",
                  Bytes<int32_t>({1, 1, 3, 3, 5, 6}),
                  "abcdef",
                  "\x1d",
                  Bytes<int64_t>({0, 2, 4, 4, 5, 7}),
                  "ABCDEFG",
                  "",
                  "aabbccddee",
                  "\x0f",
                  Bytes<int8_t>({0, 1, 1, 0, 99}),
                  "",
                  Bytes<int32_t>({1, 3, 3, 6, 9, 10}),
                  "\xb6\x03",
                  int32s,
                  "",
                  Bytes<int64_t>({0, 1, 1, 3, 4, 4}),
                  "",
                  Bytes<int32_t>({1, 3, 3, 8, 9}),
                  "",
                  "\x5a\x01",
                  "",
                  "",
                  int32s,
                  "\x1b",
                  "",
                  Bytes<int32_t>({0, 1, 2, 3, 4, 5}),
                  "vwxyz",
                  "",
                  int32s});
  auto type = ParseTypeSpec(
      "[{bool: bool[(?)], text: string[], bytes: string[(?)], fixed: string[], word: string[(?)], "
      "list: int32[(?), (?)], deep: bool[(?), (?)], pair: int32[2], none: int8[(?)], part: [{a: "
      "string[], b: int32[]}]}]");
  ASSERT_TRUE(type.ok()) << type.status();
  auto rows_of = [&](const std::string& stream) -> json {
    auto value = ValueFromArrow(Buffer::Copy(stream), *type, Limits());
    EXPECT_TRUE(value.ok()) << value.status();
    return value.ok() ? json::parse(ValueToJson(*value)) : json();
  };
  json whole = rows_of(maker.text());
  ASSERT_EQ(whole.size(), 5u);
  EXPECT_EQ(whole[1].dump(),
            R"({"bool":[true],"bytes":[],"deep":[],"fixed":"bb","list":[],"none":[],"pair":[2,3],)"
            R"("part":[{"a":"w","b":1}],"text":"bc","word":["green"]})");
  auto stream = ArrowStream::Read(maker.Stream(), Limits());
  ASSERT_TRUE(stream.ok()) << stream.status();
  for (int64_t begin = 0; begin <= 5; ++begin) {
    for (int64_t end = begin; end <= 5; ++end) {
      SCOPED_TRACE(Cat(begin, " to ", end));
      auto slice = SliceArrowBatch(stream->batches()[0], begin, end);
      ASSERT_TRUE(slice.ok()) << slice.status();
      json wanted = json::array();
      for (auto i = begin; i < end; ++i) wanted.push_back(whole[static_cast<size_t>(i)]);
      EXPECT_EQ(rows_of(head + Joined(ArrowBatchMessage(*slice))), wanted);
    }
  }
}

TEST(ArrowBatchTest, RejectsOffsetsThatLeaveTheirElements) {
  const std::vector<int32_t> kOffsets[] = {{0, 3}, {-1, 1}, {2, 1}, {INT32_MIN, INT32_MAX}};
  for (const auto& offsets : kOffsets) {
    ArrowMaker text({{"x", arrow::kUtf8}});
    text.AddBatch(1, {{1, 0}}, {"", Bytes(offsets), "ab"});
    ArrowMaker list({{"x", arrow::kList, {}, {{"item", arrow::kBool}}}});
    list.AddBatch(1, {{1, 0}, {2, 0}}, {"", Bytes(offsets), "", "\3"});
    for (const ArrowMaker& maker : {text, list}) {
      auto stream = ArrowStream::Read(maker.Stream(), Limits());
      ASSERT_TRUE(stream.ok()) << stream.status();
      auto slice = SliceArrowBatch(stream->batches()[0], 0, 1);
      EXPECT_EQ(MessageOf(slice.status()), Cat("`x`: expected offsets within 2 elements, found ",
                                               offsets[0], " to ", offsets[1]));
    }
  }
  ArrowMaker view({{"x", arrow::kListView, {}, {{"item", arrow::kBool}}}});
  view.AddBatch(1, {{1, 0}, {0, 0}}, {"", "", "", "", ""});
  auto stream = ArrowStream::Read(view.Stream(), Limits());
  ASSERT_TRUE(stream.ok()) << stream.status();
  EXPECT_EQ(MessageOf(SliceArrowBatch(stream->batches()[0], 0, 1).status()),
            "`x`: unsupported column type `ListView`");
}

}  // namespace
}  // namespace signet
