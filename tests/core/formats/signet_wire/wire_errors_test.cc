// Checks that values on the wire that are wrong or exceed a limit are rejected.

#include <algorithm>

#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include "core/formats/signet_wire/wire.h"
#include "core/values/builders/value_notation.h"
#include "signet/v1/service.pb.h"
#include "tests/support/memory_limit.h"

namespace signet::wire {
namespace {

using ::testing::HasSubstr;

struct Rejection {
  const char* value;    // a Value in protobuf's text format
  const char* message;  // part of the error message
  const char* field = "";
  absl::StatusCode code = absl::StatusCode::kInvalidArgument;
};

v1::Value ProtoOf(const std::string& text) {
  v1::Value value;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &value)) << text;
  return value;
}

std::string Varint(uint64_t number) {
  std::string out;
  for (; number >= 0x80; number >>= 7) out += static_cast<char>(number | 0x80);
  return out += static_cast<char>(number);
}
std::string SizeOf(std::string_view bytes) { return Varint(bytes.size()); }

constexpr Rejection kRejections[] = {
    // 1, 2: the size of the shape overflows, in elements or in bytes.
    {"tensor { dtype: DTYPE_BOOL shape: [16, 1152921504606846978] }",
     "`[16, 1152921504606846978]`"},
    {"tensor { dtype: DTYPE_FLOAT64 shape: [4, 1152921504606846976] }",
     "`[4, 1152921504606846976]`"},
    {"tensor { dtype: DTYPE_STRING shape: [4, 1152921504606846976] }",
     "`[4, 1152921504606846976]`"},
    {"tensor { dtype: DTYPE_FLOAT64 shape: [0, 4611686018427387904, 4] }", "4611686018427387904"},
    // 3: negative dimensions.
    {"tensor { dtype: DTYPE_INT8 shape: [2, -1] }", "-1"},
    {"ragged { values { dtype: DTYPE_INT8 shape: 0 } shape { dims: -2 } }",
     "dimension: expected at least 0, or -1 for an unknown size, found -2"},
    // 4: content of another size.
    {"tensor { dtype: DTYPE_FLOAT32 shape: [3, 4] data: '"
     "01234567890123456789012345678901234567890123"
     "' }",
     "expected 48 bytes of content for `float32[3, 4]`, found 44"},
    {"tensor { dtype: DTYPE_INT8 data: '' }", "expected 1 bytes of content for `int8[]`, found 0"},
    // 5: two forms at once, or the wrong one.
    {"tensor { dtype: DTYPE_INT8 strings: 'a' data: 'a' }",
     "expected data for a tensor of `int8`, found strings"},
    {"tensor { dtype: DTYPE_STRING strings: 'a' data: 'a' }", "mutually exclusive"},
    // 6: string offsets.
    {"tensor { dtype: DTYPE_STRING shape: 2 strings: 'a' }",
     "expected 2 strings for `string[2]`, found 1"},
    {"tensor { dtype: DTYPE_STRING shape: 0 strings: 'a' }",
     "expected 0 strings for `string[0]`, found 1"},
    {"tensor { dtype: DTYPE_STRING shape: 1 string_offsets: '\\000' }",
     "expected 16 bytes of string_offsets for `string[1]`, found 1"},
    {"tensor { dtype: DTYPE_STRING shape: 1 data: 'a' "
     "string_offsets: "
     "'\\000\\000\\000\\000\\000\\000\\000\\000\\002\\000\\000\\000\\000\\000\\000\\000' }",
     "string offsets end at 2; there are 1 bytes of text"},
    {"tensor { dtype: DTYPE_STRING shape: 1 data: 'a' "
     "string_offsets: "
     "'\\001\\000\\000\\000\\000\\000\\000\\000\\001\\000\\000\\000\\000\\000\\000\\000' }",
     "string offsets: expected 0 as the first, found 1"},
    {"tensor { dtype: DTYPE_STRING shape: 1 "
     "string_offsets: "
     "'\\000\\000\\000\\000\\000\\000\\000\\000\\377\\377\\377\\377\\377\\377\\377\\377' }",
     "string offsets decrease"},
    // 7: a huge shape, little content.
    {"tensor { dtype: DTYPE_INT8 shape: 4294967296 data: 'a' }",
     "4294967296 elements; the limit is", "", absl::StatusCode::kResourceExhausted},
    {"tensor { dtype: DTYPE_STRING shape: 4294967296 strings: 'a' }", "(--max_tensor_elements)", "",
     absl::StatusCode::kResourceExhausted},
    // 8: dtypes that do not exist.
    {"tensor { }", "no dtype"},
    {"tensor { dtype: 17 }", "unknown dtype 17; the last known dtype is 16"},
    {"type { tensor { dtype: 300 } }", "dtype 300"},
    // bools are read as such.
    {"tensor { dtype: DTYPE_BOOL shape: 2 data: '\\001\\002' }",
     "element 1: expected 0 or 1 for `bool`, found 2"},
    // 11: row splits.
    {"ragged { values { dtype: DTYPE_INT8 shape: 1 data: 'a' } "
     "row_splits { dtype: DTYPE_INT32 shape: 2 data: '\\001\\000\\000\\000\\001\\000\\000\\000' } "
     "}",
     "`row_splits_0`: expected 0 as the first entry, found 1", "row_splits_0"},
    {"ragged { values { dtype: DTYPE_INT8 shape: 1 data: 'a' } "
     "row_splits { dtype: DTYPE_INT32 shape: 3 "
     "data: '\\000\\000\\000\\000\\002\\000\\000\\000\\001\\000\\000\\000' } }",
     "decreases at row 1, from 2 to 1", "row_splits_0"},
    {"ragged { values { dtype: DTYPE_INT8 shape: 1 data: 'a' } "
     "row_splits { dtype: DTYPE_INT32 shape: 2 data: '\\000\\000\\000\\000\\002\\000\\000\\000' } "
     "}",
     "ends at 2; there are 1 values", "row_splits_0"},
    {"ragged { values { dtype: DTYPE_INT8 shape: 1 data: 'a' } row_splits { dtype: DTYPE_INT32 "
     "shape: 0 } }",
     "expected at least one entry, found none", "row_splits_0"},
    {"ragged { values { dtype: DTYPE_INT8 shape: 1 data: 'a' } "
     "row_splits { dtype: DTYPE_INT8 shape: 2 data: '\\000\\001' } }",
     "expected row splits of int32 or int64, found `int8`"},
    {"ragged { values { dtype: DTYPE_INT8 data: 'a' } row_splits { dtype: DTYPE_INT32 shape: 1 "
     "data: '\\000\\000\\000\\000' } }",
     "values: expected at least one dimension, found `int8[]`"},
    {"ragged { values { dtype: DTYPE_INT8 shape: 0 } shape { dims: [1, 0] } }",
     "expected 1 row_splits for values of rank 1 and shape `[1, 0]`, found 0"},
    {"ragged { }", "the ragged tensor has no values"},
    {"ragged { values { dtype: DTYPE_INT16 shape: 1 data: 'a' } }",
     "`values`: expected 2 bytes of content for `int16[1]`, found 1", "values"},
    {"ragged { values { dtype: DTYPE_INT8 shape: 2 data: 'ab' } "
     "row_splits { dtype: DTYPE_INT64 shape: 3 data: "
     "'\\000\\000\\000\\000\\000\\000\\000\\000\\377\\377\\377\\377\\377\\377\\377\\377\\002\\000\\"
     "000\\000\\000\\000\\000\\000' } }",
     "`row_splits_0`: decreases at row 0, from 0 to -1", "row_splits_0"},
    {"ragged { values { dtype: DTYPE_INT8 shape: 2 data: 'ab' } "
     "row_splits { dtype: DTYPE_INT64 shape: 3 data: "
     "'\\377\\377\\377\\377\\377\\377\\377\\377\\001\\000\\000\\000\\000\\000\\000\\000\\002\\000\\"
     "000\\000\\000\\000\\000\\000' } }",
     "`row_splits_0`: expected 0 as the first entry, found -1", "row_splits_0"},
    {"ragged { values { dtype: DTYPE_INT8 shape: 2 data: 'ab' } "
     "row_splits { dtype: DTYPE_INT64 shape: 3 data: "
     "'\\000\\000\\000\\000\\000\\000\\000\\000\\000\\000\\000\\000\\001\\000\\000\\000\\002\\000\\"
     "000\\000\\000\\000\\000\\000' } }",
     "decreases at row 1, from 4294967296 to 2", "row_splits_0"},
    {"ragged { values { dtype: DTYPE_INT8 shape: 2 data: 'ab' } "
     "row_splits { dtype: DTYPE_INT64 shape: 2 data: "
     "'\\000\\000\\000\\000\\000\\000\\000\\000\\001\\000\\000\\000\\000\\000\\000\\000' } }",
     "ends at 1; there are 2 values", "row_splits_0"},
    {"ragged { values { dtype: DTYPE_INT8 shape: 2 data: 'ab' } "
     "row_splits { dtype: DTYPE_INT64 shape: 3 data: "
     "'\\000\\000\\000\\000\\000\\000\\000\\000\\001\\000\\000\\000\\000\\000\\000\\000\\377\\377\\"
     "377\\377\\377\\377\\377\\177' } }",
     "ends at 9223372036854775807; there are 2 values", "row_splits_0"},
    {"structured { shape { dims: [-1, -1] } nrows: 2 "
     "row_splits { dtype: DTYPE_INT64 shape: 3 data: "
     "'\\000\\000\\000\\000\\000\\000\\000\\000\\377\\377\\377\\377\\377\\377\\377\\377\\002\\000\\"
     "000\\000\\000\\000\\000\\000' } "
     "fields { key: 'a' value { tensor { dtype: DTYPE_INT8 shape: [2, 1] data: 'ab' } } } }",
     "`row_splits_0`: decreases at row 0, from 0 to -1", "row_splits_0"},
    {"structured { shape { dims: [-1, -1] } nrows: 2 "
     "row_splits { dtype: DTYPE_INT64 shape: 3 data: "
     "'\\001\\000\\000\\000\\000\\000\\000\\000\\001\\000\\000\\000\\000\\000\\000\\000\\002\\000\\"
     "000\\000\\000\\000\\000\\000' } "
     "fields { key: 'a' value { tensor { dtype: DTYPE_INT8 shape: [2, 1] data: 'ab' } } } }",
     "`row_splits_0`: expected 0 as the first entry, found 1", "row_splits_0"},
    {"structured { shape { dims: [-1, -1] } nrows: 2 "
     "row_splits { dtype: DTYPE_INT64 shape: 2 data: "
     "'\\000\\000\\000\\000\\000\\000\\000\\000\\001\\000\\000\\000\\000\\000\\000\\000' } "
     "fields { key: 'a' value { tensor { dtype: DTYPE_INT8 shape: [2, 1] data: 'ab' } } } }",
     "`row_splits_0`: expected 2 rows, found 1", "row_splits_0"},
    {"structured { shape { dims: [-1, -1] } nrows: 2 "
     "row_splits { dtype: DTYPE_INT64 shape: 3 data: "
     "'\\000\\000\\000\\000\\000\\000\\000\\000\\001\\000\\000\\000\\000\\000\\000\\000\\000\\000\\"
     "000\\000\\001\\000\\000\\000' } "
     "fields { key: 'a' value { tensor { dtype: DTYPE_INT8 shape: [2, 1] data: 'ab' } } } }",
     "`row_splits_0`: row 1: expected 1 values, found 4294967295", "row_splits_0"},
    // 12: sparse tensors.
    {"sparse { indices { dtype: DTYPE_INT64 shape: [1, 1] data: "
     "'\\003\\000\\000\\000\\000\\000\\000\\000' } "
     "values { dtype: DTYPE_INT8 shape: 1 data: 'a' } "
     "dense_shape { dtype: DTYPE_INT64 shape: 1 data: '\\003\\000\\000\\000\\000\\000\\000\\000' } "
     "}",
     "row 0 has 3 for dimension 0, whose size is 3", "indices"},
    {"sparse { values { dtype: DTYPE_INT8 shape: 1 data: 'a' } }",
     "requires indices, values, and dense_shape"},
    // 13: structures.
    {"structured { shape { dims: 2 } nrows: 2 fields { key: 'a' value { tensor { dtype: DTYPE_INT8 "
     "shape: 3 "
     "data: 'abc' } } } }",
     "field `a`: expected the leading dimensions of its structure"},
    {"structured { shape { dims: -1 } nrows: 2 fields { key: 'a' value { tensor { dtype: "
     "DTYPE_INT8 shape: 3 "
     "data: 'abc' } } } }",
     "field `a`: expected the leading dimensions of its structure"},
    {"structured { fields { key: '' value { tensor { dtype: DTYPE_INT8 data: 'a' } } } }",
     "name of a field: expected a letter, then letters, digits, or underscores, found ``"},
    {"structured { fields { key: 'a\\000' value { tensor { dtype: DTYPE_INT8 data: 'a' } } } }",
     "letters, digits, or underscores, found `a\\x00`"},
    {"structured { fields { key: 'a' value { literal { int: 1 } } } }",
     "expected a tensor, a ragged tensor, or a structure", "a"},
    {"structured { shape { unknown_rank: true } }",
     "of the surrounding structure, found shape `[...]`"},
    {"structured { shape { dims: [1, -1] } nrows: 1 }",
     "expected 1 row_splits for a structure of shape `[1, ?]`, found 0"},
    {"structured { shape { dims: -1 } nrows: -1 }", "nrows: expected at least 0, found -1"},
    {"structured { shape { dims: 1 } nrows: 1 fields { key: 'a' value { structured { } } } }",
     "expected a structure with the 1 dimensions", "a"},
    // Nests.
    {"dict { items { key: 'a' value { list { elements { tensor { dtype: DTYPE_INT16 } } } } } }",
     "`a[0]`: expected 2 bytes of content for `int16[]`, found 0", "a[0]"},
    {"named_tuple { name: 'P' fields { name: 'x' value { literal { } } } fields { name: 'x' value "
     "{ literal { } } } }",
     "`x`"},
    {"extension { name: 'nodots' }", "nodots"},
    {"list { elements { } }", "`[0]`: no value", "[0]"},
    {"list { elements { encoded { format: JSON } } }", "as a whole argument", "[0]"},
    {"encoded { format: JSON }", "as a whole argument"},
    {"", "no value"},
    // Types.
    {"type { ragged { dtype: DTYPE_INT8 ragged_rank: 2000000000 shape { unknown_rank: true } } }",
     "(--max_rank)"},
    {"type { ragged { dtype: DTYPE_INT8 ragged_rank: -1 } }",
     "ragged rank: expected at least 0, found -1"},
    {"type { text: 'float32[2, , 3]' }", "column"},
    {"type { }", "no kind of type"},
    {"type { list { elements { any { } } } }", "expected a type without `any`"},
};

