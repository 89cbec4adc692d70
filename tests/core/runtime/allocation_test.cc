// Steady state of a specialized plan allocates nothing but its outputs: every allocation of the
// process is counted here.

#include <atomic>
#include <cerrno>
#include <cstdlib>

#include <gtest/gtest.h>

#include "core/runtime/concrete_function.h"
#include "tests/support/body_maker.h"

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && defined(__GLIBC__)

namespace {
std::atomic<int64_t> allocations{0};
}  // namespace

// NOLINTBEGIN: glibc's own names
extern "C" {
void* __libc_malloc(size_t);
void* __libc_memalign(size_t, size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);

void* malloc(size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_malloc(size);
}
void* calloc(size_t count, size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_calloc(count, size);
}
void* realloc(void* old, size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_realloc(old, size);
}
int posix_memalign(void** out, size_t alignment, size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  *out = __libc_memalign(alignment, size);
  return *out == nullptr ? ENOMEM : 0;
}
}
// NOLINTEND

namespace signet {
namespace {

TEST(AllocationTest, SteadyStateAllocatesOutputsOnly) {
  TestLibrary library;
  auto weights = Tensor::Allocate(DType::kFloat32, {16, 16});
  std::fill_n(weights->mutable_elements<float>(), 256, 0.5f);
  library.values["w"] = *weights;
  FunctionDef def = BodyMaker("f", "(x)")
                        .Node("h", "matmul", {"x", "$w"})
                        .Node("a", "relu", {"h"})
                        .Node("s", "softmax", {"a"})
                        .Node("t", "mul", {"s", "h"})
                        .Node("y", "reduce_sum", {"t"}, {{"axes", AttributeOf(-1)}})
                        .Make("y");
  std::vector<Value> arguments = {
      Tensor::Of<float>({2, 16}, std::span<const float>(std::vector<float>(32, 1.0f)))};
  auto function = MakeConcreteFunction(def, CallType(def, arguments), library);
  ASSERT_TRUE(function.ok()) << function.status();
  for (int warm_up = 0; warm_up < 3; ++warm_up) {
    ASSERT_TRUE((*function)->Run(arguments, {}).ok());
  }
  int64_t before = allocations.load();
  constexpr int kRuns = 100;
  for (int run = 0; run < kRuns; ++run) {
    auto result = (*function)->Run(arguments, {});
    SIGNET_CHECK(result.ok());
  }
  EXPECT_EQ(allocations.load() - before, kRuns);  // one output each
}

}  // namespace
}  // namespace signet

#endif
