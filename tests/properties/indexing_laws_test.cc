// Laws of indexing. By the first, elements are those that are written; by the second, any
// other keys do behind a slice, they do to each of its elements alone. Together they leave nothing
// open.

#include <gtest/gtest.h>

#include "signet/ops/indexing.h"
#include "tests/properties/rows_random.h"

namespace signet {
namespace {

using Keys = std::vector<IndexKey>;

std::optional<int64_t> AnyBound(RandomValues& random) {
  if (random.Chance(2)) return std::nullopt;
  return random.Below(9) - 4;
}

SliceKey AnySlice(RandomValues& random) {
  if (random.Chance(3)) return {};
  int64_t step = random.Below(5) - 2;
  return {AnyBound(random), AnyBound(random), step == 0 ? 1 : step};
}

// Keys for the dimensions behind the first, which mostly fit.
Keys KeysBehindTheFirst(RandomValues& random, const TypeSpec& spec) {
  Keys keys;
  for (int dim = 1; dim < spec.shape()->rank() && !random.Chance(5); ++dim) {
    if (random.Chance(2)) {
      keys.emplace_back(int64_t{random.Below(3) - 1});
    } else {
      keys.emplace_back(AnySlice(random));
    }
    if (spec.is(TypeKind::kStructured)) continue;
    if (random.Chance(8)) keys.emplace_back(NewAxisKey{});
    if (random.Chance(12)) keys.emplace_back(EllipsisKey{});
  }
  const auto* structured = spec.As<StructuredSpec>();
  if (structured == nullptr || structured->children().empty()) return keys;
  if (keys.size() + 1 < static_cast<size_t>(structured->rank()) || random.Chance(4)) return keys;
  auto field = static_cast<size_t>(random.Below(static_cast<int>(structured->children().size())));
  keys.emplace_back(structured->field_names()[field]);
  Keys inner = KeysBehindTheFirst(random, structured->children()[field]);
  size_t given = std::min(keys.size() - 1, inner.size());
  keys.insert(keys.end(), inner.begin() + static_cast<std::ptrdiff_t>(given), inner.end());
  return keys;
}

// Which of `size` elements Python takes.
std::vector<int64_t> PositionsOf(const SliceKey& slice, int64_t size) {
  std::vector<int64_t> positions;
  int64_t step = slice.step.value_or(1);
  auto at = [size](int64_t bound) { return bound < 0 ? bound + size : bound; };
  for (int64_t i = step > 0 ? 0 : size - 1; i >= 0 && i<size; i += step> 0 ? 1 : -1) {
    bool begun = !slice.start || (step > 0 ? i >= at(*slice.start) : i <= at(*slice.start));
    bool ended = slice.stop && (step > 0 ? i >= at(*slice.stop) : i <= at(*slice.stop));
    if (begun && !ended) positions.push_back(i);
  }
  std::vector<int64_t> taken;
  for (size_t i = 0; i < positions.size(); i += static_cast<size_t>(std::abs(step))) {
    taken.push_back(positions[i]);
  }
  return taken;
}

Keys Behind(IndexKey first, const Keys& rest) {
  Keys keys = {std::move(first)};
  keys.insert(keys.end(), rest.begin(), rest.end());
  return keys;
}

TEST(IndexingLawsTest, ElementsAreThoseThatAreWritten) {
  RandomValues random;
  int tried = 0;
  for (int i = 0; i < 3000; ++i) {
    Value x = AnyRows(random);
    if (!x) continue;
    ++tried;
    std::vector<std::string> written;
    for (const Value& element : ElementsOf(x)) written.push_back(Data(element));
    ASSERT_EQ(Data(x), Cat("[", Join(written, ", "), "]")) << x.spec().ToString();
  }
  EXPECT_GT(tried, 500);
}

TEST(IndexingLawsTest, KeysBehindASliceIndexEachOfItsElements) {
  RandomValues random;
  int taken = 0;
  for (int i = 0; i < 10000; ++i) {
    Value x = AnyRows(random);
    if (!x) continue;
    SliceKey slice = AnySlice(random);
    Keys rest = KeysBehindTheFirst(random, x.spec());
    Keys keys = Behind(slice, rest);
    SCOPED_TRACE(Cat(ToString(x), " by ", AttributeOf(std::span<const IndexKey>(keys)).ToString()));
    auto sliced = GetItem(x, keys);
    if (!sliced.ok()) continue;  // an integer on rows that may be too short, or that are
    ++taken;
    auto size = static_cast<int64_t>(ElementsOf(x).size());
    std::vector<std::string> expected;
    for (int64_t at : PositionsOf(slice, size)) {
      auto one = GetItem(x, Behind(at, rest));
      ASSERT_TRUE(one.ok()) << one.status();
      expected.push_back(Data(*one));
    }
    ASSERT_EQ(Data(*sliced), Cat("[", Join(expected, ", "), "]"));
  }
  EXPECT_GT(taken, 1000);
}

}  // namespace
}  // namespace signet
