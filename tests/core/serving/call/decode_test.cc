#include "core/serving/call/decode.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/types/notation/notation.h"
#include "core/values/builders/value_notation.h"
#include "tests/core/serving/call/requests.h"

namespace signet {
namespace {

using ::testing::HasSubstr;

TEST(DecodeTest, ChecksTheRankLimitInEveryFormat) {
  ModelBuilder builder;
  builder.AddFunction("ragged", "(x: ragged int64[?, (?), (?), (?)])").Result("x");
  builder.AddFunction("dense", "(x: int64[?, ?, ?, ?])").Result("x");
  builder.AddFunction("rows", "(x: [{ids: int64[(?), (?), (?)]}])").Result("x");
  builder.AddFunction("any", "(x)").Result("x");
  auto model = ModelOf(builder);
  Limits limits;
  limits.rank = 3;
  auto status_of = [&](const char* function, EncodedArgument argument) {
    auto call = BindToFunction(FunctionOf(model, function), RequestOf({std::move(argument)}));
    return call.ok() ? DecodeArguments(*call, limits) : call.status();
  };
  const std::pair<const char*, const char*> kTexts[] = {
      {"ragged", "[[[[1]]]]"}, {"dense", "[[[[1]]]]"}, {"rows", R"([{"ids": [[[1]]]}])"}};
  for (const auto& [function, text] : kTexts) {
    Status json = status_of(function, JsonArgument(text));
    EXPECT_EQ(json.code(), absl::StatusCode::kInvalidArgument) << function;
    EXPECT_THAT(std::string(MessageOf(json)),
                HasSubstr("argument `x`: rank 4 exceeds the limit of 3 (--max_rank)"));
    const TypeSpec& type = FunctionOf(model, function).function->def().type.parameters()[0].type;
    auto value = ValueFromJson(text, type, Limits());
    ASSERT_TRUE(value.ok()) << value.status();
    auto arrow = ArrowArgument(*value);
    ASSERT_TRUE(arrow.ok()) << arrow.status();
    for (const char* parameter : {function, "any"}) {
      Status from_arrow = status_of(parameter, *arrow);
      EXPECT_EQ(from_arrow.code(), absl::StatusCode::kInvalidArgument) << function << parameter;
      EXPECT_THAT(std::string(MessageOf(from_arrow)), HasSubstr("(--max_rank)"));
    }
  }
}

std::shared_ptr<const LoadedModel> ShopModel() {
  ModelBuilder builder;
  builder.AddExtensionType({.name = "shop.Money",
                            .doc = "An amount of money",
                            .statics = {"currency", "scale"},
                            .components = {{"amount", "float64[?]"}, {"note", ""}}});
  builder.AddFunction("any", "(x)").Result("x");
  builder
      .AddFunction("money",
                   "(x: shop.Money<currency=\"USD\", scale=2>(amount: float64[?], note: string[]))")
      .Result("x");
  return ModelOf(builder);
}

// The result as JSON, or the message of the error.
std::string CallJson(const std::shared_ptr<const LoadedModel>& model, size_t function,
                     std::string_view json, bool reject_unknown_fields = false) {
  EncodedArgument argument = JsonArgument(json);
  argument.reject_unknown_fields = reject_unknown_fields;
  auto result =
      Execute({model, model->functions()[function].get()}, RequestOf({std::move(argument)}));
  return result.ok() ? ValueToJson(*result) : std::string(result.status().message());
}

TEST(DecodeTypedTest, ExtensionValuesStateTheirTypeInBothDirections) {
  auto model = ShopModel();
  const std::string usd =
      R"({"$type":"shop.Money","currency":"USD","scale":2,"amount":[1.5,2.0],"note":"x"})";
  for (bool is_strict : {false, true}) {
    EXPECT_EQ(CallJson(model, 0, usd, is_strict), usd);
    EXPECT_EQ(CallJson(model, 1, usd, is_strict), usd);
    // In any order, and where the parameter says it, without the type.
    EXPECT_EQ(CallJson(model, 1, R"({"note":"x","amount":[1.5,2],"scale":2,"$type":"shop.Money"})",
                       is_strict),
              usd);
    EXPECT_EQ(CallJson(model, 1, R"({"note":"x","amount":[1.5,2]})", is_strict), usd);
  }
  // Static attributes are kept, of any kind; a component without a constraint is what it shows.
  const std::string other =
      R"({"$type":"shop.Money","currency":["EUR",{"a":null}],"scale":0.5,"amount":[],"note":[[1],[]]})";
  EXPECT_EQ(CallJson(model, 0, other), other);
  // Within lists and dicts; a dict's own key has a `$` more. The keys of a value without a declared
  // type are sorted.
  const std::string nested = Cat(R"({"$$type":{"$$$type":"y"},"a":[)", usd, ",3]}");
  EXPECT_EQ(CallJson(model, 0, nested), nested);
  // As a component of another one.
  const std::string inner =
      Cat(R"({"$type":"shop.Money","currency":null,"scale":1,"amount":[1.0],"note":)", usd, "}");
  EXPECT_EQ(CallJson(model, 0, inner), inner);
}

TEST(DecodeTypedTest, RejectsExtensionValuesThatAreNotOfTheirType) {
  auto model = ShopModel();
  EXPECT_THAT(CallJson(model, 0, R"({"$type":"shop.Gold","x":1})"),
              HasSubstr("argument `x`: `$type`: no extension type `shop.Gold`; registered: "
                        "`shop.Money`; JSON does not state the types of components, so the model "
                        "must declare the type"));
  // The types of the components are known, so the model need not declare the type.
  auto gold = ParseValue("shop.Gold<pure=True>(x: int64[]) {x: 1}");
  ASSERT_TRUE(gold.ok()) << gold.status();
  CallRequest typed;
  typed.arguments.positional.push_back(*gold);
  auto result = Execute({model, model->functions()[0].get()}, std::move(typed));
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(ToString(*result), "shop.Gold<pure=True>(x: int64[]) {x: 1}");
  EXPECT_THAT(CallJson(model, 0, R"({"$type":3})"),
              HasSubstr("expected the name of an extension type, found `3`"));
  EXPECT_THAT(CallJson(model, 0, R"({"$type":"shop.Money","currency":"USD","amount":[],"note":1})"),
              HasSubstr("no key `scale`, a static attribute of `shop.Money`"));
  EXPECT_THAT(
      CallJson(model, 0, R"({"$type":"shop.Money","currency":"USD","scale":1,"amount":[]})"),
      HasSubstr("no key `note`, a component of `shop.Money`"));
  EXPECT_THAT(
      CallJson(model, 0,
               R"({"$type":"shop.Money","currency":"USD","scale":1,"amount":["x"],"note":1})"),
      HasSubstr("`amount[0]`: text"));
  // Another attribute is another type, which is not lost on the way.
  EXPECT_THAT(
      CallJson(model, 1,
               R"({"$type":"shop.Money","currency":"EUR","scale":2,"amount":[1],"note":"x"})"),
      HasSubstr("currency=\"EUR\""));
  EXPECT_THAT(CallJson(model, 0,
                       std::string(100, '[') + R"({"$type":"shop.Money"})" + std::string(100, ']')),
              HasSubstr("--max_nesting_depth"));
}

}  // namespace
}  // namespace signet
