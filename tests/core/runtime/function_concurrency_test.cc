// Many threads on one Function: cache, frames, pool and run control together.

#include <atomic>
#include <numeric>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "core/runtime/function.h"
#include "core/runtime/thread_pool.h"
#include "tests/support/body_maker.h"

namespace signet {
namespace {

template <class Body>
void OnThreads(int count, Body body) {
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i) threads.emplace_back([&body, i] { body(i); });
  for (std::thread& thread : threads) thread.join();
}

// A part that is known at once, an intermediate, and a result.
FunctionDef Doubled() {
  return BodyMaker("doubled", "(x, /, *, by = 2)")
      .Node("unit", "ones_like", {"x"})
      .Node("less", "sub", {"x", "unit"})
      .Node("whole", "add", {"less", "unit"})
      .Node("out", "mul", {"whole", "by"})
      .Make("out");
}

Tensor Counting(int64_t rows, int64_t columns) {
  Tensor tensor = *Tensor::Allocate(DType::kFloat32, Shape{rows, columns});
  float* elements = tensor.mutable_elements<float>();
  std::iota(elements, elements + rows * columns, 0.0f);
  return tensor;
}

bool IsDoubled(const Tensor& out, const Tensor& x) {
  if (out.shape() != x.shape()) return false;
  for (size_t i = 0; i < x.elements<float>().size(); ++i) {
    if (out.elements<float>()[i] != 2 * x.elements<float>()[i]) return false;
  }
  return true;
}

// More types than the cache keeps, so that functions are dropped while others run them.
TEST(FunctionConcurrencyTest, CallsOfManyTypesGetTheirOwnAnswers) {
  FunctionDef def = Doubled();
  TestLibrary library;
  Function function(def, library, {.max_concrete_functions = 4});
  OnThreads(6, [&](int thread) {
    for (int64_t n = 0; n < 300; ++n) {
      Tensor x = Counting(1 + (n + thread) % 11, 1 + n % 3);
      auto out = function.Call({{x}, {}}, {});
      ASSERT_TRUE(out.ok()) << out.status();
      ASSERT_TRUE(IsDoubled(out->tensor(), x));
    }
  });
  EXPECT_LE(function.cache_stats().targets, 4u);
}

TEST(FunctionConcurrencyTest, CallsShareFramesAndThePool) {
  FunctionDef def = Doubled();
  TestLibrary library;
  Function function(def, library);
  ThreadPool pool(3);
  Tensor x = Counting(300, 300);
  OnThreads(4, [&](int) {
    for (int round = 0; round < 10; ++round) {
      auto out = function.Call({{x}, {}}, {.parallel = &pool});
      ASSERT_TRUE(out.ok()) << out.status();
      ASSERT_TRUE(IsDoubled(out->tensor(), x));
    }
  });
  EXPECT_EQ(function.cache_stats().specializations, 1u);
}

TEST(FunctionConcurrencyTest, CancellingFromAnotherThreadStopsOnlyThatCall) {
  FunctionDef def = Doubled();
  TestLibrary library;
  Function function(def, library);
  Tensor x = Counting(50, 50);
  std::atomic<bool> cancelled{false};
  std::thread victim([&] {
    Status status;
    while (status.ok()) status = function.Call({{x}, {}}, {.cancelled = &cancelled}).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kCancelled);
  });
  std::thread other([&] {
    for (int round = 0; round < 50; ++round) {
      if (round == 10) cancelled.store(true);
      EXPECT_TRUE(function.Call({{x}, {}}, {}).ok());
    }
  });
  victim.join();
  other.join();
}

TEST(FunctionConcurrencyTest, ExplainingAndCountingGoOnMeanwhile) {
  FunctionDef def = Doubled();
  TestLibrary library;
  Function function(def, library, {.max_concrete_functions = 4});
  OnThreads(4, [&](int thread) {
    for (int64_t n = 1; n <= 60; ++n) {
      Tensor x = Counting(n % 7, thread);
      if (thread % 2 == 0) {
        ASSERT_TRUE(function.Call({{x}, {}}, {}).ok());
      } else {
        ASSERT_TRUE(function.Explain({{x}, {}}).error.ok());
        ASSERT_LE(function.cache_stats().targets, 4u);
      }
    }
  });
}

}  // namespace
}  // namespace signet
