#include "core/graph/flat/passes/fuse_linear_pass.h"

#include <gtest/gtest.h>

#include "tests/core/graph/flat/passes/pass_fixture.h"

namespace signet {
namespace {

TEST(FuseLinearPassTest, MergesABiasAndARelu) {
  FlatMaker g({"float32[4, 8]"});
  const int w = g.Constant("float32[8, 6]"), b = g.Constant("float32[6]");
  const int sum = g.Node("add", {g.Node("matmul", {0, w}), b});
  EXPECT_EQ(RunPass(kFuseLinearPass, g.Make({g.Node("relu", {sum})})),
            "inputs: %0 float32[4, 8]\n"
            "%1 = constant  float32[8, 6]\n"
            "%2 = constant  float32[6]\n"
            "%5 = linear(%0, %1, %2; high=None low=0.0 transpose_a=False transpose_b=False)"
            "  float32[4, 6]\n"
            "results: %5\n");
}

TEST(FuseLinearPassTest, MergesAResidual) {
  FlatMaker g({"float32[4, 8]", "float32[4, 6]"});
  const int product = g.Node("matmul", {0, g.Constant("float32[8, 6]")});
  EXPECT_EQ(RunPass(kFuseLinearPass, g.Make({g.Node("add", {1, product})})),
            "inputs: %0 float32[4, 8], %1 float32[4, 6]\n"
            "%2 = constant  float32[8, 6]\n"
            "%4 = linear(%0, %2, _, %1; high=None low=None transpose_a=False transpose_b=False)"
            "  float32[4, 6]\n"
            "results: %4\n");
}

TEST(FuseLinearPassTest, MergesAScaleIntoTheWeights) {
  FlatMaker g({"float32[4, 8]"});
  const int w = g.Constant("float32[8, 6]"), s = g.Constant("float32[1, 6]");
  EXPECT_EQ(RunPass(kFuseLinearPass, g.Make({g.Node("mul", {g.Node("matmul", {0, w}), s})})),
            "inputs: %0 float32[4, 8]\n"
            "%5 = constant  float32[8, 6]\n"
            "%4 = linear(%0, %5; high=None low=None transpose_a=False transpose_b=False)"
            "  float32[4, 6]\n"
            "results: %4\n");
}

TEST(FuseLinearPassTest, MergesATranspose) {
  FlatMaker g({"float32[8, 4]"});
  const int w = g.Constant("float32[8, 6]");
  EXPECT_EQ(RunPass(kFuseLinearPass, g.Make({g.Node("matmul", {g.Node("transpose", {0}), w})})),
            "inputs: %0 float32[8, 4]\n"
            "%1 = constant  float32[8, 6]\n"
            "%3 = matmul(%0, %1; transpose_a=True transpose_b=False)  float32[4, 6]\n"
            "results: %3\n");
}

TEST(FuseLinearPassTest, MergesBothBoundsOfAClip) {
  FlatMaker g({"float32[4, 8]"});
  const int product = g.Node("matmul", {0, g.Constant("float32[8, 6]")});
  const int low = g.Scalar(-1), high = g.Scalar(6);
  EXPECT_EQ(RunPass(kFuseLinearPass, g.Make({g.Node("clip", {product, low, high})})),
            "inputs: %0 float32[4, 8]\n"
            "%1 = constant  float32[8, 6]\n"
            "%5 = linear(%0, %1; high=6.0 low=-1.0 transpose_a=False transpose_b=False)"
            "  float32[4, 6]\n"
            "results: %5\n");
}

TEST(FuseLinearPassTest, KeepsAProductThatAnotherNodeReads) {
  FlatMaker g({"float32[4, 8]"});
  const int product = g.Node("matmul", {0, g.Constant("float32[8, 6]")});
  const FlatGraph graph = g.Make({g.Node("relu", {product}), product});
  EXPECT_EQ(RunPass(kFuseLinearPass, graph), graph.ToString());
}

TEST(FuseLinearPassTest, KeepsABiasThatBroadcastsTheProduct) {
  FlatMaker g({"float32[1, 8]"});
  const int product = g.Node("matmul", {0, g.Constant("float32[8, 6]")});
  const FlatGraph graph = g.Make({g.Node("add", {product, g.Constant("float32[3, 6]")})});
  EXPECT_EQ(RunPass(kFuseLinearPass, graph), graph.ToString());
}

}  // namespace
}  // namespace signet
