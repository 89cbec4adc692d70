#include "signet/ops/batching.h"

#include <gtest/gtest.h>

#include "core/graph/lower/extension_types.h"
#include "core/types/notation/notation.h"
#include "tests/core/eager/value_text.h"

namespace signet {
namespace {

TypeSpec Type(std::string_view text) { return *ParseTypeSpec(text); }

std::string Text(const StatusOr<std::vector<Value>>& values) {
  if (!values.ok()) return std::string(MessageOf(values.status()));
  std::string text;
  for (const Value& value : *values) text += Cat(text.empty() ? "" : " ; ", ToString(value));
  return text;
}

TEST(BatchingTest, TheElementTypeSaysWhatMayDiffer) {
  std::vector<Value> vectors = {Parse("int32[2] [1, 2]"), Parse("int32[1] [3]")};
  EXPECT_EQ(Text(Batch(Type("ragged<rank=0> int32[?]"), vectors)),
            "ragged int32[2, (?)] [[1, 2], [3]]");
  EXPECT_EQ(Text(Batch(Type("int32[?]"), vectors)),
            "`stack`: input 1: expected `int32[2]`, like the inputs before it, found `int32[1]`");
  EXPECT_EQ(Text(Batch(Type("int32[2]"), vectors)),
            "value 1: expected `int32[2]`, found `int32[1]`");
  EXPECT_EQ(Text(Batch(Type("list(int32[], \"k\")"),
                       std::vector{Parse("list(int32[], \"k\") [1, \"k\"]")})),
            "list(int32[1], \"k\") [[1], \"k\"]");
}

TEST(BatchingTest, OfNoValues) {
  const std::vector<Value> none;
  EXPECT_EQ(Text(Batch(Type("string[?, 2]"), none)), "string[0, 0, 2] []");
  EXPECT_EQ(Text(Batch(Type("ragged int32[?, (?), 3]"), none)), "ragged int32[0, (?), (?), 3] []");
  EXPECT_EQ(Text(Batch(Type("{a: int32[], b: [{c: string[]}]}"), none)),
            "{a: int32[], b: {c: string[]}[0]}[0] []");
  EXPECT_EQ(Text(Batch(Type("sparse int32[?, 4]"), none)),
            "sparse int32[0, 0, 4] {indices: [], values: [], dense_shape: [0, 0, 4]}");
  EXPECT_EQ(Text(Batch(Type("tuple(app.T(x: int8[]), 3)"), none)),
            "tuple(app.T(x: int8[0]), 3) [{x: []}, 3]");
  Value batch = *Batch(Type("int32[?]"), none);
  EXPECT_EQ(Text(Unbatch(batch)), "");
  EXPECT_EQ(Text(ConcatBatches(std::vector{batch, Parse("int32[1, 2] [[1, 2]]")})),
            "int32[1, 2] [[1, 2]]");
  EXPECT_EQ(Text(ConcatBatches(std::vector{Parse("int32[1] [1]"), Parse("string[0] []")})),
            "`concat`: input 1: expected the dtype and rank of input 0, `int32[1]`, found "
            "`string[0]`");
}

TEST(BatchingTest, UnbatchGivesTheElementType) {
  EXPECT_EQ(Text(Unbatch(Parse("ragged int32[2, (?)] [[1, 2], [3]]"))),
            "ragged<rank=0> int32[2] [1, 2] ; ragged<rank=0> int32[1] [3]");
  EXPECT_EQ(Text(Unbatch(Parse("int32[] 1"))),
            "expected a batch, which has a leading dimension, found `int32[]`");
  EXPECT_EQ(Text(Unbatch(Parse("dict(a: int32[1], b: int32[2]) {a: [1], b: [2, 3]}"))),
            "`b`: `unstack`: dimension 0: expected size 1, found `int32[2]`");
}

TEST(BatchingTest, BatchesComeInPieces) {
  Value batch = Parse("{a: int32[]}[3] [{a: 1}, {a: 2}, {a: 3}]");
  EXPECT_EQ(Text(SplitBatches(batch, 2, false)),
            "{a: int32[]}[2] [{a: 1}, {a: 2}] ; {a: int32[]}[1] [{a: 3}]");
  EXPECT_EQ(Text(SplitBatches(batch, 2, true)), "{a: int32[]}[2] [{a: 1}, {a: 2}]");
  EXPECT_EQ(Text(SplitBatches(batch, 0, true)), "expected batches of at least 1 element, found 0");
  EXPECT_EQ(Text(FoldRows(batch, 3)), "{a: int32[]}[1, 3] [[{a: 1}, {a: 2}, {a: 3}]]");
  EXPECT_EQ(Text(FoldRows(batch, 2)),
            "expected a size that divides the 3 elements of the batch, found 2");
  EXPECT_EQ(Text(ConcatBatches({})), "expected at least one batch, found none");
}

TEST(BatchingTest, BoxesOfAnyShape) {
  TypeSpec element = Type("ragged<rank=0> int32[?]");
  Value batch = Parse("ragged int32[6, (?)] [[1], [], [2, 3], [4], [], [5]]");
  auto boxed = Boxed::BoxBatch(element, batch);
  ASSERT_TRUE(boxed.ok()) << boxed.status();
  auto matrix = boxed->Reshape({3, 2});
  ASSERT_TRUE(matrix.ok()) << matrix.status();
  EXPECT_EQ(Text(matrix->Unbox()),
            "ragged int32[3, (2), (?)] [[[1], []], [[2, 3], [4]], [[], [5]]]");
  auto rows = matrix->Unstack();
  ASSERT_TRUE(rows.ok()) << rows.status();
  EXPECT_EQ(Text((*rows)[1].Unbox()), "ragged int32[2, (?)] [[2, 3], [4]]");
  auto again = Boxed::Stack(*rows);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again->shape(), (Shape{3, 2}));
  EXPECT_EQ(Text(again->Unbox()), Text(matrix->Unbox()));
  EXPECT_EQ(Text(again->columns()), ToString(batch));
  EXPECT_EQ(Text(Boxed::Concat(*rows)->Unbox()), ToString(batch));

