#include "core/serving/tensorflow/examples_input.h"

#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include "core/model/native/build_model_def.h"
#include "core/serving/tensorflow/body_members.h"
#include "signet/model_builder.h"
#include "tensorflow/example.pb.h"
#include "tensorflow_serving/input.pb.h"

namespace signet::tf {
namespace {

using ::testing::HasSubstr;

class ExamplesInputTest : public testing::Test {
 protected:
  ExamplesInputTest() {
    ModelBuilder builder;
    builder.AddFunction("records", "(rows: [{x: float32[], n: int64[(?)]}], top_k = 3)")
        .Result("rows");
    builder.AddFunction("texts", "(text: string[?])").Result("text");
    builder.AddFunction("two", "(x: float32[?], y: float32[?])").Result("x");
    auto def = BuildModelDef(builder);
    SIGNET_CHECK(def.ok());
    model_ = std::make_shared<LoadedModel>("m", 1, *std::move(def), ModelOptions());
  }

  CalledFunction Called(const std::string& function) const {
    return {.model = model_, .function = *model_->FindFunction(function)};
  }

  // Returns the examples of a body as text, or the error.
  std::string Body(const std::string& function, std::string_view text,
                   const Limits& limits = {}) const {
    auto body = BodyMembers::Parse(Buffer::Copy(text), limits, NumberWords::kEscaped);
    if (!body.ok()) return std::string(MessageOf(body.status()));
    auto examples = ReadExamplesBody(*body, Called(function), limits);
    if (!examples.ok()) return std::string(MessageOf(examples.status()));
    std::string out = examples->context.empty() ? "" : Cat("context: ", Text(examples->context));
    for (const Buffer& row : examples->rows) out += Text(row);
    return out;
  }

  static std::string Text(const Buffer& bytes) {
    ::tensorflow::Example example;
    SIGNET_CHECK(example.ParseFromString(std::string(bytes.text())));
    std::string out;
    google::protobuf::TextFormat::Printer printer;
    printer.SetSingleLineMode(true);
    printer.PrintToString(example.features(), &out);
    return Cat("{", out, "}");
  }

