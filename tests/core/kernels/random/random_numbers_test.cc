// Checks that random numbers have the distributions of their ops.

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "core/ops/catalog.h"
#include "core/ops/def/op_registry.h"
#include "tests/core/kernels/kernel_runner.h"

namespace signet {
namespace {

constexpr int64_t kCount = 20'000;
// The largest difference of the distribution functions of kCount numbers and of all numbers. It is
// exceeded with a probability of 0.001.
const double kMostDifference = 1.95 / std::sqrt(static_cast<double>(kCount));

Tensor RunKernel(std::string_view name, const std::vector<Tensor>& inputs, int threads = 1) {
  const OpDef* op = *BuiltinOps().Find(name);
  Attributes attributes = *CompleteAttributes(*op, {});
  std::vector<TypeSpec> types;
  for (const Tensor& input : inputs) types.push_back(input.spec());
  auto outputs = RunOp(*op, attributes, inputs, types, {}, threads);
  EXPECT_TRUE(outputs.ok()) << outputs.status();
  return outputs.ok() ? (*outputs)[0] : Tensor();
}

Tensor Repeated(double value) {
  return Tensor::Of<double>({kCount}, std::vector<double>(kCount, value));
}

std::vector<double> SortedNumbers(std::string_view op, double parameter) {
  Tensor made = RunKernel(op, {Tensor::Scalar<int64_t>(11), Repeated(parameter)});
  auto elements = made.elements<double>();
  std::vector<double> numbers(elements.begin(), elements.end());
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

TEST(RandomNumbersTest, GammaNumbersHaveTheirDistribution) {
  for (double alpha : {0.05, 0.7, 1.0, 3.0, 50.0}) {
    const std::vector<double> numbers = SortedNumbers("random_gamma", alpha);
    const Tensor below =
        RunKernel("igamma", {Repeated(alpha), Tensor::Of<double>({kCount}, numbers)});
    double most = 0;
    for (int64_t i = 0; i < kCount; ++i) {
      const double share = static_cast<double>(i) / static_cast<double>(kCount);
      most = std::max(most, std::abs(below.elements<double>()[static_cast<size_t>(i)] - share));
    }
    EXPECT_LT(most, kMostDifference) << alpha;
  }
}

TEST(RandomNumbersTest, PoissonNumbersHaveTheirDistribution) {
  for (double rate : {0.5, 4.0, 9.9, 12.0, 1000.0}) {
    const std::vector<double> numbers = SortedNumbers("random_poisson", rate);
    std::vector<double> above;  // the numbers plus 1
    for (double number : numbers) {
      EXPECT_EQ(number, std::floor(number));
      above.push_back(number + 1);
    }
    // The probability of at most k is igammac(k + 1, rate).
    const Tensor most_k =
        RunKernel("igammac", {Tensor::Of<double>({kCount}, above), Repeated(rate)});
    double most = 0;
    for (size_t i = 0; i < kCount; ++i) {
      if (i + 1 < kCount && numbers[i + 1] == numbers[i]) continue;
      const double share = static_cast<double>(i + 1) / static_cast<double>(kCount);
      most = std::max(most, std::abs(most_k.elements<double>()[i] - share));
    }
    EXPECT_LT(most, kMostDifference) << rate;
  }
}

TEST(RandomNumbersTest, NumbersDoNotDependOnTheThreads) {
  for (const char* op : {"random_gamma", "random_poisson"}) {
    const std::vector<Tensor> inputs = {Tensor::Scalar<int64_t>(5), Repeated(20)};
    const Tensor one = RunKernel(op, inputs, 1);
    const Tensor several = RunKernel(op, inputs, 3);
    EXPECT_TRUE(std::ranges::equal(one.elements<double>(), several.elements<double>())) << op;
  }
}

}  // namespace
}  // namespace signet
