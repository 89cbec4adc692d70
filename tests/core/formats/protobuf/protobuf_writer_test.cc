#include "core/formats/protobuf/protobuf_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/formats/json/json.h"
#include "core/formats/protobuf/protobuf_rows.h"
#include "core/types/notation/notation.h"
#include "core/values/builders/value_notation.h"
#include "tests/core/formats/protobuf/proto_text.h"

namespace signet {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class ProtobufWriterTest : public testing::Test {
 protected:
  StatusOr<std::vector<std::string>> Write(const char* schema, const char* notation) {
    schema_ = *ProtobufSchema::Parse(DescriptorSetOf(schema));
    auto value = ParseValue(notation);
    EXPECT_TRUE(value.ok()) << value.status();
    return ProtobufRowsFromValue(*value, *schema_, "M", Limits());
  }
  std::string Rejection(const char* schema, const char* notation) {
    return std::string(MessageOf(Write(schema, notation).status()));
  }

  std::shared_ptr<const ProtobufSchema> schema_;
};

TEST_F(ProtobufWriterTest, WritesTheWireFormat) {
  const char* const kSchema = R"(
    syntax = "proto3";
    message M { int32 a = 1; string s = 2; repeated sint64 r = 3; optional int32 o = 4;
                repeated fixed32 u = 5 [packed = false]; map<string, double> m = 6; }
  )";
  auto rows = Write(kSchema,
                    "[{a: int32[], s: string[], r: int64[(?)], o: int32[(?)], u: uint32[(?)], m: "
                    "[{key: string[], value: float64[]}]}] "
                    "[{a: -1, s: \"x\", r: [-1, 1], o: [0], u: [7, 8], m: [{key: \"k\", value: "
                    "1}]}, {a: 0, s: \"\", r: [], o: [], u: [], m: []}]");
  ASSERT_TRUE(rows.ok()) << rows.status();
  // Fields come in the order of their names.
  EXPECT_THAT(*rows, ElementsAre(std::string("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"
                                             "\x32\x0c\x0a\x01k\x11\0\0\0\0\0\0\xf0\x3f"
                                             "\x20\0"
                                             "\x1a\x02\x01\x02"
                                             "\x12\x01x"
                                             "\x2d\x07\0\0\0\x2d\x08\0\0\0",
                                             44),
                                 ""));
}

TEST_F(ProtobufWriterTest, RowsGoThereAndBack) {
  const char* const kSchema = R"(
    syntax = "proto2";
    message Sub { required int32 x = 1; optional string s = 2; repeated int32 r = 3; }
    enum Color { RED = 0; BLUE = 1; }
    message M {
      required int64 id = 1;
      optional uint64 big = 2;
      repeated sint32 zigzag = 3 [packed = true];
      oneof one { bool b = 4; Sub sub = 5; }
      repeated Sub subs = 6;
      map<sint32, Sub> parts = 7;
      repeated group G = 8 { optional double d = 1; }
      optional Color color = 9;
      repeated bool flags = 10 [packed = true];
      optional bytes raw = 11;
      optional float f = 12;
      repeated sfixed64 far = 2000;
    }
  )";
  auto value = ParseValue(
      "[{id: int64[], big: uint64[(?)], zigzag: int32[(?)], b: bool[(?)], "
      "sub: [{x: int32[], s: string[(?)], r: int32[(?)]}], subs: [{x: int32[], r: int32[(?)]}], "
      "parts: [{key: int32[], value: {x: int32[]}}], g: [{d: float64[(?)]}], color: int32[(?)], "
      "flags: bool[(?)], raw: string[(?)], f: float32[(?)], far: int64[(?)]}] "
      "[{id: -5, big: [18446744073709551615], zigzag: [-1, 2147483647, -2147483648], b: [], sub: "
      "[{x: 1, s: [\"a\"], r: [1, 2]}], subs: [{x: 1, r: []}, {x: 2, r: [3]}], parts: [{key: -2, "
      "value: {x: 4}}], g: [{d: [0.5]}, {d: []}], color: [1], flags: [true, false], raw: "
      "[\"\\xff\"], f: [-0.0], far: [-7]}, {id: 0, big: [], zigzag: [], b: [true], sub: [], subs: "
      "[], parts: [], g: [], color: [], flags: [], raw: [], f: [], far: []}]");
  ASSERT_TRUE(value.ok()) << value.status();
  schema_ = *ProtobufSchema::Parse(DescriptorSetOf(kSchema));
  auto rows = ProtobufRowsFromValue(*value, *schema_, "M", Limits());
  ASSERT_TRUE(rows.ok()) << rows.status();
  std::vector<std::string_view> views(rows->begin(), rows->end());
  auto read = ValueFromProtobufRows(views, *schema_, "M", value->spec(), Limits());
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(ValueToJson(*read), ValueToJson(*value));
}

