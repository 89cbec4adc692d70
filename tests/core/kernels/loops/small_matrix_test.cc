// A few rows by a small matrix that is known give what the sums say, at every instruction set.

#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "core/kernels/simd/vector/isa_level.h"
#include "core/ops/catalog.h"
#include "core/ops/def/op_registry.h"
#include "tests/core/kernels/kernel_runner.h"

namespace signet {
namespace {

Tensor Numbers(const Shape& shape, unsigned seed) {
  auto tensor = Tensor::Allocate(DType::kFloat32, shape);
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> uniform(-1, 1);
  for (int64_t i = 0; i < shape.num_elements(); ++i) {
    tensor->mutable_elements<float>()[i] = uniform(random);
  }
  return *std::move(tensor);
}

// The op of rows and a matrix that is known, and of a bias.
StatusOr<Tensor> RunKnown(const char* name, NamedTypes entries, std::vector<Tensor> inputs) {
  const OpDef& op = **BuiltinOps().Find(name);
  SIGNET_ASSIGN_OR_RETURN(Attributes attributes,
                          CompleteAttributes(op, Attributes(std::move(entries))));
  std::vector<TypeSpec> types;
  for (const Tensor& input : inputs) types.push_back(input.spec());
  std::vector<const Tensor*> constants(inputs.size());
  constants[1] = &inputs[1];
  SIGNET_ASSIGN_OR_RETURN(auto outputs, RunOp(op, attributes, inputs, types, constants));
  return outputs[0];
}

// of(row, column, i) is what element i of the k that meet adds.
template <class Of>
void ExpectSums(const Tensor& found, int64_t k, double low, double high, const Tensor* bias,
                Of of) {
  for (int64_t row = 0; row < found.shape().dim(0); ++row) {
    for (int64_t column = 0; column < found.shape().dim(1); ++column) {
      double sum = bias == nullptr ? 0 : bias->elements<float>()[static_cast<size_t>(column)];
      for (int64_t i = 0; i < k; ++i) sum += of(row, column, i);
      auto at = static_cast<size_t>(row * found.shape().dim(1) + column);
      ASSERT_NEAR(found.elements<float>()[at], std::clamp(sum, low, high),
                  1e-5 + 1e-6 * std::abs(sum))
          << "row " << row << ", column " << column << ", k " << k;
    }
  }
}

class SmallMatrixTest : public ::testing::TestWithParam<IsaLevel> {
 protected:
  void SetUp() override { SetIsaLevel(GetParam()); }
  void TearDown() override { SetIsaLevel(AvailableIsaLevels().back()); }
};

TEST_P(SmallMatrixTest, FewRowsGiveTheSums) {
  for (int64_t k : {1, 3, 12, 16, 21, 40, 203}) {
    for (int64_t n : {1, 2, 4, 5, 16, 17, 33, 50, 64, 77}) {
      for (int64_t rows : {1, 3, 6}) {
        SCOPED_TRACE(Cat(rows, " rows, n ", n));
        const Tensor x = Numbers({rows, k}, 1);
        const Tensor by = Numbers({k, n}, 2);
        const Tensor turned = Numbers({n, k}, 3);
        const Tensor bias = Numbers({n}, 4);
        auto at = [&](const Tensor& matrix, int64_t row, int64_t column) -> double {
          auto width = static_cast<size_t>(matrix.shape().dim(1));
          return matrix
              .elements<float>()[static_cast<size_t>(row) * width + static_cast<size_t>(column)];
        };
        auto product = RunKnown("linear", {{"low", AttributeOf(-0.5)}, {"high", AttributeOf(0.75)}},
                                {x, by, bias});
        ASSERT_TRUE(product.ok()) << product.status();
        ExpectSums(*product, k, -0.5, 0.75, &bias, [&](int64_t row, int64_t column, int64_t i) {
          return at(x, row, i) * at(by, i, column);
        });
        product = RunKnown("matmul", {{"transpose_b", AttributeOf(true)}}, {x, turned});
        ASSERT_TRUE(product.ok()) << product.status();
        ExpectSums(*product, k, -1e9, 1e9, nullptr, [&](int64_t row, int64_t column, int64_t i) {
          return at(x, row, i) * at(turned, column, i);
        });
        auto distances = RunKnown("squared_distances", {}, {x, turned});
        ASSERT_TRUE(distances.ok()) << distances.status();
        ExpectSums(*distances, k, -1e9, 1e9, nullptr, [&](int64_t row, int64_t column, int64_t i) {
          return std::pow(at(x, row, i) - at(turned, column, i), 2);
        });
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Levels, SmallMatrixTest, ::testing::ValuesIn(AvailableIsaLevels()),
                         [](const auto& level) { return std::string(NameOf(level.param)); });

}  // namespace
}  // namespace signet
