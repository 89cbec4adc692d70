#include "core/model/native/extension_loader.h"

#include <gtest/gtest.h>

#include "core/frontends/inspect_model.h"
#include "core/model/language/model_reader.h"
#include "core/model/loaded_model.h"
#include "core/model/native/loader.h"
#include "core/model/native/model_files.h"
#include "core/values/builders/value_notation.h"
#include "tests/support/native_model.h"
#include "tests/support/temporary_folder.h"

namespace signet {
namespace {

constexpr char kType[] = R"(
    name: "app.Pair" statics: "width"
    components { name: "a" type { text: "float32[?, $width]" } } components { name: "b" }
)";

// A model of functions `one` and `two`, and the type app.Pair with more fields.
StatusOr<ModelDef> LoadPair(std::string_view fields, std::string_view type = kType) {
  auto proto = ParseModelText(
      Cat("format_version: 1 functions { name: \"one\" signature: \"(x, /)\" result: \"x\" } ",
          "functions { name: \"two\" signature: \"(x, y, /)\" result: \"x\" } ",
          "extension_types { ", type, fields, " }"));
  if (!proto.ok()) return proto.status();
  return ModelDefFromProto(*proto, {}, Limits());
}

TEST(ExtensionLoaderTest, ReadsWhatATypeMeans) {
  auto model = LoadPair(R"model(
      invariants: "one"
      overrides { op: "matmul" function: "two" inputs: "app.Pair" inputs: "tensor" }
      overrides { family: UNARY_ELEMENTWISE function: "one" }
      conversions { from { text: "app.Pair<width=1>(c: float32[?])" } function: "one" }
      conversions { from { text: "float32[?, 2]" } function: "one" }
      batching: NEVER)model");
  ASSERT_TRUE(model.ok()) << model.status();
  const ExtensionTypeDef& type = model->extension_types[0];
  EXPECT_EQ(type.declaration.templates[0].second.text(), "float32[?, $width]");
  ASSERT_EQ(type.declaration.older.size(), 1u);
  EXPECT_EQ(type.functions.overrides[1].family, OpFamily::kUnaryElementwise);
  std::string text = DescribeModel(*model, "pairs");
  EXPECT_NE(text.find("  app.Pair<width>(a: float32[?, $width], b)\n"
                      "    never batched\n"
                      "    invariant one\n"
                      "    override matmul(app.Pair, tensor) by two\n"
                      "    override UNARY_ELEMENTWISE() by one\n"
                      "    conversion from app.Pair<width=1>(c: float32[?]) by one\n"
                      "    conversion from float32[?, 2] by one\n"),
            std::string::npos)
      << text;
}

TEST(ExtensionLoaderTest, TakesTheExampleOfTheDocument) {
  std::string page = ReadWholeFile("docs/reference/extension-types.md");
  constexpr std::string_view kFence = "```signet\n";
  const size_t begin = page.find(kFence) + kFence.size();
  auto def = ModelDefFromLanguage(page.substr(begin, page.find("```", begin) - begin), {});
  ASSERT_TRUE(def.ok()) << def.status();
  LoadedModel model("intervals", 1, *std::move(def), ModelOptions());
  auto call = [&](std::string_view function, std::string_view unit, std::string_view data) {
    auto value = ParseValue(
        Cat("shop.Interval<unit=\"", unit, "\">(low: float32[1], high: float32[1]) ", data));
    EXPECT_TRUE(value.ok()) << value.status();
    auto result = (*model.FindFunction(function))->Call({{*value}, {}}, RunControl());
    return result.ok() ? ToString(*result) : std::string(MessageOf(result.status()));
  };
  EXPECT_EQ(call("width", "cm", "{low: [1], high: [3]}"), "float32[1] [2.0]");
  EXPECT_EQ(call("width", "inch", "{low: [0], high: [100]}"), "float32[1] [254.0]");
  EXPECT_EQ(call("twice", "m", "{low: [1], high: [3]}"),
            "shop.Interval<unit=\"m\">(low: float32[1], high: float32[1]) {low: [2.0], high: "
            "[6.0]}");
  EXPECT_EQ(call("twice", "m", "{low: [4], high: [3]}"),
            "argument `x`: `shop.Interval`: `low` is at most `high`");
}

// Returns the default of `x` in a model of the types a.Money and a.Gift, a child of it, with the
// unit of a.Money in its type; or the message of the error.
std::string DefaultOf(std::string_view type, std::string_view written) {
  std::string text = Cat(R"model(
    format_version: 1
    functions { name: "positive" doc: "amounts are positive" signature: "(m, /)" result: "all"
      nodes { name: "each" op: "greater" inputs: "m.amount" inputs: "0" }
      nodes { name: "all" op: "reduce_all" inputs: "each" } }
    functions { name: "from_cents" signature: "(m, /)" result: "made"
      nodes { name: "amount" op: "mul" inputs: "m.amount" inputs: "0.01" }
      nodes { name: "made" op: "make_extension" inputs: "amount"
              attributes { key: "type" value { string: "a.Money" } }
              attributes { key: "statics" value { literal: "dict(unit: \"euro\")" } } } }
    functions { name: "from_number" signature: "(m, /)" result: "made"
      nodes { name: "made" op: "make_extension" inputs: "m"
              attributes { key: "type" value { string: "a.Money" } }
              attributes { key: "statics" value { literal: "dict(unit: \"euro\")" } } } }
    extension_types { name: "a.Money" statics: "unit" invariants: "positive"
      components { name: "amount" type { text: "float32[...]" } }
      conversions { from { text: "a.Money<unit=\"cent\">()" } function: "from_cents" }
      conversions { from { text: "float32[?]" } function: "from_number" } }
    extension_types { name: "a.Gift" parent: "a.Money" statics: "unit"
      components { name: "note" } components { name: "amount" type { text: "float32[...]" } } }
    functions { name: "f" signature: "(x: )model",
                         type, " = ", written, ")\" result: \"x\" }");
  auto proto = ParseModelText(text);
  if (!proto.ok()) return std::string(MessageOf(proto.status()));
  auto def = ModelDefFromProto(*proto, {}, Limits());
  if (!def.ok()) return std::string(MessageOf(def.status()));
  LoadedModel model("money", 1, *std::move(def), ModelOptions());
  auto result = (*model.FindFunction("f"))->Call({}, RunControl());
  if (!result.ok()) return std::string(MessageOf(result.status()));
  const Defaults& defaults = (*model.FindFunction("f"))->def().defaults;
  EXPECT_TRUE(SameValue(*result, defaults.at("x")));
  return ToString(*result);
}

TEST(ExtensionLoaderTest, DefaultsAreCastAsArgumentsAre) {
  constexpr std::string_view kEuros = R"(a.Money<unit=\"euro\">(amount: float32[?]))";
  const std::string two = R"(a.Money<unit="euro">(amount: float32[1]) {amount: [2.0]})";
  EXPECT_EQ(DefaultOf(kEuros, R"(a.Money<unit=\"euro\">(amount: float32[1]) {amount: [2]})"), two);
  EXPECT_EQ(DefaultOf(kEuros, R"(a.Money<unit=\"cent\">(amount: float32[1]) {amount: [200]})"),
            two);
  EXPECT_EQ(DefaultOf(kEuros, "float32[1] [2]"), two);
  // A value of a child type is shown as its parent.
  EXPECT_EQ(
      DefaultOf(kEuros,
                R"(a.Gift<unit=\"euro\">(note: 1, amount: float32[1]) {note: 1, amount: [2]})"),
      two);
  EXPECT_EQ(
      DefaultOf(
          "dict(price: a.Money<unit=\\\"euro\\\">(amount: float32[?]))",
          R"(dict(price: a.Money<unit=\"cent\">(amount: float32[1])) {price: {amount: [200]}})"),
      R"(dict(price: a.Money<unit="euro">(amount: float32[1])) {price: {amount: [2.0]}})");
  EXPECT_EQ(DefaultOf(kEuros, R"(a.Money<unit=\"yen\">(amount: float32[1]) {amount: [200]})")
                .find("function `f`: default of `x`: "),
            0u);
  EXPECT_EQ(DefaultOf(kEuros, R"(a.Money<unit=\"euro\">(amount: float32[1]) {amount: [-2]})"),
            "function `f`: default of `x`: `a.Money`: amounts are positive");
}

constexpr char kMoney[] = R"model(
    format_version: 1
    functions { name: "short" doc: "at most 2 amounts" signature: "(m, /)" result: "fits"
      nodes { name: "count" op: "size" inputs: "m.amount" }
      nodes { name: "fits" op: "less_equal" inputs: "count" inputs: "2" } }
    functions { name: "amounts" signature: "(m: a.Money(amount: float32[?]))" result: "m.amount" }
    functions { name: "same" signature: "(m, /)" result: "m" }
    functions { name: "each" signature: "(m)" result: "made"
      nodes { name: "made" op: "map" inputs: "m"
              attributes { key: "function" value { function: "same" } } } }
    functions { name: "twice" signature: "(m, /)" result: "both"
      nodes { name: "both" op: "concat" inputs: "m" inputs: "m" } }
    functions { name: "each_twice" signature: "(m)" result: "made"
      nodes { name: "made" op: "map" inputs: "m"
              attributes { key: "function" value { function: "twice" } } } }
    extension_types { name: "a.Money" invariants: "short"
      components { name: "amount" type { text: "float32[...]" } } }
    extension_types { name: "a.Gift" parent: "a.Money"
      components { name: "note" } components { name: "amount" type { text: "float32[...]" } } }
    extension_types { name: "a.Alone" batching: NEVER components { name: "x" } })model";

TEST(ExtensionLoaderTest, ValuesGoThroughLoopsAndToTheirParents) {
  auto proto = ParseModelText(kMoney);
  ASSERT_TRUE(proto.ok()) << proto.status();
  auto def = ModelDefFromProto(*proto, {}, Limits());
  ASSERT_TRUE(def.ok()) << def.status();
  LoadedModel model("money", 1, *std::move(def), ModelOptions());
  auto call = [&](std::string_view function, std::string_view text) {
    auto value = ParseValue(text);
    EXPECT_TRUE(value.ok()) << value.status();
    auto result = (*model.FindFunction(function))->Call({{*value}, {}}, RunControl());
    return result.ok() ? ToString(*result) : std::string(MessageOf(result.status()));
  };
  EXPECT_EQ(call("each", "a.Money(amount: float32[2]) {amount: [1, 2]}"),
            "a.Money(amount: float32[2]) {amount: [1.0, 2.0]}");
  EXPECT_EQ(call("each", "list(a.Money(amount: float32[1, 1])) [{amount: [[1]]}]"),
            "list(a.Money(amount: float32[1, 1])) [{amount: [[1.0]]}]");
  // What holds of each need not hold of all together.
  EXPECT_EQ(call("each_twice", "a.Money(amount: float32[2, 1]) {amount: [[1], [2]]}"),
            "node `made`: the stacked results: `a.Money`: at most 2 amounts");
  EXPECT_EQ(call("each", "a.Alone(x: int8[1]) {x: [1]}").find("node `made`: expected values of"),
            0u);

  EXPECT_EQ(
      call("amounts", "a.Gift(note: string[], amount: float32[1]) {note: \"x\", amount: [3]}"),
      "float32[1] [3.0]");
  EXPECT_EQ(call("amounts",
                 "a.Gift(note: string[], amount: float32[3]) {note: \"x\", amount: [1, 2, 3]}"),
            "argument `m`: `a.Money`: at most 2 amounts");
}

TEST(ExtensionLoaderTest, CallSelectsTheFunctionOfTheChildType) {
  for (const char* order :
       {"values: \"money\" values: \"gift\"", "values: \"gift\" values: \"money\""}) {
    auto proto = ParseModelText(Cat(R"model(
      format_version: 1
      functions { name: "money" signature: "(m: a.Money(amount: float32[?]))" result: "\"money\"" }
      functions { name: "gift" signature: "(m: a.Gift(note: string[], amount: float32[?]))"
                  result: "\"gift\"" }
      functions { name: "f" signature: "(m)" result: "r"
        nodes { name: "r" op: "call" inputs: "m" attributes { key: "functions"
                value { strings { )model",
                                    order, R"model( } } } } }
      extension_types { name: "a.Money" components { name: "amount" type { text: "float32[...]" } } }
      extension_types { name: "a.Gift" parent: "a.Money"
        components { name: "note" } components { name: "amount" type { text: "float32[...]" } } }
      extension_types { name: "a.Loan" parent: "a.Gift" components { name: "until" }
        components { name: "note" } components { name: "amount" type { text: "float32[...]" } } }
    )model"));
    ASSERT_TRUE(proto.ok()) << proto.status();
    auto def = ModelDefFromProto(*proto, {}, Limits());
    ASSERT_TRUE(def.ok()) << def.status();
    LoadedModel model("money", 1, *std::move(def), ModelOptions());
    auto call = [&](std::string_view text) {
      auto value = ParseValue(text);
      EXPECT_TRUE(value.ok()) << value.status();
      auto result = (*model.FindFunction("f"))->Call({{*value}, {}}, RunControl());
      return result.ok() ? ToString(*result) : std::string(MessageOf(result.status()));
    };
    EXPECT_EQ(call("a.Money(amount: float32[1]) {amount: [1]}"), "\"money\"");
    EXPECT_EQ(call("a.Gift(note: string[], amount: float32[1]) {note: \"x\", amount: [1]}"),
              "\"gift\"");
    EXPECT_EQ(call("a.Loan(until: int64[], note: string[], amount: float32[1]) "
                   "{until: 3, note: \"x\", amount: [1]}"),
              "\"gift\"");
  }
}

TEST(ExtensionLoaderTest, RejectsMissingItems) {
  struct Case {
    const char *fields, *rejection;
  } const cases[] = {
      {"invariants: \"on\"", "invariant: function `on` not found; functions: `one`, `two`"},
      {"overrides { function: \"one\" }",
       "override 0, of FAMILY_UNSPECIFIED: expected `op` or `family`, found neither"},
      {"overrides { op: \"mull\" function: \"one\" }",
       "override 0, of `mull`: op `mull` not found; the nearest is `mul`"},
      {"overrides { op: \"cut_rows\" function: \"one\" }",
       "override 0, of `cut_rows`: op `cut_rows` is internal to Signet; models cannot call it"},
      {"overrides { op: \"struct_get\" function: \"one\" }",
       "override 0, of `struct_get`: `struct_get` cannot be overridden, because it accepts values "
       "of "
       "any type unchanged"},
      {"overrides { op: \"mul\" function: \"one\" } overrides { op: \"mul\" function: "
       "\"three\" }",
       "override 1, of `mul`: function `three` not found; functions: `one`, `two`"},
      {"overrides { op: \"mul\" function: \"one\" inputs: \"tensors\" }",
       "override 0, of `mul`: kind of input or extension type `tensors` not found; kinds: tensor, "
       "ragged, "
       "sparse, structured, literal, any; types: `app.Pair`"},
      {"conversions { from { text: \"int8[]\" } function: \"six\" }",
       "conversion 0: function `six` not found; functions: `one`, `two`"},
      {"components { name: \"c\" type { text: \"int8[$height]\" } }",
       "component `c`: no static attribute `height` to put in place of `$height`; static "
       "attributes: `width`"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.fields);
    auto model = LoadPair(c.fields);
    ASSERT_FALSE(model.ok());
    EXPECT_EQ(MessageOf(model.status()), Cat("extension type `app.Pair`: ", c.rejection));
  }
  EXPECT_FALSE(LoadPair("conversions { function: \"one\" }").ok());
}

}  // namespace
}  // namespace signet
