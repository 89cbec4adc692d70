#include "core/runtime/returned_value.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/types/notation/notation.h"
#include "core/values/builders/value_notation.h"

namespace signet {
namespace {

using testing::HasSubstr;

std::string Converted(const std::string& text) {
  auto value = ParseValue(text);
  if (!value.ok()) return std::string(MessageOf(value.status()));
  auto converted = ConvertReturned(*value);
  return converted.ok() ? ToString(*converted) : std::string(MessageOf(converted.status()));
}

constexpr char kList[] = "onnx.Sequence(elements: [{element: int64[(?)], shape: int64[(?)]}])";
constexpr char kTexts[] = "onnx.Sequence(elements: [{element: string[(?)], shape: int64[(?)]}])";

TypeSpec TypeOf(const std::string& text) {
  auto type = ParseTypeSpec(text);
  EXPECT_TRUE(type.ok()) << type.status();
  return type.ok() ? *type : TypeSpec();
}

TEST(ReturnedValueTest, RemovesStaticMarks) {
  for (const auto& [marked, expected] : std::vector<std::pair<std::string, std::string>>{
           {"int64[2]", "int64[2]"},
           {"onnx.Optional(present: True, value: int64[2])", "int64[2]"},
           {"onnx.Optional(present: False, value: None)", "None"},
           {"onnx.Sequence(elements: int64[?, 2])", "int64[?, 2]"},
           {"onnx.Optional(present: True, value: onnx.Sequence(elements: int64[?, 2]))",
            "int64[?, 2]"},
           {"onnx.Optional(present: bool[], value: onnx.Sequence(elements: int64[?, 2]))",
            "onnx.Optional(present: bool[], value: int64[?, 2])"},
           {"dict(b: onnx.Sequence(elements: int64[?]), a: bool[])",
            "dict(b: int64[?], a: bool[])"},
           {kList, kList}}) {
    EXPECT_EQ(WithoutStaticMarks(TypeOf(marked)), TypeOf(expected)) << marked;
    EXPECT_EQ(ComponentsOf(TypeOf(marked)).size(), ComponentsOf(TypeOf(expected)).size());
  }
}

TEST(ReturnedValueTest, StatesAnyForMarks) {
  EXPECT_EQ(StatedType(TypeOf("dict(b: onnx.Optional(present: bool[], value: int64[]), a: int8[])"))
                .ToString(),
            "dict(b: any, a: int8[])");
  EXPECT_EQ(StatedType(TypeOf(kList)).ToString(), "any");
  EXPECT_EQ(StatedType(TypeOf("list(int8[])")).ToString(), "list(int8[])");
}

TEST(ReturnedValueTest, OptionalValuesAreTheValueOrNone) {
  const std::string type = "onnx.Optional(present: bool[], value: int64[2]) ";
  EXPECT_EQ(Converted(type + "{present: True, value: [1, 2]}"), "int64[2] [1, 2]");
  EXPECT_EQ(Converted(type + "{present: False, value: [1, 2]}"), "None");
  EXPECT_EQ(Converted(Cat("dict(a: onnx.Optional(present: bool[], value: int64[]), b: int64[])",
                          " {a: {present: False, value: 3}, b: 4}")),
            "dict(a: None, b: int64[]) {a: None, b: 4}");
}

TEST(ReturnedValueTest, MixedListsAreLists) {
  EXPECT_EQ(Converted(Cat(kList, " {elements: [{element: [1, 2], shape: [2]}, ",
                          "{element: [3], shape: []}, {element: [], shape: [0, 2]}]}")),
            "list(int64[2], int64[], int64[0, 2]) [[1, 2], 3, []]");
  EXPECT_EQ(Converted(Cat(kTexts, " {elements: [{element: [\"ab\", \"\"], shape: [2, 1]}, ",
                          "{element: [\"c\"], shape: []}]}")),
            "list(string[2, 1], string[]) [[[\"ab\"], [\"\"]], \"c\"]");
  EXPECT_EQ(Converted(Cat(kList, " {elements: []}")), "list() []");
}

// A sequence that a caller sent may have such shapes.
TEST(ReturnedValueTest, RejectsShapesThatDoNotFit) {
  for (const char* shape : {"[3]", "[-2]", "[-1, -2]", "[4611686018427387904, 4]", "[0]"}) {
    EXPECT_THAT(Converted(Cat(kList, " {elements: [{element: [1, 2], shape: ", shape, "}]}")),
                HasSubstr("expected a shape of 2 elements"))
        << shape;
  }
  std::string ones;
  for (int i = 0; i < 65; ++i) ones += i == 0 ? "1" : ", 1";
  EXPECT_THAT(Converted(Cat(kList, " {elements: [{element: [1], shape: [", ones, "]}]}")),
              HasSubstr("expected a shape of 1 elements"));
}

TEST(ReturnedValueTest, OtherValuesStayAsTheyAre) {
  for (const char* text :
       {"app.Optional(present: bool[], value: int64[]) {present: False, value: 1}",
        "[{element: int64[(?)], shape: int64[(?)]}] [{element: [1], shape: []}]",
        "onnx.Optional(present: int64[], value: int64[]) {present: 0, value: 1}"}) {
    EXPECT_EQ(Converted(text), text);
  }
}

}  // namespace
}  // namespace signet
