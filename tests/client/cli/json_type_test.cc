#include "client/cli/json_type.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace signet {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Returns the type, or the error after `!!`.
std::string TypeOf(const char* text, std::vector<std::string>* notes = nullptr) {
  std::vector<std::string> found;
  auto type = TypeOfRecords(nlohmann::ordered_json::parse(text), found);
  if (notes != nullptr) *notes = found;
  return type.ok() ? *type : Cat("!! ", MessageOf(type.status()));
}

TEST(JsonTypeTest, MergesTheTypesOfAllRecords) {
  EXPECT_EQ(TypeOf(R"([{"a": 1, "b": "x"}, {"a": 2.5, "b": "y"}])"),
            "[{a: float32[], b: string[]}]");
  EXPECT_EQ(TypeOf(R"([{"a": 1}, {"a": -3000000000}])"), "[{a: int64[]}]");
  EXPECT_EQ(TypeOf(R"([{"a": 18446744073709551615}])"), "[{a: float32[]}]");
  EXPECT_EQ(TypeOf(R"([{"a": []}, {"a": [true]}])"), "[{a: bool[(?)]}]");
  EXPECT_EQ(TypeOf(R"([{"a": [[1], []], "b": {"c": [{"d": 1}, {"d": 2}]}}])"),
            "[{a: int32[(?), (?)], b: {c: [{d: int32[]}]}}]");
}

TEST(JsonTypeTest, FieldsThatAreMissingOrNullAreOptional) {
  EXPECT_EQ(TypeOf(R"([{"a": 1}, {"b": "x", "a": 2}, {"a": null}])"),
            "[{a?: int32[], b?: string[]}]");
  EXPECT_EQ(TypeOf(R"([{"items": [{"a": 1, "b": 2}, {"a": 3}]}])"),
            "[{items: [{a: int32[], b?: int32[]}]}]");
}

TEST(JsonTypeTest, NotesGuesses) {
  std::vector<std::string> notes;
  EXPECT_EQ(TypeOf(R"([{"a": [], "b": null, "c": 1}])", &notes), "[{a: float32[(?)], c: int32[]}]");
  EXPECT_THAT(notes, ElementsAre(HasSubstr("`a[]` is an empty list everywhere"),
                                 HasSubstr("`b` is null everywhere"),
                                 HasSubstr("all numbers here are integers: `c`; write float32")));
  EXPECT_EQ(TypeOf(R"([{"a": 1.5, "b": "x"}])", &notes), "[{a: float32[], b: string[]}]");
  EXPECT_THAT(notes, IsEmpty());
}

TEST(JsonTypeTest, NamesThePlaceOfAConflict) {
  EXPECT_EQ(TypeOf(R"([{"a": 1}, {"a": "x"}])"),
            "!! `[1]`: `a`: expected a number, as in the values before it, found text");
  EXPECT_EQ(TypeOf(R"([{"a": {"b": [1]}}, {"a": {"b": 2}}])"),
            "!! `[1]`: `a.b`: expected a list, as in the values before it, found a number");
  EXPECT_THAT(TypeOf(R"([{"a b": 1}])"), HasSubstr("found `a b`; records have no other names"));
  EXPECT_THAT(TypeOf(R"([{"a": [1, null]}])"), HasSubstr("`a[1]`: expected a value, found null"));
  EXPECT_THAT(TypeOf(R"([{"a": 1}, 7])"), HasSubstr("`[1]`: expected a record, found a number"));
  std::string deep = "[{\"a\": ";
  for (int i = 0; i < 1000; ++i) deep += "[";
  for (int i = 0; i < 1000; ++i) deep += "]";
  EXPECT_THAT(TypeOf((deep + "}]").c_str()), HasSubstr("more than 32 levels"));
}

}  // namespace
}  // namespace signet
