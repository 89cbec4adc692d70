// Many threads on one Function whose cache is too small for them.

#include <numeric>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "core/runtime/polymorphic_function.h"
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
  PolymorphicFunction function(def, library, {.max_concrete_functions = 4});
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

TEST(FunctionConcurrencyTest, ExplainingAndCountingGoOnMeanwhile) {
  FunctionDef def = Doubled();
  TestLibrary library;
  PolymorphicFunction function(def, library, {.max_concrete_functions = 4});
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
