// Calls whose encoded arguments are decoded as far as the function needs them.

#include "core/serving/call/needed_columns.h"

#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/serving/call/decode.h"
#include "core/serving/call/prepare.h"
#include "core/types/notation/notation.h"
#include "tests/core/formats/arrow/arrow_maker.h"
#include "tests/core/serving/call/requests.h"
#include "tests/properties/values_random.h"

namespace signet {
namespace {

using ::testing::HasSubstr;

// The result of the call with all columns decoded.
StatusOr<Value> CallWithAllColumns(const CalledFunction& called, CallRequest request) {
  SIGNET_ASSIGN_OR_RETURN(BoundCall call, BindToFunction(called, std::move(request)));
  Status decoded = DecodeArguments(call, Limits());
  if (!decoded.ok()) return At(called.path(), std::move(decoded));
  auto result = called.function->Call(call.arguments, {});
  if (!result.ok()) return At(called.path(), std::move(result).status());
  return result;
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

// Returns references to some parts of `spec`, which is at `path`.
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

TEST(NeededColumnsPropertyTest, CallsReturnTheSameWithFewerColumns) {
  RandomValues random;
  std::map<DataFormat, int> in_part;
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
    const CalledFunction called = FunctionOf(ModelOf(builder), "f");
    for (int k = 0; k < 3; ++k) {
      ValueBuilder values = *ValueBuilder::Make(spec);
      ASSERT_TRUE(random.Fill(spec, values).ok());
      auto value = values.Finish();
      if (!value.ok()) continue;
      std::string text = ValueToJson(*value);
      SCOPED_TRACE(Cat(called.function->signature(), " -> ", Join(paths, ", "), "\n", text));
      std::vector<EncodedArgument> forms = {JsonArgument(text)};
      if (auto stream = ArrowArgument(*value); stream.ok()) forms.push_back(*stream);
      for (const EncodedArgument& form : forms) {
        auto request = [&] { return RequestOf({form, JsonArgument("[1, \"a\"]")}); };
        auto call = BindToFunction(called, request());
        ASSERT_TRUE(call.ok()) << call.status();
        auto prepared = PrepareCall(*call, Limits(), RunControl());
        ASSERT_TRUE(prepared.ok()) << prepared.status();
        std::vector<bool> needs = prepared->NeedsOf(0);
        in_part[form.format] += std::find(needs.begin(), needs.end(), false) != needs.end();
        ExpectSame(Execute(called, request()), CallWithAllColumns(called, request()));
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
  EXPECT_GT(in_part[DataFormat::kJson], 100);
  EXPECT_GT(in_part[DataFormat::kArrow], 50);
}

class NeededColumnsTest : public ::testing::Test {
 protected:
  NeededColumnsTest() : model_(Rows()) {}

  static std::shared_ptr<const LoadedModel> Rows() {
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
  // The result as JSON, or the message of the error.
  std::string Call(std::string_view name, std::vector<EncodedArgument> arguments) {
    auto result = Execute(FunctionOf(model_, name), RequestOf(std::move(arguments)));
    return result.ok() ? ValueToJson(*result) : std::string(MessageOf(result.status()));
  }
  static EncodedArgument Arrow(const ArrowMaker& maker) {
    return Encoded(DataFormat::kArrow, maker.text());
  }

  const std::shared_ptr<const LoadedModel> model_;
};

TEST_F(NeededColumnsTest, DoesNotDecodeUnneededColumns) {
  EXPECT_EQ(
      Call("ids",
           {JsonArgument(
               R"([{"id": 1, "text": 2.5, "more": null}, {"id": 3, "more": [[]], "text": {}}])")}),
      "[1,3]");
  EXPECT_EQ(
      Call("ids", {Encoded(DataFormat::kJsonLines, "{\"id\": 1, \"text\": 2, \"more\": 3}\n")}),
      "[1]");
  EXPECT_EQ(
      Call("width", {JsonArgument(R"({"a": 1, "b": []})"), JsonArgument(R"({"c": 1000, "d": 7})")}),
      "[1,7]");
}

TEST_F(NeededColumnsTest, ChecksKeysAndSyntaxOfUnneededColumns) {
  // Keys, and that what is passed over begins and ends.
  EXPECT_THAT(Call("ids", {JsonArgument(R"([{"id": 1, "text": "a"}])")}),
              HasSubstr("no key `more`"));
  EXPECT_THAT(Call("ids", {JsonArgument(R"([{"id": 1, "text": "a", "more": [], "id": 2}])")}),
              HasSubstr("duplicate key"));
  EXPECT_THAT(Call("ids", {JsonArgument(R"([{"id": 1, "text": "a", "more": [}])")}),
              HasSubstr("byte"));
  EXPECT_THAT(Call("ids", {JsonArgument(R"([{"id": 1, "text": "a, "more": []}])")}),
              HasSubstr("expected `\"` at the end of a text"));
  EXPECT_THAT(Call("ids", {JsonArgument(R"([{"id": "1", "text": "a", "more": []}])")}),
              HasSubstr("argument `rows`: byte 8: `[0].id`"));
  EXPECT_THAT(Call("whole", {JsonArgument(R"([{"id": 1, "text": 2}])")}), HasSubstr("`[0].text`"));
}

// A column with another's faults: dictionary indices and offsets that lead nowhere, and nulls.
TEST_F(NeededColumnsTest, DoesNotDecodeUnneededArrowColumns) {
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
  EXPECT_EQ(
      Call("texts", {Arrow(make(true))}),
      "m/1.texts: argument `rows`: `text`: index 5 is out of range for dictionary 7 with 1 values");
  // The columns have to be there, and of their types.
  EXPECT_THAT(Call("ids", {Arrow(make(false))}), HasSubstr("`id`: no such column"));
  EXPECT_THAT(Call("texts", {Arrow(make(false))}), HasSubstr("`id`: no such column"));
}

}  // namespace
}  // namespace signet
