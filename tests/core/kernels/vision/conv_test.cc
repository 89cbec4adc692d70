// Convolutions of float32, in each way that there is, are those of float64, which are plain loops.

#include <cmath>
#include <cstdlib>
#include <random>

#include <gtest/gtest.h>

#include "core/kernels/simd/vector/isa_level.h"
#include "core/ops/catalog.h"
#include "core/ops/def/op_registry.h"
#include "tests/core/kernels/kernel_runner.h"

namespace signet {
namespace {

struct Call {
  const char* what;
  Shape x;
  Shape w;
  Attributes attributes;
  bool has_residual = false;
};

Attributes Given(std::initializer_list<std::pair<const char*, std::vector<int64_t>>> lists,
                 int64_t groups = 1, const char* activation = "none") {
  NamedTypes entries = {{"groups", AttributeOf(groups)}, {"activation", AttributeOf(activation)}};
  for (const auto& [name, list] : lists) {
    entries.push_back({name, AttributeOf(std::span<const int64_t>(list))});
  }
  return Attributes(std::move(entries));
}

Tensor Numbers(DType dtype, const Shape& shape, unsigned seed) {
  auto tensor = Tensor::Allocate(dtype, shape);
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  for (int64_t i = 0; i < shape.num_elements(); ++i) {
    float number = normal(random);
    if (dtype == DType::kFloat32) tensor->mutable_elements<float>()[i] = number;
    if (dtype == DType::kFloat64)
      tensor->mutable_elements<double>()[i] = static_cast<double>(number);
  }
  return *std::move(tensor);
}

StatusOr<Tensor> RunConv(const Call& call, DType dtype, bool constant, int threads) {
  const OpDef& op = **BuiltinOps().Find("conv");
  SIGNET_ASSIGN_OR_RETURN(Attributes attributes, CompleteAttributes(op, call.attributes));
  std::vector<Tensor> inputs = {Numbers(dtype, call.x, 1), Numbers(dtype, call.w, 2),
                                Numbers(dtype, {call.w.dim(0)}, 3)};
  std::vector<TypeSpec> types;
  for (const Tensor& input : inputs) types.push_back(input.spec());
  if (call.has_residual) {
    SIGNET_ASSIGN_OR_RETURN(auto outputs,
                            op.infer({.op = op, .inputs = types, .attributes = attributes}));
    inputs.push_back(Numbers(dtype, outputs[0].shape()->ToShape(), 4));
    types.push_back(inputs.back().spec());
  }
  std::vector<const Tensor*> constants(inputs.size());
  if (constant) constants[1] = &inputs[1];
  SIGNET_ASSIGN_OR_RETURN(auto outputs, RunOp(op, attributes, inputs, types, constants, threads));
  return outputs[0];
}

// Each way to run `call` against plain loops.
void Compare(const Call& call) {
  const IsaLevel active = ActiveIsaLevel();
  auto expected = RunConv(call, DType::kFloat64, false, 1);
  ASSERT_TRUE(expected.ok()) << expected.status();
  double scale = std::sqrt(static_cast<double>(call.w.num_elements() / call.w.dim(0)));
  for (IsaLevel level : AvailableIsaLevels()) {
    SetIsaLevel(level);
    struct Way {
      bool constant;
      int threads;
    };
    for (auto [constant, threads] : {Way{false, 1}, Way{true, 1}, Way{true, 3}}) {
      SCOPED_TRACE(
          Cat(NameOf(level), constant ? ", weights are constant, " : ", ", threads, " threads"));
      auto found = RunConv(call, DType::kFloat32, constant, threads);
      ASSERT_TRUE(found.ok()) << found.status();
      ASSERT_EQ(found->shape(), expected->shape());
      double worst = 0;
      for (int64_t i = 0; i < found->num_elements(); ++i) {
        auto at = static_cast<size_t>(i);
        double difference = std::abs(static_cast<double>(found->elements<float>()[at]) -
                                     expected->elements<double>()[at]);
        worst = std::isnan(difference) ? difference : std::max(worst, difference);
      }
      EXPECT_LT(worst / scale, 1e-5);
    }
  }
  SetIsaLevel(active);
}

TEST(ConvTest, OfFloat32IsThatOfFloat64) {
  const Call kCalls[] = {
      {"1x1", {2, 20, 9, 11}, {17, 20, 1, 1}, Given({}, 1, "relu"), true},
      {"1x1, many channels", {1, 800, 3, 3}, {300, 800, 1, 1}, Given({}), true},
      {"1x1, stride 2", {1, 16, 9, 9}, {24, 16, 1, 1}, Given({{"strides", {2, 2}}})},
      {"3x3, few channels", {1, 3, 13, 70}, {5, 3, 3, 3}, Given({{"pads", {1, 1, 1, 1}}})},
      {"7x7, stride 2",
       {1, 3, 40, 33},
       {16, 3, 7, 7},
       Given({{"strides", {2, 2}}, {"pads", {3, 3, 3, 3}}}, 1, "sigmoid")},
      {"stride 3, dilated, uneven",
       {2, 6, 23, 19},
       {8, 3, 2, 3},
       Given({{"strides", {3, 2}}, {"dilations", {2, 3}}, {"pads", {0, 3, 1, 2}}}, 2)},
      {"1-D", {2, 5, 130}, {7, 5, 5}, Given({{"pads", {2, 2}}}, 1, "silu")},
      {"3-D",
       {1, 4, 5, 6, 7},
       {6, 4, 3, 3, 3},
       Given({{"strides", {1, 2, 1}}, {"pads", {1, 1, 1, 1, 1, 1}}})},
      {"depthwise", {2, 9, 14, 15}, {9, 1, 3, 3}, Given({{"pads", {1, 1, 1, 1}}}, 9), true},
      {"depthwise, stride 2",
       {1, 5, 17, 40},
       {10, 1, 5, 5},
       Given({{"strides", {2, 2}}, {"pads", {2, 2, 2, 2}}}, 5, "hard_swish")},
      {"5x5, small planes",
       {5, 7, 14, 14},
       {21, 7, 5, 5},
       Given({{"pads", {2, 2, 2, 2}}}, 1, "relu"),
       true},
      {"small planes, stride 2, dilated",
       {1, 6, 19, 23},
       {14, 3, 3, 5},
       Given({{"strides", {2, 2}}, {"dilations", {1, 2}}, {"pads", {1, 3, 2, 4}}}, 2, "tanh")},
      {"few windows", {4, 40, 5}, {37, 40, 3}, Given({{"strides", {2}}}, 1, "leaky_relu"), true},
      {"one window", {2, 64, 1}, {128, 64, 3}, Given({{"pads", {1, 1}}}, 1, "relu"), true},
      {"1x1, 1-D, stride 2", {1, 8, 26}, {16, 8, 1}, Given({{"strides", {2}}}, 1, "relu"), true},
      {"few windows, groups", {3, 34, 9}, {66, 17, 5}, Given({{"strides", {2}}}, 2, "silu"), true},
      {"few windows, 2-D, dilated",
       {2, 9, 7, 6},
       {35, 9, 3, 3},
       Given({{"strides", {3, 2}}, {"dilations", {1, 2}}, {"pads", {1, 0, 2, 1}}}, 1, "relu")},
      {"one window, one channel", {3, 128, 1}, {1, 128, 1}, Given({}, 1, "relu")},
      {"few windows, 2-D", {1, 90, 3, 3}, {70, 90, 2, 2}, Given({{"pads", {0, 1, 1, 0}}})},
      {"spectrum", {1, 1, 4000}, {130, 1, 320}, Given({{"strides", {160}}})},
      {"few channels of large planes",
       {1, 8, 90, 131},
       {3, 8, 5, 5},
       Given({{"pads", {2, 2, 2, 2}}}, 1, "clip"),
       true},
      {"1x1, few channels of large planes", {1, 70, 50, 67}, {11, 70, 1, 1}, Given({}), true},
      {"winograd",
       {2, 33, 30, 26},
       {41, 33, 3, 3},
       Given({{"pads", {1, 1, 1, 1}}}, 1, "relu"),
       true},
      {"winograd, groups, no blanks", {1, 48, 23, 61}, {80, 24, 3, 3}, Given({}, 2)},
      {"winograd, a few tiles", {3, 96, 7, 7}, {40, 96, 3, 3}, Given({{"pads", {1, 1, 1, 1}}})},
      {"winograd, narrow",
       {1, 64, 13, 14},
       {72, 64, 3, 3},
       Given({{"pads", {1, 0, 1, 2}}}, 1, "silu"),
       true},
      {"many channels, few windows",
       {2, 260, 14, 14},
       {48, 260, 3, 3},
       Given({{"strides", {2, 2}}, {"pads", {1, 1, 1, 1}}}, 1, "hard_swish"),
       true},
      {"little to sum", {1, 5, 60, 61}, {33, 5, 1, 1}, Given({}, 1, "relu"), true},
      {"depthwise, 3-D",
       {1, 3, 4, 9, 70},
       {3, 1, 3, 3, 3},
       Given({{"pads", {1, 1, 1, 1, 1, 1}}}, 3, "relu"),
       true},
      {"small planes, laid out by all threads",
       {1, 32, 48, 48},
       {64, 32, 3, 3},
       Given({{"strides", {2, 2}}, {"pads", {1, 1, 1, 1}}})},
      {"winograd, large", {1, 64, 56, 56}, {72, 64, 3, 3}, Given({{"pads", {1, 1, 1, 1}}})},
  };
  for (const Call& call : kCalls) {
    SCOPED_TRACE(call.what);
    Compare(call);
  }
}

// Random sizes. Where pieces of work overlap, their order shows: see KernelRunner.
// SIGNET_ROUNDS sets the number of convolutions; an emulated processor is slow.
TEST(ConvTest, OfRandomSizesIsThatOfFloat64) {
  const char* stated = std::getenv("SIGNET_ROUNDS");
  const int rounds = stated == nullptr ? 300 : std::atoi(stated);
  std::mt19937 random(11);
  auto one_of = [&](std::initializer_list<int64_t> choices) {
    return choices.begin()[random() % choices.size()];
  };
  constexpr const char* kActivations[] = {"none", "relu",    "clip",         "leaky_relu", "gelu",
                                          "silu", "sigmoid", "hard_sigmoid", "hard_swish", "tanh"};
  int compared = 0;
  for (int i = 0; i < rounds; ++i) {
    const bool is_depthwise = i % 2 == 0;
    const int64_t groups = is_depthwise ? one_of({1, 5, 16, 33}) : one_of({1, 1, 1, 2});
    const int64_t in = is_depthwise ? 1 : one_of({1, 3, 16, 32, 50});
    const int64_t out = groups * (is_depthwise ? one_of({1, 1, 2}) : one_of({1, 8, 24, 64}));
    const int64_t h = 1 + static_cast<int64_t>(random() % 28);
    const int64_t w = 1 + static_cast<int64_t>(random() % (i % 7 == 0 ? 70 : 28));
    const int64_t kh = one_of({1, 2, 3, 3, 5, 7});
    const int64_t kw = one_of({kh, kh, kh, 1, 3, 4, 17});
    const int64_t dilation = one_of({1, 1, 1, 2});
    auto pad = [&](int64_t kernel) { return static_cast<int64_t>(random()) % (kernel + 1); };
    Call call{"", {one_of({1, 1, 3}), groups * in, h, w}, {out, in, kh, kw}, {}, random() % 4 == 0};
    call.attributes = Given({{"strides", {one_of({1, 1, 2, 3}), one_of({1, 1, 2, 2, 3})}},
                             {"dilations", {dilation, one_of({1, dilation})}},
                             {"pads", {pad(kh), pad(kw), pad(kh), pad(kw)}}},
                            groups, kActivations[random() % std::size(kActivations)]);
    if (!RunConv(call, DType::kFloat64, false, 1).ok()) continue;  // the window does not fit
    SCOPED_TRACE(Cat("x ", call.x, ", w ", call.w, ", ", call.attributes.ToString()));
    Compare(call);
    ++compared;
  }
  EXPECT_GT(compared, rounds / 2);
}

}  // namespace
}  // namespace signet
