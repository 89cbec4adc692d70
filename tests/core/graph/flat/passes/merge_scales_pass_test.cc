#include "core/graph/flat/passes/merge_scales_pass.h"

#include <gtest/gtest.h>

#include "tests/core/graph/flat/passes/pass_fixture.h"

namespace signet {
namespace {

TEST(MergeScalesPassTest, MergesSuccessiveScales) {
  FlatMaker g({"float32[2, 3, 4]"});
  const int a = g.Constant("float32[3, 1]"), b = g.Scalar(2);
  const int scaled = g.Node("mul", {0, a});
  EXPECT_EQ(RunPass(kMergeScalesPass, g.Make({g.Node("mul", {b, scaled})})),
            "inputs: %0 float32[2, 3, 4]\n"
            "%5 = constant  float32[3, 1]\n"
            "%4 = mul(%0, %5)  float32[2, 3, 4]\n"
            "results: %4\n");
}

TEST(MergeScalesPassTest, MergesSuccessiveShifts) {
  FlatMaker g({"float32[2, 3]"});
  const int a = g.Constant("float32[3]"), b = g.Constant("float32[1, 3]");
  const int shifted = g.Node("add", {0, a});
  EXPECT_EQ(RunPass(kMergeScalesPass, g.Make({g.Node("add", {shifted, b})})),
            "inputs: %0 float32[2, 3]\n"
            "%5 = constant  float32[1, 3]\n"
            "%4 = add(%0, %5)  float32[2, 3]\n"
            "results: %4\n");
}

TEST(MergeScalesPassTest, MovesAScaleBeforeAShift) {
  FlatMaker g({"float32[2, 3]"});
  const int a = g.Constant("float32[3]"), b = g.Constant("float32[3]"), c = g.Scalar(3);
  const int shifted = g.Node("add", {g.Node("mul", {0, a}), b});
  EXPECT_EQ(RunPass(kMergeScalesPass, g.Make({g.Node("mul", {shifted, c})})),
            "inputs: %0 float32[2, 3]\n"
            "%7 = constant  float32[3]\n"
            "%8 = constant  float32[3]\n"
            "%4 = mul(%0, %7)  float32[2, 3]\n"
            "%6 = add(%4, %8)  float32[2, 3]\n"
            "results: %6\n");
}

TEST(MergeScalesPassTest, KeepsAScaleThatAnotherNodeReads) {
  FlatMaker g({"float32[2, 3]"});
  const int a = g.Constant("float32[3]"), b = g.Constant("float32[3]");
  const int inner = g.Node("mul", {0, a});
  const FlatGraph graph = g.Make({g.Node("mul", {inner, b}), inner});
  EXPECT_EQ(RunPass(kMergeScalesPass, graph), graph.ToString());
}

TEST(MergeScalesPassTest, KeepsScalesAlongDifferentAxes) {
  FlatMaker g({"float32[2, 3]"});
  const int a = g.Constant("float32[3]"), b = g.Constant("float32[2, 1]");
  const FlatGraph graph = g.Make({g.Node("mul", {g.Node("mul", {0, a}), b})});
  EXPECT_EQ(RunPass(kMergeScalesPass, graph), graph.ToString());
}

}  // namespace
}  // namespace signet
