#include "signet/structured_spec.h"

#include <gtest/gtest.h>

#include "core/types/notation/notation.h"
#include "signet/ragged_spec.h"
#include "signet/sparse_spec.h"
#include "signet/tensor_spec.h"

namespace signet {
namespace {

constexpr int64_t kQ = kUnknownDim;

TEST(StructuredSpecTest, FieldsCarryTheDimensionsOfTheirStructure) {
  TypeSpec spec = *ParseTypeSpec("{ids: int64[3], steps: [{text: string[]}]}[2]");
  const auto& structured = *spec.As<StructuredSpec>();
  EXPECT_EQ(structured.rank(), 1);
  EXPECT_EQ(structured.LookupField("ids").ToString(), "int64[2, 3]");
  EXPECT_EQ(*structured.LookupField("steps").shape(), (PartialShape{2, kQ}));
  EXPECT_FALSE(structured.LookupField("nothing"));
  auto missing = structured.FindField("nothing");
  EXPECT_EQ(missing.status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(MessageOf(missing.status()), "no field `nothing`; fields: `ids`, `steps`");
  EXPECT_EQ(MessageOf(structured.FindField("text").status()),
            "no field `text`; fields: `ids`, `steps`; did you mean `steps.text`?");
}

TEST(StructuredSpecTest, SizesKnownInOnePlaceBecomeKnownInAll) {
  auto spec = MakeStructuredType({kQ, kQ}, {{"a", TensorType(DType::kInt8, {2, 3})},
                                            {"b", *MakeRaggedType(DType::kInt8, {kQ, kQ}, 1)}});
  ASSERT_TRUE(spec.ok()) << spec.status();
  EXPECT_EQ(spec->shape()->ToString(), "[2, 3]");
  EXPECT_EQ(spec->As<StructuredSpec>()->LookupField("b").shape()->ToString(), "[2, 3]");
}

TEST(StructuredSpecTest, UnifiesTheRowSplitsOfItsFields) {
  auto mixed = ParseTypeSpec("{x: int64[(?)], z: ragged<splits=int32> int16[(?)]}[2]");
  ASSERT_TRUE(mixed.ok()) << mixed.status();
  EXPECT_EQ(*mixed, *ParseTypeSpec("{x: int64[(?)], z: int16[(?)]}[2]"));
  auto narrow = ParseTypeSpec("{z: ragged<splits=int32> int16[(?)]}[2]");
  ASSERT_TRUE(narrow.ok()) << narrow.status();
  EXPECT_NE(*narrow, *ParseTypeSpec("{z: int16[(?)]}[2]"));
}

TEST(StructuredSpecTest, RejectsWithBothSides) {
  struct Case {
    PartialShape shape;
    NamedTypes fields;
    std::string message;
  } const cases[] = {
      {{}, {}, "expected a structure of known rank, found an unknown rank"},
      {{kQ},
       {{"_a", TensorType(DType::kInt8, {kQ})}},
       "name of a field: expected a letter, then letters, digits, or underscores, found `_a`"},
      {{kQ},
       {{"a", SparseType(DType::kInt8, {kQ})}},
       "field `a`: expected a tensor, ragged, or structured type, found `sparse int8[?]`"},
      {{kQ, kQ},
       {{"a", TensorType(DType::kInt8, {kQ})}},
       "field `a`: expected at least the dimensions of its structure, `[?, ?]`, found `[?]`"},
      {{2},
       {{"a", TensorType(DType::kInt8, {3})}},
       "field `a`: expected the leading dimensions of its structure, `[2]`, found `[3]`"},
      {Shape{},
       {{"a", TensorType(DType::kInt8, Shape{})}, {"a", TensorType(DType::kInt8, Shape{})}},
       "duplicate field `a`"},
  };
  for (const Case& c : cases) {
    auto spec = MakeStructuredType(c.shape, c.fields);
    ASSERT_FALSE(spec.ok()) << c.message;
    EXPECT_EQ(MessageOf(spec.status()), c.message);
  }
}

TEST(StructuredSpecTest, FieldComponentsIncludeTheSharedPartitions) {
  struct Case {
    const char *type, *field;
    std::vector<int> components;
  } const cases[] = {
      {"[{a: int8[], b: string[(?)]}]", "a", {1}},
      {"[{a: int8[], b: string[(?)]}]", "b", {2, 3}},
      {"[[{a: int8[], b: string[(?)]}]]", "a", {2, 1}},
      {"[[{a: int8[], b: string[(?)]}]]", "b", {3, 1, 4}},
      {"[{a: [{x: int8[]}], b: int8[]}]", "a", {0, 1, 2}},
      {"[{a: [{x: int8[]}], b: int8[]}]", "b", {3}},
      {"{a: [{x: int8[]}], b: int8[]}", "a", {0, 1}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(Cat(c.type, " ", c.field));
    TypeSpec spec = *ParseTypeSpec(c.type);
    EXPECT_EQ(FieldComponents(spec, c.field), c.components);
    EXPECT_EQ(c.components.size(),
              spec.As<StructuredSpec>()->LookupField(c.field).num_components());
  }
  EXPECT_EQ(FieldComponents(*ParseTypeSpec("{}"), "a"), std::nullopt);
}

}  // namespace
}  // namespace signet
