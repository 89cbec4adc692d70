// Kernels that share their work, on real threads: what one thread writes is no other's, or now and
// then numbers are wrong. The thread sanitizer does not see whole vectors.

#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "core/graph/flat/run_kernel.h"
#include "core/ops/catalog.h"
#include "core/ops/def/inference.h"
#include "core/ops/def/op_registry.h"
#include "core/runtime/thread_pool.h"

namespace signet {
namespace {

using Ints = std::vector<int64_t>;

Tensor Numbers(const Shape& shape, unsigned seed) {
  Tensor tensor = *Tensor::Allocate(DType::kFloat32, shape);
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> uniform(-1, 1);
  float* to = tensor.mutable_elements<float>();
  for (int64_t i = 0; i < shape.num_elements(); ++i) to[i] = uniform(random);
  return tensor;
}

TypeSpec List(const Ints& values) { return AttributeOf(std::span<const int64_t>(values)); }

// Runs the op on random numbers, by itself and on the pool.
void Compare(ThreadPool& pool, std::string_view name, const std::vector<Shape>& shapes,
             const NamedTypes& attributes) {
  const OpDef& op = **BuiltinOps().Find(name);
  auto complete = CompleteAttributes(op, Attributes(attributes));
  ASSERT_TRUE(complete.ok()) << complete.status();
  std::vector<Tensor> inputs;
  for (const Shape& shape : shapes) inputs.push_back(Numbers(shape, 7));
  std::vector<TypeSpec> types;
  std::vector<const Tensor*> constants;
  for (const Tensor& input : inputs) {
    types.push_back(input.spec());
    constants.push_back(&input);
  }
  OpCall call{op, types, *complete, constants};
  auto outputs = op.infer(call);
  if (!outputs.ok()) return;  // a window that does not fit
  auto wanted = RunKernelOnce(call, *outputs);
  ASSERT_TRUE(wanted.ok()) << wanted.status();
  for (int i = 0; i < 20; ++i) {
    auto found = RunKernelOnce(call, *outputs, pool);
    ASSERT_TRUE(found.ok()) << found.status();
    for (size_t k = 0; k < found->size(); ++k) {
      if ((*wanted)[k].dtype() != DType::kFloat32) continue;
      auto a = (*wanted)[k].elements<float>();
      auto b = (*found)[k].elements<float>();
      ASSERT_EQ(a.size(), b.size());
      for (size_t at = 0; at < a.size(); ++at) {
        ASSERT_NEAR(a[at], b[at], 1e-3 * (1 + std::abs(a[at]))) << name << " element " << at;
      }
    }
  }
}

TEST(KernelsTest, ConvolutionsShareTheirWork) {
  ThreadPool pool(3);
  std::mt19937 random(3);
  auto one_of = [&](std::initializer_list<int64_t> choices) {
    return choices.begin()[random() % choices.size()];
  };
  Compare(pool, "conv", {{1, 32, 48, 48}, {64, 32, 3, 3}},
          {{"strides", List({2, 2})}, {"pads", List({1, 1, 1, 1})}});
  for (int i = 0; i < 60; ++i) {
    const bool is_depthwise = i % 4 == 0;
    const int64_t groups = is_depthwise ? one_of({33, 64}) : one_of({1, 1, 2});
    const int64_t in = is_depthwise ? 1 : one_of({3, 16, 32});
    const int64_t out = groups * (is_depthwise ? 1 : one_of({8, 24, 48}));
    const int64_t h = 4 + static_cast<int64_t>(random() % 40);
    const int64_t w = 4 + static_cast<int64_t>(random() % 40);
    const int64_t k = one_of({1, 3, 3, 5});
    const int64_t stride = one_of({1, 1, 2});
    const int64_t pad = k / 2;
    Compare(pool, "conv", {{one_of({1, 1, 4}), groups * in, h, w}, {out, in, k, k}},
            {{"groups", AttributeOf(groups)},
             {"strides", List({stride, stride})},
             {"pads", List({pad, pad, pad, pad})}});
  }
}

TEST(KernelsTest, OthersShareTheirWork) {
  ThreadPool pool(3);
  const Ints window = {3, 3};
  Compare(pool, "max_pool", {{2, 16, 61, 59}}, {{"kernel", List(window)}});
  Compare(pool, "average_pool", {{2, 16, 61, 59}}, {{"kernel", List(window)}});
  Compare(pool, "conv_transpose", {{1, 24, 21, 19}, {24, 16, 3, 3}}, {{"strides", List({2, 2})}});
  Compare(pool, "matmul", {{7, 130, 67}, {67, 129}}, {});
  Compare(pool, "matmul", {{1, 700}, {700, 900}}, {});
  Compare(pool, "linear", {{65, 130}, {130, 257}, {257}}, {});
  Compare(pool, "softmax", {{300, 257}}, {});
  Compare(pool, "reduce_sum", {{130, 70, 33}}, {{"axes", List({0, 2})}});
  Compare(pool, "transpose", {{65, 33, 70}}, {{"perm", List({2, 0, 1})}});
  Compare(pool, "concat", {{300, 17}, {300, 5}, {300, 40}}, {{"axis", AttributeOf(1)}});
  Compare(pool, "cumsum", {{200, 301}}, {{"axis", AttributeOf(1)}});
  Compare(pool, "round_to", {{100, 333}}, {{"format", AttributeOf("float8_e4m3fn")}});
}

}  // namespace
}  // namespace signet
