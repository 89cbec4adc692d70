// Types that had other components in earlier versions: tests/models/versions.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/frontends/load_model.h"
#include "core/model/loaded_model.h"
#include "core/values/builders/value_notation.h"
#include "tests/core/serving/call/requests.h"

namespace signet {
namespace {

using ::testing::HasSubstr;

class VersionedTypesTest : public ::testing::Test {
 protected:
  VersionedTypesTest() {
    auto model = LoadModel("tests/models/versions/1", "versions", 1, ModelOptions());
    EXPECT_TRUE(model.ok()) << model.status();
    if (model.ok()) model_ = *std::move(model);
  }

  // The result of `function` in writing, or the message of the error.
  std::string Call(std::string_view function, std::vector<std::string> arguments) {
    CallArguments call;
    for (const std::string& text : arguments) {
      auto value = ParseValue(text);
      EXPECT_TRUE(value.ok()) << value.status();
      call.positional.push_back(*value);
    }
    auto result = (*model_->FindFunction(function))->Call(std::move(call), RunControl());
    return result.ok() ? ToString(*result) : std::string(MessageOf(result.status()));
  }

  // The same, for one argument in JSON.
  std::string CallJson(std::string_view function, std::string_view json) {
    auto result = Execute(FunctionOf(model_, function), RequestOf({JsonArgument(json)}));
    return result.ok() ? ToString(*result) : std::string(MessageOf(result.status()));
  }

  std::shared_ptr<const LoadedModel> model_;
};

constexpr char kFirst[] = "app.Rows<version=1>(lengths: int64[3]) {lengths: [2, 0, 1]}";
constexpr char kSecond[] = "app.Rows<version=2>(row_splits: int64[4]) {row_splits: [0, 2, 2, 3]}";
constexpr char kThird[] =
    "app.Rows<version=3>(starts: int64[3], limits: int64[3]) "
    "{starts: [0, 2, 2], limits: [2, 2, 3]}";

TEST_F(VersionedTypesTest, ConvertsEveryVersionToEveryOther) {
  for (const char* rows : {kFirst, kSecond, kThird}) {
    EXPECT_EQ(Call("limits", {rows}), "int64[3] [2, 2, 3]") << rows;
    EXPECT_EQ(Call("splits", {rows}), "int64[4] [0, 2, 2, 3]") << rows;
    EXPECT_EQ(Call("lengths", {rows}), "int64[3] [2, 0, 1]") << rows;
    EXPECT_EQ(Call("downgrade", {rows}), kFirst);
  }
}

TEST_F(VersionedTypesTest, ConvertsATensorThroughAllVersions) {
  EXPECT_EQ(Call("limits", {"int64[3] [2, 0, 1]"}), "int64[3] [2, 2, 3]");
}

// JSON does not say its version, wherever in an argument the value is.
TEST_F(VersionedTypesTest, ReadsOlderFormsWithinJson) {
  const char* const limits = R"("first": {"starts": [0, 2], "limits": [2, 3]})";
  struct Case {
    std::string json;
    const char* result;
  } const cases[] = {
      {Cat("{", limits, R"(, "rest": [{"lengths": [2, 1]}, 3]})"),
       "tuple(int64[2], int64[2], 3) [[2, 3], [2, 1], 3]"},
      {R"({"first": {"lengths": [2, 1]}, "rest": [{"row_splits": [0, 2, 3]}, "text"]})",
       "tuple(int64[2], int64[2], \"text\") [[2, 3], [2, 1], \"text\"]"},
      {R"({"first": [2, 1], "rest": [{"starts": [0, 2], "limits": [2, 3]}, null]})",
       "tuple(int64[2], int64[2], None) [[2, 3], [2, 1], None]"},
      {R"({"first": {"$type": "app.Rows", "version": 1, "lengths": [2, 1]},
           "rest": [{"row_splits": [0, 2, 3]}, {"a": [true]}]})",
       "tuple(int64[2], int64[2], dict(a: list(True))) [[2, 3], [2, 1], {a: [True]}]"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.json);
    EXPECT_EQ(CallJson("nested", c.json), c.result);
  }
  EXPECT_THAT(CallJson("nested", Cat("{", limits, R"(, "rest": [{"sizes": [2, 1]}, 3]})")),
              HasSubstr("`rest[0]`: no key `lengths`"));
}

TEST_F(VersionedTypesTest, ConvertsADefault) { EXPECT_EQ(Call("limits", {}), "int64[2] [2, 3]"); }

TEST_F(VersionedTypesTest, ChecksInvariantsOfTheCurrentVersionOnly) {
  EXPECT_THAT(Call("limits", {"app.Rows<version=3>(starts: int64[1], limits: int64[1]) "
                              "{starts: [2], limits: [1]}"}),
              HasSubstr("no row ends before it starts"));
  EXPECT_THAT(Call("limits", {"app.Rows<version=4>(lengths: int64[1]) {lengths: [1]}"}),
              HasSubstr("app.Rows"));
}

}  // namespace
}  // namespace signet
