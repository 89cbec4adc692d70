#include "core/graph/body/dependency_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace signet {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(DependencyOrderTest, PutsDependenciesFirst) {
  EXPECT_THAT(OrderByDependencies({{2}, {}, {1}}).order, ElementsAre(1, 2, 0));
}

TEST(DependencyOrderTest, KeepsTheOrderOfTheUnrelated) {
  EXPECT_THAT(OrderByDependencies({{}, {0}, {}, {0, 0}}).order, ElementsAre(0, 1, 2, 3));
}

TEST(DependencyOrderTest, FindsACycleAndNothingElse) {
  DependencyOrder found = OrderByDependencies({{1}, {2}, {3}, {1}, {}});
  EXPECT_THAT(found.cycle, ElementsAre(1, 2, 3));
  EXPECT_THAT(found.order, IsEmpty());
}

TEST(DependencyOrderTest, FindsWhatDependsOnItself) {
  EXPECT_THAT(OrderByDependencies({{}, {1}}).cycle, ElementsAre(1));
}

TEST(DependencyOrderTest, TakesALongChainWithoutALongStack) {
  constexpr int kLength = 1'000'000;
  std::vector<std::vector<int>> chain(kLength);
  for (int i = 0; i + 1 < kLength; ++i) chain[static_cast<size_t>(i)] = {i + 1};
  DependencyOrder found = OrderByDependencies(chain);
  ASSERT_EQ(found.order.size(), chain.size());
  EXPECT_EQ(found.order.front(), kLength - 1);
}

}  // namespace
}  // namespace signet
