#include "core/formats/inference/infer_json.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/values/builders/value_notation.h"

namespace signet {
namespace {

using testing::HasSubstr;

// Reads the only input with `data`, and returns its value in the notation, or the error.
std::string Read(std::string_view datatype, std::string_view shape, std::string_view data) {
  const std::string body = Cat("{\"inputs\":[{\"name\":\"x\",\"datatype\":\"", datatype,
                               "\",\"data\":", data, ",\"shape\":", shape, "}]}");
  auto request = ParseInferJson(Buffer::Copy(body), "", Limits());
  if (!request.ok()) return std::string(MessageOf(request.status()));
  return ToString(Value(request->inputs.at(0).tensor));
}

std::string TextOf(const InferJson& json) {
  std::string out;
  for (const Buffer& piece : json.body) out += piece.text();
  return out;
}

TEST(InferJsonTest, ReadsFlatAndNestedData) {
  EXPECT_EQ(Read("INT32", "[2, 2]", "[1, 2, 3, 4]"), "int32[2, 2] [[1, 2], [3, 4]]");
  EXPECT_EQ(Read("INT32", "[2, 2]", "[[1, 2], [3, 4]]"), "int32[2, 2] [[1, 2], [3, 4]]");
  EXPECT_EQ(Read("FP32", "[]", "[2]"), "float32[] 2.0");
  EXPECT_EQ(Read("FP32", "[]", "2"), "float32[] 2.0");
  EXPECT_EQ(Read("INT64", "[0]", "[]"), "int64[0] []");
  EXPECT_EQ(Read("BYTES", "[2]", R"(["a\u00e9", ""])"), "string[2] [\"a\u00e9\", \"\"]");
  EXPECT_EQ(Read("BOOL", "[3]", "[true, false, 1]"), "bool[3] [True, False, True]");
  EXPECT_THAT(Read("BOOL", "[1]", "[\"true\"]"), HasSubstr("expected a value of BOOL"));
}

TEST(InferJsonTest, AcceptsWholeNumbersForIntegers) {
  EXPECT_EQ(Read("INT8", "[3]", "[3.0, -1e2, 0.5e1]"), "int8[3] [3, -100, 5]");
  EXPECT_THAT(Read("INT8", "[1]", "[128.0]"), HasSubstr("INT8"));
  EXPECT_THAT(Read("INT32", "[1]", "[1.5]"), HasSubstr("expected a value of INT32"));
  EXPECT_THAT(Read("UINT64", "[1]", "[-1.0]"), HasSubstr("UINT64"));
  EXPECT_EQ(Read("UINT64", "[1]", "[18446744073709551615]"), "uint64[1] [18446744073709551615]");
}

TEST(InferJsonTest, TreatsNullAsAbsent) {
  auto request = ParseInferJson(
      Buffer::Copy(R"({"id":null,"parameters":null,"outputs":null,"inputs":[{"name":"x",)"
                   R"("parameters":null,"shape":[1],"datatype":"FP32","data":[1]}]})"),
      "", Limits());
  ASSERT_TRUE(request.ok()) << request.status();
  EXPECT_TRUE(request->outputs.empty());
  EXPECT_THAT(Read("FP32", "[1]", "null"),
              HasSubstr("Input must set only one of the following fields: 'data', "
                        "'binary_data_size' in 'parameters', 'shared_memory_region' in "
                        "'parameters'. But no field is set"));
}

TEST(InferJsonTest, ChecksParametersOfTriton) {
  auto read = [](std::string_view parameters, std::string_view outputs) {
    auto request = ParseInferJson(Buffer::Copy(Cat(R"({"inputs":[],"parameters":{)", parameters,
                                                   R"(},"outputs":[)", outputs, "]}")),
                                  "", Limits(), [](const SharedMemoryPart&) { return Buffer(); });
    return std::string(MessageOf(request.status()));
  };
  for (const char* parameters :
       {R"("sequence_id":5,"sequence_start":true,"sequence_end":false)", R"("sequence_id":"a")",
        R"("sequence_id":18446744073709551615)", R"("other":[1.5,{"a":null}])"}) {
    EXPECT_EQ(read(parameters, ""), "") << parameters;
  }
  for (const char* parameters :
       {R"("sequence_id":true)", R"("sequence_id":-1)", R"("sequence_id":1.5)",
        R"("sequence_id":18446744073709551616)", R"("sequence_start":1)", R"("sequence_end":"x")",
        R"("priority":"1")", R"("timeout":-1)"}) {
    EXPECT_NE(read(parameters, ""), "") << parameters;
  }
  const std::string shared =
      R"({"name":"y","parameters":{"shared_memory_region":"r","shared_memory_byte_size":4,)";
  EXPECT_EQ(read("", shared + R"("binary_data":false}})"), "");
  EXPECT_EQ(read("", shared + R"("shared_memory_offset":18446744073709551584}})"), "");
  for (const char* offset : {"-1", "18446744073709551616", "1.5"}) {
    EXPECT_NE(read("", Cat(shared, R"("shared_memory_offset":)", offset, "}}")), "") << offset;
  }
  EXPECT_THAT(read("", shared + R"("binary_data":true}})"), HasSubstr("and 'binary_data'"));
  EXPECT_THAT(read("", shared + R"("classification":1}})"), HasSubstr("and 'classification'"));
  EXPECT_THAT(read("", R"({"name":"y","parameters":{"classification":-1}})"),
              HasSubstr("expected at least 0"));
}

TEST(InferJsonTest, RejectsNestingThatContradictsTheShape) {
  for (std::string_view data : {"[1,2,3,4]", "[[1,2],[3,4]]", "[ [1, 2] , [3, 4] ]"}) {
    EXPECT_EQ(Read("FP32", "[2,2]", data), "float32[2, 2] [[1.0, 2.0], [3.0, 4.0]]") << data;
  }
  for (std::string_view data :
       {"[[1,2,3],[4]]", "[[1],[2,3,4]]", "[1,[2,3],4]", "[[1,2],3,4]", "[[1,2],[3,4],[]]",
        "[[[1,2],[3,4]]]", "[[1,2]]", "[[1,2],[3,[4]]]", "[[[1],[2]],[[3],[4]]]", "[[1,2],[3,4]",
        "[[1,2],,[3,4]]", "[[1,2][3,4]]"}) {
    EXPECT_THAT(Read("FP32", "[2,2]", data), HasSubstr("expected")) << data;
  }
  EXPECT_THAT(Read("FP32", "[3,2]", "[[1,2,3],[4,5,6]]"),
              HasSubstr("Shape does not match true shape of 'data'"));
  EXPECT_EQ(Read("BYTES", "[1,2]", R"([["a","b"]])"), "string[1, 2] [[\"a\", \"b\"]]");
  EXPECT_THAT(Read("BYTES", "[2,1]", R"([["a","b"]])"), HasSubstr("expected"));
  EXPECT_EQ(Read("FP32", "[]", "[2]"), "float32[] 2.0");
  EXPECT_EQ(Read("FP32", "[]", "2"), "float32[] 2.0");
  EXPECT_THAT(Read("FP32", "[]", "[[2]]"), HasSubstr("expected"));
  EXPECT_EQ(Read("FP32", "[2,0]", "[]"), "float32[2, 0] [[], []]");
  EXPECT_EQ(Read("FP32", "[2,0]", "[[],[]]"), "float32[2, 0] [[], []]");
  EXPECT_THAT(Read("FP32", "[0,2]", "[[]]"), HasSubstr("expected"));
}

TEST(InferJsonTest, RejectsMalformedData) {
  EXPECT_THAT(Read("FP32", "[2]", "[1]"), HasSubstr("expected 2 elements"));
  EXPECT_THAT(Read("FP32", "[1]", "[1, 2]"), HasSubstr("expected 1 elements"));
  for (std::string_view data :
       {"[1", "[1,]", "[,1]", "[1 2]", "[[1], 2", "{}", "[1e999]", "[\"a\"]"}) {
    EXPECT_THAT(Read("FP32", "[1]", data), HasSubstr("expected")) << data;
  }
  EXPECT_THAT(Read("FP32", "[1000000000]", "[1]"), HasSubstr("expected 1000000000 elements"));
  EXPECT_THAT(Read("FP32", "[-1]", "[1]"),
              HasSubstr("Unable to parse 'shape': attempt to access JSON non-unsigned-integer as "
                        "unsigned-integer"));
  EXPECT_THAT(Read("FP32", "[2]", "[1]"), HasSubstr("Shape does not match true shape of 'data'"));
  EXPECT_THAT(Read("BYTES", "[1]", "[1]"), HasSubstr("access JSON non-string as string"));
  EXPECT_THAT(Read("BOOL", "[1]", "[\"a\"]"), HasSubstr("access JSON non-boolean as boolean"));
  EXPECT_THAT(Read("FP32", "[1]", std::string(70, '[') + "1" + std::string(70, ']')),
              HasSubstr("JSON nesting depth exceeds maximum allowed limit (64)"));
  EXPECT_THAT(Read("FP33", "[1]", "[1]"), HasSubstr("unknown datatype `FP33`; datatypes: BOOL"));
}

TEST(InferJsonTest, ReadsRawTensors) {
  const std::string header =
      R"({"inputs":[{"name":"x","shape":[2],"datatype":"INT16","parameters":{"binary_data_size":4}}]})";
  const std::string body = header + std::string("\x01\x00\x02\x00", 4);
  auto request = ParseInferJson(Buffer::Copy(body), Cat(header.size()), Limits());
  ASSERT_TRUE(request.ok()) << request.status();
  EXPECT_EQ(ToString(Value(request->inputs[0].tensor)), "int16[2] [1, 2]");
  EXPECT_FALSE(ParseInferJson(Buffer::Copy(body), "1", Limits()).ok());
  auto read = [](const std::string& text, std::string_view length) {
    return std::string(
        MessageOf(ParseInferJson(Buffer::Copy(text), length, Limits(), {}, "m").status()));
  };
  for (std::string_view length : {"-1", "x", "1000"}) {
    EXPECT_THAT(read(body, length), HasSubstr(Cat("inference header size should be in range (0, ",
                                                  body.size(), "), got: ", length)));
  }
  const std::string size = Cat(header.size());
  EXPECT_THAT(read(body + "1", size), HasSubstr("unexpected additional input data for model 'm'"));
  EXPECT_THAT(
      read(header + "12", size),
      HasSubstr("unexpected size for input 'x', expecting 2 additional bytes for model 'm'"));
  const std::string both = R"({"inputs":[{"name":"x","shape":[2],"datatype":"INT16","data":[1,2],)"
                           R"("parameters":{"binary_data_size":4}}]})";
  EXPECT_THAT(read(both + "1234", Cat(both.size())),
              HasSubstr("But set 'data' 'binary_data_size'"));
  auto raw = ParseInferJson(Buffer::Copy("abcd"), "0", Limits());
  ASSERT_TRUE(raw.ok());
  EXPECT_TRUE(raw->inputs[0].is_raw);
  EXPECT_EQ(raw->inputs[0].tensor.string_at(0), "abcd");
}

TEST(InferJsonTest, WritesJsonAndRawTensors) {
  InferResponse response{.model = "m", .version = "1", .id = "7"};
  response.outputs.push_back({.tensor = {"y", Tensor::Of<float>({3}, {1, NAN, -INFINITY})}});
  auto json = WriteInferJson(response, Limits());
  ASSERT_TRUE(json.ok());
  EXPECT_EQ(TextOf(*json),
            R"({"model_name":"m","model_version":"1","id":"7","outputs":[{"name":"y",)"
            R"("datatype":"FP32","shape":[3],"data":[1.0,"NaN","-Infinity"]}]})");
  EXPECT_FALSE(json->header_length.has_value());

  response.outputs[0] = {.tensor = {"y", Tensor::Of<int8_t>({2}, {1, 2})}, .is_binary = true};
  json = WriteInferJson(response, Limits());
  ASSERT_TRUE(json.ok() && json->header_length.has_value());
  EXPECT_EQ(TextOf(*json).substr(*json->header_length), "\x01\x02");
  const std::string_view bytes("\xff", 1);
  response.outputs[0] = {.tensor = {"y", Tensor::Strings({1}, {&bytes, 1})}};
  EXPECT_THAT(std::string(MessageOf(WriteInferJson(response, Limits()).status())),
              HasSubstr("not UTF-8"));
}

}  // namespace
}  // namespace signet
