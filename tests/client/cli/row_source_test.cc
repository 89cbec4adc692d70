#include "client/cli/row_source.h"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

#include <gmock/gmock.h>

#include "core/formats/arrow/arrow.h"
#include "core/formats/json/json.h"
#include "core/values/builders/value_notation.h"
#include "tests/core/formats/arrow/arrow_maker.h"
#include "tests/support/memory_limit.h"

namespace signet {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class RowSourceTest : public testing::Test {
 protected:
  ~RowSourceTest() override {
    for (const std::string& path : paths_) std::remove(path.c_str());
  }

  std::string File(const std::string& ending, const std::string& content) {
    paths_.push_back(Cat(testing::TempDir(), "rows_", getpid(), "_", paths_.size(), ending));
    std::ofstream(paths_.back(), std::ios::binary) << content;
    return paths_.back();
  }
  // Returns all chunks of a file, or the chunks before the error.
  std::vector<v1::Encoded> Chunks(const std::string& path, RowSourceOptions options = {}) {
    std::vector<v1::Encoded> out;
    auto source = OpenRowSource(path, options);
    rejection_ = source.status();
    v1::Encoded chunk;
    while (rejection_.ok()) {
      auto more = (*source)->Next(chunk);
      rejection_ = more.status();
      if (!more.ok()) break;
      rows_ = (*source)->rows();
      bytes_ = (*source)->bytes();
      if (!*more) break;
      out.push_back(chunk);
    }
    return out;
  }
  std::vector<std::string> Texts(const std::string& path, RowSourceOptions options = {}) {
    std::vector<std::string> out;
    for (v1::Encoded& chunk : Chunks(path, std::move(options))) out.push_back(chunk.data());
    return out;
  }

