#include "signet/ops/structured.h"

#include <gtest/gtest.h>

#include "signet/ops/run_op.h"
#include "signet/sequence_spec.h"
#include "tests/core/eager/value_text.h"
#include "tests/support/body_maker.h"

namespace signet {
namespace {

constexpr std::string_view kRecipes =
    "{stars: int32[], steps: [{text: string[(?)]}]}[2] "
    "[{steps: [{text: [\"a\", \"b\"]}, {text: [\"c\"]}], stars: 5}, {steps: [], stars: 3}]";

StatusOr<Value> Doubled(const Value& x) { return RunOp1("add", {x, x}); }

TEST(WithUpdatesTest, MakesAllChangesAtOnce) {
  const FieldUpdate updates[] = {
      {{"stars"}, ChangeField(Doubled)},
      {{"steps", "text"}, DeleteField{}},
      {{"id"}, Parse("int64[2] [7, 8]")},
  };
  EXPECT_EQ(Text(WithUpdates(Parse(kRecipes), updates)),
            "{stars: int32[], steps: [{}], id: int64[]}[2] "
            "[{stars: 10, steps: [{}, {}], id: 7}, {stars: 6, steps: [], id: 8}]");
  EXPECT_EQ(Text(WithUpdates(Parse(kRecipes), {})), ToString(Parse(kRecipes)));
}

TEST(WithUpdatesTest, TellsWhatIsMissingFromWhatIsNoStructure) {
  auto code = [](FieldPath path, auto change) {
    const FieldUpdate updates[] = {{std::move(path), std::move(change)}};
    return WithUpdates(Parse(kRecipes), updates).status().code();
  };
  Value one = Parse("int32[] 1");
  EXPECT_EQ(code({"stars", "x"}, one), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(code({"stars", "x"}, DeleteField{}), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(code({"stars", "x"}, ChangeField(Doubled)), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(code({"none", "x"}, one), absl::StatusCode::kNotFound);
  EXPECT_EQ(code({"none"}, DeleteField{}), absl::StatusCode::kNotFound);
  EXPECT_EQ(code({"none"}, ChangeField(Doubled)), absl::StatusCode::kNotFound);
  EXPECT_EQ(code({"none"}, one), absl::StatusCode::kInvalidArgument);  // of another shape
  EXPECT_EQ(code({}, one), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(code({"a.b"}, Parse("int32[2] [1, 2]")), absl::StatusCode::kInvalidArgument);
}

TEST(WithUpdatesTest, SharesWhatDoesNotChange) {
  Value recipes = Parse(kRecipes);
  const FieldUpdate updates[] = {{{"steps", "n"}, Parse("ragged int8[2, (?)] [[1, 2], []]")}};
  auto updated = WithUpdates(recipes, updates);
  ASSERT_TRUE(updated.ok()) << updated.status();
  for (std::string_view name : {"stars", "steps"}) {
    auto before = FieldOf(recipes, name);
    auto after = FieldOf(*updated, name);
    ASSERT_TRUE(before.ok() && after.ok());
    EXPECT_EQ(before->components().back().data().data(), after->components().back().data().data())
        << name;
  }
}

TEST(StructuredTest, KeepsAndLeavesOutFields) {
  const FieldPath paths[] = {{"steps", "text"}};
  EXPECT_EQ(Text(Without(Parse(kRecipes), paths)),
            "{stars: int32[], steps: [{}]}[2] "
            "[{stars: 5, steps: [{}, {}]}, {stars: 3, steps: []}]");
  EXPECT_EQ(Text(WithOnly(Parse(kRecipes), paths)),
            "{steps: [{text: string[(?)]}]}[2] "
            "[{steps: [{text: [\"a\", \"b\"]}, {text: [\"c\"]}]}, {steps: []}]");
}

TEST(StructuredTest, AddsFieldsMadeOfOthers) {
  auto field = [](const StatusOr<Value>& value, const FieldPath& path) {
    return value.ok() ? Text(FieldAt(*value, path)) : Text(value);
  };
  Value recipes = Parse(kRecipes);
  EXPECT_EQ(field(Promote(recipes, {"steps", "text"}, "words"), {"words"}),
            "ragged string[2, (?)] [[\"a\", \"b\", \"c\"], []]");
  EXPECT_EQ(field(BroadcastField(recipes, {"stars"}, "steps", "stars"), {"steps", "stars"}),
            "ragged int32[2, (?)] [[5, 5], []]");
  EXPECT_EQ(field(PromoteAndBroadcast(recipes, {"steps", "text"}, {}, "words"), {"words"}),
            "ragged string[2, (?)] [[\"a\", \"b\", \"c\"], []]");
  EXPECT_EQ(field(FieldSizes(recipes, {"steps", "text"}, "n"), {"steps", "n"}),
            "ragged int64[2, (?)] [[2, 1], []]");
  EXPECT_EQ(field(HasField(recipes, {"steps"}, "any"), {"any"}), "bool[2] [True, False]");
}

TEST(ApplyToFieldsTest, CallsAFunctionOnFlatValues) {
  const std::string sources[] = {"text"};
  auto lengths = [](std::span<const Value> vectors) {
    EXPECT_EQ(Text(vectors[0]), "string[3] [\"a\", \"b\", \"c\"]");
    return RunOp1("string_length", {vectors[0]});
  };
  auto made = ApplyToFields(Parse(kRecipes), {"steps"}, sources, lengths, "length");
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_EQ(Text(FieldAt(*made, FieldPath{"steps", "length"})),
            "ragged int64[2, (?), (?)] [[[1, 1], [1]], []]");
  auto first = [](std::span<const Value> vectors) { return RunOp1("stack", {vectors[0]}); };
  EXPECT_EQ(Text(ApplyToFields(Parse(kRecipes), {"steps"}, sources, first, "length")),
            "`struct_map`: result of the function: expected one value per element of the fields");
}

TEST(ApplyToFieldsTest, IsAnOpThatCallsFunctionsOfAModel) {
  TestLibrary library;
  library.values["step"] = Tensor::Scalar<int32_t>(2);
  library.functions["up"] = BodyMaker("up", "(x)").Node("y", "add", {"x", "$step"}).Make("y");
  const Value inputs[] = {Parse("{a: int32[(?)]}[2] [{a: [1]}, {a: [2, 3]}]")};
  Attributes attributes({{"fields", ListType({AttributeOf("a")})},
                         {"function", AttributeOf("up")},
                         {"name", AttributeOf("b")}});
  auto made = RunOp("struct_map", inputs, attributes, &library);
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_EQ(ToString((*made)[0]),
            "{a: int32[(?)], b: int32[(?)]}[2] [{a: [1], b: [3]}, {a: [2, 3], b: [4, 5]}]");
  EXPECT_EQ(MessageOf(RunOp("struct_map", inputs, attributes).status()),
            "function `up` not found in this model");
}

TEST(StructuredTest, MergesAndPartitionsDimensions) {
  Value x = Parse(
      "{a: int8[], b: string[(?)]}[4] "
      "[{a: 1, b: []}, {a: 2, b: [\"x\"]}, {a: 3, b: []}, {a: 4, b: []}]");
  auto uniform = RowPartition::FromUniformRowLength(DType::kInt32, 2, 4);
  ASSERT_TRUE(uniform.ok());
  auto square = PartitionOuterDimension(x, *uniform);
  ASSERT_TRUE(square.ok()) << square.status();
  EXPECT_EQ(square->spec().ToString(), "{a: int8[], b: string[(?)]}[2, 2]");
  EXPECT_EQ(Text(MergeDims(*square, -2, -1)), Text(x));
  auto ragged = RowPartition::FromRowLengths(
      *RowPartition::Trusted(Tensor::Of<int64_t>({4}, {0, 3, 3, 4})).RowLengths());
  ASSERT_TRUE(ragged.ok());
  auto rows = PartitionOuterDimension(x, *ragged);
  ASSERT_TRUE(rows.ok()) << rows.status();
  EXPECT_EQ(rows->spec().ToString(), "{a: int8[], b: string[(?)]}[3, ?]");
  EXPECT_EQ(Text(MergeDims(*rows, 0, 1)), Text(x));
}

}  // namespace
}  // namespace signet
