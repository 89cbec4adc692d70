#include "core/graph/flat/passes/fold_normalization_pass.h"

#include <gtest/gtest.h>

#include "tests/core/graph/flat/passes/pass_fixture.h"

namespace signet {
namespace {

NamedTypes Axes(int axis) { return {{"axes", AttributeOf(axis)}, {"keepdims", AttributeOf(true)}}; }

// x / sqrt(mean(x * x) + 0.5)
int Normalized(FlatMaker& g, int x) {
  const int mean = g.Node("reduce_mean", {g.Node("square", {x})}, Axes(1));
  return g.Node("div", {x, g.Node("sqrt", {g.Node("add", {mean, g.Scalar(0.5F)})})});
}

TEST(FoldNormalizationPassTest, FoldsALayerNormalization) {
  FlatMaker g({"float32[4, 6]"});
  const int centered = g.Node("sub", {0, g.Node("reduce_mean", {0}, Axes(1))});
  const int scaled = g.Node("mul", {g.Constant("float32[6]"), Normalized(g, centered)});
  const int result = g.Node("add", {scaled, g.Constant("float32[1, 6]")});
  EXPECT_EQ(RunPass(kFoldNormalizationPass, g.Make({result})),
            "inputs: %0 float32[4, 6]\n"
            "%3 = constant  float32[6]\n"
            "%13 = constant  float32[6]\n"
            "%12 = layer_norm(%0, %3, %13; axis=1 epsilon=0.5)  float32[4, 6]\n"
            "results: %12\n");
}

TEST(FoldNormalizationPassTest, FoldsARootMeanSquareNormalization) {
  FlatMaker g({"float32[4, 6]"});
  EXPECT_EQ(RunPass(kFoldNormalizationPass, g.Make({Normalized(g, 0)})),
            "inputs: %0 float32[4, 6]\n"
            "%6 = rms_norm(%0; axis=1 epsilon=0.5)  float32[4, 6]\n"
            "results: %6\n");
}

TEST(FoldNormalizationPassTest, KeepsANormalizationOverTheFirstAxis) {
  FlatMaker g({"float32[4, 6]"});
  const int mean = g.Node("reduce_mean", {g.Node("square", {0})}, Axes(0));
  const int root = g.Node("sqrt", {g.Node("add", {mean, g.Scalar(0.5F)})});
  const FlatGraph graph = g.Make({g.Node("div", {0, root})});
  EXPECT_EQ(RunPass(kFoldNormalizationPass, graph), graph.ToString());
}

TEST(FoldNormalizationPassTest, KeepsARootThatAnotherNodeReads) {
  FlatMaker g({"float32[4, 6]"});
  const int mean = g.Node("reduce_mean", {g.Node("square", {0})}, Axes(1));
  const int root = g.Node("sqrt", {g.Node("add", {mean, g.Scalar(0.5F)})});
  const FlatGraph graph = g.Make({g.Node("div", {0, root}), root});
  EXPECT_EQ(RunPass(kFoldNormalizationPass, graph), graph.ToString());
}

}  // namespace
}  // namespace signet
