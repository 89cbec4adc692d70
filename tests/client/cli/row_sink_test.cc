#include "client/cli/row_sink.h"

#include <cstdio>
#include <fstream>
#include <iterator>
#include <unistd.h>

#include <gmock/gmock.h>

#include "core/formats/arrow/arrow.h"
#include "core/formats/json/json.h"
#include "core/values/builders/value_notation.h"

namespace signet {
namespace {

using testing::HasSubstr;

std::string StreamOf(const char* notation) {
  auto pieces = ArrowFromValue(*ParseValue(notation));
  std::string out;
  for (const Buffer& piece : *pieces) out += piece.text();
  return out;
}

// Writes results to a file with this extension and returns its content.
StatusOr<std::string> Written(const std::string& ending, std::initializer_list<std::string> results,
                              RowSinkOptions options = {}) {
  std::string path = Cat(testing::TempDir(), "results_", getpid(), ending);
  auto sink = OpenRowSink(path, options);
  SIGNET_RETURN_IF_ERROR(sink.status());
  Status status;
  for (const std::string& result : results) {
    v1::Encoded encoded;
    encoded.set_format((*sink)->format().format());
    encoded.set_data(result);
    if (status.ok()) status = (*sink)->Write(encoded);
  }
  if (status.ok()) status = (*sink)->Finish();
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  for (const char* part : {"", ".part"}) std::remove((path + part).c_str());
  SIGNET_RETURN_IF_ERROR(status);
  return text;
}

TEST(RowSinkTest, LinesFollowEachOther) {
  EXPECT_EQ(*Written(".ndjson", {"1\n2\n", "", "3\n"}), "1\n2\n3\n");
}

TEST(RowSinkTest, JsonIsOneList) {
  EXPECT_EQ(*Written(".json", {"1\n2\n", "", "3\n"}), "[\n1,\n2,\n3\n]\n");
  EXPECT_EQ(*Written(".json", {""}), "[]\n");
  EXPECT_EQ(*Written(".json", {"{\"a\": 1}"}, {.is_single = true}), "{\"a\": 1}\n");
}

TEST(RowSinkTest, ArrowIsOneStream) {
  auto stream = Written(
      ".arrow", {StreamOf("[{a: int32[]}] [{a: 1}]"), StreamOf("[{a: int32[]}] [{a: 2}, {a: 3}]")});
  ASSERT_TRUE(stream.ok()) << stream.status();
  auto value = ValueFromArrow(Buffer::Copy(*stream), {}, Limits());
  ASSERT_TRUE(value.ok()) << value.status();
  EXPECT_EQ(ValueToJson(*value), R"([{"a":1},{"a":2},{"a":3}])");
  auto mixed =
      Written(".arrow", {StreamOf("[{a: int32[]}] [{a: 1}]"), StreamOf("[{a: int64[]}] [{a: 2}]")});
  EXPECT_THAT(std::string(mixed.status().message()),
              HasSubstr("the columns of result 1 have other types than the earlier results"));
}

TEST(RowSinkTest, LengthsPrecedeMessages) {
  std::string path = Cat(testing::TempDir(), "messages_", getpid(), ".pb");
  auto sink = OpenRowSink(path, {.message_type = "shop.Dish"});
  ASSERT_TRUE(sink.ok()) << sink.status();
  EXPECT_EQ((*sink)->format().message_type(), "shop.Dish");
  v1::Encoded result;
  result.add_rows("ab");
  result.add_rows("");
  result.add_rows(std::string(200, 'x'));
  ASSERT_TRUE((*sink)->Write(result).ok());
  ASSERT_TRUE((*sink)->Finish().ok());
  std::ifstream file(path, std::ios::binary);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}),
            std::string("\2ab\0\xc8\1", 6) + std::string(200, 'x'));
  for (const char* part : {"", ".part"}) std::remove((path + part).c_str());
}

TEST(RowSinkTest, RejectsOtherFiles) {
  EXPECT_THAT(std::string(Written(".txt", {}).status().message()),
              HasSubstr("expected a file name that ends in .ndjson, "));
  EXPECT_THAT(std::string(OpenRowSink("/nowhere/x.json", {}).status().message()),
              HasSubstr("cannot write the file"));
}

}  // namespace
}  // namespace signet