TEST(WireErrorsTest, RejectsHostileValues) {
  for (const Rejection& row : kRejections) {
    SCOPED_TRACE(row.value);
    v1::Value proto = ProtoOf(row.value);
    MemoryLimit limit(uint64_t{64} << 20);
    auto value = ValueFromProto(proto, Limits());
    ASSERT_FALSE(value.ok()) << ToString(*value);
    EXPECT_EQ(value.status().code(), row.code) << value.status();
    EXPECT_THAT(std::string(MessageOf(value.status())), HasSubstr(row.message));
    EXPECT_EQ(FieldOf(value.status()), row.field);
  }
}

TEST(WireErrorsTest, RejectsAFieldThatComesTwice) {
  // Two map entries with one key, which protobuf's own classes cannot hold.
  auto field = ProtoOf(
      "structured { fields { key: 'a' value { tensor { dtype: DTYPE_INT8 data: 'a' } } } }");
  std::string entry = field.structured().SerializeAsString();
  std::string bytes = "\x22" + std::string(1, static_cast<char>(2 * entry.size())) + entry + entry;
  EXPECT_THAT(std::string(MessageOf(ParseValue(bytes, Limits()).status())), HasSubstr("`a`"));
}

TEST(WireErrorsTest, NamesTheArgument) {
  v1::CallRequest request;
  *request.add_args() = ProtoOf("literal { }");
  *request.add_args() =
      ProtoOf("dict { items { key: 'ids' value { tensor { dtype: DTYPE_INT8 } } } }");
  auto bytes = request.SerializeAsString();
  auto call = ParseCallRequest({{std::as_bytes(std::span(bytes))}, nullptr}, Limits());
  EXPECT_EQ(MessageOf(call.status()),
            "argument `args[1].ids`: expected 1 bytes of content for `int8[]`, found 0");
  EXPECT_EQ(FieldOf(call.status()), "args[1].ids");

  request.Clear();
  request.add_kwargs()->set_name("scale");
  *request.mutable_kwargs(0)->mutable_value() = ProtoOf(
      "ragged { values { dtype: DTYPE_INT8 shape: 0 } row_splits { dtype: DTYPE_INT32 shape: 0 } "
      "}");
  bytes = request.SerializeAsString();
  call = ParseCallRequest({{std::as_bytes(std::span(bytes))}, nullptr}, Limits());
  EXPECT_EQ(FieldOf(call.status()), "scale.row_splits_0");
  EXPECT_THAT(std::string(MessageOf(call.status())),
              HasSubstr("argument `scale`: `row_splits_0`: "));
}