  std::vector<std::string> paths_;
  Status rejection_;
  int64_t rows_ = 0;
  int64_t bytes_ = 0;
};

TEST_F(RowSourceTest, ReadsLinesInChunks) {
  std::string path = File(".ndjson", "{\"a\": 1}\n\n{\"a\": 2}\r\n{\"a\": 3}");
  EXPECT_THAT(Texts(path, {.rows = 2}), ElementsAre("{\"a\": 1}\n{\"a\": 2}\r\n", "{\"a\": 3}\n"));
  EXPECT_EQ(rows_, 3);
  EXPECT_THAT(Texts(File(".jsonl", "1\n2\n"), {.rows = 1}), ElementsAre("1\n", "2\n"));
  EXPECT_THAT(Texts(File(".ndjson", "")), ElementsAre(""));
}

TEST_F(RowSourceTest, ChunksOfLargeRowsAreBounded) {
  std::string line = "\"" + std::string(1 << 20, 'x') + "\"\n";
  std::string text;
  for (int i = 0; i < 10; ++i) text += line;
  std::vector<std::string> chunks = Texts(File(".ndjson", text));
  EXPECT_EQ(chunks.size(), 3u);
  for (const std::string& chunk : chunks) EXPECT_LE(chunk.size(), size_t{5} << 20);
  EXPECT_EQ(bytes_, static_cast<int64_t>(text.size()));
}

TEST_F(RowSourceTest, OneJsonTextIsOneChunk) {
  EXPECT_THAT(Texts(File(".json", "[1,\n2]")), ElementsAre("[1,\n2]"));
}

TEST_F(RowSourceTest, LengthsPrecedeMessages) {
  std::string path = File(".pb", std::string("\2ab\0\1c", 6));
  auto chunks = Chunks(path, {.rows = 2, .message_type = "shop.Dish"});
  ASSERT_EQ(chunks.size(), 2u);
  EXPECT_EQ(chunks[0].message_type(), "shop.Dish");
  EXPECT_THAT(chunks[0].rows(), ElementsAre("ab", ""));
  EXPECT_THAT(chunks[1].rows(), ElementsAre("c"));
  EXPECT_TRUE(Chunks(path).empty());
  EXPECT_THAT(std::string(rejection_.message()), HasSubstr("--message_type"));
  Chunks(File(".pb", "\5ab"), {.message_type = "shop.Dish"});
  EXPECT_THAT(std::string(rejection_.message()),
              HasSubstr("expected 5 more bytes of a message, found the end of the file"));
}

TEST_F(RowSourceTest, ArrowChunksAreCompleteStreams) {
  ArrowMaker maker({{"x", arrow::kUtf8, {}, {}, false, 7}});
  maker.AddDictionary(7, {{1, 0}}, {"", Bytes<int32_t>({0, 1}), "a"});
  maker.AddBatch(2, {{2, 0}}, {"", Bytes<int8_t>({0, 0})});
  maker.AddDictionary(7, {{1, 0}}, {"", Bytes<int32_t>({0, 1}), "b"}, true);
  maker.AddBatch(1, {{1, 0}}, {"", Bytes<int8_t>({1})});
  maker.AddDictionary(7, {{1, 0}}, {"", Bytes<int32_t>({0, 1}), "c"});
  maker.AddBatch(1, {{1, 0}}, {"", Bytes<int8_t>({0})});
  maker.AddBatch(1, {{1, 0}}, {"", Bytes<int8_t>({0})});
  std::string whole = maker.text() + std::string(ArrowEnd());
  for (const std::string& content :
       {maker.text(), whole, std::string(arrow::kFileMagic) + whole + "the footer",
        maker.File(true), maker.File(false)}) {
    std::vector<std::string> values;
    for (const std::string& stream : Texts(File(".arrow", content), {.rows = 2})) {
      auto value = ValueFromArrow(Buffer::Copy(stream), {}, Limits());
      ASSERT_TRUE(value.ok()) << value.status();
      values.push_back(ValueToJson(*value));
    }
    EXPECT_THAT(values, ElementsAre(R"([{"x":"a"},{"x":"a"}])", R"([{"x":"b"},{"x":"c"}])",
                                    R"([{"x":"c"}])"));
    EXPECT_EQ(rows_, 5);
  }
  ArrowMaker empty({{"x", arrow::kUtf8}});
  EXPECT_THAT(Texts(File(".arrows", empty.text())),
              ElementsAre(empty.text() + std::string(ArrowEnd())));
}

TEST_F(RowSourceTest, SplitsLargeArrowBatches) {
  constexpr int64_t kRows = 100000;
  const std::vector<FlatWriter::Field> kInt64 = {{0, 4, 64}, {1, 1, 1}};
  std::vector<int64_t> numbers(kRows), ends(kRows + 1);
  for (int64_t i = 0; i < kRows; ++i) {
    numbers[static_cast<size_t>(i)] = i;
    ends[static_cast<size_t>(i) + 1] = i * 100;
  }
  ArrowMaker maker({{"x", arrow::kInt, kInt64}, {"s", arrow::kLargeUtf8}});
  maker.AddBatch(1, {{1, 0}, {1, 0}}, {"", Bytes<int64_t>({-1}), "", Bytes<int64_t>({0, 1}), "a"});
  maker.AddBatch(kRows, {{kRows, 0}, {kRows, 0}},
                 {"", Bytes(numbers), "", Bytes(ends), std::string(kRows * 100, 'b')});
  maker.AddBatch(1, {{1, 0}, {1, 0}}, {"", Bytes<int64_t>({-2}), "", Bytes<int64_t>({0, 0}), ""});
  for (const std::string& content : {maker.text(), maker.File(true), maker.File(false)}) {
    for (int64_t rows : {int64_t{1} << 20, int64_t{5000}}) {
      std::vector<std::string> streams = Texts(File(".arrow", content), {.rows = rows});
      EXPECT_GE(streams.size(), rows == 5000 ? 20u : 2u);
      EXPECT_EQ(rows_, kRows + 2);
      EXPECT_LE(bytes_, static_cast<int64_t>(content.size()));
      std::vector<int64_t> found;
      int64_t text = 0;
      for (const std::string& stream : streams) {
        EXPECT_LT(stream.size(), size_t{6} << 20);
        auto value = ValueFromArrow(Buffer::Copy(stream), {}, Limits());
        ASSERT_TRUE(value.ok()) << value.status();
        auto columns = value->components().last<2>();  // s, x
        auto part = columns[1].elements<int64_t>();
        found.insert(found.end(), part.begin(), part.end());
        text += static_cast<int64_t>(columns[0].bytes().size());
      }
      std::vector<int64_t> wanted = numbers;
      wanted.insert(wanted.begin(), -1);
      wanted.push_back(-2);
      EXPECT_EQ(found, wanted);
      EXPECT_EQ(text, 1 + ends.back());
    }
  }
}

TEST_F(RowSourceTest, RejectsOtherFiles) {
  auto rejection = [&](const std::string& path) {
    Chunks(path);
    return std::string(rejection_.message());
  };
  EXPECT_THAT(rejection("orders.txt"), HasSubstr("expected a file name that ends in .ndjson, "));
  EXPECT_THAT(rejection("/nowhere/orders.ndjson"), HasSubstr("cannot read the file"));
  for (const char* ending : {".ndjson", ".json", ".arrow"}) {
    std::string folder = Cat(testing::TempDir(), "folder_", getpid(), ending);
    std::filesystem::create_directory(folder);
    EXPECT_THAT(rejection(folder), HasSubstr("cannot read the file: it is a directory"));
    std::filesystem::remove(folder);
  }
  std::string pipe = Cat(testing::TempDir(), "pipe_", getpid(), ".arrow");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  std::thread writer([&] { std::ofstream file(pipe); });
  EXPECT_THAT(rejection(pipe), HasSubstr("expected a regular file"));
  writer.join();
  std::filesystem::remove(pipe);
  EXPECT_THAT(rejection(File(".arrow", "")), HasSubstr("expected an Arrow stream or file"));
  EXPECT_THAT(rejection(File(".arrow", "{\"a\": 1}")),
              HasSubstr("byte 8: expected an Arrow message"));
}

TEST_F(RowSourceTest, ReadsPipes) {
  for (const char* ending : {".ndjson", ".json"}) {
    std::string pipe = Cat(testing::TempDir(), "pipe_", getpid(), ending);
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    std::thread writer([&] { std::ofstream(pipe) << "[1]\n"; });
    EXPECT_THAT(Texts(pipe), ElementsAre("[1]\n"));
    writer.join();
    std::filesystem::remove(pipe);
  }
}

TEST_F(RowSourceTest, ReadsLinesOfAnyLength) {
  for (size_t size : {4094, 4095, 4096, 4097, 8190, 8191, 100000}) {
    std::string line = Cat("\"", std::string(size - 2, 'x'), "\"\n");
    std::string without_end = line.substr(0, size);
    for (const std::string& text : {line, line + line, line + "1\n", "1\n" + line}) {
      EXPECT_THAT(Texts(File(".ndjson", text)), ElementsAre(text)) << size;
      EXPECT_EQ(bytes_, static_cast<int64_t>(text.size()));
    }
    EXPECT_THAT(Texts(File(".ndjson", "\n" + without_end)), ElementsAre(line)) << size;
  }
}

// The sizes that a file states or has exceed the limit, so no record is read into memory.
TEST_F(RowSourceTest, RejectsRecordsThatExceedTheLimit) {
  auto rejection = [&](const std::string& path) {
    MemoryLimit limit(uint64_t{64} << 20);
    Chunks(path, {.message_type = "shop.Order"});
    EXPECT_EQ(rejection_.code(), absl::StatusCode::kInvalidArgument);
    return std::string(rejection_.message());
  };
  EXPECT_THAT(rejection(File(".pb", "\xff\xff\xff\xff\x1f ...")),
              HasSubstr("byte 5: at least 8589934591 bytes exceed the limit of 1073741824"));
  EXPECT_THAT(rejection(File(".arrow", Bytes<uint32_t>({arrow::kContinuation, UINT32_MAX}) + "..")),
              HasSubstr("byte 8: at least 4294967295 bytes exceed the limit of 1073741824"));
  std::string sparse = File(".json", "");
  ASSERT_EQ(truncate(sparse.c_str(), int64_t{5} << 30), 0);
  EXPECT_THAT(rejection(sparse), HasSubstr("byte 0: at least 5368709120 bytes exceed the limit"));
}

}  // namespace
}  // namespace signet
