#include "core/types/stacking.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/types/notation/notation.h"
#include "signet/any_spec.h"

namespace signet {
namespace {

using ::testing::ElementsAre;

std::string Stacked(std::string_view type, int64_t n) {
  auto spec = StackedType(*ParseTypeSpec(type), n);
  return spec.ok() ? spec->ToString() : Cat("!! ", MessageOf(spec.status()));
}

std::string Unstacked(std::string_view type) {
  auto spec = UnstackedType(*ParseTypeSpec(type));
  return spec.ok() ? spec->ToString() : Cat("!! ", MessageOf(spec.status()));
}

TEST(StackingTest, TheTypeOfABatchHasOneDimensionMore) {
  struct Case {
    const char* element;
    int64_t n;
    const char* batch;
  } const cases[] = {
      {"float32[3]", 5, "float32[5, 3]"},
      {"string[?, 2]", kUnknownDim, "string[?, ?, 2]"},
      {"float32[...]", 5, "float32[...]"},
      {"ragged<rank=0> int32[?]", 32, "ragged int32[32, (?)]"},
      {"ragged float32[2, (?)]", 5, "ragged float32[5, (2), (?)]"},
      {"ragged<splits=int32> float32[?, (?), 3]", 5,
       "ragged<splits=int32> float32[5, (?), (?), 3]"},
      {"sparse float32[4, ?]", 32, "sparse float32[32, 4, ?]"},
      {"{}", kUnknownDim, "[{}]"},
      {"{a: float32[3], b: ragged float32[1, (?)]}", 5, "{a: float32[3], b: float32[(1), (?)]}[5]"},
      // A dense field stays dense: its structures must then be as many in each value.
      {"[{s: [{y: string[]}], x: int32[]}]", 32, "{s: [{y: string[]}], x: dense int32[]}[32, ?]"},
      {"[{y: int32[(?)]}]", 32, "{y: int32[(?)]}[32, ?]"},
      {"dict(a: int64[?], mode: \"fast\")", 2, "dict(a: int64[2, ?], mode: \"fast\")"},
      {"list(int64[], tuple(bool[1]))", 0, "list(int64[0], tuple(bool[0, 1]))"},
      {"app.Masked<n=3>(values: int32[4], mask: bool[4])", kUnknownDim,
       "app.Masked<n=3>(values: int32[?, 4], mask: bool[?, 4])"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.element);
    EXPECT_EQ(Stacked(c.element, c.n), c.batch);
    EXPECT_EQ(Unstacked(c.batch), c.element);
  }
}

TEST(StackingTest, RaggedTypesWithoutRowsBecomeTensors) {
  EXPECT_EQ(Stacked("ragged<rank=0> int32[]", 4), "int32[4]");
  EXPECT_EQ(Unstacked("ragged<rank=0> int32[?]"), "int32[]");
  EXPECT_EQ(Unstacked("ragged<rank=0> int32[?, 3]"), "int32[3]");
}

TEST(StackingTest, RejectsTypesWithoutDimensions) {
  EXPECT_EQ(Unstacked("float32[]"),
            "!! expected a type with at least one dimension, found `float32[]`");
  EXPECT_EQ(Unstacked("{a: int32[]}"),
            "!! expected a type with at least one dimension, found `{a: int32[]}`");
  EXPECT_EQ(Unstacked("dict(a: list(int32[]))"),
            "!! `a`: `[0]`: expected a type with at least one dimension, found `int32[]`");
  EXPECT_EQ(Stacked("int32[]", -2), "!! expected a batch of at least 0 values, found -2");
  EXPECT_FALSE(StackedType(*ParseTypeSpec("any"), 2).ok());
}

TEST(StackingTest, LeavesAreNamedByPath) {
  EXPECT_THAT(BoxedLayout(*ParseTypeSpec(
                  "[{z: int32[], m: [{p: string[(?)], q: dense bool[]}], a1: float32[]}]")),
              ElementsAre("a1", "m.p", "m.q", "z"));
  EXPECT_THAT(BoxedLayout(*ParseTypeSpec("ragged int32[?, (?)]")), ElementsAre(""));
  EXPECT_THAT(BoxedLayout(*ParseTypeSpec("dict(b: list(int32[], 3), a: app.T(v: {x: bool[]}))")),
              ElementsAre("a.v.x", "b[0]"));
}

}  // namespace
}  // namespace signet
