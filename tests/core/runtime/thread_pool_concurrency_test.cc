#include <atomic>
#include <chrono>
#include <numeric>

#include <gtest/gtest.h>

#include "core/runtime/thread_pool.h"

namespace signet {
namespace {

TEST(ThreadPoolTest, ForCoversEveryUnitOnce) {
  ThreadPool pool(4);
  for (int64_t count : {0, 1, 7, 1000, 100'000}) {
    std::vector<std::atomic<int>> seen(static_cast<size_t>(count));
    pool.For(count, 1e6, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) seen[static_cast<size_t>(i)].fetch_add(1);
    });
    for (const auto& times : seen) ASSERT_EQ(times.load(), 1);
  }
}

TEST(ThreadPoolTest, SmallLoopsStayOnTheCallingThread) {
  ThreadPool pool(4);
  std::thread::id caller = std::this_thread::get_id();
  pool.For(100, 1, [&](int64_t, int64_t) { EXPECT_EQ(std::this_thread::get_id(), caller); });
}

// Every thread of the pool waits inside a For of its own: the callers work, so none is stuck.
TEST(ThreadPoolTest, LoopsWithinLoopsFinish) {
  ThreadPool pool(2);
  std::atomic<int64_t> total{0};
  pool.For(8, 1e6, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      pool.For(8, 1e6, [&](int64_t b, int64_t e) { total.fetch_add(e - b); });
    }
  });
  EXPECT_EQ(total.load(), 64);
}

TEST(ThreadPoolTest, DestroyingFinishesWhatIsQueued) {
  std::atomic<int> ran{0};
  {
    ThreadPool pool(2);
    for (int i = 0; i < 100; ++i) pool.Schedule([&] { ran.fetch_add(1); });
  }
  EXPECT_EQ(ran.load(), 100);
}

TEST(ThreadPoolTest, ManyCallersShareThePool) {
  ThreadPool pool(3);
  std::vector<std::thread> callers;
  std::atomic<int64_t> total{0};
  for (int t = 0; t < 4; ++t) {
    callers.emplace_back([&] {
      for (int round = 0; round < 50; ++round) {
        pool.For(64, 1e6, [&](int64_t begin, int64_t end) { total.fetch_add(end - begin); });
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(total.load(), 4 * 50 * 64);
}

// More loops at once than can be joined, of pieces that are done at once, among whole calls.
TEST(ThreadPoolTest, SmallLoopsAndCallsMix) {
  ThreadPool pool(3);
  std::vector<std::thread> callers;
  std::atomic<int64_t> total{0};
  std::atomic<int> calls{0};
  for (int t = 0; t < 12; ++t) {
    callers.emplace_back([&] {
      for (int round = 0; round < 2000; ++round) {
        pool.For(16, 1e5, [&](int64_t begin, int64_t end) {
          total.fetch_add(end - begin, std::memory_order_relaxed);
        });
        if (round % 100 == 0) pool.Schedule([&] { calls.fetch_add(1); });
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(total.load(), 12 * 2000 * 16);
  while (calls.load() < 12 * 20) std::this_thread::yield();
}

// Each is too small to wake a thread for; together they are not.
TEST(ThreadPoolTest, SmallLoopsInARowAreJoined) {
  using std::chrono::steady_clock;
  ThreadPool pool(2);
  const std::thread::id caller = std::this_thread::get_id();
  std::atomic<bool> is_joined{false};
  const auto end = steady_clock::now() + std::chrono::seconds(20);
  while (!is_joined && steady_clock::now() < end) {
    pool.For(2, 5'000, [&](int64_t, int64_t) {
      if (std::this_thread::get_id() != caller) is_joined = true;
      const auto piece_end = steady_clock::now() + std::chrono::microseconds(5);
      while (steady_clock::now() < piece_end) continue;
    });
  }
  EXPECT_TRUE(is_joined);
}

}  // namespace
}  // namespace signet
