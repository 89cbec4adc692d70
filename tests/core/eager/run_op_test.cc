#include "signet/ops/run_op.h"

#include <gtest/gtest.h>

#include "core/values/builders/value_notation.h"
#include "tests/support/body_maker.h"

namespace signet {
namespace {

Value Parse(std::string_view text) {
  auto value = ParseValue(text);
  if (!value.ok()) CheckFailed(value.status().ToString().c_str(), __FILE__, __LINE__);
  return *std::move(value);
}

TEST(RunOpTest, RunsAnOp) {
  auto sum = RunOp1("reduce_sum", {Parse("ragged int32[2, (?)] [[1, 2], [3]]")},
                    Attributes({{"axes", AttributeOf(1)}}));
  ASSERT_TRUE(sum.ok()) << sum.status();
  EXPECT_EQ(ToString(*sum), "int32[2] [3, 3]");
}

TEST(RunOpTest, GivesAllOutputs) {
  const Value x[] = {Parse("int32[3] [2, 3, 1]")};
  auto sorted = RunOp("sort", x);
  ASSERT_TRUE(sorted.ok()) << sorted.status();
  ASSERT_EQ(sorted->size(), 2u);
  EXPECT_EQ(ToString((*sorted)[0]), "int32[3] [1, 2, 3]");
  EXPECT_EQ(ToString((*sorted)[1]), "int64[3] [2, 0, 1]");
  EXPECT_EQ(MessageOf(RunOp1("sort", {x[0]}).status()),
            "expected an op with one output, found `sort` with 2");
}

TEST(RunOpTest, LeavesOutNone) {
  auto clipped = RunOp1("clip", {Parse("int32[2] [1, 5]"), Value::None(), Parse("int32[] 3")});
  ASSERT_TRUE(clipped.ok()) << clipped.status();
  EXPECT_EQ(ToString(*clipped), "int32[2] [1, 3]");
}

TEST(RunOpTest, CallsFunctionsOfALibrary) {
  TestLibrary library;
  library.values["step"] = Tensor::Scalar<int32_t>(2);
  library.functions["up"] = BodyMaker("up", "(x)").Node("y", "add", {"x", "$step"}).Make("y");
  library.functions["down"] = BodyMaker("down", "(x)").Node("y", "sub", {"x", "$step"}).Make("y");
  // A condition is known when it is at hand.
  const Value inputs[] = {Parse("bool[] False"), Parse("int32[] 10")};
  auto result =
      RunOp("cond", inputs,
            Attributes({{"then", AttributeOf("up")}, {"else", AttributeOf("down")}}), &library);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(ToString((*result)[0]), "int32[] 8");
}

TEST(RunOpTest, Rejects) {
  EXPECT_EQ(MessageOf(RunOp1("adds", {}).status()), "op `adds` not found; the nearest is `add`");
  EXPECT_EQ(MessageOf(RunOp1("neg", {Value::OfType(Parse("int32[] 1").spec())}).status()),
            "input 0 of `neg`: expected a value, found only a type");
  EXPECT_EQ(MessageOf(RunOp("call", {}, Attributes({{"function", AttributeOf("f")}})).status()),
            "function `f` not found in this model");
}

}  // namespace
}  // namespace signet
