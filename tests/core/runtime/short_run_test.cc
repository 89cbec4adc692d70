// Runs that stop when they turn out to be expensive, by the sizes that they meet.

#include <chrono>

#include <gtest/gtest.h>

#include "core/graph/flat/run_kernel.h"
#include "core/ops/catalog.h"
#include "core/runtime/polymorphic_function.h"
#include "signet/tensor_spec.h"
#include "tests/support/body_maker.h"

namespace signet {
namespace {

// A function of one argument, made for a type that leaves its sizes open.
class ShortRunTest : public testing::Test {
 protected:
  std::shared_ptr<const ConcreteFunction> Make(FunctionDef def, int rank) {
    def_ = std::move(def);
    TypeSpec open =
        TensorType(DType::kFloat32,
                   PartialShape(std::vector<int64_t>(static_cast<size_t>(rank), kUnknownDim)));
    auto type = FunctionType::Make({{"x", ParameterKind::kPositionalOnly, false, open}});
    EXPECT_TRUE(type.ok()) << type.status();
    auto made = MakeConcreteFunction(def_, *type, library_);
    EXPECT_TRUE(made.ok()) << made.status();
    return made.ok() ? *made : nullptr;
  }

  // Whether a run that must be short stops; if it does not, its result must be that of other runs.
  static bool Stops(const ConcreteFunction& function, const Value& argument) {
    Deferral deferral{.may_make = false, .must_be_short = true};
    RunControl control{.deferral = &deferral};
    std::vector<Value> arguments = {argument};
    auto result = function.Run(arguments, control);
    auto whole = function.Run(arguments, {});
    EXPECT_TRUE(whole.ok()) << whole.status();
    EXPECT_EQ(result.ok(), !deferral.is_stopped()) << result.status();
    EXPECT_TRUE(!result.ok() || SameValue(*result, *whole));
    return deferral.must_move;
  }

  static Value Ones(std::vector<int64_t> dims) {
    auto tensor = Tensor::Allocate(DType::kFloat32, Shape(std::span<const int64_t>(dims)));
    SIGNET_CHECK(tensor.ok());
    std::fill_n(tensor->mutable_elements<float>(), tensor->num_elements(), 1.0f);
    return *std::move(tensor);
  }

  FunctionDef def_;
  TestLibrary library_;
};

TEST_F(ShortRunTest, EstimatesProductsFromActualSizes) {
  auto function = Make(BodyMaker("f", "(x)").Node("y", "matmul", {"x", "x"}).Make("y"), 2);
  ASSERT_NE(function, nullptr);
  ASSERT_TRUE(function->plan().IsSmall());
  EXPECT_FALSE(Stops(*function, Ones({2, 2})));
  EXPECT_FALSE(Stops(*function, Ones({100, 100})));
  EXPECT_TRUE(Stops(*function, Ones({500, 500})));
  EXPECT_FALSE(Stops(*function, Ones({3, 3})));
}

TEST_F(ShortRunTest, AddsUpTheStepsOfARun) {
  BodyMaker body("f", "(x)");
  std::string last = "x";
  for (int i = 0; i < 200; ++i) {
    body.Node(Cat("s", i), "cumsum", {last}, {{"axis", AttributeOf(0)}});
    last = Cat("s", i);
  }
  auto function = Make(body.Make(last), 1);
  ASSERT_NE(function, nullptr);
  EXPECT_FALSE(Stops(*function, Ones({100})));
  EXPECT_TRUE(Stops(*function, Ones({20'000})));
}

TEST_F(ShortRunTest, StopsBeforeItTakesMuchMemory) {
  auto function = Make(BodyMaker("f", "(x)")
                           .Node("n", "reduce_sum", {"x"})
                           .Node("k", "cast", {"n"}, {{"dtype", AttributeOf("int64")}})
                           .Node("r", "range", {"k"})
                           .Node("y", "reduce_sum", {"r"})
                           .Make("y"),
                       1);
  ASSERT_NE(function, nullptr);
  EXPECT_FALSE(Stops(*function, Ones({100})));
  EXPECT_TRUE(Stops(*function, Ones({200'000})));
}

// Estimates may be wrong: a kernel that checks whether to go on ends a short run by the clock.
TEST(ShortRunKernelTest, EndsWithinAKernelThatTakesLong) {
  auto kernel = MakeKernel([](KernelContext& context) -> Status {
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(30);
    while (std::chrono::steady_clock::now() < end) SIGNET_RETURN_IF_ERROR(context.CheckStop());
    context.Set(0, Tensor::Scalar(1.0f));
    return absl::OkStatus();
  });
  Tensor one = Tensor::Scalar(1.0f);
  const OpDef* op = BuiltinOps().Lookup("neg");
  ASSERT_NE(op, nullptr);
  std::vector<TypeSpec> types = {one.spec()};
  std::vector<const Tensor*> inputs = {&one};
  const Attributes none;
  OpCall call{*op, types, none, inputs};
  RunBudget whole;
  EXPECT_TRUE(RunKernelOnce(*kernel, call, types, SerialParallel(), &whole).ok());
  bool exceeded = false;
  RunBudget is_short = RunBudget().ForShortRun(&exceeded);
  EXPECT_FALSE(RunKernelOnce(*kernel, call, types, SerialParallel(), &is_short).ok());
  EXPECT_TRUE(exceeded);
}

}  // namespace
}  // namespace signet
