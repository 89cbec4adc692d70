// core/ops/build/rows/rows.h, on values: the Evaluator runs what an expansion would put into a
// graph.

#include "core/ops/build/rows/rows.h"

#include <gtest/gtest.h>

#include "core/eager/builtin_library.h"
#include "core/graph/lower/evaluator.h"
#include "core/ops/build/parts.h"
#include "tests/core/eager/value_text.h"

namespace signet {
namespace {

// The text of a value, which must be consistent; or the error message.
std::string Text(const Evaluator& run, const StatusOr<GraphValue>& value) {
  if (!value.ok()) return std::string(MessageOf(value.status()));
  Value made = run.ValueOf(*value);
  Components components(made.components().begin(), made.components().end());
  auto checked = MakeValue(made.spec(), std::move(components));
  EXPECT_TRUE(checked.ok()) << checked.status();
  return ToString(made);
}

// Rows of `value` opened at `depth`, which must be possible.
Opened Open(Evaluator& run, std::string_view value, int depth) {
  auto opened = OpenRows(run, run.Constant(Parse(value)), depth);
  if (!opened.ok()) CheckFailed(opened.status().ToString().c_str(), __FILE__, __LINE__);
  return *std::move(opened);
}

constexpr std::string_view kValues[] = {
    "int32[] 7",
    "int32[3] [1, 2, 3]",
    "float32[2, 3] [[1, 2, 3], [4, 5, 6]]",
    "string[0, 2, 3] []",
    "int64[2, 0, 3] [[], []]",
    "ragged int64[2, (?)] [[7, 8], [9]]",
    "ragged int64[0, (?)] []",
    "ragged<splits=int32> int64[2, (?), (?)] [[[7], []], [[8, 9]]]",
    "ragged float32[2, (?), 2] [[[1, 2]], [[3, 4], [5, 6]]]",
    "ragged int64[2, (3), (?)] [[[1], [], [2]], [[], [3, 4], []]]",
    "{} {}",
    "{a: int32[], b: ragged string[2, (?)]} {a: 1, b: [[\"x\"], []]}",
    "{}[4] [{}, {}, {}, {}]",
    "{a: int32[], b: float32[2], c: string[(?)]}[2] "
    "[{a: 1, b: [1, 2], c: []}, {a: 2, b: [3, 4], c: [\"x\", \"y\"]}]",
    "{a: int32[], c: string[(?)]}[2, ?] [[{a: 1, c: []}], [{a: 2, c: [\"x\"]}, {a: 3, c: []}]]",
    "{a: int32[], b: {c: int64[]}}[2, 3] [[{a: 1, b: {c: 1}}, {a: 2, b: {c: 2}}, {a: 3, b: {c: "
    "3}}],"
    " [{a: 4, b: {c: 4}}, {a: 5, b: {c: 5}}, {a: 6, b: {c: 6}}]]",
    "{steps: {n: int32[]}[(?)]}[2] [{steps: [{n: 1}]}, {steps: []}]",
};

TEST(RowsTest, ClosingReversesOpening) {
  for (std::string_view text : kValues) {
    Value value = Parse(text);
    for (int depth = 0; depth <= value.spec().shape()->rank(); ++depth) {
      SCOPED_TRACE(Cat(text, " at depth ", depth));
      Evaluator run(BuiltinLibrary());
      auto opened = OpenRows(run, run.Constant(value), depth);
      ASSERT_TRUE(opened.ok()) << opened.status();
      EXPECT_EQ(opened->rows.depth(), depth);
      EXPECT_EQ(opened->elements.spec.shape()->rank(), value.spec().shape()->rank() - depth + 1);
      Text(run, opened->elements);
      auto closed = CloseRows(run, opened->rows, opened->elements, value.spec());
      EXPECT_EQ(Text(run, closed), ToString(value));
    }
  }
}

TEST(RowsTest, TakeCutAndJoinRows) {
  for (std::string_view text : kValues) {
    Value value = Parse(text);
    if (value.spec().shape()->rank() == 0) continue;
    SCOPED_TRACE(text);
    Evaluator run(BuiltinLibrary());
    GraphValue x = run.Constant(value);
    auto count = CountRows(run, x);
    ASSERT_TRUE(count.ok()) << count.status();
    auto rows = run.LookupConstant(count->components[0])->scalar<int64_t>();

    std::vector<int64_t> all;
    for (int64_t i = 0; i < rows; ++i) all.push_back(i);
    GraphValue positions = run.Constant(Tensor::Of<int64_t>({rows}, std::span<const int64_t>(all)));
    EXPECT_EQ(Text(run, TakeRows(run, x, positions)), ToString(value));

    GraphValue half = Int64Constant(run, rows / 2);
    auto first = CutRows(run, x, Int64Constant(run, 0), half);
    ASSERT_TRUE(first.ok()) << first.status();
    auto second = CutRows(run, x, half, Int64Constant(run, rows - rows / 2));
    ASSERT_TRUE(second.ok()) << second.status();
    const GraphValue parts[] = {*first, *second};
    EXPECT_EQ(Text(run, JoinRows(run, parts)), ToString(value));
    EXPECT_FALSE(CutRows(run, x, half, Int64Constant(run, rows + 1)).ok());
  }
}

TEST(RowsTest, TypesDecideWhichDimensionsAreUniform) {
  Evaluator run(BuiltinLibrary());
  Opened ragged = Open(run, "ragged int64[2, (?), 3] [[[1, 2, 3]], [[4, 5, 6]]]", 3);
  EXPECT_TRUE(ragged.rows.dims[0].is_uniform());
  EXPECT_FALSE(ragged.rows.dims[1].is_uniform());  // though each row is 1 long
  EXPECT_TRUE(ragged.rows.dims[2].is_uniform());
  EXPECT_EQ(ragged.rows.dims[2].known_length, 3);
  Opened dense = Open(run, "{a: int32[]}[1, 2] [[{a: 1}, {a: 2}]]", 2);
  EXPECT_TRUE(dense.rows.dims[1].is_uniform());
  EXPECT_EQ(dense.elements.spec.ToString(), "{a: int32[]}[2]");
}

TEST(RowsTest, KeepColumnsDenseAsLikeSays) {
  Evaluator run(BuiltinLibrary());
  Opened opened = Open(run, "{a: int32[]}[1, 2] [[{a: 1}, {a: 2}]]", 2);
  EXPECT_EQ(Text(run, CloseRows(run, opened.rows, opened.elements)),
            "{a: ragged int32[]}[1, 2] [[{a: 1}, {a: 2}]]");
  Rows made{{UniformDim(run, 2), UniformDim(run, 1)}};
  EXPECT_EQ(Text(run, CloseRows(run, made, opened.elements)),
            "{a: int32[]}[2, 1] [[{a: 1}], [{a: 2}]]");
}

TEST(RowsTest, CountAndDivideLevels) {
  Evaluator run(BuiltinLibrary());
  Opened x = Open(run,
                  "ragged int64[2, (?), (?), 2] "
                  "[[[[1, 2]], []], [[[3, 4], [5, 6]]]]",
                  4);
  EXPECT_EQ(Text(run, CountAt(run, x.rows, -1)), "int64[] 1");
  EXPECT_EQ(Text(run, CountAt(run, x.rows, 0)), "int64[] 2");
  EXPECT_EQ(Text(run, CountAt(run, x.rows, 1)), "int64[] 3");
  EXPECT_EQ(Text(run, CountAt(run, x.rows, 2)), "int64[] 3");
  EXPECT_EQ(Text(run, CountAt(run, x.rows, 3)), "int64[] 6");
  EXPECT_EQ(Text(run, SplitsOf(run, x.rows, 0)), "int64[2] [0, 2]");
  EXPECT_EQ(Text(run, SplitsOf(run, x.rows, 2)), "int64[4] [0, 1, 1, 3]");
  EXPECT_EQ(Text(run, SplitsOf(run, x.rows, 3)), "int64[4] [0, 2, 4, 6]");
  EXPECT_EQ(Text(run, Compose(run, x.rows, 0, 2)), "int64[3] [0, 1, 3]");
  EXPECT_EQ(Text(run, Compose(run, x.rows, 0, 3)), "int64[3] [0, 2, 6]");
  EXPECT_EQ(Text(run, Compose(run, x.rows, -1, 3)), "int64[2] [0, 6]");
  EXPECT_EQ(Text(run, RowIdsOf(run, x.rows, 0, 3)), "int64[6] [0, 0, 1, 1, 1, 1]");
  EXPECT_EQ(Text(run, RowIdsOf(run, x.rows, 1, 2)), "int64[3] [0, 2, 2]");
}

TEST(RowsTest, MergeRowsThatAreTheSame) {
  struct {
    std::string_view a, b;
    std::string_view error = "";
  } cases[] = {
      {"ragged int64[2, (?)] [[7, 8], [9]]", "ragged bool[2, (?)] [[True, True], [True]]"},
      {"int64[2, 2] [[7, 8], [9, 9]]", "bool[2, 2] [[True, True], [True, True]]"},
      {"int64[2, 2] [[7, 8], [9, 9]]", "ragged bool[2, (?)] [[True, True], [True, True]]"},
      {"ragged int64[2, (?)] [[7, 8], [9]]", "ragged bool[2, (?)] [[True], [True, True]]",
       "`check_same_splits`: row 0: expected the same number of values, found 2 and 1"},
      {"ragged int64[2, (?)] [[7, 8], [9]]", "ragged bool[1, (?)] [[True, True]]",
       "dimension 0: expected equal sizes, found 2 and 1"},
      {"int64[2, 2] [[7, 8], [9, 9]]", "bool[2, 1] [[True], [True]]",
       "dimension 1: expected equal sizes, found 2 and 1"},
      {"int64[2, 2] [[7, 8], [9, 9]]", "ragged bool[2, (?)] [[True, True], [True]]",
       "`check_same_splits`: row 1: expected the same number of values, found 2 and 1"},
  };
  for (const auto& [a, b, error] : cases) {
    SCOPED_TRACE(Cat(a, " and ", b));
    Evaluator run(BuiltinLibrary());
    Opened x = Open(run, a, 2);
    Opened y = Open(run, b, 2);
    auto merged = MergeRows(run, x.rows, y.rows, 2, "C9");
    EXPECT_EQ(MessageOf(merged.status()), error);
    if (!merged.ok()) continue;
    EXPECT_EQ(merged->dims[1].is_uniform(),
              x.rows.dims[1].is_uniform() || y.rows.dims[1].is_uniform());
  }
}

TEST(RowsTest, JoinDenseAndRaggedRows) {
  Evaluator run(BuiltinLibrary());
  const GraphValue values[] = {run.Constant(Parse("int32[1, 2] [[1, 2]]")),
                               run.Constant(Parse("ragged<splits=int32> int32[2, (?)] [[], [3]]"))};
  EXPECT_EQ(Text(run, JoinRows(run, values)), "ragged int32[3, (?)] [[1, 2], [], [3]]");
  const GraphValue structures[] = {run.Constant(Parse("{a: int32[]}[1] [{a: 1}]")),
                                   run.Constant(Parse("{b: int32[]}[1] [{b: 1}]"))};
  EXPECT_EQ(Text(run, JoinRows(run, structures)),
            "expected structures with the same fields and rank, found `{b: int32[]}[1]` next to "
            "`{a: int32[]}[1]`");
  const GraphValue ranks[] = {values[1], run.Constant(Parse("int32[1] [1]"))};
  EXPECT_EQ(Text(run, JoinRows(run, ranks)),
            "expected values of the same rank, which is at least 1, found `int32[1]` next to "
            "`ragged<splits=int32> int32[2, (?)]`");
}

TEST(RowsTest, RejectValuesWithoutRows) {
  Evaluator run(BuiltinLibrary());
  EXPECT_EQ(MessageOf(OpenRows(run, run.Constant(Parse("int32[2] [1, 2]")), 2).status()),
            "expected a rank of at least 2, found `int32[2]`");
  EXPECT_EQ(MessageOf(OpenRows(run, run.Constant(Parse("3")), 0).status()),
            "expected a tensor, a ragged value, or a structure, found `3`");
}

}  // namespace
}  // namespace signet
