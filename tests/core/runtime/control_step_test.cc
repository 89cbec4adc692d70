// Switches and loops at the level of flat graphs: run by a plan, and node by node.

#include "core/runtime/control_step.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/eager/builtin_library.h"
#include "core/graph/flat/flat_runner.h"
#include "core/graph/flat/verify.h"
#include "core/graph/lower/flat_builder.h"
#include "core/runtime/executor.h"
#include "core/values/builders/value_notation.h"
#include "signet/tensor_spec.h"

namespace signet {
namespace {

using ::testing::HasSubstr;

TypeSpec Int64Scalar() { return TensorType(DType::kInt64, Shape{}); }

std::string Text(const StatusOr<Components>& results) {
  if (!results.ok()) return std::string(MessageOf(results.status()));
  std::vector<std::string> texts;
  for (const Tensor& tensor : *results) texts.push_back(ToString(Value(tensor)));
  return Join(texts, "; ");
}

// What a plan of the graph gives, which must be what its nodes give one by one.
std::string RunBothWays(const FlatGraph& graph, std::vector<Tensor> inputs, RunBudget budget = {}) {
  Status verified = Verify(graph);
  EXPECT_TRUE(verified.ok()) << verified;
  std::vector<const Tensor*> given;
  for (const Tensor& input : inputs) given.push_back(&input);
  auto check = [] { return absl::OkStatus(); };
  RunBudget plain_budget = budget;
  std::string plain = Text(RunFlatGraph(graph, given, {plain_budget, check}));
  FlatGraph pruned = graph;
  PruneDead(pruned);
  verified = Verify(pruned);
  EXPECT_TRUE(verified.ok()) << verified;
  auto plan = Plan::Make(pruned);
  if (!plan.ok()) return std::string(MessageOf(plan.status()));
  FramePool frames;
  std::string planned = Text(RunPlan(**plan, frames, given, {.budget = &budget}));
  EXPECT_EQ(planned, plain);
  return planned;
}

// switch(index, x): neg | abs | x
FlatGraph SwitchOf(const TypeSpec& index) {
  FlatBuilder builder(BuiltinLibrary(), {});
  GraphValue which = builder.AddInput(index);
  GraphValue x = builder.AddInput(TensorType(DType::kInt32, {kUnknownDim}));
  FlatNode node{&SwitchOp(), {which.components[0], x.components[0]}, {}, {}};
  for (const char* op : {"neg", "abs", ""}) {
    auto body = builder.MakeBody();
    GraphValue given = (*body)->AddInput(x.spec);
    GraphValue result = *op == 0 ? given : *(*body)->CallOne(std::string_view(op), {given});
    node.bodies.push_back(std::make_shared<const FlatGraph>(std::move(**body).Finish(result)));
  }
  auto edges = builder.AddControl(std::move(node));
  EXPECT_TRUE(edges.ok()) << edges.status();
  return std::move(builder).Finish({x.spec, {(*edges)[0]}});
}

TEST(ControlStepTest, SwitchRunsTheBodyOfItsNumber) {
  Tensor x = Tensor::Of<int32_t>({2}, {1, -2});
  FlatGraph by_int = SwitchOf(TensorType(DType::kInt32, Shape{}));
  EXPECT_EQ(RunBothWays(by_int, {Tensor::Scalar<int32_t>(0), x}), "int32[2] [-1, 2]");
  EXPECT_EQ(RunBothWays(by_int, {Tensor::Scalar<int32_t>(1), x}), "int32[2] [1, 2]");
  EXPECT_EQ(RunBothWays(by_int, {Tensor::Scalar<int32_t>(2), x}), "int32[2] [1, -2]");
  EXPECT_EQ(RunBothWays(by_int, {Tensor::Scalar<int32_t>(3), x}), "int32[2] [1, -2]");
  EXPECT_EQ(RunBothWays(by_int, {Tensor::Scalar<int32_t>(-1), x}), "int32[2] [1, -2]");
  FlatGraph by_bool = SwitchOf(TensorType(DType::kBool, Shape{}));
  EXPECT_EQ(RunBothWays(by_bool, {Tensor::Scalar(true), x}), "int32[2] [-1, 2]");
  EXPECT_EQ(RunBothWays(by_bool, {Tensor::Scalar(false), x}), "int32[2] [1, 2]");
}

// loop(limit, _, x): collects x of every round under `form`.
FlatGraph Collecting(const TypeSpec& type, Collected form) {
  FlatBuilder builder(BuiltinLibrary(), {});
  GraphValue limit = builder.AddInput(Int64Scalar());
  GraphValue x = builder.AddInput(type);
  auto body = builder.MakeBody();
  (*body)->AddInput(Int64Scalar());
  GraphValue given = (*body)->AddInput(type);
  LoopForm loop;
  loop.collected = {form};
  FlatNode node{&LoopOp(),
                {limit.components[0], kNoEdge, x.components[0]},
                loop.ToAttributes(),
                {},
                {std::make_shared<const FlatGraph>(std::move(**body).Finish(given))}};
  auto edges = builder.AddControl(std::move(node));
  EXPECT_TRUE(edges.ok()) << edges.status();
  TypeSpec joined = builder.TypeOf((*edges)[0]);
  return std::move(builder).Finish({joined, {(*edges)[0]}});
}

TEST(ControlStepTest, LoopsJoinWhatTheyCollect) {
  FlatGraph ints = Collecting(TensorType(DType::kInt32, {kUnknownDim, 2}), {});
  Tensor row = Tensor::Of<int32_t>({1, 2}, {1, 2});
  EXPECT_EQ(RunBothWays(ints, {Tensor::Scalar<int64_t>(2), row}), "int32[2, 2] [[1, 2], [1, 2]]");
  EXPECT_EQ(RunBothWays(ints, {Tensor::Scalar<int64_t>(0), row}), "int32[0, 2] []");
  EXPECT_EQ(RunBothWays(ints, {Tensor::Scalar<int64_t>(-3), row}), "int32[0, 2] []");
  FlatGraph texts = Collecting(TensorType(DType::kString, {kUnknownDim}), {});
  Tensor words = Tensor::Strings({2}, std::vector<std::string_view>{"ab", ""});
  EXPECT_EQ(RunBothWays(texts, {Tensor::Scalar<int64_t>(2), words}),
            "string[4] [\"ab\", \"\", \"ab\", \"\"]");
  EXPECT_EQ(RunBothWays(texts, {Tensor::Scalar<int64_t>(0), words}), "string[0] []");
  FlatGraph splits =
      Collecting(TensorType(DType::kInt32, {kUnknownDim}), {.rule = JoinRule::kSplits});
  Tensor lengths = Tensor::Of<int32_t>({3}, {0, 2, 3});
  EXPECT_EQ(RunBothWays(splits, {Tensor::Scalar<int64_t>(2), lengths}), "int32[5] [0, 2, 3, 5, 6]");
  EXPECT_EQ(RunBothWays(splits, {Tensor::Scalar<int64_t>(0), lengths}), "int32[1] [0]");
  FlatGraph sums = Collecting(Int64Scalar(), {.rule = JoinRule::kSum});
  EXPECT_EQ(RunBothWays(sums, {Tensor::Scalar<int64_t>(3), Tensor::Scalar<int64_t>(5)}),
            "int64[] 15");
}

TEST(ControlStepTest, LoopsCountAgainstTheBudget) {
  FlatGraph ints = Collecting(TensorType(DType::kInt32, {kUnknownDim, 2}), {});
  Tensor row = Tensor::Of<int32_t>({1, 2}, {1, 2});
  EXPECT_THAT(RunBothWays(ints, {Tensor::Scalar<int64_t>(11), row}, {.max_steps = 10}),
              HasSubstr("more than 10 steps"));
  EXPECT_EQ(RunBothWays(ints, {Tensor::Scalar<int64_t>(1), row}, {.max_steps = 10}),
            "int32[1, 2] [[1, 2]]");
  EXPECT_THAT(RunBothWays(ints, {Tensor::Scalar<int64_t>(100), row}, {.max_bytes = 1000}),
              HasSubstr("a call may hold 1000 at once (--max_call_bytes)"));
}

TEST(ControlStepTest, ReverseLoopsPutTheLastRoundFirst) {
  FlatBuilder builder(BuiltinLibrary(), {});
  GraphValue limit = builder.AddInput(Int64Scalar());
  auto body = builder.MakeBody();
  GraphValue round = (*body)->AddInput(Int64Scalar());
  GraphValue row = *(*body)->ExpandDims(round, {.axis = 0});
  LoopForm loop;
  loop.collected = {{.backward = true}};
  FlatNode node{&LoopOp(),
                {limit.components[0], kNoEdge},
                loop.ToAttributes(),
                {},
                {std::make_shared<const FlatGraph>(std::move(**body).Finish(row))}};
  auto edges = builder.AddControl(std::move(node));
  ASSERT_TRUE(edges.ok()) << edges.status();
  TypeSpec joined = builder.TypeOf((*edges)[0]);
  FlatGraph graph = std::move(builder).Finish({joined, {(*edges)[0]}});
  EXPECT_EQ(RunBothWays(graph, {Tensor::Scalar<int64_t>(3)}), "int64[3] [2, 1, 0]");
  EXPECT_THAT(graph.ToString(), HasSubstr("collected=list(\"concat_backward\")"));
}

}  // namespace
}  // namespace signet
