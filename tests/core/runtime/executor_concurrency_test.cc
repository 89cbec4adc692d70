// Many threads running the concrete functions of one function, alone and over one pool; what
// ThreadSanitizer looks at.

#include <atomic>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "core/runtime/polymorphic_function.h"
#include "core/runtime/thread_pool.h"
#include "tests/support/body_maker.h"

namespace signet {
namespace {

constexpr int kThreads = 8;

FunctionDef SumOfSquares() {
  return BodyMaker("sum_of_squares", "(x: float32[?], /, *, by: float32[] = 2.0)")
      .Node("scaled", "mul", {"x", "by"})
      .Node("squares", "mul", {"scaled", "x"})
      .Node("sum", "reduce_sum", {"squares"})
      .Make("sum");
}

Tensor Ones(int64_t count) {
  auto tensor = Tensor::Allocate(DType::kFloat32, Shape{count});
  SIGNET_CHECK(tensor.ok());
  std::fill_n(tensor->mutable_elements<float>(), count, 1.0f);
  return *std::move(tensor);
}

template <class Body>
void OnThreads(Body body) {
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) threads.emplace_back([&body, i] { body(i); });
  for (std::thread& thread : threads) thread.join();
}

TEST(ExecutorConcurrencyTest, RunsOfOnePlanDoNotMeet) {
  FunctionDef def = SumOfSquares();
  TestLibrary library;
  PolymorphicFunction function(def, library);
  OnThreads([&](int thread) {
    for (int i = 0; i < 200; ++i) {
      int64_t count = 1 + (thread + i) % 5;  // types shared with other threads
      auto sum = function.Call({{Ones(count)}, {}}, {});
      ASSERT_TRUE(sum.ok()) << sum.status();
      ASSERT_EQ(sum->tensor().elements<float>()[0], 2.0f * static_cast<float>(count));
    }
  });
}

TEST(ExecutorConcurrencyTest, LargeKernelsShareThePool) {
  FunctionDef def = SumOfSquares();
  TestLibrary library;
  PolymorphicFunction function(def, library);
  ThreadPool pool(3);
  Tensor ones = Ones(1 << 20);
  OnThreads([&](int) {
    for (int i = 0; i < 4; ++i) {
      auto sum = function.Call({{ones}, {}}, {.parallel = &pool});
      ASSERT_TRUE(sum.ok()) << sum.status();
      ASSERT_EQ(sum->tensor().elements<float>()[0], 2.0f * (1 << 20));
    }
  });
}

TEST(ExecutorConcurrencyTest, CancellationComesFromAnyThread) {
  FunctionDef def = SumOfSquares();
  TestLibrary library;
  PolymorphicFunction function(def, library);
  Tensor ones = Ones(1 << 16);
  std::atomic<bool> cancelled = false;
  std::atomic<int> stopped{0};
  std::thread canceller([&] { cancelled.store(true); });
  OnThreads([&](int) {
    for (;;) {
      auto sum = function.Call({{ones}, {}}, {.cancelled = &cancelled});
      if (sum.ok()) continue;
      EXPECT_EQ(sum.status().code(), absl::StatusCode::kCancelled);
      stopped.fetch_add(1);
      return;
    }
  });
  canceller.join();
  EXPECT_EQ(stopped.load(), kThreads);
}

}  // namespace
}  // namespace signet