TEST(WireErrorsTest, HoldsRankDepthAndNames) {
  std::string high = "tensor { dtype: DTYPE_INT8 ";
  for (int i = 0; i < 255; ++i) high += "shape: 1 ";
  EXPECT_THAT(std::string(MessageOf(ValueFromProto(ProtoOf(high + "}"), Limits()).status())),
              HasSubstr("--max_rank"));

  // 50,000 deep, built from the inside and back to front, for text format would not read it.
  for (char step : {'\x32', '\x3a', '\x22'}) {  // list, tuple, structured
    std::string bytes("\0\x2a", 2);             // a literal: none
    auto wrap = [&](char tag) {
      std::string size = SizeOf(bytes);
      bytes.append(size.rbegin(), size.rend()) += tag;
    };
    for (int i = 0; i < 50000; ++i) {
      if (step == '\x22') {
        wrap('\x12');          // value of the map entry
        bytes += "a\x01\x0a";  // its key
        wrap('\x22');          // fields
      } else {
        wrap('\x0a');  // elements
      }
      wrap(step);
    }
    std::reverse(bytes.begin(), bytes.end());
    MemoryLimit limit(uint64_t{64} << 20);
    auto value = ParseValue(bytes, Limits());
    EXPECT_EQ(value.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(MessageOf(value.status())), HasSubstr("--max_nesting_depth"));
  }

  std::string many = "list { ";
  for (int i = 0; i < 5000; ++i) many += "elements { literal { } } ";
  EXPECT_THAT(std::string(MessageOf(ValueFromProto(ProtoOf(many + "}"), Limits()).status())),
              HasSubstr("--max_names"));

  std::string long_type = "list(";
  for (int i = 0; i < 5000; ++i) long_type += "1, ";
  v1::TypeSpec type;
  type.set_text(long_type + "1)");
  EXPECT_THAT(std::string(MessageOf(TypeFromProto(type, Limits()).status())),
              HasSubstr("--max_names"));
  type.set_text(std::string(100000, '['));
  EXPECT_FALSE(TypeFromProto(type, Limits()).ok());

  std::string long_name =
      "dict { items { key: '" + std::string(300, 'a') + "' value { literal { } } } }";
  EXPECT_THAT(std::string(MessageOf(ValueFromProto(ProtoOf(long_name), Limits()).status())),
              HasSubstr("at most 256"));
}

