// Pooling of float32, which goes by planes, is that of float64, which goes window by window.

#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "core/kernels/simd/vector/isa_level.h"
#include "core/ops/catalog.h"
#include "core/ops/def/op_registry.h"
#include "tests/core/kernels/kernel_runner.h"

namespace signet {
namespace {

using Lists = std::initializer_list<std::pair<const char*, std::vector<int64_t>>>;

struct Call {
  const char* what;
  Shape x;
  Lists lists;
  bool ceil_mode = false;
};

Tensor Numbers(DType dtype, const Shape& shape) {
  auto tensor = Tensor::Allocate(dtype, shape);
  std::mt19937 random(7);
  std::normal_distribution<float> normal(-3);
  for (int64_t i = 0; i < shape.num_elements(); ++i) {
    float number = normal(random);
    if (dtype == DType::kFloat32) tensor->mutable_elements<float>()[i] = number;
    if (dtype == DType::kFloat64)
      tensor->mutable_elements<double>()[i] = static_cast<double>(number);
  }
  return *std::move(tensor);
}

StatusOr<Tensor> RunPool(const char* name, const Call& call, DType dtype, int threads) {
  const OpDef& op = **BuiltinOps().Find(name);
  NamedTypes entries = {{"ceil_mode", AttributeOf(call.ceil_mode)}};
  for (const auto& [attribute, list] : call.lists) {
    entries.push_back({attribute, AttributeOf(std::span<const int64_t>(list))});
  }
  SIGNET_ASSIGN_OR_RETURN(Attributes attributes,
                          CompleteAttributes(op, Attributes(std::move(entries))));
  std::vector<Tensor> inputs = {Numbers(dtype, call.x)};
  std::vector<TypeSpec> types = {inputs[0].spec()};
  std::vector<const Tensor*> constants(1);
  SIGNET_ASSIGN_OR_RETURN(auto outputs, RunOp(op, attributes, inputs, types, constants, threads));
  return outputs[0];
}

TEST(PoolingTest, OfFloat32IsThatOfFloat64) {
  const Call kCalls[] = {
      {"2x2", {2, 3, 28, 28}, {{"kernel", {2, 2}}, {"strides", {2, 2}}}},
      {"2x2, narrow", {2, 5, 8, 8}, {{"kernel", {2, 2}}, {"strides", {2, 2}}}},
      {"3x3, stride 3", {1, 4, 14, 14}, {{"kernel", {3, 3}}, {"strides", {3, 3}}}},
      {"3x3, stride 2, padded",
       {1, 4, 37, 61},
       {{"kernel", {3, 3}}, {"strides", {2, 2}}, {"pads", {1, 1, 1, 1}}}},
      {"3x3, stride 2, hangs over",
       {1, 4, 36, 60},
       {{"kernel", {3, 3}}, {"strides", {2, 2}}},
       true},
      {"3x3, stride 1", {1, 4, 13, 35}, {{"kernel", {3, 3}}, {"pads", {1, 1, 1, 1}}}},
      {"wide", {1, 2, 9, 200}, {{"kernel", {2, 5}}, {"pads", {0, 2, 1, 2}}}},
      {"dilated", {1, 2, 20, 22}, {{"kernel", {3, 2}}, {"dilations", {2, 3}}, {"strides", {1, 2}}}},
      {"whole plane", {2, 6, 7, 7}, {{"kernel", {7, 7}}}},
      {"1-D", {2, 3, 50}, {{"kernel", {4}}, {"strides", {4}}}},
      {"1-D, tiny", {1, 3, 3}, {{"kernel", {2}}}},
      {"3-D",
       {1, 2, 5, 6, 7},
       {{"kernel", {2, 3, 2}}, {"strides", {1, 2, 2}}, {"pads", {1, 0, 1, 0, 1, 0}}}},
  };
  IsaLevel active = ActiveIsaLevel();
  for (const Call& call : kCalls) {
    for (const char* op : {"max_pool", "average_pool"}) {
      SCOPED_TRACE(Cat(op, " ", call.what));
      auto expected = RunPool(op, call, DType::kFloat64, 1);
      ASSERT_TRUE(expected.ok()) << expected.status();
      for (IsaLevel level : AvailableIsaLevels()) {
        SCOPED_TRACE(NameOf(level));
        SetIsaLevel(level);
        auto found = RunPool(op, call, DType::kFloat32, 3);
        ASSERT_TRUE(found.ok()) << found.status();
        ASSERT_EQ(found->shape(), expected->shape());
        for (int64_t i = 0; i < found->num_elements(); ++i) {
          auto at = static_cast<size_t>(i);
          EXPECT_NEAR(static_cast<double>(found->elements<float>()[at]),
                      expected->elements<double>()[at], 1e-5);
        }
      }
      SetIsaLevel(active);
    }
  }
}

}  // namespace
}  // namespace signet
