#include "core/runtime/run_profile.h"

#include <vector>

#include <gtest/gtest.h>

#include "core/runtime/concrete_function.h"
#include "core/types/notation/notation.h"
#include "core/values/builders/value_notation.h"
#include "tests/support/body_maker.h"

namespace signet {
namespace {

class RunProfileTest : public testing::Test {
 protected:
  std::shared_ptr<const ConcreteFunction> Make(FunctionDef def, std::string_view type) {
    def_ = std::move(def);
    auto request =
        FunctionType::Make({{"x", ParameterKind::kPositionalOnly, false, *ParseTypeSpec(type)}});
    EXPECT_TRUE(request.ok()) << request.status();
    auto made = MakeConcreteFunction(def_, *request, library_);
    EXPECT_TRUE(made.ok()) << made.status();
    return made.ok() ? *made : nullptr;
  }

  static StatusOr<Value> Run(const ConcreteFunction& function, std::string_view argument,
                             RunProfile* profile) {
    RunControl control{.profile = profile};
    std::vector<Value> arguments = {*ParseValue(argument)};
    return function.Run(arguments, control);
  }

  FunctionDef def_;
  TestLibrary library_;
};

TEST_F(RunProfileTest, DescribesTheNodesAndTheirTensors) {
  auto function = Make(BodyMaker("f", "(x)")
                           .Node("y", "matmul", {"x", "x"})
                           .Node("z", "reduce_sum", {"y"})
                           .Make("z"),
                       "float32[?, ?]");
  ASSERT_NE(function, nullptr);
  RunProfile profile;
  auto result = Run(*function, "float32[2, 2] [[1, 2], [3, 4]]", &profile);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_TRUE(SameValue(*result, *Run(*function, "float32[2, 2] [[1, 2], [3, 4]]", nullptr)));
  ASSERT_EQ(profile.plans().size(), 1U);
  const ProfiledPlan& plan = profile.plans()[0];
  ASSERT_EQ(plan.nodes.size(), 2U);
  EXPECT_EQ(plan.nodes[1].op, "reduce_sum");
  EXPECT_EQ(plan.nodes[1].inputs[0], plan.nodes[0].outputs[0].slot);
  EXPECT_EQ(plan.nodes[0].outputs[0].shape, Shape({2, 2}));
  EXPECT_EQ(plan.nodes[0].outputs[0].bytes, 16U);
  ASSERT_EQ(plan.inputs.size(), 1U);
  EXPECT_EQ(plan.inputs[0].shape, Shape({2, 2}));
  EXPECT_EQ(plan.results, std::vector<int>{plan.nodes[1].outputs[0].slot});
  int64_t sum = 0;
  for (const ProfiledNode& node : plan.nodes) {
    EXPECT_EQ(node.runs, 1);
    EXPECT_GT(node.nanoseconds, 0);
    sum += node.nanoseconds;
  }
  EXPECT_LE(sum, plan.nanoseconds);
}

TEST_F(RunProfileTest, HasTheLastRun) {
  auto function = Make(BodyMaker("f", "(x)").Node("y", "exp", {"x"}).Make("y"), "float32[?]");
  ASSERT_NE(function, nullptr);
  RunProfile profile;
  ASSERT_TRUE(Run(*function, "float32[3] [1, 2, 3]", &profile).ok());
  ASSERT_TRUE(Run(*function, "float32[1] [1]", &profile).ok());
  ASSERT_EQ(profile.plans().size(), 1U);
  EXPECT_EQ(profile.plans()[0].runs, 1);
  EXPECT_EQ(profile.plans()[0].nodes[0].outputs[0].shape, Shape({1}));
}

}  // namespace
}  // namespace signet
