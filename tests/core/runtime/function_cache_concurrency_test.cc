// Many threads on one FunctionCache; what ThreadSanitizer looks at.

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "core/runtime/function_cache.h"
#include "signet/literal_spec.h"
#include "signet/tensor_spec.h"

namespace signet {
namespace {

using Target = FunctionCache::Target;

FunctionType Matrix(int64_t rows, int64_t columns) {
  return *FunctionType::Make(
      {{"x", ParameterKind::kPositionalOnly, false, TensorType(DType::kFloat32, {rows, columns})}});
}

FunctionType Number(int64_t value) {
  return *FunctionType::Make(
      {{"x", ParameterKind::kPositionalOnly, false, LiteralType(Literal::Int(value))}});
}

Target TargetOf(const FunctionType& type) { return std::make_shared<DispatchTarget>(type); }

template <class Body>
void OnThreads(int count, Body body) {
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i) threads.emplace_back([&body, i] { body(i); });
  for (std::thread& thread : threads) thread.join();
}

// Releases all threads at once, so that they meet.
class StartingLine {
 public:
  explicit StartingLine(int count) : missing_(count) {}
  void Await() {
    missing_.fetch_sub(1);
    while (missing_.load() > 0) std::this_thread::yield();
  }

 private:
  std::atomic<int> missing_;
};

TEST(FunctionCacheConcurrencyTest, SixtyFourThreadsMakeATypeOnce) {
  FunctionCache cache({});
  std::atomic<int> calls{0};
  auto factory = [&](const FunctionType& type) -> StatusOr<Target> {
    calls.fetch_add(1);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return TargetOf(type);
  };
  StartingLine line(64);
  std::vector<Target> targets(64);
  OnThreads(64, [&](int i) {
    line.Await();
    auto found = cache.FindOrMake(Matrix(2, 3), factory);
    if (found.ok()) targets[static_cast<size_t>(i)] = found->target;
  });
  EXPECT_EQ(calls.load(), 1);
  for (const Target& target : targets) EXPECT_EQ(target, targets[0]);
  EXPECT_NE(targets[0], nullptr);
  EXPECT_EQ(cache.stats().specializations, 1U);
  EXPECT_EQ(cache.stats().hits, 63U);
}

TEST(FunctionCacheConcurrencyTest, WaitersShareTheErrorWhichIsNotRemembered) {
  FunctionCache cache({});
  std::atomic<int> calls{0};
  std::atomic<int> begun{0};
  auto factory = [&](const FunctionType&) -> StatusOr<Target> {
    calls.fetch_add(1);
    while (begun.load() < 8) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    return Unavailable("no");
  };
  std::atomic<int> rejected{0};
  OnThreads(8, [&](int) {
    begun.fetch_add(1);
    if (MessageOf(cache.FindOrMake(Number(1), factory).status()) == "no") rejected.fetch_add(1);
  });
  EXPECT_EQ(rejected.load(), 8);
  EXPECT_GE(calls.load(), 1);
  EXPECT_LT(calls.load(), 8);
  EXPECT_TRUE(
      cache
          .FindOrMake(Number(1),
                      [](const FunctionType& type) -> StatusOr<Target> { return TargetOf(type); })
          .ok());
}

TEST(FunctionCacheConcurrencyTest, OtherTypesGoOnMeanwhile) {
  FunctionCache cache({});
  cache.Add(TargetOf(Number(2)));
  std::atomic<bool> is_making{false};
  std::atomic<bool> may_end{false};
  std::thread slow([&] {
    auto found = cache.FindOrMake(Number(1), [&](const FunctionType& type) -> StatusOr<Target> {
      is_making.store(true);
      while (!may_end.load()) std::this_thread::yield();
      return TargetOf(type);
    });
    EXPECT_TRUE(found.ok());
  });
  while (!is_making.load()) std::this_thread::yield();
  EXPECT_NE(cache.Lookup(Number(2)), nullptr);
  EXPECT_TRUE(
      cache
          .FindOrMake(Number(3),
                      [](const FunctionType& type) -> StatusOr<Target> { return TargetOf(type); })
          .ok());
  may_end.store(true);
  slow.join();
}

// Readers must only ever see a target that accepts their request, while others come and go.
TEST(FunctionCacheConcurrencyTest, ReadersSeeFittingTargetsWhileWritersWork) {
  FunctionCache cache({.capacity = 40, .generalize_after = 0});
  FunctionType wide = Matrix(kUnknownDim, kUnknownDim);
  cache.Add(TargetOf(wide));
  std::atomic<bool> is_over{false};
  std::atomic<uint64_t> looked_up{0};
  std::vector<std::thread> readers;
  for (int i = 0; i < 4; ++i) {
    readers.emplace_back([&, i] {
      for (int64_t n = i; !is_over.load(); ++n) {
        FunctionType request = Matrix(n % 7, n % 5);
        Target target = cache.Lookup(request);
        if (target == nullptr) continue;  // the wide one was evicted
        ASSERT_TRUE(*IsSupertype(request, target->type));
        looked_up.fetch_add(1);
      }
    });
  }
  std::vector<std::thread> writers;
  for (int i = 0; i < 2; ++i) {
    writers.emplace_back([&, i] {
      for (int64_t n = i; n < 3000; ++n) {
        cache.Add(TargetOf(Matrix(n % 7, kUnknownDim)));
        cache.Add(TargetOf(Matrix(kUnknownDim, n % 5)));
        cache.Add(TargetOf(Matrix(n % 7, n % 5)));
        cache.Remove(Matrix((n + 3) % 7, n % 5));
        cache.Remove(Matrix((n + 2) % 7, kUnknownDim));
        cache.Add(TargetOf(wide), Cat("context", n % 3));
        cache.Remove(wide, Cat("context", (n + 1) % 3));
        if (n % 1000 == 0) cache.Clear();
        cache.Add(TargetOf(wide));
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  is_over.store(true);
  for (std::thread& reader : readers) reader.join();
  EXPECT_GT(looked_up.load(), 0U);
  EXPECT_LE(cache.size(), 40U);
}

TEST(FunctionCacheConcurrencyTest, AHundredThousandShapesStayBoundedAndGeneralize) {
  FunctionCache cache({.capacity = 64});
  auto factory = [](const FunctionType& type) -> StatusOr<Target> { return TargetOf(type); };
  OnThreads(4, [&](int thread) {
    for (int64_t n = 0; n < 25000; ++n) {
      auto found = cache.FindOrMake(Matrix(n, thread), factory);
      ASSERT_TRUE(found.ok());
      ASSERT_TRUE(*IsSupertype(Matrix(n, thread), found->target->type));
    }
  });
  FunctionCacheStats stats = cache.stats();
  EXPECT_GE(stats.generalizations, 1U);
  EXPECT_LE(stats.specializations, 64U);
  EXPECT_LE(stats.targets, 64U);
}

TEST(FunctionCacheConcurrencyTest, LiteralsStayWithinTheCapacity) {
  FunctionCache cache({.capacity = 16});
  auto factory = [](const FunctionType& type) -> StatusOr<Target> { return TargetOf(type); };
  OnThreads(4, [&](int thread) {
    for (int64_t n = 0; n < 2000; ++n) {
      ASSERT_TRUE(cache.FindOrMake(Number(n * 4 + thread), factory).ok());
    }
  });
  EXPECT_EQ(cache.size(), 16U);
  EXPECT_EQ(cache.stats().evictions, cache.stats().specializations - 16U);
}

}  // namespace
}  // namespace signet
