#include "core/model/unique_names.h"

#include <gtest/gtest.h>

namespace signet {
namespace {

TEST(UniqueNamesTest, MakesIdentifiers) {
  UniqueNames names;
  EXPECT_EQ(names.Make("conv1/relu:0"), "conv1_relu_0");
  EXPECT_EQ(names.Make("0.weight"), "_0_weight");
  EXPECT_EQ(names.Make("lambda"), "lambda_");
  EXPECT_EQ(names.Make(""), "_");
  EXPECT_EQ(names.Make("a b"), "a_b");
  EXPECT_EQ(names.Make("a_b"), "a_b_2");
  EXPECT_EQ(names.Make("a-b"), "a_b_3");
}

TEST(UniqueNamesTest, KeepsReservedNamesForTheirTexts) {
  UniqueNames names;
  for (const char* text : {"a b", "a_b", "a_b_2", "lambda", "lambda_", "_", "0", "_0"}) {
    names.Reserve(text);
  }
  EXPECT_EQ(names.Make("a b"), "a_b_3");
  EXPECT_EQ(names.Make("a_b_2"), "a_b_2");
  EXPECT_EQ(names.Make("a-b"), "a_b_4");
  EXPECT_EQ(names.Make("a_b"), "a_b");
  EXPECT_EQ(names.Make("a_b"), "a_b_5");
  EXPECT_EQ(names.Make("lambda"), "lambda__2");
  EXPECT_EQ(names.Make("lambda_"), "lambda_");
  EXPECT_EQ(names.Make(""), "__2");
  EXPECT_EQ(names.Make("_"), "_");
  EXPECT_EQ(names.Make("0"), "_0_2");
  EXPECT_EQ(names.Make("_0"), "_0");
}

TEST(UniqueNamesTest, ReservesNothingThatIsMade) {
  UniqueNames names;
  EXPECT_EQ(names.Make("main"), "main");
  names.Reserve("main");
  EXPECT_EQ(names.Make("main"), "main_2");
}

}  // namespace
}  // namespace signet