TEST(WireErrorsTest, HoldsBytes) {
  Limits limits;
  limits.expanded_bytes = 64;
  v1::Value value;
  value.mutable_tensor()->set_dtype(v1::DTYPE_STRING);
  value.mutable_tensor()->add_shape(7);
  for (int i = 0; i < 7; ++i) value.mutable_tensor()->add_strings("");
  EXPECT_TRUE(ValueFromProto(value, limits).ok());  // 8 offsets
  value.mutable_tensor()->set_shape(0, 8);
  value.mutable_tensor()->add_strings("");
  auto rejected = ValueFromProto(value, limits);
  EXPECT_EQ(rejected.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(MessageOf(rejected.status())), HasSubstr("--max_expanded_bytes"));

  limits = Limits();
  limits.message_bytes = 10;
  rejected = ParseValue(std::string(11, '\0'), limits);
  EXPECT_EQ(rejected.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(MessageOf(rejected.status())), HasSubstr("--max_message_bytes"));
}

// Sizes that are only claimed, by each field that has one, take no memory.
TEST(WireErrorsTest, RejectsSizesThatExceedTheMessage) {
  const std::string_view kPaths[] = {
      "\x0a",              // tensor
      "\x0a\x1a",          // its data
      "\x12\x0a\x1a",      // ragged: values: data
      "\x12\x12\x1a",      // row splits: data
      "\x1a\x0a\x1a",      // sparse: indices: data
      "\x22\x22\x12\x0a",  // structured: fields: value: tensor
      "\x32\x0a\x0a\x1a",  // list: elements: tensor: data
      "\x0a\x22",          // strings
      "\x0a\x2a",          // string offsets
      "\x7a",              // of no known field
  };
  for (std::string_view path : kPaths) {
    for (uint64_t size : {uint64_t{1} << 31, uint64_t{1} << 32, UINT64_MAX >> 1, UINT64_MAX}) {
      std::string bytes = std::string(1, path.back()) + Varint(size) + "1234";
      for (size_t i = path.size() - 1; i-- > 0;) {
        bytes = std::string(1, path[i]) + SizeOf(bytes) + bytes;
      }
      SCOPED_TRACE(testing::PrintToString(bytes));
      MemoryLimit limit(uint64_t{64} << 20);
      Status rejected = ParseValue(bytes, Limits()).status();
      EXPECT_EQ(rejected.code(), absl::StatusCode::kInvalidArgument);
      EXPECT_THAT(std::string(MessageOf(rejected)),
                  HasSubstr(Cat("expected a field of ", size, " bytes, found 4")));
    }
  }
}

