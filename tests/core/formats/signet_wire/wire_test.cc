// What arrives: the same values however the message is cut, borrowed where it can be.

#include "core/formats/signet_wire/wire.h"

#include <cstring>

#include <gtest/gtest.h>

#include "core/values/builders/value_notation.h"
#include "signet/v1/service.pb.h"
#include "tests/properties/values_random.h"

namespace signet::wire {
namespace {

std::string Flatten(const Pieces& pieces) {
  std::string bytes;
  for (const Buffer& piece : pieces) bytes.append(piece.text());
  return bytes;
}

// `bytes` in a message that owns them, cut at the given places.
Message MessageOf(const std::string& bytes, std::vector<size_t> cuts = {}) {
  auto owner = std::make_shared<Buffer>(Buffer::Copy(bytes));
  Message message;
  cuts.push_back(bytes.size());
  size_t from = 0;
  for (size_t cut : cuts) {
    message.pieces.push_back(owner->bytes().subspan(from, cut - from));
    from = cut;
  }
  message.owner = owner;
  return message;
}

Value Parsed(std::string_view notation) {
  auto value = signet::ParseValue(notation);
  EXPECT_TRUE(value.ok()) << notation << ": " << value.status();
  return *value;
}

// What the wire keeps of a value: types come out as narrow as the data.
Value Exact(const Value& value) {
  return Value::Trusted(ExactSpecOf(value), {value.components().begin(), value.components().end()});
}

constexpr const char* kValues[] = {
    "float32[2, 3] [[1.0, 2.0, 3.0], [4.0, 5.0, nan]]",
    "int64[] 7",
    "bool[3] [true, false, true]",
    "complex64[1] [[1.0, -2.0]]",
    "string[3] [\"a\", \"\", \"bc\"]",
    "string[0] []",
    "float32[0, 4] []",
    "ragged int64[2, (?)] [[1, 2], []]",
    "ragged<splits=int32> int64[2, (?), 2] [[[1, 2]], []]",
    "ragged<rank=0> int64[2] [1, 2]",
    "sparse float64[2, 3] {indices: [[0, 1], [1, 2]], values: [1.0, 2.0], dense_shape: [2, 3]}",
    "{a: int32[], b: string[]} {a: 1, b: \"x\"}",
    "[{ids: int64[(?)], title: string[]}] [{ids: [1, 2], title: \"x\"}, {ids: [], title: \"y\"}]",
    ("[{steps: [{amount: float32[], words: string[(?)]}]}] "
     "[{steps: [{amount: 1.0, words: [\"a\"]}, {amount: 2.0, words: []}]}, {steps: []}]"),
    "[[{x: int64[], y: int64[(?)]}]] [[{x: 1, y: [5]}, {x: 2, y: []}], []]",
    "{x: int64[]}[2, 2] [[{x: 1}, {x: 2}], [{x: 3}, {x: 4}]]",
    "None",
    "True",
    "-5",
    "18446744073709551615",
    "1.5",
    "\"text\"",
    "list(1, int64[]) [1, 2]",
    "tuple(float32[1], \"a\") [[1.0], \"a\"]",
    "dict(a: 1, \"odd key\": int64[]) {a: 1, \"odd key\": 2}",
    "namedtuple P(x: float32[], y: 2) {x: 1.0, y: 2}",
    "attrs P(x: float32[]) {x: 1.0}",
};

TEST(WireTest, ReadsBackWhatItWrites) {
  for (const char* notation : kValues) {
    SCOPED_TRACE(notation);
    Value value = Parsed(notation);
    auto read = ParseValue(MessageOf(Flatten(WriteValue(value))), Limits());
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_EQ(ToString(*read), ToString(Exact(value)));
    EXPECT_TRUE(SameValue(*read, Exact(value)));
  }
}

TEST(WireTest, ReadsBackRandomValues) {
  RandomValues random;
  for (int i = 0; i < 2000; ++i) {
    TypeSpec spec = random.Type(3);
    ValueBuilder builder = *ValueBuilder::Make(spec);
    ASSERT_TRUE(random.Fill(spec, builder).ok());
    auto value = builder.Finish();
    ASSERT_TRUE(value.ok()) << value.status();
    auto read = ParseValue(Flatten(WriteValue(*value)), Limits());
    ASSERT_TRUE(read.ok()) << ToString(*value) << ": " << read.status();
    ASSERT_EQ(ToString(*read), ToString(Exact(*value)));
    ASSERT_TRUE(SameValue(*read, Exact(*value))) << ToString(*value);
    auto through_proto = ValueFromProto(ValueToProto(*value), Limits());
    ASSERT_TRUE(through_proto.ok()) << through_proto.status();
    ASSERT_TRUE(SameValue(*through_proto, *read));
  }
}

TEST(WireTest, ReadsBackRandomTypesAndPlaceholders) {
  RandomValues random;
  for (int i = 0; i < 2000; ++i) {
    TypeSpec spec = random.Type(3);
    ASSERT_EQ(spec.num_components(), ComponentsOf(spec).size()) << spec.ToString();
    auto read = TypeFromProto(TypeToProto(spec), Limits());
    ASSERT_TRUE(read.ok()) << spec.ToString() << ": " << read.status();
    ASSERT_EQ(*read, spec) << spec.ToString();
    v1::TypeSpec text;
    text.set_text(spec.ToString());
    read = TypeFromProto(text, Limits());
    ASSERT_TRUE(read.ok()) << spec.ToString() << ": " << read.status();
    ASSERT_EQ(*read, spec);
    Value placeholder = Value::OfType(spec);
    auto value = ParseValue(Flatten(WriteValue(placeholder)), Limits());
    ASSERT_TRUE(value.ok()) << value.status();
    ASSERT_TRUE(SameValue(*value, placeholder));
  }
}

TEST(WireTest, ReadsTheSameFromPiecesCutAnywhere) {
  for (const char* notation : kValues) {
    SCOPED_TRACE(notation);
    Value value = Exact(Parsed(notation));
    std::string bytes = Flatten(WriteValue(value));
    for (size_t cut = 0; cut <= bytes.size(); ++cut) {
      auto read = ParseValue(MessageOf(bytes, {cut}), Limits());
      ASSERT_TRUE(read.ok()) << "cut at " << cut << ": " << read.status();
      ASSERT_TRUE(SameValue(*read, value)) << "cut at " << cut;
    }
    std::vector<size_t> everywhere;
    for (size_t cut = 0; cut < bytes.size(); ++cut) everywhere.push_back(cut);
    auto read = ParseValue(MessageOf(bytes, everywhere), Limits());
    ASSERT_TRUE(read.ok()) << read.status();
    ASSERT_TRUE(SameValue(*read, value));
  }
}

TEST(WireTest, RejectsMessagesCutShortAnywhere) {
  for (const char* notation : kValues) {
    SCOPED_TRACE(notation);
    v1::CallRequest request;
    request.mutable_model()->set_name("m");
    *request.add_args() = ValueToProto(Parsed(notation));
    std::string bytes = request.SerializeAsString();
    size_t before_args = bytes.size() - request.args(0).ByteSizeLong();
    for (size_t size = before_args; size < bytes.size(); ++size) {
      auto read = ParseCallRequest(MessageOf(bytes.substr(0, size)), Limits());
      ASSERT_EQ(read.status().code(), absl::StatusCode::kInvalidArgument) << size;
    }
    for (size_t size = 0; size < bytes.size(); ++size) {
      std::ignore = ParseValue(bytes.substr(size), Limits());  // an error or not, it must return
    }
  }
}

TEST(WireTest, BorrowsAlignedContentAndCopiesTheRest) {
  Value value = Tensor::Of<float>({2}, {1, 2});
  std::string bytes = Flatten(WriteValue(value));
  int borrowed = 0;
  for (size_t shift = 0; shift < 4; ++shift) {
    auto owner = std::make_shared<Buffer>(Buffer::Copy(std::string(shift, 'x') + bytes));
    Message message = {{owner->bytes().subspan(shift)}, owner};
    auto read = ParseValue(message, Limits());
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_TRUE(SameValue(*read, value));
    const std::byte* data = read->tensor().data().data();
    bool within = data >= owner->data() && data < owner->data() + owner->size();
    if (within) ++borrowed;
    EXPECT_EQ(owner.use_count() > 2, within);
    EXPECT_TRUE(read->tensor().data().IsAligned(4));
  }
  EXPECT_EQ(borrowed, 1);
}

TEST(WireTest, CopiesAllOfMessagesWithoutOwner) {
  Value value = Tensor::Of<uint8_t>({3}, {1, 2, 3});
  std::string bytes = Flatten(WriteValue(value));
  auto read = ParseValue(bytes, Limits());
  ASSERT_TRUE(read.ok());
  std::fill(bytes.begin(), bytes.end(), '\0');
  EXPECT_TRUE(SameValue(*read, value));
}

TEST(WireTest, WritesLargeContentAsPiecesOfTheTensor) {
  Tensor large = *Tensor::Allocate(DType::kFloat32, {1000});
  std::memset(large.mutable_elements<float>(), 0, 4000);
  const Value values[] = {large, Tensor::Scalar(1.0f), large};
  Pieces pieces = WriteCallResponse(ListOf(values), 3);
  ASSERT_EQ(pieces.size(), 5u);  // each between pieces of what stands around it
  EXPECT_EQ(pieces[1].data(), large.data().data());
  EXPECT_EQ(pieces[3].data(), large.data().data());
  v1::CallResponse response;
  ASSERT_TRUE(response.ParseFromString(Flatten(pieces)));
  EXPECT_EQ(response.model_version(), 3);
  EXPECT_EQ(response.result().list().elements_size(), 3);
}

TEST(WireTest, WritesResultsOfOtherFormats) {
  Buffer large = Buffer::Copy(std::string(2000, 'x'));
  Pieces pieces = WriteCallResponse(
      EncodedResult{DataFormat::kJsonLines, {Buffer::Copy("ab"), large, Buffer::Copy("c")}}, 3);
  v1::CallResponse response;
  ASSERT_TRUE(response.ParseFromString(Flatten(pieces)));
  EXPECT_EQ(response.model_version(), 3);
  EXPECT_EQ(response.result().encoded().format(), v1::Encoded::JSON_LINES);
  EXPECT_EQ(response.result().encoded().data(), "ab" + std::string(2000, 'x') + "c");
  EXPECT_EQ(std::count_if(pieces.begin(), pieces.end(),
                          [&](const Buffer& piece) { return piece.data() == large.data(); }),
            1);
}

TEST(WireTest, CopiesViewsWhoseMemoryMayGo) {
  std::vector<float> memory(1000, 1.0f);
  Tensor view = Tensor::Trusted(DType::kFloat32, {1000},
                                Buffer::View(std::as_bytes(std::span<const float>(memory))));
  for (const Buffer& piece : WriteValue(view)) EXPECT_TRUE(piece.is_owned());
}

TEST(WireTest, WritesStreamResponsesWithTheirId) {
  v1::CallStreamResponse response;
  ASSERT_TRUE(response.ParseFromString(Flatten(WriteStreamResponse(9, Tensor::Scalar(2.0), 4))));
  EXPECT_EQ(response.id(), 9u);
  EXPECT_EQ(response.response().model_version(), 4);
  EXPECT_EQ(response.response().result().tensor().dtype(), v1::DTYPE_FLOAT64);
}

TEST(WireTest, ReadsCalls) {
  v1::CallRequest request;
  request.mutable_model()->set_name("recipes");
  request.mutable_model()->set_version(3);
  request.set_function("score");
  *request.add_args() = ValueToProto(Tensor::Scalar(1.0f));
  auto* keyword = request.add_kwargs();
  keyword->set_name("rows");
  keyword->mutable_value()->mutable_encoded()->set_format(v1::Encoded::JSON_LINES);
  keyword->mutable_value()->mutable_encoded()->set_data("{}\n{}");
  auto call = ParseCallRequest(MessageOf(request.SerializeAsString()), Limits());
  ASSERT_TRUE(call.ok()) << call.status();
  EXPECT_EQ(call->model, "recipes");
  EXPECT_EQ(call->version, 3);
  EXPECT_EQ(call->function, "score");
  ASSERT_EQ(call->arguments.positional.size(), 1u);
  EXPECT_EQ(ToString(call->arguments.positional[0]), "float32[] 1.0");
  ASSERT_EQ(call->arguments.keyword.size(), 1u);
  EXPECT_EQ(call->arguments.keyword[0].first, "rows");
  EXPECT_FALSE(call->arguments.keyword[0].second);
  ASSERT_EQ(call->encoded.size(), 1u);
  EXPECT_TRUE(call->encoded[0].is_keyword);
  EXPECT_EQ(call->encoded[0].index, 0u);
  EXPECT_EQ(call->encoded[0].format, DataFormat::kJsonLines);
  EXPECT_EQ(call->encoded[0].data.text(), "{}\n{}");
}

TEST(WireTest, TakesTheLastOfAOneof) {
  v1::ModelSpec first;
  first.set_version(3);
  v1::ModelSpec second;
  second.set_label("stable");
  v1::CallRequest request;
  *request.mutable_model() = first;
  v1::CallRequest more;
  *more.mutable_model() = second;
  auto call =
      ParseCallRequest(MessageOf(request.SerializeAsString() + more.SerializeAsString()), Limits());
  ASSERT_TRUE(call.ok());
  EXPECT_FALSE(call->version);
  EXPECT_EQ(call->label, "stable");
  auto value = ParseValue(
      Flatten(WriteValue(Parsed("1"))) + Flatten(WriteValue(Parsed("int32[] 2"))), Limits());
  ASSERT_TRUE(value.ok());
  EXPECT_EQ(ToString(*value), "int32[] 2");
}

TEST(WireTest, SkipsFieldsItDoesNotKnow) {
  std::string bytes = Flatten(WriteValue(Parsed("int64[2] [1, 2]")));
  const std::string unknown[] = {
      std::string("\xf8\x07\x01", 3),                                   // field 127: varint
      std::string("\xf9\x07zzzzzzzz", 10),                              // fixed64
      std::string("\xfa\x07\x02zz", 5),                                 // bytes
      std::string("\xfd\x07zzzz", 6),                                   // fixed32
      std::string("\xfb\x07\xf8\x07\x01\xfb\x07\xfc\x07\xfc\x07", 11),  // groups
      std::string("\x08\x01", 2),  // field 1, of another wire type
  };
  for (const std::string& field : unknown) {
    auto value = ParseValue(field + bytes + field, Limits());
    ASSERT_TRUE(value.ok()) << value.status();
    EXPECT_EQ(ToString(*value), "int64[2] [1, 2]");
  }
}

TEST(WireTest, KeepsTheIdOfARejectedStreamRequest) {
  v1::CallStreamRequest request;
  request.set_id(12);
  request.mutable_call()->add_args();
  auto read = ParseStreamRequest(MessageOf(request.SerializeAsString()), Limits());
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->id, 12u);
  EXPECT_EQ(read->call.status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(WireTest, KeepsEveryBitOfFloats) {
  for (DType dtype : {DType::kFloat16, DType::kBFloat16, DType::kFloat32, DType::kFloat64}) {
    std::string content(8 * 32, '\0');
    for (size_t i = 0; i < content.size(); ++i) content[i] = static_cast<char>(i * 37 ^ 0xff);
    auto n = static_cast<int64_t>(content.size() / SizeOf(dtype));
    Value value = *Tensor::Make(dtype, {n}, Buffer::Copy(content));
    auto read = ParseValue(Flatten(WriteValue(value)), Limits());
    ASSERT_TRUE(read.ok());
    EXPECT_TRUE(SameValue(*read, value));
  }
}

TEST(WireTest, ReadsBackFunctionTypes) {
  auto type = FunctionType::Make(
      {{"x", ParameterKind::kPositionalOnly, false, *ParseTypeSpec("float32[?]")},
       {"k", ParameterKind::kKeywordOnly, true, {}}},
      {{"w", *ParseTypeSpec("float32[3]")}}, *ParseTypeSpec("string[]"));
  ASSERT_TRUE(type.ok()) << type.status();
  auto read = FunctionTypeFromProto(FunctionTypeToProto(*type), Limits());
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->ToString(), type->ToString());
  EXPECT_EQ(*read, *type);
}

}  // namespace
}  // namespace signet::wire
