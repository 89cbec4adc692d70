#include "core/formats/inference/generate_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/values/builders/value_notation.h"

namespace signet {
namespace {

using testing::HasSubstr;

// `x` is floats of any shape, `n` an int64, `text` a list of strings, and `record` is JSON.
StatusOr<std::optional<GenerateInput>> Find(std::string_view name, const GenerateValue& value) {
  const Dims all = {value.num_elements};
  const Dims& own = value.dims.empty() ? all : value.dims;
  if (name == "x") return GenerateInput{.dtype = DType::kFloat32, .dims = own};
  if (name == "n") return GenerateInput{.dtype = DType::kInt64};
  if (name == "text") return GenerateInput{.dtype = DType::kString, .dims = all};
  if (name == "record") return GenerateInput{.is_json = true};
  if (name == "wrong") return InvalidArgument("input `wrong`: does not fit");
  return std::nullopt;
}

// Returns the inputs in the notation, or the error.
std::string Read(std::string_view body) {
  auto request = ParseGenerateJson(Buffer::Copy(body), Find, Limits());
  if (!request.ok()) return std::string(MessageOf(request.status()));
  std::string out;
  for (const NamedTensor& input : request->inputs) {
    out += Cat(input.name, input.is_json ? "=json " : "=", ToString(Value(input.tensor)), ";");
  }
  return out;
}

TEST(GenerateJsonTest, ReadsKeysAsInputs) {
  EXPECT_EQ(Read(R"({"x": [1, 2.5]})"), "x=float32[2] [1.0, 2.5];");
  EXPECT_EQ(Read(R"({"x": 3, "n": 4})"), "x=float32[1] [3.0];n=int64[] 4;");
  EXPECT_EQ(Read(R"({"x": [[1], [2]]})"), "x=float32[2, 1] [[1.0], [2.0]];");
  EXPECT_EQ(Read(R"({"x": [[[]], [[]]]})"), "x=float32[2, 1, 0] [[[]], [[]]];");
  EXPECT_THAT(Read(R"({"x": [[1], [2, 3]]})"),
              HasSubstr("expected 1 elements in dimension 1, as `shape` says, found more"));
  EXPECT_EQ(Read(R"({"text": "a\u00e9"})"), "text=string[1] [\"a\u00e9\"];");
  EXPECT_EQ(Read(R"({"text": ["a", ""], "x": []})"),
            "text=string[2] [\"a\", \"\"];x=float32[0] [];");
  EXPECT_THAT(Read(R"({"record": {"a": [1, "b"]} })"), HasSubstr("record=json string[]"));
  EXPECT_EQ(Read("{}"), "");
  EXPECT_EQ(Read(R"({"x": null, "id": null, "parameters": null, "n": 1})"), "n=int64[] 1;");
  EXPECT_EQ(Read(R"({"parameters": {"n": 1, "other": {"a": 2}}, "more": [null]})"), "n=int64[] 1;");
}

TEST(GenerateJsonTest, ReadsParameters) {
  auto request = ParseGenerateJson(
      Buffer::Copy(R"({"id": "a", "timeout": 5, "parameters": {"priority": 2}})"), Find, Limits());
  ASSERT_TRUE(request.ok()) << request.status();
  EXPECT_EQ(request->id, "a");
  EXPECT_EQ(request->parameters.timeout_us, 5);
  EXPECT_EQ(request->parameters.priority, 2);
}

TEST(GenerateJsonTest, RejectsMalformedRequests) {
  for (const char* body : {"", "[]", "{", R"({"x")", R"({"x":)", R"({"x":1)", R"({"x":1} 2)",
                           R"({"x":[1,]})", R"({"x":nul})", R"({1:2})", "\xff"}) {
    EXPECT_THAT(Read(body), HasSubstr("failed to parse the request JSON buffer")) << body;
  }
  EXPECT_THAT(Read(R"({"x": ["a"]})"), HasSubstr("input `x`: byte 7: expected a value of FP32"));
  EXPECT_THAT(Read(R"({"n": [1, 2]})"), HasSubstr("input `n`"));
  EXPECT_THAT(Read(R"({"x": {"a": 1}})"), HasSubstr("input `x`"));
  EXPECT_THAT(Read(R"({"text": {"a": "b", "c": "d"}})"),
              HasSubstr("attempt to access JSON non-string as string"));
  EXPECT_THAT(Read(R"({"x": [1], "parameters": {"x": [1]}})"),
              HasSubstr("input 'x' already exists in request"));
  EXPECT_EQ(Read(R"({"wrong": 1})"), "input `wrong`: does not fit");
  EXPECT_THAT(Read(R"({"parameters": 1})"), HasSubstr("expected an object"));
  EXPECT_THAT(Read(R"({"id": 1})"), HasSubstr("expected a string for `id`"));
  EXPECT_THAT(Read(Cat(R"({"id": ")", std::string(5000, 'a'), "\"}")), HasSubstr("at most 4096"));
  EXPECT_THAT(Read(R"({"timeout": "5"})"), HasSubstr("parameter `timeout`"));
  EXPECT_THAT(Read(R"({"priority": -1})"), HasSubstr("parameter `priority`"));
  EXPECT_THAT(Read(R"({"triton_x": 1})"), HasSubstr("reserved"));
  EXPECT_THAT(Read(std::string(100'000, '[')), HasSubstr("expected an object"));
  EXPECT_THAT(Read(Cat("{\"a\":", std::string(100'000, '['), std::string(100'000, ']'), "}")),
              HasSubstr("expected a JSON value"));
}

TEST(GenerateJsonTest, WritesOutputsAsKeys) {
  InferResponse response{.model = "m", .version = "2"};
  const std::string_view texts[] = {"a\n"};
  response.outputs.push_back({.tensor = {"text", Tensor::Strings({1}, texts)}});
  response.outputs.push_back({.tensor = {"x", Tensor::Of<float>({2}, {1, 2.5})}});
  response.outputs.push_back({.tensor = {"none", Tensor::Of<bool>({0}, {})}});
  auto text = WriteGenerateJson(response, Limits());
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_EQ(*text, R"({"model_name":"m","model_version":"2","text":"a\u000a","x":[1.0,2.5],)"
                   R"("none":[]})");
  response.id = "i";
  response.outputs.clear();
  EXPECT_EQ(*WriteGenerateJson(response, Limits()),
            R"({"model_name":"m","model_version":"2","id":"i"})");
  // An output has the key that it shares with the names.
  response.outputs.push_back({.tensor = {"model_name", Tensor::Of<bool>({1}, {true})}});
  response.outputs.push_back({.tensor = {"id", Tensor::Of<bool>({1}, {false})}});
  EXPECT_EQ(*WriteGenerateJson(response, Limits()),
            R"({"model_version":"2","model_name":true,"id":false})");
  response.outputs.clear();
  const std::string_view bad[] = {"\xff"};
  response.outputs.push_back({.tensor = {"text", Tensor::Strings({1}, bad)}});
  EXPECT_THAT(std::string(MessageOf(WriteGenerateJson(response, Limits()).status())),
              HasSubstr("output `text`"));
  Limits limits;
  limits.message_bytes = 20;
  EXPECT_EQ(WriteGenerateJson(response, limits).status().code(),
            absl::StatusCode::kInvalidArgument);
  response.outputs[0].tensor.tensor = Tensor::Of<float>({2}, {1, 2});
  EXPECT_EQ(WriteGenerateJson(response, limits).status().code(),
            absl::StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace signet