TEST(WireErrorsTest, RejectsBrokenEncodings) {
  const struct {
    std::string bytes;
    const char* message;
  } rows[] = {
      {"\x0a", "ends within a field"},
      {"\x0a\x05", "expected a field of 5 bytes, found 0"},
      {std::string(11, '\xff'), "a number of more than 10 bytes"},
      {std::string("\0\0", 2), "tag 0"},
      {"\x0c", "the end of a group that is not open"},
      {std::string("\xf3\x01", 2), "ends within a group"},
      {std::string("\xf3\x01\xec\x01", 4), "the end of a group that is not open"},
      {"\x0f", "tag 15"},
      {"\x32\x02\x0a\x7f", "byte 3 of the message: expected a field of 127 bytes, found 0"},
      {"\x42\x07\x0a\x05\x0a\x03"
       "a\xff"
       "b",
       "text that is not UTF-8"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.message);
    auto value = ParseValue(row.bytes, Limits());
    EXPECT_EQ(value.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(MessageOf(value.status())), HasSubstr(row.message));
  }
  std::string groups;
  for (int i = 0; i < 50000; ++i) groups += "\xf3\x01";
  EXPECT_THAT(std::string(MessageOf(ParseValue(groups, Limits()).status())),
              HasSubstr("groups nested deeper"));
}

}  // namespace
}  // namespace signet::wire
