#include "core/formats/inference/infer_wire.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/values/builders/value_notation.h"
#include "inference/inference.pb.h"

namespace signet {
namespace {

using testing::HasSubstr;

StatusOr<InferRequest> Parse(const inference::ModelInferRequest& message) {
  const std::string bytes = message.SerializeAsString();
  return ParseInferRequest({{std::as_bytes(std::span(bytes))}, nullptr}, Limits());
}

std::string ReadFirst(const inference::ModelInferRequest& message) {
  auto request = Parse(message);
  if (!request.ok()) return std::string(MessageOf(request.status()));
  return ToString(Value(request->inputs.at(0).tensor));
}

inference::ModelInferRequest RequestOf(const char* datatype, int64_t size) {
  inference::ModelInferRequest message;
  message.set_model_name("m");
  auto& input = *message.add_inputs();
  input.set_name("x");
  input.set_datatype(datatype);
  input.add_shape(size);
  return message;
}

TEST(InferWireTest, ReadsTypedContents) {
  auto message = RequestOf("INT8", 2);
  auto* contents = message.mutable_inputs(0)->mutable_contents();
  contents->add_int_contents(-128);
  contents->add_int_contents(7);
  EXPECT_EQ(ReadFirst(message), "int8[2] [-128, 7]");
  contents->set_int_contents(1, 128);
  EXPECT_THAT(ReadFirst(message), HasSubstr("element 1: 128 is out of range for INT8"));
  contents->add_int_contents(0);
  contents->set_int_contents(1, 1);
  EXPECT_THAT(ReadFirst(message), HasSubstr("expected 2 elements in `int_contents`, found 3"));

  message = RequestOf("FP32", 1);
  message.mutable_inputs(0)->mutable_contents()->add_fp32_contents(1.5F);
  EXPECT_EQ(ReadFirst(message), "float32[1] [1.5]");
  message.mutable_inputs(0)->mutable_contents()->add_int_contents(1);
  EXPECT_THAT(ReadFirst(message), HasSubstr("expected elements in `fp32_contents` only"));
  message = RequestOf("BYTES", 1);
  message.mutable_inputs(0)->mutable_contents()->add_bytes_contents("a");
  message.mutable_inputs(0)->mutable_contents()->add_bool_contents(true);
  EXPECT_THAT(ReadFirst(message), HasSubstr("expected elements in `bytes_contents` only"));
  message = RequestOf("BYTES", 2);
  message.mutable_inputs(0)->mutable_contents()->add_bytes_contents("a");
  message.mutable_inputs(0)->mutable_contents()->add_bytes_contents("");
  EXPECT_EQ(ReadFirst(message), R"(string[2] ["a", ""])");
  message = RequestOf("FP16", 1);
  message.mutable_inputs(0)->mutable_contents()->add_fp32_contents(1);
  EXPECT_THAT(ReadFirst(message), HasSubstr("raw_input_contents"));
}

// Returns the bytes 'abcdefgh', as a client has them in the region `r`.
StatusOr<Buffer> ReadRegion(const SharedMemoryPart& part) {
  if (part.region != "r") return NotFound("no such region");
  return Buffer::Copy("abcdefgh").Slice(part.offset, part.size);
}

TEST(InferWireTest, ReadsSharedMemoryNextToRawContents) {
  auto message = RequestOf("UINT8", 3);
  auto& parameters = *message.mutable_inputs(0)->mutable_parameters();
  parameters["shared_memory_region"].set_string_param("r");
  parameters["shared_memory_offset"].set_int64_param(2);
  parameters["shared_memory_byte_size"].set_uint64_param(3);
  *message.add_inputs() = RequestOf("UINT8", 1).inputs(0);
  message.add_raw_input_contents("z");
  auto& output = *message.add_outputs();
  output.set_name("y");
  *output.mutable_parameters() = parameters;
  auto read = [&](const SharedMemoryReader& reader) {
    const std::string bytes = message.SerializeAsString();
    return ParseInferRequest({{std::as_bytes(std::span(bytes))}, nullptr}, Limits(), reader);
  };
  auto request = read(ReadRegion);
  ASSERT_TRUE(request.ok()) << request.status();
  EXPECT_EQ(ToString(Value(request->inputs[0].tensor)), "uint8[3] [99, 100, 101]");
  EXPECT_EQ(ToString(Value(request->inputs[1].tensor)), "uint8[1] [122]");
  ASSERT_TRUE(request->outputs[0].shared_memory.has_value());
  EXPECT_EQ(request->outputs[0].shared_memory->offset, 2u);
  EXPECT_THAT(std::string(MessageOf(read({}).status())), HasSubstr("is not enabled"));
  parameters["shared_memory_byte_size"].set_int64_param(4);
  EXPECT_THAT(std::string(MessageOf(read(ReadRegion).status())), HasSubstr("Expected 3, got"));
  parameters["shared_memory_byte_size"].set_int64_param(-1);
  EXPECT_THAT(std::string(MessageOf(read(ReadRegion).status())), HasSubstr("at least 0"));
  parameters["shared_memory_byte_size"].set_uint64_param(UINT64_MAX);
  message.mutable_inputs(0)->set_datatype("BYTES");
  EXPECT_EQ(read(ReadRegion).status().code(), absl::StatusCode::kResourceExhausted);
}

TEST(InferWireTest, WritesSharedMemoryAsParameters) {
  InferResponse response{.model = "m"};
  response.outputs.push_back(
      {.tensor = {.name = "y", .tensor = Tensor::Of<uint8_t>({2}, {1, 2})},
       .shared_memory = SharedMemoryPart{.region = "r", .offset = 300, .size = 2}});
  response.outputs.push_back({.tensor = {.name = "z", .tensor = Tensor::Of<uint8_t>({1}, {3})}});
  auto pieces = WriteInferResponse(response);
  ASSERT_TRUE(pieces.ok()) << pieces.status();
  std::string bytes;
  for (const Buffer& piece : *pieces) bytes += piece.text();
  inference::ModelInferResponse message;
  ASSERT_TRUE(message.ParseFromString(bytes));
  const auto& parameters = message.outputs(0).parameters();
  EXPECT_EQ(parameters.at("shared_memory_region").string_param(), "r");
  EXPECT_EQ(parameters.at("shared_memory_offset").int64_param(), 300);
  EXPECT_EQ(parameters.at("shared_memory_byte_size").int64_param(), 2);
  ASSERT_EQ(message.raw_output_contents_size(), 2);
  EXPECT_EQ(message.raw_output_contents(0), "");
  EXPECT_EQ(message.raw_output_contents(1), "\x03");
}

TEST(InferWireTest, ReadsRawContents) {
  auto message = RequestOf("UINT16", 2);
  message.add_raw_input_contents(std::string("\x01\0\x02\0", 4));
  EXPECT_EQ(ReadFirst(message), "uint16[2] [1, 2]");
  message.add_raw_input_contents("");
  EXPECT_THAT(ReadFirst(message), HasSubstr("found 2 for 1 inputs"));
  message = RequestOf("FP64", 4);
  message.add_raw_input_contents(std::string(40, 'x'));
  EXPECT_THAT(ReadFirst(message), HasSubstr("Expected 32, got 40; expected 32 bytes for FP64[4]"));
  message = RequestOf("FP32", 1);
  message.add_raw_input_contents("1234");
  message.mutable_inputs(0)->mutable_contents()->add_fp32_contents(1);
  EXPECT_THAT(ReadFirst(message), HasSubstr("must not be specified"));
  message = RequestOf("FP32", int64_t{1} << 40);
  EXPECT_FALSE(Parse(message).ok());
}

TEST(InferWireTest, ReadsParameters) {
  auto message = RequestOf("FP32", 0);
  (*message.mutable_parameters())["function"].set_string_param("f");
  (*message.mutable_parameters())["timeout"].set_int64_param(7);
  (*message.mutable_parameters())["priority"].set_uint64_param(2);
  (*message.mutable_parameters())["other"].set_double_param(1);
  auto& output = *message.add_outputs();
  output.set_name("y");
  (*output.mutable_parameters())["classification"].set_int64_param(3);
  auto request = Parse(message);
  ASSERT_TRUE(request.ok()) << request.status();
  EXPECT_EQ(request->parameters.function, "f");
  EXPECT_EQ(request->parameters.timeout_us, 7);
  EXPECT_EQ(request->parameters.priority, 2);
  EXPECT_EQ(request->outputs.at(0).classes, 3);
  (*message.mutable_inputs(0)->mutable_parameters())["shared_memory_region"].set_string_param("r");
  EXPECT_THAT(std::string(MessageOf(Parse(message).status())), HasSubstr("shared memory"));
}

TEST(InferWireTest, RejectsParametersOfAWrongType) {
  auto rejection = [](const char* key, auto set) {
    auto message = RequestOf("FP32", 0);
    set((*message.mutable_parameters())[key]);
    return std::string(MessageOf(Parse(message).status()));
  };
  auto text = [](inference::InferParameter& value) { value.set_string_param("1"); };
  auto number = [](inference::InferParameter& value) { value.set_int64_param(1); };
  auto negative = [](inference::InferParameter& value) { value.set_int64_param(-1); };
  auto flag = [](inference::InferParameter& value) { value.set_bool_param(false); };
  EXPECT_THAT(rejection("priority", text), HasSubstr("parameter `priority`: expected a whole"));
  EXPECT_THAT(rejection("priority", negative), HasSubstr("at least 0"));
  EXPECT_THAT(rejection("timeout", flag), HasSubstr("parameter `timeout`"));
  EXPECT_THAT(rejection("sequence_id", flag), HasSubstr("parameter `sequence_id`"));
  EXPECT_THAT(rejection("sequence_start", number), HasSubstr("expected `bool_param`"));
  EXPECT_THAT(rejection("sequence_end", text), HasSubstr("expected `bool_param`"));
  EXPECT_THAT(rejection("triton_enable_empty_final_response", number), HasSubstr("`bool_param`"));
  EXPECT_EQ(rejection("sequence_id", text) + rejection("sequence_id", negative) +
                rejection("sequence_start", flag) + rejection("priority", number),
            "");

  auto message = RequestOf("FP32", 0);
  auto& output = *message.add_outputs();
  output.set_name("y");
  (*output.mutable_parameters())["classification"].set_string_param("3");
  EXPECT_THAT(std::string(MessageOf(Parse(message).status())), HasSubstr("`classification`"));
  (*output.mutable_parameters())["classification"].set_int64_param(3);
  (*output.mutable_parameters())["shared_memory_region"].set_string_param("r");
  (*output.mutable_parameters())["shared_memory_byte_size"].set_int64_param(3);
  const std::string bytes = message.SerializeAsString();
  auto both = ParseInferRequest({{std::as_bytes(std::span(bytes))}, nullptr}, Limits(), ReadRegion);
  EXPECT_THAT(std::string(MessageOf(both.status())),
              HasSubstr("can't set both 'shared_memory_region' and 'classification'"));
}

TEST(InferWireTest, ReadsTheHeadOfARequest) {
  auto message = RequestOf("FP32", 1);
  message.set_id("7");
  const std::string bytes = message.SerializeAsString();
  const InferHead head = ParseInferHead({{std::as_bytes(std::span(bytes))}, nullptr}, Limits());
  EXPECT_EQ(head.model + " " + head.id, "m 7");
  EXPECT_FALSE(Parse(message).ok());  // the elements are missing
  const InferHead none =
      ParseInferHead({{std::as_bytes(std::span(bytes).first(1))}, nullptr}, Limits());
  EXPECT_EQ(none.model + none.id, "");
}

TEST(InferWireTest, WritesResponsesThatProtobufReads) {
  InferResponse response{.model = "m", .version = "2", .id = "7", .is_final_in_stream = true};
  const std::string_view texts[] = {"ab", ""};
  response.outputs.push_back({.tensor = {"s", Tensor::Strings({2}, texts)}});
  response.outputs.push_back({.tensor = {"x", Tensor::Of<float>({}, {1})}});
  auto pieces = WriteInferResponse(response);
  ASSERT_TRUE(pieces.ok());
  std::string bytes;
  for (const Buffer& piece : *pieces) bytes += piece.text();
  inference::ModelInferResponse message;
  ASSERT_TRUE(message.ParseFromString(bytes));
  EXPECT_EQ(message.model_name() + message.model_version() + message.id(), "m27");
  EXPECT_TRUE(message.parameters().at("triton_final_response").bool_param());
  EXPECT_EQ(message.outputs(0).datatype(), "BYTES");
  EXPECT_EQ(message.outputs(0).shape(0), 2);
  EXPECT_EQ(message.outputs(1).shape_size(), 0);
  EXPECT_EQ(message.raw_output_contents(0), std::string("\x02\0\0\0ab\0\0\0\0", 10));
  EXPECT_EQ(message.raw_output_contents(1).size(), 4);
}

}  // namespace
}  // namespace signet
