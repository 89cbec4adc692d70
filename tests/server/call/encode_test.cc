#include "core/serving/call/encode.h"

#include <gmock/gmock.h>

#include "core/formats/arrow/arrow.h"
#include "core/formats/signet_wire/wire.h"
#include "core/types/notation/notation.h"
#include "core/values/builders/value_notation.h"
#include "signet/record_spec.h"
#include "signet/sequence_spec.h"
#include "tests/core/formats/protobuf/proto_text.h"
#include "tests/server/test_server.h"

namespace signet {
namespace {

using testing::HasSubstr;

std::shared_ptr<const LoadedModel> EchoModel() {
  ModelBuilder model("Returns its arguments");
  model.SetDescriptorSet(DescriptorSetOf(R"(
    syntax = "proto3";
    package t;
    message Row { int64 a = 1; repeated string b = 2; }
  )"));
  model.AddFunction("rows", "(rows: [{a: int64[], b: string[(?)]}])").Result("rows");
  model.AddFunction("anything", "(x)").Result("x");
  auto def = BuildModelDef(model);
  if (!def.ok()) ADD_FAILURE() << def.status();
  return std::make_shared<LoadedModel>("echo", 1, *std::move(def), ModelOptions());
}

class EncodeTest : public testing::Test {
 protected:
  EncodeTest() { test_.server().repository().Add(EchoModel()); }

  StatusOr<CallAnswer> Call(std::string function, ClientArgument argument,
                            v1::Encoded::Format format = v1::Encoded::FORMAT_UNSPECIFIED,
                            bool columns = false) {
    CallSpec call = {
        .model = {.name = "echo"}, .function = std::move(function), .args = {std::move(argument)}};
    call.result_format.set_format(format);
    call.result_format.set_columns(columns);
    return test_.MakeClient().Call(call);
  }
  std::string Text(std::string function, ClientArgument argument, v1::Encoded::Format format,
                   bool columns = false) {
    auto answer = Call(std::move(function), std::move(argument), format, columns);
    if (!answer.ok()) return std::string(answer.status().message());
    EXPECT_EQ(answer->encoded.format(), format);
    return answer->encoded.data();
  }

  TestServer test_;
};

TEST_F(EncodeTest, WritesJsonLinesAndColumns) {
  Json rows{R"([{"a": 1, "b": ["x"]}, {"a": 2, "b": []}])"};
  EXPECT_EQ(Text("rows", rows, v1::Encoded::JSON), R"([{"a":1,"b":["x"]},{"a":2,"b":[]}])");
  EXPECT_EQ(Text("rows", rows, v1::Encoded::JSON, true), R"({"a":[1,2],"b":[["x"],[]]})");
  EXPECT_EQ(Text("rows", rows, v1::Encoded::JSON_LINES),
            "{\"a\":1,\"b\":[\"x\"]}\n{\"a\":2,\"b\":[]}\n");
  EXPECT_EQ(Text("rows", Json{"[]"}, v1::Encoded::JSON_LINES), "");
  EXPECT_EQ(Text("rows", Json{R"({"a": [1, 2], "b": [["x"], []]})"}, v1::Encoded::JSON),
            R"([{"a":1,"b":["x"]},{"a":2,"b":[]}])");
}

TEST_F(EncodeTest, ReadsItsOwnArrow) {
  Json rows{R"([{"a": 1, "b": ["x"]}, {"a": 2, "b": []}])"};
  v1::Encoded arrow;
  arrow.set_format(v1::Encoded::ARROW_IPC);
  arrow.set_data(Text("rows", rows, v1::Encoded::ARROW_IPC));
  for (const char* function : {"rows", "anything"}) {
    auto answer = Call(function, arrow);
    ASSERT_TRUE(answer.ok()) << answer.status();
    EXPECT_EQ(ToString(answer->result),
              "{a: int64[], b: string[(?)]}[2] [{a: 1, b: [\"x\"]}, {a: 2, b: []}]");
  }
  // Large enough to be a separate piece, and to run on a compute thread.
  Tensor large = *Tensor::Allocate(DType::kFloat64, {100000});
  for (int64_t i = 0; i < 100000; ++i) large.mutable_elements<double>()[i] = double(i);
  arrow.set_data(Text("anything", Value(large), v1::Encoded::ARROW_IPC));
  auto value = ValueFromArrow(Buffer::Copy(arrow.data()), *ParseTypeSpec("float64[?]"), Limits());
  ASSERT_TRUE(value.ok()) << value.status();
  EXPECT_TRUE(SameValue(*value, large));
}

TEST_F(EncodeTest, ReadsItsOwnMessages) {
  std::string row("\x08\x01\x12\x01x", 5);
  CallSpec call = {
      .model = {.name = "echo"}, .function = "rows", .args = {MessageRows{"t.Row", {row, ""}}}};
  call.result_format.set_format(v1::Encoded::PROTOBUF);
  call.result_format.set_message_type("t.Row");
  auto answer = test_.MakeClient().Call(call);
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(answer->encoded.message_type(), "t.Row");
  EXPECT_THAT(answer->encoded.rows(), testing::ElementsAre(row, ""));
}

TEST_F(EncodeTest, ReportsErrors) {
  EXPECT_THAT(Text("anything", Json{"3"}, v1::Encoded::JSON_LINES),
              HasSubstr("echo/1.anything: the result: `3` has no rows to write, one per line"));
  EXPECT_THAT(
      Text("anything", Json{"3"}, v1::Encoded::ARROW_IPC),
      HasSubstr("expected a structure, tensor, ragged value, or record of these, found `3`"));
  auto answer = Call("anything", Json{"3"}, v1::Encoded::PROTOBUF);
  EXPECT_THAT(
      std::string(answer.status().message()),
      HasSubstr("the result: missing message_type of the protobuf rows; message types: `t.Row`"));
  EXPECT_THAT(
      Text("anything", Json{"3"}, static_cast<v1::Encoded::Format>(9)),
      HasSubstr("result_format: expected a format from JSON (1) to ARROW_IPC (4), found 9"));
  v1::Encoded arrow;
  arrow.set_format(v1::Encoded::ARROW_IPC);
  arrow.set_data("x");
  EXPECT_THAT(
      Text("rows", arrow, v1::Encoded::JSON),
      HasSubstr("echo/1.rows: argument `rows`: message 0, at byte 0: expected 4 bytes, found 1"));
}

// Returns a scalar in `depth` nested lists or dicts.
Value Nested(int depth, bool in_dicts) {
  TypeSpec type = Tensor::Scalar(1.5f).spec();
  for (int i = 0; i < depth; ++i) {
    type = in_dicts ? *MakeDictType({{"a", type}}) : ListType({type});
  }
  auto value = MakeValue(type, {Tensor::Scalar(1.5f)});
  if (!value.ok()) ADD_FAILURE() << value.status();
  return *std::move(value);
}

// The client parses with protobuf's default limits, as clients in other languages do.
TEST_F(EncodeTest, ProtobufClientsParseEveryResult) {
  for (bool in_dicts : {false, true}) {
    int parsed = 0;
    for (int depth = 1; depth < 64; ++depth) {
      SCOPED_TRACE(Cat(depth, in_dicts ? " dicts" : " lists"));
      Value value = Nested(depth, in_dicts);
      auto answer = Call("anything", value);
      if (answer.ok()) {
        EXPECT_TRUE(SameValue(answer->result, value));
        EXPECT_EQ(parsed, depth - 1);
        ++parsed;
        continue;
      }
      EXPECT_EQ(answer.status().code(), absl::StatusCode::kInvalidArgument) << answer.status();
      EXPECT_THAT(
          std::string(MessageOf(answer.status())),
          HasSubstr("echo/1.anything: the result: expected a value of at most 100 messages"));
      EXPECT_THAT(Text("anything", value, v1::Encoded::JSON), HasSubstr("1.5"));
    }
    EXPECT_EQ(parsed, in_dicts ? 32 : 48);
  }
}

TEST_F(EncodeTest, ProtobufClientsParseEveryExplanation) {
  for (int depth : {20, 40, 63}) {
    SCOPED_TRACE(depth);
    CallSpec call = {.model = {.name = "echo"}, .function = "anything"};
    Value value = Nested(depth, true);
    call.args = {value};
    auto explanation = test_.MakeClient().Explain(call);
    ASSERT_TRUE(explanation.ok()) << explanation.status();
    auto type = wire::TypeFromProto(explanation->output(), Limits());
    ASSERT_TRUE(type.ok()) << type.status();
    EXPECT_EQ(*type, value.spec());
  }
}

}  // namespace
}  // namespace signet
