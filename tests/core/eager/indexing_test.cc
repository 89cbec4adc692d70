#include "signet/ops/indexing.h"

#include <gtest/gtest.h>

#include "core/values/builders/value_notation.h"

namespace signet {
namespace {

Value Parse(std::string_view text) {
  auto value = ParseValue(text);
  if (!value.ok()) CheckFailed(value.status().ToString().c_str(), __FILE__, __LINE__);
  return *std::move(value);
}

std::string Shown(const StatusOr<Value>& value) {
  return value.ok() ? ToString(*value) : value.status().ToString();
}

TEST(GetItemTest, TakesEveryKindOfKey) {
  Value dishes = Parse(
      R"([{name: string[], stars: ragged int64[(?)]}]
         [{name: "a", stars: [1, 2]}, {name: "b", stars: []}, {name: "c", stars: [3]}])");
  EXPECT_EQ(Shown(GetItem(dishes, {1, "name"})), R"(string[] "b")");
  EXPECT_EQ(Shown(GetItem(dishes, {SliceKey{.step = -1}, "name"})), R"(string[3] ["c", "b", "a"])");
  EXPECT_EQ(Shown(GetItem(dishes, {SliceKey{.start = 1}, "stars", SliceKey{.stop = 1}})),
            "ragged int64[2, (?)] [[], [3]]");
  Value table = Parse("int8[2, 3] [[1, 2, 3], [4, 5, 6]]");
  EXPECT_EQ(Shown(GetItem(table, {EllipsisKey{}, -1, NewAxisKey{}})), "int8[2, 1] [[3], [6]]");
}

TEST(GetItemTest, SharesTheMemoryOfRows) {
  Value table = Parse("float32[3, 2] [[1, 2], [3, 4], [5, 6]]");
  auto row = GetItem(table, {2});
  ASSERT_TRUE(row.ok()) << row.status();
  EXPECT_EQ(row->components()[0].data().data(), table.components()[0].data().data() + 16);
}

TEST(GetItemTest, Rejects) {
  Value x = Parse("{a: int64[2]} {a: [1, 2]}");
  EXPECT_EQ(GetItem(x, {"b"}).status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(GetItem(x, {"a", 2}).status().code(), absl::StatusCode::kOutOfRange);
  EXPECT_EQ(GetItem(x, {0}).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(GetItem(x, {"a", InputKey{0}}).status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace signet
