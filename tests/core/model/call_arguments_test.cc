// Calls whose encoded arguments are decoded as far as the function needs them.

#include "core/model/call_arguments.h"

#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/formats/arrow/arrow.h"
#include "core/formats/json/json.h"
#include "core/model/native/model_builder.h"
#include "core/types/notation/notation.h"
#include "core/values/builders/value_notation.h"
#include "tests/core/formats/arrow/arrow_maker.h"
#include "tests/properties/values_random.h"

namespace signet {
namespace {

using ::testing::HasSubstr;

Model ModelOf(const ModelBuilder& builder) {
  auto def = builder.Build();
  if (!def.ok()) ADD_FAILURE() << def.status();
  return Model("m", 1, *std::move(def), ModelOptions());
}

wire::Argument Encoded(v1::Encoded::Format format, std::string_view text) {
  wire::Argument argument;
  argument.format = format;
  argument.data = Buffer::Copy(text);
  return argument;
}

StatusOr<wire::Argument> ArrowOf(const Value& value) {
  SIGNET_ASSIGN_OR_RETURN(std::vector<Buffer> pieces, ArrowFromValue(value));
  std::string stream;
  for (const Buffer& piece : pieces) stream += piece.text();
  return Encoded(v1::Encoded::ARROW_IPC, stream);
}

wire::CallRequest RequestOf(std::vector<wire::Argument> args) {
  wire::CallRequest request;
  request.args = std::move(args);
  return request;
}

StatusOr<Value> CallInPart(const Model& model, const Function& function,
                           wire::CallRequest request) {
  SIGNET_ASSIGN_OR_RETURN(Function::Prepared prepared,
                          PrepareCall(model, function, std::move(request), Limits(), RunControl()));
  return prepared.Run(RunControl());
}

StatusOr<Value> CallWhole(const Model& model, const Function& function, wire::CallRequest request) {
  SIGNET_ASSIGN_OR_RETURN(CallArguments arguments,
                          DecodeArguments(model, function, std::move(request), Limits()));
  return function.Call(std::move(arguments), RunControl());
}

// A function that is made for the types of the signature alone knows less of sizes.
void ExpectSame(const StatusOr<Value>& part, const StatusOr<Value>& whole) {
  ASSERT_EQ(part.status(), whole.status());
  if (!part.ok()) return;
  ASSERT_TRUE(IsSubtype(whole->spec(), part->spec()))
      << whole->spec().ToString() << " is not below " << part->spec().ToString();
  ASSERT_EQ(ValueToJson(*part), ValueToJson(*whole));
  for (size_t i = 0; i < part->components().size(); ++i) {
    ASSERT_TRUE(SameTensor(part->components()[i], whole->components()[i])) << i;
  }
}

// References to some of what is in `spec`, which `path` leads to.
void AddPaths(const TypeSpec& spec, const std::string& path, RandomValues& random, Strings& paths) {
  const auto* structured = spec.As<StructuredSpec>();
  if (structured == nullptr || random.Chance(4)) {
    if (random.Chance(2)) paths.push_back(path);
    return;
  }
  for (size_t i = 0; i < spec.children().size(); ++i) {
    AddPaths(spec.children()[i], Cat(path, ".", structured->field_names()[i]), random, paths);
  }
}

TEST(ArgumentsPropertyTest, CallsGiveTheSameWithLessDecoded) {
  RandomValues random;
  std::map<v1::Encoded::Format, int> in_part;
  for (int i = 0; i < 400; ++i) {
    random.with_complex = random.Chance(8);
    TypeSpec spec = random.Rows(2);
    Strings paths;
    AddPaths(spec, "rows", random, paths);
    if (paths.empty()) continue;
    ModelBuilder builder;
    builder.AddFunction("f", Cat("(rows: ", spec, ", y)"))
        .Node("n", "struct_nrows", {"rows"})
        .Node("t", "make_tuple", paths)
        .Node("all", "make_tuple", {"t", "n", "y"})
        .Result("all");
    Model model = ModelOf(builder);
    const Function& function = *model.functions()[0];
    for (int k = 0; k < 3; ++k) {
      ValueBuilder values = *ValueBuilder::Make(spec);
      ASSERT_TRUE(random.Fill(spec, values).ok());
      auto value = values.Finish();
      if (!value.ok()) continue;
      std::string text = ValueToJson(*value);
      SCOPED_TRACE(Cat(function.signature(), " -> ", Join(paths, ", "), "\n", text));
      std::vector<wire::Argument> forms = {Encoded(v1::Encoded::JSON, text)};
      if (auto stream = ArrowOf(*value); stream.ok()) forms.push_back(*stream);
      for (const wire::Argument& form : forms) {
        auto request = [&] { return RequestOf({form, Encoded(v1::Encoded::JSON, "[1, \"a\"]")}); };
        auto prepared = PrepareCall(model, function, request(), Limits(), RunControl());
        ASSERT_TRUE(prepared.ok()) << prepared.status();
        std::vector<bool> needs = prepared->NeedsOf(0);
        in_part[*form.format] += std::find(needs.begin(), needs.end(), false) != needs.end();
        ExpectSame(CallInPart(model, function, request()), CallWhole(model, function, request()));
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
  EXPECT_GT(in_part[v1::Encoded::JSON], 100);
  EXPECT_GT(in_part[v1::Encoded::ARROW_IPC], 50);
}

class ArgumentsTest : public ::testing::Test {
 protected:
  ArgumentsTest() : model_(Rows()) {}

  static Model Rows() {
    ModelBuilder builder;
    builder.AddFunction("ids", "(rows: [{id: int64[], text: string[], more: [{x: float32[(?)]}]}])")
        .Result("rows.id");
    builder
        .AddFunction("texts", "(rows: [{id: int64[], text: string[], more: [{x: float32[(?)]}]}])")
        .Result("rows.text");
    builder.AddFunction("whole", "(rows: [{id: int64[], text: string[]}])").Result("rows");
    builder
        .AddFunction("width", "(one: {a: int64[], b: string[]}, two: dict(c: int8[], d: int8[]))")
        .Node("y", "make_tuple", {"one.a", "two.d"})
        .Result("y");
    return ModelOf(builder);
  }
  std::string Call(std::string_view name, std::vector<wire::Argument> args) {
    auto result = CallInPart(model_, **model_.FindFunction(name), RequestOf(std::move(args)));
    return result.ok() ? ValueToJson(*result) : std::string(MessageOf(result.status()));
  }
  static wire::Argument Arrow(const ArrowMaker& maker) {
    return Encoded(v1::Encoded::ARROW_IPC, maker.text());
  }
  static wire::Argument Json(std::string_view text) { return Encoded(v1::Encoded::JSON, text); }

  const Model model_;
};

TEST_F(ArgumentsTest, PassOverWhatNobodyReads) {
  EXPECT_EQ(
      Call(
          "ids",
          {Json(R"([{"id": 1, "text": 2.5, "more": null}, {"id": 3, "more": [[]], "text": {}}])")}),
      "[1,3]");
  EXPECT_EQ(
      Call("ids", {Encoded(v1::Encoded::JSON_LINES, "{\"id\": 1, \"text\": 2, \"more\": 3}\n")}),
      "[1]");
  EXPECT_EQ(Call("width", {Json(R"({"a": 1, "b": []})"), Json(R"({"c": 1000, "d": 7})")}), "[1,7]");
}

TEST_F(ArgumentsTest, StillCheckWhatTheyMeet) {
  // Keys, and that what is passed over begins and ends.
  EXPECT_THAT(Call("ids", {Json(R"([{"id": 1, "text": "a"}])")}), HasSubstr("no key `more`"));
  EXPECT_THAT(Call("ids", {Json(R"([{"id": 1, "text": "a", "more": [], "id": 2}])")}),
              HasSubstr("appears twice"));
  EXPECT_THAT(Call("ids", {Json(R"([{"id": 1, "text": "a", "more": [}])")}), HasSubstr("byte"));
  EXPECT_THAT(Call("ids", {Json(R"([{"id": 1, "text": "a, "more": []}])")}),
              HasSubstr("text without an end"));
  EXPECT_THAT(Call("ids", {Json(R"([{"id": "1", "text": "a", "more": []}])")}),
              HasSubstr("argument `rows`: byte 8: `[0].id`"));
  EXPECT_THAT(Call("whole", {Json(R"([{"id": 1, "text": 2}])")}), HasSubstr("`[0].text`"));
}

// A column with another's faults: dictionary indices and offsets that lead nowhere, and nulls.
TEST_F(ArgumentsTest, PassOverArrowColumnsThatNobodyReads) {
  auto make = [](bool has_id) {
    ArrowMaker maker(
        {{has_id ? "id" : "no", arrow::kInt, {{0, 4, 64}, {1, 1, 1}}},
         {"text", arrow::kUtf8, {}, {}, true, 7},
         {"more",
          arrow::kList,
          {},
          {{"item",
            arrow::kStruct,
            {},
            {{"x", arrow::kList, {}, {{"item", arrow::kFloatingPoint, {{0, 2, 1}}}}}}}},
          true}});
    maker.AddDictionary(7, {{1, 0}}, {"", Bytes<int32_t>({0, 1}), "a"});
    maker.AddBatch(2, {{2, 0}, {2, 0}, {2, 1}, {0, 0}, {0, 0}, {0, 0}},
                   {"", Bytes<int64_t>({1, 3}), "", Bytes<int8_t>({5, -1}), "\x02",
                    Bytes<int32_t>({7, -7, 9}), "", "", "", "", ""});
    return maker;
  };
  EXPECT_EQ(Call("ids", {Arrow(make(true))}), "[1,3]");
  EXPECT_EQ(Call("texts", {Arrow(make(true))}),
            "argument `rows`: `text`: index 5; dictionary 7 has 1 values");
  // The columns have to be there, and of their types.
  EXPECT_THAT(Call("ids", {Arrow(make(false))}), HasSubstr("`id`: no such column"));
  EXPECT_THAT(Call("texts", {Arrow(make(false))}), HasSubstr("`id`: no such column"));
}

TEST(ArgumentLimitsTest, HoldTheRankLimitInEveryFormat) {
  ModelBuilder builder;
  builder.AddFunction("ragged", "(x: ragged int64[?, (?), (?), (?)])").Result("x");
  builder.AddFunction("dense", "(x: int64[?, ?, ?, ?])").Result("x");
  builder.AddFunction("rows", "(x: [{ids: int64[(?), (?), (?)]}])").Result("x");
  builder.AddFunction("any", "(x)").Result("x");
  Model model = ModelOf(builder);
  Limits limits;
  limits.rank = 3;
  auto status_of = [&](const char* function, wire::Argument argument) {
    return DecodeArguments(model, **model.FindFunction(function), RequestOf({std::move(argument)}),
                           limits)
        .status();
  };
  const std::pair<const char*, const char*> kTexts[] = {
      {"ragged", "[[[[1]]]]"}, {"dense", "[[[[1]]]]"}, {"rows", R"([{"ids": [[[1]]]}])"}};
  for (const auto& [function, text] : kTexts) {
    Status json = status_of(function, Encoded(v1::Encoded::JSON, text));
    EXPECT_EQ(json.code(), absl::StatusCode::kInvalidArgument) << function;
    EXPECT_THAT(std::string(MessageOf(json)),
                HasSubstr("argument `x`: rank 4 exceeds the limit of 3 (--max_rank)"));
    const TypeSpec& type = (*model.FindFunction(function))->def().type.parameters()[0].type;
    auto value = ValueFromJson(text, type, Limits());
    ASSERT_TRUE(value.ok()) << value.status();
    auto arrow = ArrowOf(*value);
    ASSERT_TRUE(arrow.ok()) << arrow.status();
    for (const char* parameter : {function, "any"}) {
      Status from_arrow = status_of(parameter, *arrow);
      EXPECT_EQ(from_arrow.code(), absl::StatusCode::kInvalidArgument) << function << parameter;
      EXPECT_THAT(std::string(MessageOf(from_arrow)), HasSubstr("(--max_rank)"));
    }
  }
}

Model ShopModel() {
  ModelBuilder builder;
  builder.AddExtensionType({{.name = "shop.Money",
                             .class_name = "",
                             .attributes = {"currency", "scale"},
                             .components = {{"amount", *ParseTypeSpec("float64[?]")}, {"note", {}}},
                             .parent = ""},
                            "An amount of money"});
  builder.AddFunction("any", "(x)").Result("x");
  builder
      .AddFunction("money",
                   "(x: shop.Money<currency=\"USD\", scale=2>(amount: float64[?], note: string[]))")
      .Result("x");
  return ModelOf(builder);
}

// The result as JSON, or the refusal.
std::string CallJson(const Model& model, size_t function, std::string_view json,
                     bool reject_unknown_fields = false) {
  wire::Argument argument = Encoded(v1::Encoded::JSON, json);
  argument.reject_unknown_fields = reject_unknown_fields;
  auto result = CallInPart(model, *model.functions()[function], RequestOf({std::move(argument)}));
  return result.ok() ? ValueToJson(*result) : std::string(result.status().message());
}

TEST(TypedArgumentsTest, ExtensionValuesSayTheirTypeInBothDirections) {
  Model model = ShopModel();
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

TEST(TypedArgumentsTest, RejectsExtensionValuesThatAreNotOfTheirType) {
  Model model = ShopModel();
  EXPECT_THAT(CallJson(model, 0, R"({"$type":"shop.Gold","x":1})"),
              HasSubstr("argument `x`: `$type`: no extension type `shop.Gold`; registered: "
                        "`shop.Money`; JSON does not state the types of components, so the model "
                        "must declare the type"));
  // The types of the components are known, so the model need not declare the type.
  auto gold = ParseValue("shop.Gold<pure=True>(x: int64[]) {x: 1}");
  ASSERT_TRUE(gold.ok()) << gold.status();
  wire::Argument typed;
  typed.value = *gold;
  auto result = CallInPart(model, *model.functions()[0], RequestOf({std::move(typed)}));
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
