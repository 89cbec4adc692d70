#include "core/graph/plan/memory_plan.h"

#include <random>

#include <gtest/gtest.h>

namespace signet {
namespace {

TEST(MemoryPlanTest, SharesBytesOfLivesThatDoNotMeet) {
  MemoryPlan plan = PlanMemory(std::vector<Lifetime>{{128, 0, 1}, {128, 2, 3}, {64, 1, 2}});
  EXPECT_EQ(plan.offsets[0], plan.offsets[1]);
  EXPECT_NE(plan.offsets[2], plan.offsets[0]);
  EXPECT_EQ(plan.arena_bytes, 192u);
}

TEST(MemoryPlanTest, AlignsOffsets) {
  MemoryPlan plan = PlanMemory(std::vector<Lifetime>{{1, 0, 1}, {1, 0, 1}});
  EXPECT_EQ(plan.offsets[0] % 64, 0u);
  EXPECT_EQ(plan.offsets[1] % 64, 0u);
  EXPECT_EQ(plan.arena_bytes, 128u);
}

TEST(MemoryPlanTest, NothingNeedsNoArena) { EXPECT_EQ(PlanMemory({}).arena_bytes, 0u); }

// Law: lives that meet have bytes apart.
TEST(MemoryPlanTest, KeepsLivesThatMeetApart) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<Lifetime> lives;
    for (int i = 0; i < 40; ++i) {
      int first = static_cast<int>(random() % 30);
      lives.push_back({1 + random() % 1000, first, first + static_cast<int>(random() % 10)});
    }
    MemoryPlan plan = PlanMemory(lives);
    for (size_t a = 0; a < lives.size(); ++a) {
      ASSERT_LE(plan.offsets[a] + lives[a].bytes, plan.arena_bytes);
      for (size_t b = 0; b < a; ++b) {
        bool meet = lives[a].first <= lives[b].last && lives[b].first <= lives[a].last;
        bool apart = plan.offsets[a] + lives[a].bytes <= plan.offsets[b] ||
                     plan.offsets[b] + lives[b].bytes <= plan.offsets[a];
        ASSERT_TRUE(!meet || apart) << "round " << round << ": " << a << " and " << b;
      }
    }
  }
}

}  // namespace
}  // namespace signet
