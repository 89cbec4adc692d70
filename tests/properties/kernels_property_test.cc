// Kernels equal the naive loop on random shapes and values, at every instruction-set level.
//
// The seed is printed; SIGNET_SEED=n runs with another.

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>

#include <gtest/gtest.h>

#include "core/kernels/simd/vector/isa_level.h"
#include "core/ops/catalog.h"
#include "core/ops/def/op_registry.h"
#include "tests/core/kernels/kernel_runner.h"

namespace signet {
namespace {

class KernelsPropertyTest : public testing::Test {
 protected:
  void SetUp() override {
    const char* given = std::getenv("SIGNET_SEED");
    auto seed = static_cast<uint32_t>(given != nullptr ? std::atoi(given) : 20240607);
    std::printf("seed: %u\n", seed);
    random_.seed(seed);
    active_ = ActiveIsaLevel();
  }
  void TearDown() override { SetIsaLevel(active_); }

  int64_t Int(int64_t least, int64_t greatest) {
    return std::uniform_int_distribution<int64_t>(least, greatest)(random_);
  }
  Shape RandomShape(int rank, int64_t longest) {
    Shape shape;
    for (int i = 0; i < rank; ++i) shape.push_back(Int(0, 12) == 0 ? 0 : Int(1, longest));
    return shape;
  }
  // `shape` with some dimensions 1, and some left out in front.
  Shape Shrunk(const Shape& shape) {
    Shape out;
    auto first = static_cast<int>(Int(0, 3) == 0 ? Int(0, shape.rank()) : 0);
    for (int i = first; i < shape.rank(); ++i) out.push_back(Int(0, 2) == 0 ? 1 : shape.dim(i));
    return out;
  }
  template <class T>
  Tensor RandomTensor(const Shape& shape) {
    Tensor tensor = *Tensor::Allocate(DTypeOf<T>::value, shape);
    T* to = tensor.mutable_elements<T>();
    for (int64_t i = 0; i < tensor.num_elements(); ++i) {
      if constexpr (std::floating_point<T>) {
        to[i] = static_cast<T>(std::normal_distribution<double>(0, 2)(random_));
      } else {
        to[i] = static_cast<T>(Int(1, 50));
      }
    }
    return tensor;
  }
  // Calls `body` at each level, with one thread and with three, with shapes known and unknown.
  void EachWay(std::string_view op, const Attributes& given, std::span<const Tensor> inputs,
               absl::FunctionRef<void(const std::vector<Tensor>&)> body) {
    const OpDef* def = *BuiltinOps().Find(op);
    Attributes attributes = *CompleteAttributes(*def, given);
    for (IsaLevel level : AvailableIsaLevels()) {
      SetIsaLevel(level);
      for (bool known : {true, false}) {
        std::string what = Cat(op, " ", attributes);
        std::vector<TypeSpec> types;
        for (const Tensor& input : inputs) {
          what += Cat(" ", input.spec());
          types.push_back(known ? input.spec()
                                : TensorType(input.dtype(), PartialShape::OfRank(input.rank())));
        }
        SCOPED_TRACE(Cat(what, " at ", NameOf(level)));
        auto outputs = RunOp(*def, attributes, inputs, types, {}, known ? 1 : 3);
        ASSERT_TRUE(outputs.ok()) << outputs.status();
        body(*outputs);
        if (HasFatalFailure()) return;
      }
    }
  }

