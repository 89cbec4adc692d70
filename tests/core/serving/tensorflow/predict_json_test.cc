#include "core/serving/tensorflow/predict_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/model/native/build_model_def.h"
#include "signet/model_builder.h"
#include "signet/notation.h"

namespace signet::tf {
namespace {

using ::testing::HasSubstr;

class PredictJsonTest : public testing::Test {
 protected:
  PredictJsonTest() {
    ModelBuilder builder;
    builder.AddFunction("one", "(x: float32[?, 2], top_k = 3)").Result("x");
    builder.AddFunction("two", "(x: float32[?], /, *, y: string[?])").Result("x");
    builder.AddFunction("column", "(x: float32[?, 1])").Result("x");
    builder.AddFunction("records", "(rows: [{a: int64[], b: string[(?)]}])").Result("rows");
    builder.AddFunction("numbers", "(f: float32[?], d: float64[?], i: int64[?], h: float16[?])")
        .Result("f");
    builder.AddFunction("rows", "(values: ragged float32[?, (?)])").Result("values");
    auto def = BuildModelDef(builder);
    SIGNET_CHECK(def.ok());
    model_ = std::make_shared<LoadedModel>("m", 1, *std::move(def), ModelOptions());
  }

  // Returns the arguments as text, or the error.
  std::string Arguments(const std::string& function, std::string_view text) {
    const CalledFunction called{.model = model_, .function = *model_->FindFunction(function)};
    auto body = BodyMembers::Parse(Buffer::Copy(text), limits_);
    if (!body.ok()) return std::string(MessageOf(body.status()));
    auto predict = PredictBody::Make(*body);
    if (!predict.ok()) return std::string(MessageOf(predict.status()));
    CallRequest call;
    ColumnShapes shapes;
    Status added = predict->AddArguments(called, limits_, call, shapes);
    if (!added.ok()) return std::string(MessageOf(added));
    std::string out;
    auto encoded_text = [&](bool is_keyword, size_t index) -> std::string {
      for (const EncodedArgument& encoded : call.encoded) {
        if (encoded.is_keyword == is_keyword && encoded.index == index) {
          return std::string(encoded.data.text());
        }
      }
      const Value& value =
          is_keyword ? call.arguments.keyword[index].second : call.arguments.positional[index];
      return ToString(value);
    };
    for (size_t i = 0; i < call.arguments.positional.size(); ++i) {
      out += Cat(encoded_text(false, i), "; ");
    }
    for (size_t i = 0; i < call.arguments.keyword.size(); ++i) {
      out += Cat(call.arguments.keyword[i].first, "=", encoded_text(true, i), "; ");
    }
    return out;
  }

