// Kernels along an axis against plain loops, for sizes around those of their pieces and tiles.

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include <gtest/gtest.h>

#include "core/ops/catalog.h"
#include "core/ops/def/op_registry.h"
#include "tests/core/kernels/kernel_runner.h"

namespace signet {
namespace {

std::vector<Tensor> RunKernel(std::string_view name, NamedTypes given,
                              const std::vector<Tensor>& inputs, int threads) {
  const OpDef* op = *BuiltinOps().Find(name);
  Attributes attributes = *CompleteAttributes(*op, Attributes(given));
  std::vector<TypeSpec> types;
  for (const Tensor& input : inputs) types.push_back(input.spec());
  auto outputs = RunOp(*op, attributes, inputs, types, {}, threads);
  EXPECT_TRUE(outputs.ok()) << outputs.status();
  return outputs.ok() ? *outputs : std::vector<Tensor>();
}

// Few different numbers, so that many are equal, of both signs, with NaN among them.
template <class T>
Tensor Numbers(Shape shape) {
  Tensor tensor = *Tensor::Allocate(DTypeOf<T>::value, std::move(shape));
  std::mt19937 random(5);
  for (int64_t i = 0; i < tensor.num_elements(); ++i) {
    const auto number = static_cast<int>(random() % 41) - 20;
    T& x = tensor.mutable_elements<T>()[i];
    if constexpr (std::same_as<T, Float16>) {
      x = ToFloat16(static_cast<float>(number) / 4);
    } else {
      x = static_cast<T>(number);
      if constexpr (std::floating_point<T>) {
        if (number == 20) x = T(NAN);
        if (number == 0 && random() % 2 == 0) x = T(-0.0);
      }
    }
  }
  return tensor;
}

double Value(Float16 x) { return static_cast<double>(ToFloat(x)); }
template <class T>
double Value(T x) {
  return static_cast<double>(x);
}

template <class T>
void CheckTopK(const Shape& shape, int axis, int64_t k, bool largest) {
  SCOPED_TRACE(Cat("top_k k=", k, " axis=", axis, " largest=", largest, " of ", shape, " ",
                   NameOf(DTypeOf<T>::value)));
  Tensor x = Numbers<T>(shape);
  auto out = RunKernel("top_k",
                       {{"k", AttributeOf(k)},
                        {"axis", AttributeOf(int64_t{axis})},
                        {"largest", AttributeOf(largest)}},
                       {x}, 3);
  ASSERT_EQ(out.size(), 2u);
  const int64_t size = shape.dim(axis);
  const int64_t inner = axis == 0 ? shape.dim(1) : 1;
  const int64_t columns = shape.num_elements() / size;
  for (int64_t column = 0; column < columns; ++column) {
    auto value = [&](int64_t i) {
      return Value(x.elements<T>()[static_cast<size_t>(column / inner * size * inner +
                                                       column % inner + i * inner)]);
    };
    std::vector<int64_t> order(static_cast<size_t>(size));
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
      if (!largest) std::swap(a, b);
      return std::isnan(value(a)) ? !std::isnan(value(b)) : value(a) > value(b);
    });
    for (int64_t j = 0; j < k; ++j) {
      auto at = static_cast<size_t>(column / inner * k * inner + column % inner + j * inner);
      const int64_t wanted = order[static_cast<size_t>(j)];
      ASSERT_EQ(out[1].elements<int32_t>()[at], wanted) << column << " " << j;
      const double found = Value(out[0].elements<T>()[at]);
      ASSERT_TRUE(found == value(wanted) || (std::isnan(found) && std::isnan(value(wanted))));
    }
  }
}

TEST(OrderTest, TopKIsTheFirstOfAStableSort) {
  for (int64_t size : {1, 7, 8, 9, 16, 17, 33, 65, 130, 500}) {
    for (int64_t k : {1, 2, 10, 64, 500}) {
      if (k > size) continue;
      for (bool largest : {true, false}) {
        CheckTopK<float>({3, size}, 1, k, largest);
        CheckTopK<float>({size, 35}, 0, k, largest);
        CheckTopK<double>({size, 3}, 0, k, largest);
        CheckTopK<Float16>({2, size}, 1, k, largest);
        CheckTopK<int64_t>({2, size}, 1, k, largest);
        CheckTopK<int8_t>({2, size}, 1, k, largest);
        CheckTopK<uint16_t>({size, 5}, 0, k, largest);
      }
    }
  }
}

// Sums are taken in order, so they are the same to the bit.
TEST(OrderTest, CumsumAddsInOrder) {
  for (int64_t inner : {1, 7, 8, 9, 33, 513, 1100}) {
    for (bool exclusive : {true, false}) {
      for (bool reverse : {true, false}) {
        const int64_t size = 6;
        Tensor x = *Tensor::Allocate(DType::kFloat32, Shape{2, size, inner});
        for (int64_t i = 0; i < x.num_elements(); ++i) {
          x.mutable_elements<float>()[i] = std::sin(static_cast<float>(i)) * 1e3f;
        }
        auto out = RunKernel("cumsum",
                             {{"axis", AttributeOf(1)},
                              {"exclusive", AttributeOf(exclusive)},
                              {"reverse", AttributeOf(reverse)}},
                             {x}, 3);
        ASSERT_EQ(out.size(), 1u);
        for (int64_t column = 0; column < 2 * inner; ++column) {
          float sum = 0;
          for (int64_t step = 0; step < size; ++step) {
            const int64_t row = reverse ? size - 1 - step : step;
            auto at = static_cast<size_t>((column / inner * size + row) * inner + column % inner);
            const float wanted = exclusive ? sum : sum + x.elements<float>()[at];
            sum += x.elements<float>()[at];
            ASSERT_EQ(out[0].elements<float>()[at], wanted) << inner << " " << column;
          }
        }
      }
    }
  }
}

// Along each axis, of indices that are fewer than the elements.
TEST(OrderTest, GatherElementsPicksWhereIndicesStand) {
  const Shape shape = {3, 5, 9};
  Tensor x = *Tensor::Allocate(DType::kInt32, shape);
  std::iota(x.mutable_elements<int32_t>(), x.mutable_elements<int32_t>() + x.num_elements(), 0);
  for (int axis = 0; axis < 3; ++axis) {
    for (int64_t last : {1, 7, 8, 9}) {
      Tensor indices = *Tensor::Allocate(DType::kInt64, Shape{2, 4, last});
      for (int64_t i = 0; i < indices.num_elements(); ++i) {
        indices.mutable_elements<int64_t>()[i] = i * 7 % shape.dim(axis);
      }
      auto out =
          RunKernel("gather_elements", {{"axis", AttributeOf(int64_t{axis})}}, {x, indices}, 2);
      ASSERT_EQ(out.size(), 1u);
      for (int64_t i = 0; i < indices.num_elements(); ++i) {
        int64_t at[] = {i / last / 4, i / last % 4, i % last};
        at[axis] = indices.elements<int64_t>()[static_cast<size_t>(i)];
        EXPECT_EQ(out[0].elements<int32_t>()[static_cast<size_t>(i)],
                  (at[0] * 5 + at[1]) * 9 + at[2]);
      }
    }
  }
}

}  // namespace
}  // namespace signet
