// The models of examples/, loaded and called as a server would.

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/formats/json/json.h"
#include "core/frontends/load_model.h"
#include "core/model/loaded_model.h"
#include "core/values/builders/value_notation.h"
#include "tests/support/temporary_folder.h"

namespace signet {
namespace {

using nlohmann::json;

class ExamplesTest : public testing::Test {
 protected:
  // `arguments` are JSON texts, read under the types of their parameters; `named` go by keyword.
  static StatusOr<json> Call(const std::string& model_name, const std::string& function_name,
                             const std::vector<std::string>& arguments,
                             const std::vector<std::pair<std::string, std::string>>& named = {}) {
    auto model =
        LoadModel(Cat("examples/models/", model_name, "/1"), model_name, 1, ModelOptions());
    if (!model.ok()) return model.status();
    SIGNET_ASSIGN_OR_RETURN(const PolymorphicFunction* function,
                            (*model)->FindFunction(function_name));
    const FunctionType& type = function->def().type;
    CallArguments call;
    for (size_t i = 0; i < arguments.size(); ++i) {
      TypeSpec wanted = i < type.parameters().size() ? type.parameters()[i].type : TypeSpec();
      SIGNET_ASSIGN_OR_RETURN(Value value, ValueFromJson(arguments[i], wanted, Limits()));
      call.positional.push_back(std::move(value));
    }
    for (const auto& [name, text] : named) {
      const Parameter* parameter = type.LookupParameter(name);
      TypeSpec wanted = parameter == nullptr ? TypeSpec() : parameter->type;
      SIGNET_ASSIGN_OR_RETURN(Value value, ValueFromJson(text, wanted, Limits()));
      call.keyword.emplace_back(name, std::move(value));
    }
    SIGNET_ASSIGN_OR_RETURN(Value result, function->Call(std::move(call), RunControl()));
    return json::parse(ValueToJson(result));
  }

  // Calls with arguments in the notation, such as `list("a")`, and returns the result in it.
  static StatusOr<std::string> CallInNotation(const std::string& model_name,
                                              const std::string& function_name,
                                              const std::vector<std::string>& arguments) {
    auto model =
        LoadModel(Cat("examples/models/", model_name, "/1"), model_name, 1, ModelOptions());
    if (!model.ok()) return model.status();
    SIGNET_ASSIGN_OR_RETURN(const PolymorphicFunction* function,
                            (*model)->FindFunction(function_name));
    CallArguments call;
    for (const std::string& argument : arguments) {
      SIGNET_ASSIGN_OR_RETURN(Value value, ParseValue(argument));
      call.positional.push_back(std::move(value));
    }
    SIGNET_ASSIGN_OR_RETURN(Value result, function->Call(std::move(call), RunControl()));
    return ToString(result);
  }

  // Calls a function of the model that is the first ```signet block of a page, with one JSON
  // argument.
  static StatusOr<json> CallOnPage(const std::string& page, const std::string& function_name,
                                   const std::string& argument) {
    constexpr std::string_view kFence = "```signet\n";
    const std::string text = ReadWholeFile(page);
    size_t start = text.find(kFence);
    if (start == std::string::npos) return NotFound("no model in ", page);
    start += kFence.size();
    TemporaryFolder folder;
    folder.Write("1/model.signet", text.substr(start, text.find("```", start) - start));
    SIGNET_ASSIGN_OR_RETURN(auto model, LoadModel(folder.path() / "1", "page", 1, ModelOptions()));
    SIGNET_ASSIGN_OR_RETURN(const PolymorphicFunction* function,
                            model->FindFunction(function_name));
    CallArguments call;
    SIGNET_ASSIGN_OR_RETURN(
        Value value, ValueFromJson(argument, function->def().type.parameters()[0].type, Limits()));
    call.positional.push_back(std::move(value));
    SIGNET_ASSIGN_OR_RETURN(Value result, function->Call(std::move(call), RunControl()));
    return json::parse(ValueToJson(result));
  }