  std::shared_ptr<const LoadedModel> model_;
};

TEST_F(ExamplesInputTest, ReadsValuesByTheirForm) {
  EXPECT_EQ(
      Body("texts", R"({"examples": [{"a": 1}, {"a": [1.5, -2e3]}, {"a": true}, {"a": []}]})"),
      "{feature { key: \"a\" value { int64_list { value: 1 } } } }"
      "{feature { key: \"a\" value { float_list { value: 1.5 value: -2000 } } } }"
      "{feature { key: \"a\" value { int64_list { value: 1 } } } }"
      "{feature { key: \"a\" value { } } }");
  EXPECT_EQ(
      Body("texts", R"({"examples": [{"a": ["x", {"b64": "eQ=="}]}], "context": {"b": "\u0041"}})"),
      "context: {feature { key: \"b\" value { bytes_list { value: \"A\" } } } }"
      "{feature { key: \"a\" value { bytes_list { value: \"x\" value: \"y\" } } } }");
}

TEST_F(ExamplesInputTest, ReadsNumbersOfFloatFieldsAsFloats) {
  EXPECT_EQ(Body("records", R"({"examples": [{"x": 80, "n": [1]}]})"),
            "{feature { key: \"n\" value { int64_list { value: 1 } } } "
            "feature { key: \"x\" value { float_list { value: 80 } } } }");
  EXPECT_EQ(Body("records", R"({"examples": [{"x": [], "n": []}]})"),
            "{feature { key: \"n\" value { int64_list { } } } feature { key: \"x\" value { } } }")
      << "a list of any length can be empty";
  EXPECT_EQ(Body("texts", R"({"examples": [{"a": 18446744073709551616}]})"),
            "{feature { key: \"a\" value { float_list { value: 1.84467441e+19 } } } }");
  EXPECT_EQ(Body("records", R"({"examples": [{"x": -Infinity}]})"),
            "{feature { key: \"x\" value { float_list { value: -inf } } } }");
}

TEST_F(ExamplesInputTest, ReadsBareWordsAsFloats) {
  EXPECT_EQ(Body("texts", R"({"examples": [{"a": [NaN, 1.5, -Infinity], "b": "NaN"}]})"),
            "{feature { key: \"a\" value { float_list { value: nan value: 1.5 value: -inf } } } "
            "feature { key: \"b\" value { bytes_list { value: \"NaN\" } } } }");
  EXPECT_THAT(Body("texts", R"({"examples": [{"a": ["x", Inf]}]})"),
              HasSubstr("Unexpected element type in feature"));
}

TEST_F(ExamplesInputTest, RejectsBodies) {
  struct Case {
    const char *body, *error;
  } const cases[] = {
      {"{}", "key 'examples' is expected and was not found"},
      {R"({"examples": 1})", "Expecting 'examples' value to be an list/array"},
      {R"({"examples": []})", "'examples' value is an empty array"},
      {R"({"examples": [1]})", "example 0: Example must be JSON object"},
      {R"({"examples": [{"a": null}]})", "Feature: a has element with unexpected JSON type: Null"},
      {R"({"examples": [{"a": [[1]]}]})", "a has element with unexpected JSON type: Array"},
      {R"({"examples": [{"a": {"b": 1}}]})", "a has element with unexpected JSON type: Object"},
      {R"({"examples": [{"a": [1, "x"]}]})",
       "Unexpected element type in feature: a expecting type: int64"},
      {R"({"examples": [{"a": [1.5, 1]}]})", "feature: a expecting type: float"},
      {R"({"examples": [{"a": ["x", 1]}]})", "feature: a expecting type: bytes"},
      {R"({"examples": [{"a": 18446744073709551615}]})", "Only int64 is supported"},
      {R"({"examples": [{"a": 1e39}]})", "without loss of precision"},
      {R"({"examples": [{"a": {"b64": "!"}}]})", "Unable to base64 decode"},
      {R"({"examples": [{}], "context": 1})", "context: Example must be JSON object"},
      {R"({"context": [{}]})", "context: Example must be JSON object"},
  };
  for (const auto& [body, error] : cases) {
    EXPECT_THAT(Body("texts", body), HasSubstr(error)) << body;
  }
  Limits limits;
  limits.expanded_bytes = 1000;
  EXPECT_THAT(Body("texts", R"({"examples": [{}, {}, {}, {}, {}, {}, {}, {}, {}]})", limits),
              HasSubstr("--max_expanded_bytes"));
}

TEST_F(ExamplesInputTest, PassesExamplesToTheOnlyParameter) {
  CallRequest call;
  ASSERT_TRUE(AddExamples(Called("records"), {.rows = {Buffer(), Buffer()}}, Limits(), call).ok());
  ASSERT_EQ(call.encoded.size(), 1U);
  EXPECT_EQ(call.encoded[0].format, DataFormat::kExample);
  EXPECT_EQ(call.encoded[0].rows.size(), 2U);
  EXPECT_EQ(call.arguments.positional.size(), 1U);
  EXPECT_THAT(MessageOf(AddExamples(Called("two"), {.rows = {Buffer()}}, Limits(), call)),
              HasSubstr("one parameter for the examples"));
}

TEST_F(ExamplesInputTest, ReadsMessages) {
  auto read = [](const std::string& text) -> StatusOr<Examples> {
    ::tensorflow::serving::Input input;
    SIGNET_CHECK(google::protobuf::TextFormat::ParseFromString(text, &input));
    auto owner = std::make_shared<const std::string>(input.SerializeAsString());
    const wire::Message message{.pieces = {std::as_bytes(std::span(*owner))}, .owner = owner};
    wire::WireSource source(message, Limits());
    return ReadInput(source, wire::WireCursor(source));
  };
  auto two = read("example_list {examples {} examples {features {}}}");
  ASSERT_TRUE(two.ok()) << two.status();
  EXPECT_EQ(two->rows.size(), 2U);
  auto with_context = read("example_list_with_context {examples {} context {features {}}}");
  ASSERT_TRUE(with_context.ok());
  EXPECT_EQ(with_context->context.size(), 2U);
  EXPECT_THAT(MessageOf(read("").status()), HasSubstr("Input is empty"));
  EXPECT_THAT(MessageOf(read("example_list {}").status()), HasSubstr("Input is empty"));
}

}  // namespace
}  // namespace signet::tf
