#include "server/observability/work_queue.h"

#include <future>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace signet {
namespace {

using std::chrono::milliseconds;

TEST(WorkQueueTest, ProcessesItemsInOrder) {
  std::vector<int> seen;
  {
    WorkQueue<int> queue(1000, 3, milliseconds(1), [&](const std::vector<int>& batch) {
      EXPECT_LE(batch.size(), 3u);
      seen.insert(seen.end(), batch.begin(), batch.end());
      return size_t{0};
    });
    for (int i = 0; i < 10; ++i) queue.Push(i, 1);
    queue.Stop();
    queue.Push(10, 1);
    EXPECT_EQ(queue.num_dropped(), 1u);
  }
  EXPECT_THAT(seen, testing::ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9));
}

TEST(WorkQueueTest, DropsAndCountsItemsThatDoNotFit) {
  std::promise<void> started;
  std::promise<void> go_on;
  std::shared_future<void> may_go_on(go_on.get_future());
  bool is_first = true;
  WorkQueue<int> queue(10, 1, milliseconds(0), [&](const std::vector<int>&) {
    if (std::exchange(is_first, false)) started.set_value();
    may_go_on.wait();
    return size_t{1};  // lost
  });
  queue.Push(0, 4);
  started.get_future().wait();
  queue.Push(1, 6);  // the queue is full, because item 0 still counts
  queue.Push(2, 1);
  EXPECT_EQ(queue.num_dropped(), 1u);
  go_on.set_value();
  queue.Stop();
  EXPECT_EQ(queue.num_dropped(), 3u);
}

}  // namespace
}  // namespace signet
