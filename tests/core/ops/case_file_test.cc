#include "tests/support/case_file.h"

#include <gtest/gtest.h>

namespace signet {
namespace {

TEST(CaseFileTest, ReadsCallsResultsAndErrors) {
  auto cases = ParseCases(
      "# C1: words\n"
      "top_k k=2 largest=False  float32[2] [1, 2]\n"
      "  None\n"
      "~ 1e-3\n"
      "-> float32[1] [1]; int32[1] [0]\n"
      "\n"
      "neg  bool[] True\n"
      "!! C2 input 0 is `bool[]`\n");
  ASSERT_TRUE(cases.ok()) << cases.status();
  ASSERT_EQ(cases->size(), 2u);
  const OpCase& first = (*cases)[0];
  EXPECT_EQ(first.line, 2);
  EXPECT_EQ(first.op, "top_k");
  EXPECT_EQ(first.attributes.ToString(), "k=2 largest=False");
  EXPECT_EQ(first.inputs.size(), 2u);
  EXPECT_EQ(first.results.size(), 2u);
  EXPECT_EQ(first.tolerance, 1e-3);
  EXPECT_TRUE(IsKernelCall(first));
  EXPECT_EQ((*cases)[1].constraint, "C2");
  EXPECT_EQ((*cases)[1].error, "input 0 is `bool[]`");
}

TEST(CaseFileTest, RejectsTextsThatAreNotCases) {
  for (const char* text : {"-> 1\n", "neg  bool[] True\n", "neg  bool[] True\nneg  bool[] True\n",
                           "neg  bool[ True\n-> 1\n", "neg  1\n-> float32[1]\n"}) {
    EXPECT_FALSE(ParseCases(text).ok()) << text;
  }
}

TEST(CaseFileTest, ComparesFloatsByTolerance) {
  auto difference = [](float a, float b, double tolerance) {
    return Difference(Tensor::Scalar(a), Tensor::Scalar(b), tolerance);
  };
  EXPECT_EQ(difference(1.0f, 1.000001f, 0), "");
  EXPECT_NE(difference(1.0f, 1.001f, 0), "");
  EXPECT_EQ(difference(1.0f, 1.001f, 1e-2), "");
  float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(difference(nan, nan, 0), "");
  EXPECT_NE(difference(nan, 1, 0), "");
  EXPECT_NE(Difference(Tensor::Scalar(1.0f), Tensor::Scalar(1.0), 0), "");
}

}  // namespace
}  // namespace signet