  const Limits limits_;
  std::shared_ptr<const LoadedModel> model_;
};

TEST_F(PredictJsonTest, ReadsRowsAndColumnsOfTheOnlyInput) {
  EXPECT_EQ(Arguments("one", R"({"instances": [[1, 2], [3, 4]]})"), "[[1, 2], [3, 4]]; ");
  EXPECT_EQ(Arguments("one", R"({"inputs": [[1, 2]], "signature_name": "one"})"), "[[1, 2]]; ");
  EXPECT_EQ(Arguments("one", R"({"instances": [{"x": [1, 2]}, {"x": [3, 4]}]})"),
            "[[1, 2],[3, 4]]; ");
  EXPECT_EQ(Arguments("one", R"({"inputs": {"x": [[1, 2]], "top_k": 2}})"), "[[1, 2]]; 2; ");
}

TEST_F(PredictJsonTest, TransposesNamedInputs) {
  EXPECT_EQ(
      Arguments("two", R"({"instances": [{"x": 1, "y": "a"}, {"y": {"b64": "Yg=="}, "x": 2}]})"),
      "[1,2]; y=[\"a\",{\"b64\": \"Yg==\"}]; ");
  EXPECT_EQ(Arguments("two", R"({"inputs": {"y": ["a"], "x": [1]}})"), "[1]; y=[\"a\"]; ");
}

TEST_F(PredictJsonTest, ReadsColumnsOfAnyShape) {
  EXPECT_EQ(Arguments("column", R"({"instances": [1, 2, 5]})"),
            "float32[3, 1] [[1.0], [2.0], [5.0]]; ");
  EXPECT_EQ(Arguments("column", R"({"instances": [[1], [2]]})"), "float32[2, 1] [[1.0], [2.0]]; ");
  EXPECT_EQ(Arguments("column", R"({"inputs": 7})"), "float32[1, 1] [[7.0]]; ");
  EXPECT_EQ(Arguments("column", R"({"instances": [{"x": 1}, {"x": 2}]})"),
            "float32[2, 1] [[1.0], [2.0]]; ");
  EXPECT_THAT(Arguments("column", R"({"instances": [1, "a"]})"), HasSubstr("argument `x`"));
  EXPECT_THAT(Arguments("column", R"({"instances": [[1], [2, 3]]})"), HasSubstr("argument `x`"));
}

// As TensorFlow Serving since 2.5.
TEST_F(PredictJsonTest, AcceptsWholeNumbersForFloats) {
  EXPECT_EQ(Arguments("one", R"({"instances": [[1435774380], [-16777217]]})"),
            "[[1435774380], [-16777217]]; ");
  EXPECT_EQ(Arguments("one", R"({"inputs": [[16777217, 1]]})"), "[[16777217, 1]]; ");
  EXPECT_EQ(Arguments("column", R"({"instances": [33554433]})"), "float32[1, 1] [[33554432.0]]; ");
}

TEST_F(PredictJsonTest, ReadsRecords) {
  const std::string rows = R"([{"a": 1, "b": []}, {"a": 2, "b": ["x"]}])";
  EXPECT_EQ(Arguments("records", R"({"instances": )" + rows + "}"), rows + "; ");
  EXPECT_EQ(Arguments("records", R"({"inputs": )" + rows + "}"), rows + "; ");
  EXPECT_EQ(Arguments("records", R"({"inputs": {"rows": )" + rows + "}}"), rows + "; ");
  EXPECT_EQ(Arguments("records", R"({"inputs": {"a": [1], "b": [[]]}})"),
            R"({"a": [1], "b": [[]]}; )");
}

TEST_F(PredictJsonTest, QuotesWordsOfNumbers) {
  EXPECT_EQ(Arguments("one", R"({"instances": [[NaN, -Infinity], [Infinity, 1]]})"),
            R"([["NaN", "-Infinity"], ["Infinity", 1]]; )");
  EXPECT_EQ(Arguments("two", R"({"inputs": {"x": [Inf], "y": ["NaN Inf"]}})"),
            R"(["Infinity"]; y=["NaN Inf"]; )");
}

TEST_F(PredictJsonTest, RejectsBodies) {
  struct Case {
    const char *function, *body, *error;
  } const cases[] = {
      {"one", "", "JSON Parse error: The document is empty"},
      {"one", "instances = [1, 2]", "JSON Parse error: Invalid value"},
      {"one", R"({"instances": [1, 2)", "JSON Parse error"},
      {"one", "[1]", "JSON Value: Is not object"},
      {"one", "{}", "Missing 'inputs' or 'instances' key"},
      {"one", R"({"instances": [1], "inputs": [1]})", "only one of 'inputs' or 'instances'"},
      {"one", R"({"instances": [1], "instances": [1]})", "duplicate key `instances`"},
      {"one", R"({"instances": 1})", "Expecting 'instances' to be an list/array"},
      {"one", R"({"instances": []})", "No values in 'instances' array"},
      {"one", R"({"signature_name": 1, "instances": [1]})",
       "'signature_name' key must be a string"},
      {"two", R"({"instances": [1, 2]})", "instances is a plain list"},
      {"two", R"({"inputs": [1, 2]})", "inputs is a plain value/list"},
      {"two", R"({"instances": [{"x": 1, "z": 2}]})", "does not have named input: z"},
      {"two", R"({"instances": [{"x": 1, "y": "a"}, {"x": 1}]})",
       "element: 1 of 'instances' list: JSON object: keys must be equal to: x,y"},
      {"two", R"({"instances": [{"x": 1}, {"x": 1, "y": "a"}]})",
       "element: 0 of 'instances' list: JSON object: keys must be equal to: x,y"},
      {"two", R"({"instances": [{}]})", "keys must be equal to: x,y"},
      {"two", R"({"inputs": {"x": [1]}})", "Missing named input: y in 'inputs' object"},
      {"one", R"({"inputs": {}})", "Missing named input: x in 'inputs' object"},
      {"two", R"({"instances": [{"x": 1, "x": 2}]})", "duplicate key `x`"},
      {"two", R"({"instances": [{"x": 1, "y": "a"}, 2]})",
       "Expecting object but got list at item 1"},
      {"two", R"({"inputs": {"q": 1}})", "Missing named input: x in 'inputs' object"},
      {"one", R"({"inputs": {"x": [[1, 2]], "q": 1}})", "does not have named input: q"},
  };
  for (const auto& [function, body, error] : cases) {
    EXPECT_THAT(Arguments(function, body), HasSubstr(error)) << body;
  }
}

TEST_F(PredictJsonTest, SkipsOtherKeysOfInputsThatAreAllRequired) {
  EXPECT_EQ(Arguments("two", R"({"inputs": {"x": [1], "q": {"z": [2]}, "y": ["a"]}})"),
            "[1]; y=[\"a\"]; ");
}

TEST_F(PredictJsonTest, AddsTheSentencesOfValueErrors) {
  const CalledFunction called{.model = model_, .function = *model_->FindFunction("one")};
  auto translate = [&](std::string_view reason, std::string_view message, const char* field) {
    const Status status = WithField(field, InvalidWithReason(reason, message));
    const Status out = TranslateValueError(called, status);
    EXPECT_EQ(ReasonOf(out), reason);
    EXPECT_EQ(FieldOf(out), field);
    return std::string(MessageOf(out));
  };
  EXPECT_EQ(translate("DTYPE_MISMATCH", "found text", "x[0]"),
            "found text; the JSON value is not of expected type: float");
  EXPECT_EQ(translate("NOT_CONVERTIBLE", "found null", "x"),
            "found null; the JSON value is not of expected type: float");
  EXPECT_EQ(translate("OUT_OF_RANGE", "1e39", "x"),
            "1e39; cannot convert it to float without loss of precision");
  EXPECT_THAT(translate("NOT_RECTANGULAR", "a list of 3", "x"), HasSubstr("Expecting tensor size"));
  EXPECT_THAT(translate("SHAPE_MISMATCH", "found a list", "x"), HasSubstr("Expecting shape"));
  EXPECT_EQ(translate("NOT_CONVERTIBLE", "found an object", "x"),
            "found an object; Expecting value/list but got object, which is not of expected type: "
            "float");
  EXPECT_EQ(translate("DTYPE_MISMATCH", "found text", "other"), "found text");
  EXPECT_EQ(translate("MISSING_REQUIRED", "missing", "x"), "missing");
  const CalledFunction texts{.model = model_, .function = *model_->FindFunction("two")};
  auto translate_text = [&](const char* message) {
    return std::string(
        MessageOf(TranslateValueError(texts, WithField("y[0]", InvalidArgument(message)))));
  };
  EXPECT_EQ(translate_text("found an object"),
            "found an object; Expecting value/list but got object that is not formatted correctly "
            "for base64 data");
  EXPECT_EQ(translate_text("expected base64 text"),
            "expected base64 text; Unable to base64 decode");
}

TEST(PredictionsToJsonTest, WritesRowsAndColumns) {
  auto json = [](const std::string& value, bool has_rows) {
    auto text = PredictionsToJson(*ParseValue(value), has_rows, Limits());
    return text.ok() ? *text : std::string(MessageOf(text.status()));
  };
  EXPECT_EQ(json("float32[2] [1.5, nan]", true), "{\"predictions\": [1.5,NaN]}\n");
  EXPECT_EQ(json("float32[2] [1.0, -inf]", false), "{\"outputs\": [1.0,-Infinity]}\n");
  EXPECT_EQ(json("dict(y: float32[1]) {y: [2.0]}", true), "{\"predictions\": [2.0]}\n");
  EXPECT_EQ(json("dict(y: float32[]) {y: 2.0}", false), "{\"outputs\": 2.0}\n");
  const std::string two =
      "dict(a: int64[2], b_bytes: string[2]) {a: [1, 2], b_bytes: [\"x\", \"y\"]}";
  EXPECT_EQ(json(two, true),
            "{\"predictions\": [{\"a\":1,\"b_bytes\":{\"b64\":\"eA==\"}},"
            "{\"a\":2,\"b_bytes\":{\"b64\":\"eQ==\"}}]}\n");
  EXPECT_EQ(json(two, false),
            "{\"outputs\": {\"a\":[1,2],\"b_bytes\":[{\"b64\":\"eA==\"},{\"b64\":\"eQ==\"}]}}\n");
  EXPECT_EQ(json("dict(a_bytes: string[1]) {a_bytes: [\"x\"]}", true),
            "{\"predictions\": [{\"b64\":\"eA==\"}]}\n");
  EXPECT_THAT(
      json("float32[] 1.0", true),
      HasSubstr("predictions`: `float32[]` has no rows to write, one per line; Tensor name: "
                "output has no shape information"));
  EXPECT_THAT(json("dict(a: int64[2], n: int64[]) {a: [1, 2], n: 2}", true),
              HasSubstr("Tensor name: n has no shape information"));
  EXPECT_THAT(json("dict(a: int64[2], b: int64[1]) {a: [1, 2], b: [3]}", true),
              HasSubstr("Tensor name: b has inconsistent batch size: 1 expecting: 2"));
}

}  // namespace
}  // namespace signet::tf