TEST_F(ProtobufWriterTest, OptionalFieldsAreThereOrNot) {
  const char* const kSchema =
      "message S { optional int32 x = 1; } "
      "message M { optional int32 a = 1; optional string s = 2; optional S sub = 3; }";
  EXPECT_EQ(*Write(kSchema,
                   "[{s?: string[], a?: int32[], sub?: {x?: int32[]}}] "
                   "[{s: \"x\", a: None, sub: {x: 7}}, {s: None, a: 0, sub: None}]"),
            *Write(kSchema,
                   "[{s: string[(?)], a: int32[(?)], sub: [{x: int32[(?)]}]}] "
                   "[{s: [\"x\"], a: [], sub: [{x: [7]}]}, {s: [], a: [0], sub: []}]"));
  // What the message cannot hold is rejected.
  EXPECT_THAT(Rejection(kSchema, "[{z?: int32[]}] [{z: 1}]"), HasSubstr("`z`: no field `z`"));
}

TEST_F(ProtobufWriterTest, ColumnsOfADictAreRows) {
  const char* const kSchema =
      "syntax = \"proto3\"; message M { int32 a = 1; repeated int32 r = 2; }";
  EXPECT_EQ(*Write(kSchema, "dict(a: int32[2], r: ragged int32[2, (?)]) {a: [1, 2], r: [[], [3]]}"),
            *Write(kSchema, "[{a: int32[], r: int32[(?)]}] [{a: 1, r: []}, {a: 2, r: [3]}]"));
  EXPECT_THAT(Rejection(kSchema, "dict(a: int32[1], r: int32[2, 1]) {a: [1], r: [[1], [2]]}"),
              HasSubstr("`r`"));
}

TEST_F(ProtobufWriterTest, WritesNoMoreThanTheLimit) {
  schema_ = *ProtobufSchema::Parse(DescriptorSetOf("message M { optional int32 a = 1; }"));
  auto rows_of = [&](int64_t count, int64_t limit) {
    Limits limits;
    limits.message_bytes = limit;
    Value value = *MakeValue(*ParseTypeSpec("{}[?]"), {Tensor::Scalar(count)});
    return ProtobufRowsFromValue(value, *schema_, "M", limits);
  };
  EXPECT_TRUE(rows_of(10, 10).ok());
  auto rejected = rows_of(1'000'000'000'000'000, 10);
  EXPECT_EQ(std::string(rejected.status().message()),
            "row 10: more than 10 bytes of messages; that is the limit (--max_message_bytes)");
}

TEST_F(ProtobufWriterTest, Rejects) {
  const char* const kSchema = R"(
    syntax = "proto2";
    message M { required int32 id = 1; optional int32 o = 2; oneof one { bool b = 3; bool c = 4; }
                optional string s = 5; }
  )";
  EXPECT_EQ(Rejection(kSchema, "[{o: int32[(?)]}] []"),
            "`id`: the message requires this field, but the structure does not have it");
  EXPECT_EQ(
      Rejection(kSchema, "[{id: int32[], o: int32[(?)]}] [{id: 1, o: []}, {id: 2, o: [1, 2]}]"),
      "row 1: `o`: expected at most one value, found several");
  EXPECT_EQ(
      Rejection(kSchema,
                "[{id: int32[], b: bool[(?)], c: bool[(?)]}] [{id: 1, b: [true], c: [true]}]"),
      "row 0: `c`: another member of the oneof `one` has a value too");
  EXPECT_EQ(Rejection(kSchema, "[{id: int32[], s: string[(?)]}] [{id: 1, s: [\"\\xff\"]}]"),
            "row 0: `s`: expected UTF-8 text for a `string` field, found other bytes");
  EXPECT_EQ(Rejection(kSchema, "float32[1] [1]"),
            "expected a structure of rank 0 or 1 to write as messages, found `float32[1]`");
  EXPECT_THAT(Rejection(kSchema, "[{id: int64[]}] []"), HasSubstr("id"));
  EXPECT_THAT(Rejection(kSchema, "[{id: int32[], nothing: int32[]}] []"), HasSubstr("nothing"));
}

}  // namespace
}  // namespace signet
