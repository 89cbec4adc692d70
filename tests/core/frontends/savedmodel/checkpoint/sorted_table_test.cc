#include "core/frontends/savedmodel/checkpoint/sorted_table.h"

#include <cstring>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/crc32c.h"
#include "core/frontends/savedmodel/checkpoint/tensor_bundle.h"
#include "signet/notation.h"
#include "tests/core/frontends/savedmodel/checkpoint/sorted_table_writer.h"
#include "tests/support/temporary_folder.h"

namespace signet {
namespace {

using testing::HasSubstr;

auto Read(const std::string& file) { return ReadSortedTable(std::as_bytes(std::span(file))); }

TEST(SortedTableTest, ReadsPlainAndCompressedBlocks) {
  for (char type : {char{0}, char{1}}) {
    auto table = Read(TableOf({{"", "header"}, {"a", "1"}, {"b", ""}}, type));
    ASSERT_TRUE(table.ok()) << table.status();
    ASSERT_EQ(table->size(), 3u);
    EXPECT_EQ((*table)[1], (std::pair<std::string, std::string>("a", "1")));
  }
}

TEST(SortedTableTest, RejectsUnsortedKeysAndUnknownTypes) {
  EXPECT_THAT(Read(TableOf({{"b", ""}, {"a", ""}})).status().message(), HasSubstr("ascending"));
  EXPECT_THAT(Read(TableOf({{"a", ""}}, 7)).status().message(), HasSubstr("type of block 7"));
}

TEST(SortedTableTest, FindsEachFlippedBitOfABlock) {
  const std::string file = TableOf({{"", "header"}, {"a", "1"}});
  for (size_t i = 0; i < file.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string flipped = file;
      flipped[i] = static_cast<char>(flipped[i] ^ (1 << bit));
      auto table = Read(flipped);  // bytes of the footer that are not read may change
      if (table.ok()) {
        EXPECT_EQ(table->size(), 2u) << i;
      }
    }
  }
}

TEST(SortedTableTest, RejectsEachTruncation) {
  const std::string file = TableOf({{"", "header"}, {"a", "1"}});
  for (size_t size = 0; size < file.size(); ++size) {
    EXPECT_FALSE(Read(file.substr(0, size)).ok()) << size;
  }
}

// A variable that training divided among machines is stored in slices, and restored in parts.
TEST(TensorBundleTest, JoinsAndCutsSlices) {
  using Ranges = TensorBundle::Ranges;
  EXPECT_EQ(SliceKey("w", {{0, 2}, {0, -1}}), std::string("\0w\0\1\1\2\x80\x82\x80\x7f", 10));
  const std::vector<float> rows = {1, 2, 3, 4, 5, 6};
  auto entry_of = [&](int64_t first, int64_t count) {
    tensorflow::BundleEntryProto entry;
    entry.set_dtype(tensorflow::DT_FLOAT);
    entry.mutable_shape()->add_dim()->set_size(count);
    entry.mutable_shape()->add_dim()->set_size(2);
    entry.set_offset(first * 8);
    entry.set_size(count * 8);
    entry.set_crc32c(MaskCrc32c(
        Crc32c(std::as_bytes(std::span(rows))
                   .subspan(static_cast<size_t>(first) * 8, static_cast<size_t>(count) * 8))));
    return entry;
  };
  tensorflow::BundleEntryProto whole = entry_of(0, 3);
  for (auto [start, length] : {std::pair<int64_t, int64_t>(0, 2), {2, 1}}) {
    auto& slice = *whole.add_slices();
    slice.add_extent()->set_start(start);
    slice.mutable_extent(0)->set_length(length);
    slice.add_extent();
  }
  tensorflow::BundleHeaderProto header;
  header.set_num_shards(1);
  TemporaryFolder folder;
  const std::string index =
      TableOf({{"", header.SerializeAsString()},
               {SliceKey("w", {{0, 2}, {0, -1}}), entry_of(0, 2).SerializeAsString()},
               {SliceKey("w", {{2, 1}, {0, -1}}), entry_of(2, 1).SerializeAsString()},
               {"w", whole.SerializeAsString()}});
  std::ofstream(folder.path() / "variables.index", std::ios::binary) << index;
  std::ofstream(folder.path() / "variables.data-00000-of-00001", std::ios::binary)
      .write(reinterpret_cast<const char*>(rows.data()), 24);
  auto bundle = TensorBundle::Open(folder.path());
  ASSERT_TRUE(bundle.ok()) << bundle.status();
  auto read = [&](const Ranges& ranges) -> std::string {
    auto value = bundle->Read("w", ranges);
    if (!value.ok()) return std::string(MessageOf(value.status()));
    auto tensor = value->Get();
    return tensor.ok() ? ToString(*tensor) : std::string(MessageOf(tensor.status()));
  };
  EXPECT_EQ(read({}), "float32[3, 2] [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]");
  EXPECT_EQ(read({{2, 1}, {0, 2}}), "float32[1, 2] [[5.0, 6.0]]");
  EXPECT_EQ(read({{1, 2}, {1, -1}}), "float32[2, 1] [[4.0], [6.0]]");
  EXPECT_THAT(read({{2, 2}, {0, 2}}), HasSubstr("expected ranges within"));
}

}  // namespace
}  // namespace signet