  static std::string Recipes() { return ReadWholeFile("examples/recipes/recipes.json"); }
  static std::string User(const std::string& name) {
    return ReadWholeFile(Cat("examples/recipes/", name, ".json"));
  }
};

TEST_F(ExamplesTest, HalvesAndAddsTwo) {
  auto result = Call("half_plus_two", "predict", {"[1.0, 2.0, 5.0]"});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->dump(), "[2.5,3.0,4.5]");
}

TEST_F(ExamplesTest, FollowsSavings) {
  auto course = Call("savings", "course", {"1000", "[0.5, 0.5, 0.0]"});
  ASSERT_TRUE(course.ok()) << course.status();
  EXPECT_EQ(course->dump(), R"({"balance":2250.0,"interest":[500.0,750.0,0.0]})");
  auto years = Call("savings", "years_until", {"1000", "0.05", "2000"});
  ASSERT_TRUE(years.ok()) << years.status();
  EXPECT_EQ(years->dump(), "15");
  auto fees =
      Call("savings", "fees",
           {R"([{"name": "Ann", "balances": [800, 400]}, {"name": "Bo", "balances": []}])"});
  ASSERT_TRUE(fees.ok()) << fees.status();
  EXPECT_EQ(fees->dump(), R"([{"fee":12.0,"name":"Ann"},{"fee":0.0,"name":"Bo"}])");
}

TEST_F(ExamplesTest, ScoresEachRecipe) {
  auto result = Call("recipes", "score", {Recipes(), User("sweet_tooth"), "2"});
  ASSERT_TRUE(result.ok()) << result.status();
  ASSERT_EQ(result->size(), 120u);
  json recipes = json::parse(Recipes());
  for (size_t i = 0; i < 120; ++i) {
    SCOPED_TRACE(recipes[i]["title"]);
    const json& scored = (*result)[i];
    EXPECT_EQ(scored["title"], recipes[i]["title"]);
    EXPECT_GT(scored["score"].get<double>(), 0);
    EXPECT_LT(scored["score"].get<double>(), 1);
    const json& best = scored["ingredients"];
    ASSERT_EQ(best.size(), std::min<size_t>(2, recipes[i]["ingredients"].size()));
    EXPECT_GE(best[0]["weight"].get<double>(), best[1]["weight"].get<double>());
    bool found = false;
    for (const json& ingredient : recipes[i]["ingredients"]) {
      found = found || ingredient["name"] == best[0]["name"];
    }
    EXPECT_TRUE(found);
  }
}

TEST_F(ExamplesTest, FindsTheBestRecipesOfAUser) {
  auto all = Call("recipes", "score", {Recipes(), User("likes_heat")});
  ASSERT_TRUE(all.ok()) << all.status();
  auto best = Call("recipes", "best", {Recipes(), User("likes_heat"), "4"});
  ASSERT_TRUE(best.ok()) << best.status();
  std::sort(all->begin(), all->end(), [](const json& a, const json& b) {
    return a["score"].get<double>() > b["score"].get<double>();
  });
  ASSERT_EQ(best->size(), 4u);
  for (size_t i = 0; i < 4; ++i) EXPECT_EQ((*best)[i], (*all)[i]);
}

TEST_F(ExamplesTest, ScoresNoRecipesAtAll) {
  auto result = Call("recipes", "score", {"[]", User("sweet_tooth")});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->dump(), "[]");
}

TEST_F(ExamplesTest, RanksARecipeWithoutIngredientsByItsOtherFeatures) {
  json recipes = json::parse(Recipes());
  recipes[5]["ingredients"] = json::array();
  auto scored = Call("recipes", "score", {recipes.dump(), User("sweet_tooth")});
  ASSERT_TRUE(scored.ok()) << scored.status();
  double score = (*scored)[5]["score"].get<double>();  // throws if the score is NaN
  EXPECT_GT(score, 0);
  EXPECT_LT(score, 1);
}

