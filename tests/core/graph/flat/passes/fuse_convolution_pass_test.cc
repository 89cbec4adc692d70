#include "core/graph/flat/passes/fuse_convolution_pass.h"

#include <gtest/gtest.h>

#include "tests/core/graph/flat/passes/pass_fixture.h"

namespace signet {
namespace {

// A convolution as FlatGraph prints it.
std::string Conv(std::string_view inputs, std::string_view activation,
                 std::string_view alpha = "None", std::string_view beta = "None") {
  return Cat("conv(", inputs, "; activation=\"", activation, "\" alpha=", alpha,
             " auto_pad=\"notset\" beta=", beta,
             " dilations=None groups=1 pads=None strides=None)");
}

TEST(FuseConvolutionPassTest, MergesScaleShiftAndRelu) {
  FlatMaker g({"float32[2, 3, 6, 6]"});
  const int w = g.Constant("float32[4, 3, 3, 3]"), s = g.Constant("float32[4, 1, 1]");
  const int shifted = g.Node("sub", {g.Node("mul", {g.Node("conv", {0, w}), s}), s});
  EXPECT_EQ(RunPass(kFuseConvolutionPass, g.Make({g.Node("relu", {shifted})})),
            Cat("inputs: %0 float32[2, 3, 6, 6]\n"
                "%7 = constant  float32[4, 3, 3, 3]\n"
                "%8 = constant  float32[4]\n"
                "%6 = ",
                Conv("%0, %7, %8", "relu"), "  float32[2, 4, 4, 4]\nresults: %6\n"));
}

TEST(FuseConvolutionPassTest, MergesAResidual) {
  FlatMaker g({"float32[2, 3, 6, 6]", "float32[2, 4, 4, 4]"});
  const int conv = g.Node("conv", {0, g.Constant("float32[4, 3, 3, 3]")});
  EXPECT_EQ(RunPass(kFuseConvolutionPass, g.Make({g.Node("add", {conv, 1})})),
            Cat("inputs: %0 float32[2, 3, 6, 6], %1 float32[2, 4, 4, 4]\n"
                "%2 = constant  float32[4, 3, 3, 3]\n"
                "%4 = ",
                Conv("%0, %2, _, %1", "none"), "  float32[2, 4, 4, 4]\nresults: %4\n"));
}

TEST(FuseConvolutionPassTest, MergesSilu) {
  FlatMaker g({"float32[1, 3, 5, 5]"});
  const int conv = g.Node("conv", {0, g.Constant("float32[4, 3, 1, 1]")});
  EXPECT_EQ(
      RunPass(kFuseConvolutionPass, g.Make({g.Node("mul", {conv, g.Node("sigmoid", {conv})})})),
      Cat("inputs: %0 float32[1, 3, 5, 5]\n%1 = constant  float32[4, 3, 1, 1]\n%4 = ",
          Conv("%0, %1", "silu"), "  float32[1, 4, 5, 5]\nresults: %4\n"));
}

TEST(FuseConvolutionPassTest, MergesHardSwish) {
  FlatMaker g({"float32[1, 3, 5, 5]"});
  const int conv = g.Node("conv", {0, g.Constant("float32[4, 3, 1, 1]")});
  const int line = g.Node("add", {conv, g.Scalar(3)});
  const int gate = g.Node("div", {g.Node("clip", {line, g.Scalar(0), g.Scalar(6)}), g.Scalar(6)});
  EXPECT_EQ(RunPass(kFuseConvolutionPass, g.Make({g.Node("mul", {gate, conv})})),
            Cat("inputs: %0 float32[1, 3, 5, 5]\n%1 = constant  float32[4, 3, 1, 1]\n%10 = ",
                Conv("%0, %1", "hard_swish", "0.16666666666666666", "0.5"),
                "  float32[1, 4, 5, 5]\nresults: %10\n"));
}

TEST(FuseConvolutionPassTest, KeepsAConvolutionThatAnotherNodeReads) {
  FlatMaker g({"float32[1, 3, 5, 5]"});
  const int conv = g.Node("conv", {0, g.Constant("float32[4, 3, 1, 1]")});
  const FlatGraph graph = g.Make({g.Node("relu", {conv}), conv});
  EXPECT_EQ(RunPass(kFuseConvolutionPass, graph), graph.ToString());
}

TEST(FuseConvolutionPassTest, KeepsAScaleAlongAnotherAxis) {
  FlatMaker g({"float32[1, 3, 4, 4]"});
  const int conv = g.Node("conv", {0, g.Constant("float32[4, 3, 1, 1]")});
  const FlatGraph graph = g.Make({g.Node("mul", {conv, g.Constant("float32[4]")})});
  EXPECT_EQ(RunPass(kFuseConvolutionPass, graph), graph.ToString());
}

}  // namespace
}  // namespace signet
