#include "core/formats/tensorflow/tensor_proto.h"

#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include "core/formats/tensorflow/tensorflow_dtype.h"
#include "signet/notation.h"

namespace signet::tf {
namespace {

using ::tensorflow::TensorProto;
using ::testing::HasSubstr;

TensorProto Proto(const std::string& text) {
  TensorProto proto;
  SIGNET_CHECK(google::protobuf::TextFormat::ParseFromString(text, &proto));
  return proto;
}

// Reads the bytes as a client sends them, cut into pieces of `piece` bytes.
StatusOr<Tensor> ReadBytes(const std::string& bytes, size_t piece, const Limits& limits = {}) {
  auto owner = std::make_shared<const std::string>(bytes);
  wire::Message message{.pieces = {}, .owner = owner};
  auto all = std::as_bytes(std::span(*owner));
  for (size_t at = 0; at < all.size(); at += piece) {
    message.pieces.push_back(all.subspan(at, std::min(piece, all.size() - at)));
  }
  wire::WireSource source(message, limits);
  return ReadTensorProto(source, wire::WireCursor(source));
}

// Reads a message in one piece, in pieces of one byte, and after protobuf has parsed it, and checks
// that the outcomes are the same.
StatusOr<Tensor> Read(const std::string& text, const Limits& limits = {}) {
  const TensorProto proto = Proto(text);
  const std::string bytes = proto.SerializeAsString();
  auto whole = ReadBytes(bytes, std::max<size_t>(bytes.size(), 1), limits);
  auto cut = ReadBytes(bytes, 1, limits);
  Allowance allowance(limits);
  auto parsed = TensorFromProto(proto, allowance);
  for (const auto* other : {&cut, &parsed}) {
    EXPECT_EQ(whole.status(), other->status());
    if (!whole.ok() || !other->ok()) continue;
    EXPECT_TRUE(SameTensor(*whole, **other));
  }
  return whole;
}

std::string Text(const StatusOr<Tensor>& tensor) {
  if (!tensor.ok()) return std::string(MessageOf(tensor.status()));
  return ToString(Value(*tensor));
}

std::string Text(const std::string& proto, const Limits& limits = {}) {
  return Text(Read(proto, limits));
}

TEST(TensorProtoTest, ReadsEachField) {
  EXPECT_EQ(Text("dtype: DT_FLOAT tensor_shape {dim {size: 2}} float_val: [1.5, -2]"),
            "float32[2] [1.5, -2.0]");
  EXPECT_EQ(Text("dtype: DT_DOUBLE tensor_shape {} double_val: 0.25"), "float64[] 0.25");
  EXPECT_EQ(Text("dtype: DT_INT32 tensor_shape {dim {size: 2}} int_val: [-7, 7]"),
            "int32[2] [-7, 7]");
  EXPECT_EQ(Text("dtype: DT_INT16 tensor_shape {dim {size: 2}} int_val: [-32768, 32767]"),
            "int16[2] [-32768, 32767]");
  EXPECT_EQ(Text("dtype: DT_INT8 tensor_shape {dim {size: 2}} int_val: [-128, 127]"),
            "int8[2] [-128, 127]");
  EXPECT_EQ(Text("dtype: DT_UINT16 tensor_shape {dim {size: 1}} int_val: 65535"),
            "uint16[1] [65535]");
  EXPECT_EQ(Text("dtype: DT_UINT8 tensor_shape {dim {size: 1}} int_val: 255"), "uint8[1] [255]");
  EXPECT_EQ(Text("dtype: DT_INT64 tensor_shape {} int64_val: -9223372036854775808"),
            "int64[] -9223372036854775808");
  EXPECT_EQ(Text("dtype: DT_UINT32 tensor_shape {} uint32_val: 4294967295"), "uint32[] 4294967295");
  EXPECT_EQ(Text("dtype: DT_UINT64 tensor_shape {} uint64_val: 18446744073709551615"),
            "uint64[] 18446744073709551615");
  EXPECT_EQ(Text("dtype: DT_BOOL tensor_shape {dim {size: 2}} bool_val: [true, false]"),
            "bool[2] [True, False]");
  EXPECT_EQ(Text("dtype: DT_HALF tensor_shape {} half_val: 15360"), "float16[] 1.0");
  EXPECT_EQ(Text("dtype: DT_BFLOAT16 tensor_shape {} half_val: 16256"), "bfloat16[] 1.0");
  EXPECT_EQ(Text("dtype: DT_COMPLEX64 tensor_shape {} scomplex_val: [1, 2]"),
            "complex64[] [1.0, 2.0]");
  EXPECT_EQ(Text("dtype: DT_COMPLEX128 tensor_shape {} dcomplex_val: [1, 2]"),
            "complex128[] [1.0, 2.0]");
  EXPECT_EQ(Text("dtype: DT_STRING tensor_shape {dim {size: 2}} string_val: ['a', 'bc']"),
            "string[2] [\"a\", \"bc\"]");
}

TEST(TensorProtoTest, ReadsTensorContent) {
  EXPECT_EQ(
      Text("dtype: DT_INT16 tensor_shape {dim {size: 2}} tensor_content: '\\001\\000\\000\\001'"),
      "int16[2] [1, 256]");
  EXPECT_EQ(Text("dtype: DT_STRING tensor_shape {dim {size: 2}} tensor_content: '\\001\\002abc'"),
            "string[2] [\"a\", \"bc\"]");
  // The content takes precedence.
  EXPECT_EQ(Text("dtype: DT_UINT8 tensor_shape {} tensor_content: '\\003' int_val: 4"),
            "uint8[] 3");
}

TEST(TensorProtoTest, RepeatsTheLastValue) {
  EXPECT_EQ(Text("dtype: DT_FLOAT tensor_shape {dim {size: 3}} float_val: [1, 2]"),
            "float32[3] [1.0, 2.0, 2.0]");
  EXPECT_EQ(Text("dtype: DT_INT32 tensor_shape {dim {size: 3}} int_val: 5"), "int32[3] [5, 5, 5]");
  EXPECT_EQ(Text("dtype: DT_STRING tensor_shape {dim {size: 3}} string_val: ['a', 'bc']"),
            "string[3] [\"a\", \"bc\", \"bc\"]");
  EXPECT_EQ(Text("dtype: DT_COMPLEX64 tensor_shape {dim {size: 2}} scomplex_val: [1, 2, 3]"),
            "complex64[2] [[1.0, 2.0], [1.0, 2.0]]");
  EXPECT_EQ(Text("dtype: DT_DOUBLE tensor_shape {dim {size: 2}}"), "float64[2] [0.0, 0.0]");
  EXPECT_EQ(Text("dtype: DT_STRING tensor_shape {dim {size: 2}}"), "string[2] [\"\", \"\"]");
  EXPECT_EQ(Text("dtype: DT_FLOAT tensor_shape {dim {size: 1}} float_val: [1, 2]"),
            "float32[1] [1.0]");
  EXPECT_EQ(Text("dtype: DT_STRING tensor_shape {dim {size: 1}} string_val: ['a', 'bc']"),
            "string[1] [\"a\"]");
}

TEST(TensorProtoTest, AcceptsShapesWithoutElements) {
  EXPECT_EQ(Text("dtype: DT_FLOAT tensor_shape {dim {size: 0} dim {size: 3}}"), "float32[0, 3] []");
  EXPECT_EQ(Text("dtype: DT_STRING tensor_shape {dim {size: 0}} string_val: 'a'"), "string[0] []");
  EXPECT_EQ(Text("dtype: DT_BOOL"), "bool[] False");
}

// Fault 7: the size is checked before memory is allocated.
TEST(TensorProtoTest, RejectsOneValueForTooManyElements) {
  for (const std::string value : {"dtype: DT_FLOAT float_val: 1", "dtype: DT_INT32 int_val: 1",
                                  "dtype: DT_STRING string_val: 'a'", "dtype: DT_INT64"}) {
    auto read = Read(value + " tensor_shape {dim {size: 2000000000}}");
    EXPECT_EQ(read.status().code(), absl::StatusCode::kResourceExhausted) << value;
    EXPECT_THAT(Text(read), HasSubstr("--max_expanded_bytes")) << value;
  }
  const std::string text(1 << 16, 'a');
  EXPECT_THAT(Text("dtype: DT_STRING tensor_shape {dim {size: 100000}} string_val: '" + text + "'"),
              HasSubstr("--max_expanded_bytes"));
  EXPECT_THAT(Text("dtype: DT_BOOL tensor_shape {dim {size: 1099511627776}}"),
              HasSubstr("--max_tensor_elements"));
}

TEST(TensorProtoTest, RejectsShapes) {
  EXPECT_THAT(Text("dtype: DT_FLOAT tensor_shape {dim {size: -1}} float_val: 1"),
              HasSubstr("tensor_shape: "));
  EXPECT_THAT(Text("dtype: DT_FLOAT tensor_shape {dim {size: -2}} float_val: 1"),
              HasSubstr("tensor_shape: "));
  EXPECT_EQ(Text("dtype: DT_FLOAT tensor_shape {unknown_rank: true} float_val: 1"),
            "tensor_shape: expected a known rank");
  // Products that overflow, with and without the size of an element (faults 1 and 2).
  for (const std::string size : {"1152921504606846978", "576460752303423488"}) {
    EXPECT_EQ(Read("dtype: DT_FLOAT tensor_shape {dim {size: 16} dim {size: " + size + "}}")
                  .status()
                  .code(),
              absl::StatusCode::kInvalidArgument);
  }
  std::string dims;
  for (int i = 0; i < 255; ++i) dims += "dim {size: 1} ";
  EXPECT_THAT(Text("dtype: DT_FLOAT tensor_shape {" + dims + "}"), HasSubstr("--max_rank"));
}

TEST(TensorProtoTest, RejectsContentOfAnotherSize) {
  EXPECT_EQ(Text("dtype: DT_INT32 tensor_shape {dim {size: 2}} tensor_content: 'abcdefg'"),
            "tensor_content: expected 8 bytes for `int32[2]`, found 7");
  EXPECT_EQ(Text("dtype: DT_BOOL tensor_shape {dim {size: 1}} tensor_content: '\\002'"),
            "element 0: expected 0 or 1 for `bool`, found 2");
  EXPECT_EQ(Text("dtype: DT_STRING tensor_shape {dim {size: 2}} tensor_content: '\\001\\002ab'"),
            "tensor_content: expected 3 bytes after the lengths of 2 strings, found 2");
  EXPECT_EQ(Text("dtype: DT_STRING tensor_shape {dim {size: 3}} tensor_content: 'ab'"),
            "tensor_content: expected the lengths of 3 strings, found 2 bytes");
  EXPECT_EQ(Text("dtype: DT_STRING tensor_shape {dim {size: 1}} tensor_content: '\\377'"),
            "tensor_content: element 0: expected a length of at most 1 bytes, found an incomplete "
            "number");
}

TEST(TensorProtoTest, RejectsIntegersThatDoNotFit) {
  EXPECT_EQ(Text("dtype: DT_UINT8 tensor_shape {dim {size: 2}} int_val: [1, 300]"),
            "element 1: expected a `uint8`, found 300");
  EXPECT_EQ(Text("dtype: DT_INT8 tensor_shape {} int_val: -129"),
            "element 0: expected a `int8`, found -129");
  EXPECT_EQ(Text("dtype: DT_HALF tensor_shape {} half_val: 65536"),
            "element 0: expected a `float16`, found 65536");
}

// Fault 8.
TEST(TensorProtoTest, RejectsOtherDTypes) {
  EXPECT_EQ(Text("dtype: DT_INVALID"), "expected the number of a dtype, found 0");
  EXPECT_EQ(Text("dtype: DT_RESOURCE"), "unsupported dtype `DT_RESOURCE`");
  EXPECT_EQ(Text("dtype: DT_VARIANT"), "unsupported dtype `DT_VARIANT`");
  EXPECT_EQ(Text("dtype: DT_FLOAT_REF"), "unsupported dtype `DT_FLOAT_REF`");
  EXPECT_EQ(Text("dtype: DT_QINT8"), "unsupported dtype `DT_QINT8`");
  EXPECT_EQ(Read("dtype: DT_QINT8").status().code(), absl::StatusCode::kUnimplemented);
  // 77, which has no name.
  EXPECT_EQ(Text(ReadBytes("\x08\x4d", 2)), "expected the number of a dtype, found 77");
}

TEST(TensorProtoTest, ReadsConstantsOfGraphs) {
  auto read = [](const std::string& text) {
    Allowance allowance{Limits()};
    return Text(ConstantFromProto(Proto(text), allowance));
  };
  EXPECT_EQ(read("dtype: DT_FLOAT_REF tensor_shape {} float_val: 1"), "float32[] 1.0");
  EXPECT_EQ(read("dtype: DT_QUINT8 tensor_shape {} int_val: 200"), "uint8[] 200");
  EXPECT_EQ(read("dtype: DT_RESOURCE_REF"), "unsupported dtype `DT_RESOURCE_REF`");
}

TEST(TensorProtoTest, ReadsUnpackedAndSplitFields) {
  // float_val: 1 unpacked, 2 packed; int_val in two fields.
  EXPECT_EQ(Text(ReadBytes(std::string("\x08\x01\x12\x04\x12\x02\x08\x02"
                                       "\x2d\x00\x00\x80\x3f\x2a\x04\x00\x00\x00\x40",
                                       19),
                           19)),
            "float32[2] [1.0, 2.0]");
  EXPECT_EQ(Text(ReadBytes(
                std::string("\x08\x03\x12\x04\x12\x02\x08\x03\x38\x01\x3a\x02\x02\x03", 14), 14)),
            "int32[3] [1, 2, 3]");
  EXPECT_EQ(Text(ReadBytes(std::string("\x08\x01\x2a\x03\x00\x00\x00", 7), 7)),
            "expected packed numbers of 4 bytes, found 3 bytes");
}

TEST(TensorProtoTest, WritesWhatItReads) {
  for (const DTypeInfo& info : AllDTypes()) {
    for (const Shape& shape : {Shape{}, Shape{0, 2}, Shape{2, 3}}) {
      Tensor tensor;
      if (info.dtype == DType::kString) {
        std::vector<std::string_view> texts(static_cast<size_t>(shape.num_elements()), "a\0b");
        tensor = Tensor::Strings(shape, texts);
      } else {
        tensor = *Tensor::Allocate(info.dtype, shape);
        for (size_t i = 0; i < tensor.data().size(); ++i) {
          // 0xff is NaN for floats, and -1 for integers.
          const int byte = info.dtype == DType::kBool ? static_cast<int>(i % 2) : 0xff;
          tensor.data().mutable_data()[i] = static_cast<std::byte>(byte);
        }
      }
      const TensorProto proto = TensorToProto(tensor);
      EXPECT_TRUE(proto.tensor_content().empty());
      EXPECT_EQ(proto.dtype(), DataTypeOf(info.dtype));
      Allowance allowance{Limits()};
      auto again = TensorFromProto(proto, allowance);
      ASSERT_TRUE(again.ok()) << again.status();
      EXPECT_TRUE(SameTensor(*again, tensor)) << info.name << shape.ToString();
    }
  }
}

TEST(TensorProtoTest, BorrowsContent) {
  const std::string bytes =
      Proto("dtype: DT_UINT8 tensor_shape {dim {size: 4}} tensor_content: 'abcd'")
          .SerializeAsString();
  auto owner = std::make_shared<const std::string>(bytes);
  wire::Message message{.pieces = {std::as_bytes(std::span(*owner))}, .owner = owner};
  wire::WireSource source(message, Limits());
  auto tensor = ReadTensorProto(source, wire::WireCursor(source));
  ASSERT_TRUE(tensor.ok());
  const auto* data = reinterpret_cast<const char*>(tensor->data().data());
  EXPECT_TRUE(data >= owner->data() && data < owner->data() + owner->size());
}

}  // namespace
}  // namespace signet::tf
