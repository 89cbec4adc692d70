#include "core/base/concurrent/reclaimer.h"

#include <memory>
#include <optional>

#include <gtest/gtest.h>

namespace signet {
namespace {

// Counts itself while alive.
struct Counted {
  explicit Counted(int& count) : alive(count) { ++alive; }
  ~Counted() { --alive; }
  int& alive;
};

TEST(ReclaimerTest, FreesAtOnceWithoutReaders) {
  int alive = 0;
  Reclaimer reclaimer;
  reclaimer.Retire(new Counted(alive));
  EXPECT_EQ(alive, 1);
  reclaimer.Collect();
  EXPECT_EQ(alive, 0);
}

TEST(ReclaimerTest, WaitsForWhoeverWasReading) {
  int alive = 0;
  Reclaimer reclaimer;
  std::optional<Reclaimer::Reader> reading(std::in_place, reclaimer);
  reclaimer.Retire(new Counted(alive));
  reclaimer.Collect();
  reclaimer.Retire(new Counted(alive));
  reclaimer.Collect();
  EXPECT_EQ(alive, 2);
  reading.reset();
  reclaimer.Collect();
  EXPECT_EQ(alive, 0);
}

TEST(ReclaimerTest, FreesTheRestAtItsEnd) {
  int alive = 0;
  {
    Reclaimer reclaimer;
    reclaimer.Retire(new Counted(alive));
  }
  EXPECT_EQ(alive, 0);
}

}  // namespace
}  // namespace signet