TEST_F(ExamplesTest, GivesNoTopicAPreferenceWithoutWords) {
  auto topics = Call("text", "topics", {"[]"}, {{"shares", "false"}});
  ASSERT_TRUE(topics.ok()) << topics.status();
  EXPECT_EQ((*topics)["scores"].dump(), "[0.0,0.0,0.0]");
}

TEST_F(ExamplesTest, RanksDishesWithoutStarsLast) {
  const std::string dishes =
      R"([{"name": "new", "stars": []}, {"name": "soup", "stars": [4, 5]},
          {"name": "pie", "stars": [3]}])";
  auto best = CallOnPage("docs/reference/models.md", "score", dishes);
  ASSERT_TRUE(best.ok()) << best.status();
  ASSERT_EQ(best->size(), 3u);
  EXPECT_EQ((*best)[0]["name"], "soup");
  EXPECT_EQ((*best)[1]["name"], "pie");
  EXPECT_EQ((*best)[2]["name"], "new");
  auto dish = CallOnPage("docs/reference/protobuf.md", "best", dishes);
  ASSERT_TRUE(dish.ok()) << dish.status();
  EXPECT_EQ((*dish)["name"], "soup");
}

TEST_F(ExamplesTest, RejectsDuplicateNamesOfDimensions) {
  auto made =
      CallInNotation("labeled", "new", {"float32[1, 2] [[1, 2]]", R"(list("a", "b") ["a", "b"])"});
  ASSERT_TRUE(made.ok()) << made.status();
  auto scalar = CallInNotation("labeled", "new", {"float32[] 1", "list() []"});
  EXPECT_TRUE(scalar.ok()) << scalar.status();
  auto twice =
      CallInNotation("labeled", "new", {"float32[1, 2] [[1, 2]]", R"(list("a", "a") ["a", "a"])"});
  EXPECT_EQ(twice.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(MessageOf(twice.status()), testing::HasSubstr("each dimension has a different name"));
  auto numbers = CallInNotation("labeled", "new", {"float32[1, 2] [[1, 2]]", "list(0, 1) [0, 1]"});
  EXPECT_EQ(numbers.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(MessageOf(numbers.status()), testing::HasSubstr("are texts"));
}

TEST_F(ExamplesTest, ScalesADistributionByAnInteger) {
  const std::string normal =
      "dist.Normal(loc: float32[2], scale: float32[2]) {loc: [1, 2], scale: [1, 3]}";
  for (std::string by : {"-2", "-2.0", "float32[] -2"}) {
    auto scaled = CallInNotation("distribution", "scaled", {normal, by});
    ASSERT_TRUE(scaled.ok()) << scaled.status();
    EXPECT_EQ(*scaled,
              "dist.Normal(loc: float32[2], scale: float32[2]) "
              "{loc: [-2.0, -4.0], scale: [2.0, 6.0]}");
  }
}

TEST_F(ExamplesTest, BranchesOnAPlainValue) {
  auto shares = Call("text", "topics", {R"(["butter", "oven", "nothing"])"});
  ASSERT_TRUE(shares.ok()) << shares.status();
  EXPECT_GT((*shares)["scores"][0].get<double>(), 0.7);
  auto sums = Call("text", "topics", {R"(["butter", "oven", "nothing"])", "7"},
                   {{"shares", "false"}, {"unknown", "3"}, {"source", R"("menu")"}});
  ASSERT_TRUE(sums.ok()) << sums.status();
  EXPECT_EQ((*sums)["scores"].dump(), "[3.0,1.0,1.0]");
  EXPECT_EQ((*sums)["topics"].dump(), R"(["food","sport","music"])");
  EXPECT_EQ((*sums)["notes"].dump(), "[7]");
  EXPECT_EQ((*sums)["labels"].dump(), R"({"source":"menu"})");
}

}  // namespace
}  // namespace signet