  std::mt19937 random_;
  IsaLevel active_{};
};

// The element of `tensor` that element `i` of a broadcast output of `shape` takes.
template <class T>
T At(const Tensor& tensor, const Shape& shape, int64_t i) {
  int64_t index = 0;
  int64_t stride = 1;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    int own = axis - (shape.rank() - tensor.rank());
    int64_t at = i % shape.dim(axis);
    i /= shape.dim(axis);
    if (own < 0) continue;
    if (tensor.shape().dim(own) != 1) index += at * stride;
    stride *= tensor.shape().dim(own);
  }
  return tensor.elements<T>()[static_cast<size_t>(index)];
}

void ExpectNear(double expected, double found, double size, int64_t i) {
  ASSERT_LE(std::abs(expected - found), 2e-5 * std::max(1.0, size)) << "element " << i;
}

TEST_F(KernelsPropertyTest, BinaryOpsBroadcast) {
  struct Op {
    const char* name;
    double (*naive)(double, double);
  };
  const Op ops[] = {{"add", [](double a, double b) { return a + b; }},
                    {"sub", [](double a, double b) { return a - b; }},
                    {"mul", [](double a, double b) { return a * b; }},
                    {"maximum", [](double a, double b) { return std::max(a, b); }},
                    {"floordiv", [](double a, double b) { return std::floor(a / b); }}};
  auto check = [&](const Op& op, auto tag, const Shape& shape) {
    using T = typename decltype(tag)::type;
    if (std::string_view(op.name) == "floordiv" && std::floating_point<T>) return;
    const Tensor inputs[] = {RandomTensor<T>(Shrunk(shape)), RandomTensor<T>(Shrunk(shape))};
    EachWay(op.name, {}, inputs, [&](const std::vector<Tensor>& outputs) {
      const Tensor& out = outputs[0];
      for (int64_t i = 0; i < out.num_elements(); ++i) {
        auto a = static_cast<double>(At<T>(inputs[0], out.shape(), i));
        auto b = static_cast<double>(At<T>(inputs[1], out.shape(), i));
        auto found = static_cast<double>(out.elements<T>()[static_cast<size_t>(i)]);
        ASSERT_NO_FATAL_FAILURE(ExpectNear(op.naive(a, b), found, std::abs(a) + std::abs(b), i));
      }
    });
  };
  for (int round = 0; round < 60; ++round) {
    const Op& op = ops[static_cast<size_t>(Int(0, 4))];
    Shape shape = RandomShape(static_cast<int>(Int(0, 4)), round % 5 == 0 ? 90 : 9);
    if (shape.num_elements() > 300'000) continue;
    check(op, TypeTag<float>{}, shape);
    check(op, TypeTag<int64_t>{}, shape);
    check(op, TypeTag<int16_t>{}, shape);
    if (HasFatalFailure()) return;
  }
}

TEST_F(KernelsPropertyTest, SelectTakesEitherSide) {
  for (int round = 0; round < 40; ++round) {
    Shape shape = RandomShape(static_cast<int>(Int(0, 3)), round % 4 == 0 ? 100 : 8);
    if (shape.num_elements() > 300'000) continue;
    Tensor condition = *Tensor::Allocate(DType::kBool, Shrunk(shape));
    for (int64_t i = 0; i < condition.num_elements(); ++i) {
      condition.mutable_elements<bool>()[i] = Int(0, 1) == 1;
    }
    const Tensor inputs[] = {condition, RandomTensor<double>(Shrunk(shape)),
                             RandomTensor<double>(Shrunk(shape))};
    EachWay("select", {}, inputs, [&](const std::vector<Tensor>& outputs) {
      const Tensor& out = outputs[0];
      for (int64_t i = 0; i < out.num_elements(); ++i) {
        bool first = At<bool>(inputs[0], out.shape(), i);
        ASSERT_EQ(At<double>(inputs[first ? 1 : 2], out.shape(), i),
                  out.elements<double>()[static_cast<size_t>(i)]);
      }
    });
    if (HasFatalFailure()) return;
  }
}

TEST_F(KernelsPropertyTest, UnaryOpsEqualTheCLibrary) {
  struct Op {
    const char* name;
    double (*naive)(double);
  };
  const Op ops[] = {
      {"exp", [](double x) { return std::exp(x); }},
      {"expm1", [](double x) { return std::expm1(x); }},
      {"sin", [](double x) { return std::sin(x); }},
      {"cos", [](double x) { return std::cos(x); }},
      {"tanh", [](double x) { return std::tanh(x); }},
      {"erf", [](double x) { return std::erf(x); }},
      {"sigmoid", [](double x) { return 1 / (1 + std::exp(-x)); }},
      {"softplus", [](double x) { return std::log1p(std::exp(x)); }},
      {"gelu", [](double x) { return 0.5 * x * std::erfc(-x / std::sqrt(2.0)); }},
      {"round", [](double x) { return std::nearbyint(x); }},
      {"floor", [](double x) { return std::floor(x); }},
      {"square", [](double x) { return x * x; }},
  };
  auto check = [&](const Op& op, auto tag) {
    using T = typename decltype(tag)::type;
    const Tensor inputs[] = {RandomTensor<T>(Shape{Int(0, 700)})};
    EachWay(op.name, {}, inputs, [&](const std::vector<Tensor>& outputs) {
      for (int64_t i = 0; i < outputs[0].num_elements(); ++i) {
        auto at = static_cast<size_t>(i);
        double expected = op.naive(static_cast<double>(inputs[0].template elements<T>()[at]));
        ASSERT_NO_FATAL_FAILURE(
            ExpectNear(expected, static_cast<double>(outputs[0].template elements<T>()[at]),
                       std::abs(expected), i));
      }
    });
  };
  for (const Op& op : ops) {
    for (int round = 0; round < 3; ++round) {
      check(op, TypeTag<float>{});
      check(op, TypeTag<double>{});
      if (HasFatalFailure()) return;
    }
  }
}

TEST_F(KernelsPropertyTest, SumsAndMaximaOverAnyAxes) {
  for (int round = 0; round < 60; ++round) {
    int rank = static_cast<int>(Int(0, 4));
    Shape shape = RandomShape(rank, round % 4 == 0 ? 60 : 7);
    if (shape.num_elements() > 200'000) continue;
    std::vector<int64_t> axes;
    for (int axis = 0; axis < rank; ++axis) {
      if (Int(0, 1) == 1) axes.push_back(Int(0, 1) == 1 ? axis : axis - rank);
    }
    bool sum = Int(0, 1) == 1;
    const Tensor inputs[] = {RandomTensor<float>(shape)};
    Attributes attributes(
        {{"axes", AttributeOf(std::span<const int64_t>(axes))}, {"keepdims", AttributeOf(true)}});
    EachWay(sum ? "reduce_sum" : "reduce_max", attributes, inputs,
            [&](const std::vector<Tensor>& outputs) {
              const Tensor& out = outputs[0];
              std::vector<double> expected(static_cast<size_t>(out.num_elements()),
                                           sum ? 0 : -std::numeric_limits<double>::infinity());
              // The answer that an element belongs to is the one it would take in a broadcast.
              Tensor places = *Tensor::Allocate(DType::kInt64, out.shape());
              for (int64_t i = 0; i < out.num_elements(); ++i) {
                places.mutable_elements<int64_t>()[i] = i;
              }
              for (int64_t i = 0; i < shape.num_elements(); ++i) {
                double& answer = expected[static_cast<size_t>(At<int64_t>(places, shape, i))];
                auto x = static_cast<double>(inputs[0].elements<float>()[static_cast<size_t>(i)]);
                answer = sum ? answer + x : std::max(answer, x);
              }
              for (int64_t i = 0; i < out.num_elements(); ++i) {
                auto at = static_cast<size_t>(i);
                auto found = static_cast<double>(out.elements<float>()[at]);
                if (expected[at] == found) continue;
                ASSERT_NO_FATAL_FAILURE(ExpectNear(expected[at], found, std::abs(expected[at]), i));
              }
            });
    if (HasFatalFailure()) return;
  }
}

TEST_F(KernelsPropertyTest, MatrixProducts) {
  auto check = [&](auto tag, int64_t m, int64_t k, int64_t n, int64_t batch) {
    using T = typename decltype(tag)::type;
    bool transpose_a = Int(0, 1) == 1;
    bool transpose_b = Int(0, 1) == 1;
    bool stacked = Int(0, 1) == 1;
    Shape a{batch, transpose_a ? k : m, transpose_a ? m : k};
    Shape b{stacked ? 1 : batch, transpose_b ? n : k, transpose_b ? k : n};
    const Tensor inputs[] = {RandomTensor<T>(a), RandomTensor<T>(b)};
    Attributes attributes(
        {{"transpose_a", AttributeOf(transpose_a)}, {"transpose_b", AttributeOf(transpose_b)}});
    EachWay("matmul", attributes, inputs, [&](const std::vector<Tensor>& outputs) {
      auto x = inputs[0].template elements<T>();
      auto y = inputs[1].template elements<T>();
      for (int64_t i = 0; i < outputs[0].num_elements(); ++i) {
        int64_t column = i % n;
        int64_t row = i / n % m;
        int64_t block = i / n / m;
        double sum = 0;
        double size = 0;
        for (int64_t l = 0; l < k; ++l) {
          auto left = block * m * k + (transpose_a ? l * m + row : row * k + l);
          auto right =
              (stacked ? 0 : block * k * n) + (transpose_b ? column * k + l : l * n + column);
          double product = static_cast<double>(x[static_cast<size_t>(left)]) *
                           static_cast<double>(y[static_cast<size_t>(right)]);
          sum += product;
          size += std::abs(product);
        }
        auto found = static_cast<double>(outputs[0].template elements<T>()[static_cast<size_t>(i)]);
        ASSERT_NO_FATAL_FAILURE(ExpectNear(sum, found, size, i));
      }
    });
  };
  for (int round = 0; round < 40; ++round) {
    int64_t longest = round % 4 == 0 ? 130 : 20;
    int64_t m = Int(0, 3) == 0 ? 1 : Int(1, longest);
    int64_t n = Int(0, 3) == 0 ? 1 : Int(1, longest);
    int64_t k = Int(0, longest);
    check(TypeTag<float>{}, m, k, n, Int(1, 3));
    check(TypeTag<double>{}, m, k, n, Int(1, 3));
    check(TypeTag<int32_t>{}, m, k, n, Int(1, 3));
    if (HasFatalFailure()) return;
  }
}

TEST_F(KernelsPropertyTest, SoftmaxAlongAnyAxis) {
  for (int round = 0; round < 30; ++round) {
    Shape shape = RandomShape(3, round % 3 == 0 ? 40 : 6);
    auto axis = static_cast<int>(Int(0, 2));
    const Tensor inputs[] = {RandomTensor<float>(shape)};
    Attributes attributes({{"axis", AttributeOf(axis)}});
    int64_t inner = 1;
    for (int i = axis + 1; i < 3; ++i) inner *= shape.dim(i);
    EachWay("softmax", attributes, inputs, [&](const std::vector<Tensor>& outputs) {
      auto x = inputs[0].elements<float>();
      for (int64_t i = 0; i < shape.num_elements(); ++i) {
        int64_t size = shape.dim(axis);
        int64_t first = i / (size * inner) * size * inner + i % inner;
        double sum = 0;
        for (int64_t j = 0; j < size; ++j) {
          sum += std::exp(static_cast<double>(x[static_cast<size_t>(first + j * inner)]));
        }
        double expected = std::exp(static_cast<double>(x[static_cast<size_t>(i)])) / sum;
        auto found = static_cast<double>(outputs[0].elements<float>()[static_cast<size_t>(i)]);
        ASSERT_NO_FATAL_FAILURE(ExpectNear(expected, found, expected, i));
      }
    });
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace signet
