#include "core/graph/flat/passes/fuse_elementwise_pass.h"

#include <gtest/gtest.h>

#include "tests/core/graph/flat/passes/pass_fixture.h"

namespace signet {
namespace {

TEST(FuseElementwisePassTest, JoinsAChain) {
  FlatMaker g({"float32[4, 8]", "float32[8]"});
  const int sum = g.Node("add", {g.Node("mul", {0, 1}), g.Constant("float32[4, 1]")});
  const int gated = g.Node("mul", {sum, g.Node("sigmoid", {sum})});
  const int result = g.Node("clip", {gated, g.Scalar(-0.5F), g.Scalar(0.5F)});
  EXPECT_EQ(RunPass(kFuseElementwisePass, g.Make({result})),
            "inputs: %0 float32[4, 8], %1 float32[8]\n"
            "%3 = constant  float32[4, 1]\n"
            "%7 = constant  float32[]\n"
            "%8 = constant  float32[]\n"
            "%9 = fused_elementwise(%0, %1, %3, %7, %8; program=\"mul 0 1; add 5 2; sigmoid 6; "
            "mul 6 7; maximum 8 3; minimum 9 4\")  float32[4, 8]\n"
            "results: %9\n");
}

TEST(FuseElementwisePassTest, KeepsNodesOfDifferentShapesApart) {
  FlatMaker g({"float32[4, 8]", "float32[8]"});
  const int small = g.Node("sqrt", {g.Node("exp", {1})});
  const int result = g.Node("tanh", {g.Node("mul", {0, small})});
  EXPECT_EQ(RunPass(kFuseElementwisePass, g.Make({result})),
            "inputs: %0 float32[4, 8], %1 float32[8]\n"
            "%3 = fused_elementwise(%1; program=\"exp 0; sqrt 1\")  float32[8]\n"
            "%5 = fused_elementwise(%0, %3; program=\"mul 0 1; tanh 2\")  float32[4, 8]\n"
            "results: %5\n");
}

TEST(FuseElementwisePassTest, KeepsANodeThatAnotherNodeReads) {
  FlatMaker g({"float32[4, 8]"});
  const int inner = g.Node("exp", {0});
  const FlatGraph graph = g.Make({g.Node("neg", {inner}), inner});
  EXPECT_EQ(RunPass(kFuseElementwisePass, graph), graph.ToString());
}

TEST(FuseElementwisePassTest, KeepsOpsWithoutVectorizedLoops) {
  FlatMaker g({"float32[4, 8]"});
  const int special = g.Node("bessel_i0e", {g.Node("neg", {g.Node("exp", {0})})});
  const int result = g.Node("neg", {g.Node("igamma", {special, special})});
  EXPECT_EQ(RunPass(kFuseElementwisePass, g.Make({result})),
            "inputs: %0 float32[4, 8]\n"
            "%2 = fused_elementwise(%0; program=\"exp 0; neg 1\")  float32[4, 8]\n"
            "%3 = bessel_i0e(%2)  float32[4, 8]\n"
            "%4 = igamma(%3, %3)  float32[4, 8]\n"
            "%5 = neg(%4)  float32[4, 8]\n"
            "results: %5\n");
}

}  // namespace
}  // namespace signet