  EXPECT_EQ(MessageOf(boxed->Reshape({4}).status()),
            "expected a shape with the number of elements of `[6]`, found `[4]`");
  EXPECT_EQ(MessageOf(Boxed::Stack(std::vector{*boxed, *matrix}).status()),
            "expected boxes of the same shape, found `[6]` and `[3, 2]`");
  EXPECT_EQ(MessageOf(Boxed::Concat(std::vector{*boxed, *matrix}).status()),
            "expected boxes of the same type and with the same shape after dimension 0, found "
            "`ragged<rank=0> int32[?]` with shape `[6]` and `ragged<rank=0> int32[?]` with shape "
            "`[3, 2]`");
  auto one = Boxed::Box(element, Parse("int32[1] [7]"));
  ASSERT_TRUE(one.ok()) << one.status();
  EXPECT_EQ(MessageOf(one->Unstack().status()),
            "expected a box with at least one dimension, found none");
  EXPECT_EQ(Text(one->Unbox()), "ragged<rank=0> int32[1] [7]");
  EXPECT_EQ(MessageOf(Boxed::Box(element, Parse("string[1] [\"a\"]")).status()),
            "value 0: expected `ragged<rank=0> int32[?]`, found `string[1]`");
}

TEST(BatchingTest, FoldsSparseValuesAndNests) {
  TypeSpec element = Type("dict(a: sparse int32[3], b: int32[])");
  Value batch = Parse(
      "dict(a: sparse int32[4, 3], b: int32[4]) "
      "{a: {indices: [[0, 1], [2, 0], [3, 2]], values: [5, 6, 7], dense_shape: [4, 3]}, "
      "b: [1, 2, 3, 4]}");
  auto boxed = Boxed::BoxBatch(element, batch);
  ASSERT_TRUE(boxed.ok()) << boxed.status();
  auto matrix = boxed->Reshape({2, 2});
  ASSERT_TRUE(matrix.ok()) << matrix.status();
  const std::string folded =
      "dict(a: sparse int32[2, 2, 3], b: int32[2, 2]) "
      "{a: {indices: [[0, 0, 1], [1, 0, 0], [1, 1, 2]], values: [5, 6, 7], "
      "dense_shape: [2, 2, 3]}, b: [[1, 2], [3, 4]]}";
  EXPECT_EQ(Text(matrix->Unbox()), folded);
  EXPECT_EQ(Text(FoldRows(batch, 2)), folded);
  auto line = matrix->Reshape({4});
  ASSERT_TRUE(line.ok()) << line.status();
  EXPECT_EQ(Text(line->Unbox()), ToString(batch));
}

TEST(BatchingTest, TypesThatNeverBatchDoNot) {
  ExtensionTypes types;
  ExtensionDeclaration never;
  never.name = "app.N";
  never.components = {{"x", TypeSpec()}};
  never.batches = false;
  ASSERT_TRUE(types.Add(std::make_shared<ExtensionProtocol>(never)).ok());
  Value value = Parse("list(app.N(x: int8[])) [{x: 1}]");
  EXPECT_EQ(Text(Batch(value.spec(), std::vector{value}, &types)),
            "values of `app.N` cannot be batched, according to the declaration of the type");
  EXPECT_EQ(Text(Batch(value.spec(), std::vector{value})), "list(app.N(x: int8[1])) [{x: [1]}]");
}

}  // namespace
}  // namespace signet
