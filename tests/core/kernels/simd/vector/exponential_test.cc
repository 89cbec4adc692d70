// The exponential and the ops built on it, over the whole range of float32 and float64, against
// long doubles, at every instruction-set level.

#include <cmath>
#include <cstdio>
#include <limits>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "core/kernels/simd/vector/isa_level.h"
#include "core/ops/catalog.h"
#include "core/ops/def/op_registry.h"
#include "tests/core/kernels/kernel_runner.h"

namespace signet {
namespace {

// Numbers at which exponentials underflow, become subnormal, overflow or are special, and others.
template <class T>
std::vector<T> InterestingNumbers() {
  using Limits = std::numeric_limits<T>;
  std::vector<T> numbers = {0,
                            T(-0.0),
                            Limits::infinity(),
                            -Limits::infinity(),
                            Limits::quiet_NaN(),
                            Limits::max(),
                            Limits::lowest(),
                            Limits::min(),
                            -Limits::min(),
                            Limits::denorm_min(),
                            -Limits::denorm_min(),
                            Limits::epsilon(),
                            -Limits::epsilon()};
  for (double limit : {87.0, 88.0, 88.37, 88.38, 88.72, 88.73, 103.2, 103.9, 104.0, 708.0, 709.0,
                       709.78, 709.79, 744.0, 745.13, 746.0, 1e3, 1e5, 1e30}) {
    numbers.push_back(T(limit));
    numbers.push_back(T(-limit));
  }
  for (int i = -1500; i <= 1500; ++i) numbers.push_back(T(i) / 2 + T(i % 7) / 64);
  for (int i = -400; i <= 400; ++i) numbers.push_back(T(i) / 40);
  return numbers;
}

template <class T>
std::vector<T> Compute(const char* name, std::span<const T> x, Shape shape,
                       Attributes attributes = {}) {
  const OpDef& op = **BuiltinOps().Find(name);
  std::vector<Tensor> inputs = {Tensor::Of<T>(std::move(shape), x)};
  std::vector<TypeSpec> types = {inputs[0].spec()};
  auto outputs = RunOp(op, *CompleteAttributes(op, attributes), inputs, types);
  EXPECT_TRUE(outputs.ok()) << outputs.status();
  auto elements = (*outputs)[0].template elements<T>();
  return {elements.begin(), elements.end()};
}

// Checks that `found` is `expected` within some units in the last place, of numbers of at least
// `scale`.
template <class T>
void ExpectNear(T found, long double expected, long double x, long double scale = 0) {
  using Limits = std::numeric_limits<T>;
  if (std::isnan(expected)) {
    EXPECT_TRUE(std::isnan(found)) << "at " << x << ": " << found;
    return;
  }
  T rounded = static_cast<T>(expected);
  if (found == rounded) return;
  long double unit = std::max<long double>(
      std::fmax(std::fabs(expected), scale) * Limits::epsilon(), Limits::denorm_min());
  EXPECT_LE(std::fabs(found - expected), 6 * unit)
      << "at " << static_cast<double>(x) << ": found " << found << ", expected " << rounded;
}

struct Function {
  const char* op;
  long double (*exact)(long double x);
};

template <class T>
void CheckFunctions() {
  const Function kFunctions[] = {
      {"exp", [](long double x) { return std::exp(x); }},
      {"expm1", [](long double x) { return std::expm1(x); }},
      {"sigmoid",
       [](long double x) {
         return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x));
       }},
      {"softplus",
       [](long double x) { return std::fmax(x, 0.0L) + std::log1p(std::exp(-std::fabs(x))); }},
      {"tanh", [](long double x) { return std::tanh(x); }},
  };
  std::vector<T> numbers = InterestingNumbers<T>();
  for (const Function& function : kFunctions) {
    SCOPED_TRACE(function.op);
    // In one array, and each number alone, which no packet of several holds.
    std::vector<T> found = Compute<T>(function.op, numbers, {static_cast<int64_t>(numbers.size())});
    for (size_t i = 0; i < numbers.size(); ++i) {
      long double exact = std::isnan(numbers[i]) ? numbers[i] : function.exact(numbers[i]);
      ExpectNear(found[i], exact, numbers[i]);
      T alone = Compute<T>(function.op, std::span<const T>(&numbers[i], 1), {1})[0];
      ExpectNear(alone, exact, numbers[i]);
    }
  }
}

// Softmax of `n` numbers next to a zero: shares that underflow are exactly 0.
template <class T>
void CheckSoftmax() {
  constexpr T kInfinity = std::numeric_limits<T>::infinity();
  const T kFar[] = {T(-50),
                    T(-88),
                    T(-95),
                    T(-200),
                    T(-720),
                    T(-740),
                    T(-800),
                    T(-1e5),
                    T(-1e30),
                    -kInfinity,
                    std::numeric_limits<T>::lowest()};
  for (int64_t n : {2, 3, 4, 7, 8, 16, 17, 33, 64, 300}) {
    for (T far : kFar) {
      SCOPED_TRACE(testing::Message() << "n " << n << ", far " << far);
      std::vector<T> row(static_cast<size_t>(n), far);
      row[static_cast<size_t>(n / 2)] = 0;
      for (bool along_columns : {false, true}) {
        Shape shape = along_columns ? Shape{n, 2} : Shape{1, n};
        std::vector<T> x;
        for (T each : row) x.insert(x.end(), along_columns ? 2 : 1, each);
        Attributes axis({{"axis", AttributeOf(along_columns ? 0 : 1)}});
        std::vector<T> shares = Compute<T>("softmax", x, shape, axis);
        std::vector<T> logs = Compute<T>("log_softmax", x, shape, axis);
        long double sum = 1 + static_cast<long double>(n - 1) * std::exp((long double)far);
        for (size_t i = 0; i < x.size(); ++i) {
          ExpectNear(shares[i], std::exp((long double)x[i]) / sum, x[i]);
          ExpectNear(logs[i], x[i] - std::log(sum), x[i], 1);
        }
      }
    }
  }
}

// Takes the greatest off before the logarithm of the sum, which it would swallow.
template <class T>
void CheckLogSoftmaxOfLargeNumbers() {
  const T kLarge = T(1e9);
  std::vector<T> x(19, kLarge);
  for (const Shape& shape : {Shape{1, 19}, Shape{19, 1}}) {
    Attributes axis({{"axis", AttributeOf(shape.dim(0) == 1 ? 1 : 0)}});
    for (T found : Compute<T>("log_softmax", x, shape, axis)) {
      ExpectNear<T>(found, -std::log(19.0L), kLarge);
    }
  }
}

TEST(ExponentialTest, IsExactOverTheWholeRange) {
  const IsaLevel before = ActiveIsaLevel();
  for (IsaLevel level : AvailableIsaLevels()) {
    SCOPED_TRACE(NameOf(level));
    SetIsaLevel(level);
    CheckFunctions<float>();
    CheckFunctions<double>();
  }
  SetIsaLevel(before);
}

TEST(ExponentialTest, SoftmaxGivesNothingToWhatUnderflows) {
  const IsaLevel before = ActiveIsaLevel();
  for (IsaLevel level : AvailableIsaLevels()) {
    SCOPED_TRACE(NameOf(level));
    SetIsaLevel(level);
    CheckSoftmax<float>();
    CheckSoftmax<double>();
    CheckLogSoftmaxOfLargeNumbers<float>();
    CheckLogSoftmaxOfLargeNumbers<double>();
  }
  SetIsaLevel(before);
}

}  // namespace
}  // namespace signet
