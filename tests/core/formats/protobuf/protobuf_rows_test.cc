#include "core/formats/protobuf/protobuf_rows.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/formats/json/json.h"
#include "core/types/notation/notation.h"
#include "tests/core/formats/protobuf/proto_text.h"
#include "tests/support/memory_limit.h"

namespace signet {
namespace {

using testing::HasSubstr;

constexpr char kSchema[] = R"(
  syntax = "proto2";
  package t;
  message Any { optional string type_url = 1; optional bytes value = 2; }
  message Sub { required int32 x = 1; optional string s = 2; repeated int32 r = 3; }
  message Opt { optional int32 x = 1; repeated int32 r = 3; optional Opt next = 4;
                map<int32, int32> m = 5; optional Sub sub = 6; }
  message M {
    optional int32 a = 1;
    optional string s = 2;
    repeated int32 r = 3;
    optional Opt opt = 4;
    repeated Sub subs = 5;
    oneof one { int32 i = 6; string t = 7; Opt m = 8; }
    map<sint32, string> names = 9;
    map<string, Sub> parts = 10;
    repeated fixed32 fixed = 11;
    repeated group G = 12 { optional bool on = 1; }
    optional Any any = 13;
    repeated sint64 far = 2000 [packed = true];
    map<bool, Opt> flags = 14;
  }
)";

// One field: its tag and content.
std::string Varint(uint64_t value) {
  std::string out;
  while (value >= 0x80) {
    out += static_cast<char>(value | 0x80);
    value >>= 7;
  }
  return out + static_cast<char>(value);
}
std::string Int(int field, uint64_t value) {
  return Varint(static_cast<uint64_t>(field) << 3) + Varint(value);
}
std::string Bytes(int field, const std::string& bytes) {
  return Varint(static_cast<uint64_t>(field) << 3 | 2) + Varint(bytes.size()) + bytes;
}

class ProtobufRowsTest : public testing::Test {
 protected:
  StatusOr<Value> Read(const char* spec, const std::vector<std::string>& rows,
                       const ProtobufOptions& options = {}, const std::vector<bool>& needs = {}) {
    auto type = ParseTypeSpec(spec);
    EXPECT_TRUE(type.ok()) << type.status();
    std::vector<std::string_view> views(rows.begin(), rows.end());
    return ValueFromProtobufRows(views, *schema_, "t.M", *type, limits_, options, needs);
  }

  // Returns the value as JSON, or the error message.
  std::string Json(const char* spec, const std::vector<std::string>& rows,
                   const ProtobufOptions& options = {}) {
    auto value = Read(spec, rows, options);
    return value.ok() ? ValueToJson(*value) : std::string(MessageOf(value.status()));
  }

  const std::shared_ptr<const ProtobufSchema> schema_ =
      *ProtobufSchema::Parse(DescriptorSetOf(kSchema));
  Limits limits_;
};

TEST_F(ProtobufRowsTest, ReadsRows) {
  EXPECT_EQ(Json("[{a: int32[(?)], r: int32[(?)], s: string[(?)]}]",
                 {Int(1, 5) + Int(3, 1) + Bytes(2, "x") + Int(3, 2), "", Bytes(3, "\1\2\3")}),
            R"([{"a":[5],"r":[1,2],"s":["x"]},{"a":[],"r":[],"s":[]},)"
            R"({"a":[],"r":[1,2,3],"s":[]}])");
  EXPECT_EQ(Json("[{far: int64[(?)]}]", {Bytes(2000, Varint(1) + Varint(4))}),
            R"([{"far":[-1,2]}])");
  EXPECT_EQ(Json("[{a: int32[(?)]}]", {}), "[]");
  std::string_view nothing[] = {{}};
  auto value =
      ValueFromProtobufRows(nothing, *schema_, "t.M", *ParseTypeSpec("[{a: int32[(?)]}]"), limits_);
  ASSERT_TRUE(value.ok()) << value.status();
  EXPECT_EQ(ValueToJson(*value), R"([{"a":[]}])");
  // A value longer than what is copied at once, and one at the very end of the row.
  std::string longer(40, 'y');
  EXPECT_EQ(Json("[{s: string[(?)]}]", {Bytes(2, longer), Bytes(2, "z")}),
            R"([{"s":[")" + longer + R"("]},{"s":["z"]}])");
}

TEST_F(ProtobufRowsTest, MissingFieldsAreReadAsTheTypeDeclares) {
  // Left out of a message, and unknown to the message type.
  EXPECT_EQ(Json("[{s?: string[], a: int32[] = -1, z: float32[] = nan, y?: int8[]}]",
                 {Int(1, 5) + Bytes(2, "x"), ""}),
            R"([{"s":"x","a":5,"z":"NaN","y":null},{"s":null,"a":-1,"z":"NaN","y":null}])");
  EXPECT_EQ(Json("{a: int32[] = 3, z: int64[?] = [1, 2]}", {""}), R"({"a":3,"z":[1,2]})");
  // Within messages; a message that is not there.
  EXPECT_EQ(Json("[{subs: [{r: int32[(?)], n: int32[] = 4}], opt?: {q: int8[] = 1}}]",
                 {Bytes(5, Int(1, 1) + Bytes(3, "\1\2")), Bytes(4, "")}),
            R"([{"subs":[{"r":[1,2],"n":4}],"opt":null},{"subs":[],"opt":{"q":1}}])");
  EXPECT_EQ(Json("[{r?: int32[]}]", {""}),
            "`r`: it is repeated in the message, which fits `int32[(?)]`; the parameter has "
            "`int32[(?)]`");
  EXPECT_EQ(Json("[{z: int8[]}]", {""}).substr(0, 8), "`z`: no ");
}

TEST_F(ProtobufRowsTest, RejectsUnknownFieldsWhereAskedTo) {
  const std::string row = Int(1, 5) + Int(99, 1);
  EXPECT_EQ(Json("[{a: int32[(?)]}]", {row}), R"([{"a":[5]}])");
  limits_.reject_unknown_fields = true;
  EXPECT_EQ(Json("[{a: int32[(?)]}]", {Int(1, 5)}), R"([{"a":[5]}])");
  EXPECT_EQ(Json("[{a: int32[(?)]}]", {row}),
            "row 0, byte 2: expected a field of the parameter, found field number 99");
  EXPECT_EQ(Json("[{s: string[(?)]}]", {row}),
            "row 0, byte 0: expected a field of the parameter, found field number 1");
}

TEST_F(ProtobufRowsTest, ReadsUnderATypesShape) {
  EXPECT_EQ(Json("{a: int32[?]}", {Int(1, 5)}), R"({"a":[5]})");
  EXPECT_EQ(Json("{a: int32[?]}", {Int(1, 5), ""}),
            "expected one row for `{a: int32[?]}`, found 2");
  EXPECT_EQ(Json("[{r: int32[3]}]", {Bytes(3, "\1\2\3"), Bytes(3, "\4\5\6")}),
            R"([{"r":[1,2,3]},{"r":[4,5,6]}])");
  EXPECT_EQ(Json("[{r: int32[?]}]", {Bytes(3, "\1\2\3"), Bytes(3, "\4\5")}),
            "row 1: `r`: expected 3 elements, the same number as in the first row, found 2");
  EXPECT_EQ(Json("[{subs: [{r: int32[2]}]}]",
                 {Bytes(5, Int(1, 1) + Bytes(3, "\1\2")), "",
                  Bytes(5, Int(1, 1) + Bytes(3, "\1\2")) + Bytes(5, Int(1, 1))}),
            "row 2: `subs.r`: expected 2 elements, found 0");
  auto value = Read("[{r: int32[2]}]", {Bytes(3, "\1\2")});
  EXPECT_EQ(value->spec(), *ParseTypeSpec("{r: int32[2]}[1]"));
  EXPECT_EQ(Json("{a: int32[(?)]}[2]", {""}), "expected 2 rows for `{a: int32[(?)]}[2]`, found 1");
}

TEST_F(ProtobufRowsTest, TakesTheLastOfAScalar) {
  EXPECT_EQ(Json("[{a: int32[(?)], s: string[(?)]}]",
                 {Bytes(2, "longer") + Int(1, 1) + Int(1, 2) + Bytes(2, "x"), Bytes(2, "y")}),
            R"([{"a":[2],"s":["x"]},{"a":[],"s":["y"]}])");
}

TEST_F(ProtobufRowsTest, MergesSubMessages) {
  const char* spec =
      "[{opt: [{m: [{key: int32[], value: int32[]}], next: [{r: int32[(?)]}], r: int32[(?)], "
      "sub: [{s: string[(?)], x: int32[]}], x: int32[(?)]}]}]";
  std::string first = Int(1, 1) + Int(3, 1) + Bytes(4, Int(3, 7)) +
                      Bytes(5, Int(1, 2) + Int(2, 20)) + Bytes(6, Bytes(2, "s"));
  std::string second = Int(3, 2) + Int(1, 9) + Bytes(4, Int(3, 8)) +
                       Bytes(5, Int(1, 1) + Int(2, 10)) + Bytes(6, Int(1, 3));
  std::string merged =
      R"({"opt":[{"m":[{"key":1,"value":10},{"key":2,"value":20}],"next":[{"r":[7,8]}],)"
      R"("r":[1,2],"sub":[{"s":["s"],"x":3}],"x":[9]}]})";
  EXPECT_EQ(Json(spec, {Bytes(4, first) + Int(1, 5) + Bytes(4, second), Bytes(4, first + second)}),
            "[" + merged + "," + merged + "]");
  // What no copy brings is missing.
  EXPECT_EQ(Json(spec, {"", Bytes(4, first) + Bytes(4, "")}),
            "row 1: `opt.sub.x`: required, and not there");
}

TEST_F(ProtobufRowsTest, ClearsTheOtherMembersOfAOneof) {
  const char* spec = "[{i: int32[(?)], m: [{r: int32[(?)]}], t: string[(?)]}]";
  std::string message = Bytes(8, Bytes(3, "\1\2"));
  EXPECT_EQ(Json(spec, {Int(6, 1) + Bytes(7, "t"), Bytes(7, "t") + Int(6, 1), message + Int(6, 2),
                        Int(6, 3) + message, message + Bytes(7, "x") + Bytes(8, Bytes(3, "\3")),
                        message}),
            R"([{"i":[],"m":[],"t":["t"]},{"i":[1],"m":[],"t":[]},{"i":[2],"m":[],"t":[]},)"
            R"({"i":[],"m":[{"r":[1,2]}],"t":[]},{"i":[],"m":[{"r":[3]}],"t":[]},)"
            R"({"i":[],"m":[{"r":[1,2]}],"t":[]}])");
  // A member that is not read clears as well.
  EXPECT_EQ(Json("[{i: int32[(?)]}]", {Int(6, 1) + Bytes(7, "t")}), R"([{"i":[]}])");
  EXPECT_EQ(Json("[{m: [{r: int32[(?)]}]}]", {message + Int(6, 1), message}),
            R"([{"m":[]},{"m":[{"r":[1,2]}]}])");
}

TEST_F(ProtobufRowsTest, SortsMaps) {
  auto entry = [](int64_t key, const char* name) {
    auto bits = static_cast<uint64_t>(key);
    return Bytes(9, Int(1, bits << 1 ^ (key < 0 ? ~uint64_t{0} : 0)) + Bytes(2, name));
  };
  EXPECT_EQ(Json("[{names: [{key: int32[], value: string[]}]}]",
                 {entry(3, "c") + entry(-2, "a") + entry(3, "d") + entry(0, "b"),
                  Bytes(9, Bytes(2, "x")), entry(1, "") + Bytes(9, "")}),
            R"([{"names":[{"key":-2,"value":"a"},{"key":0,"value":"b"},{"key":3,"value":"d"}]},)"
            R"({"names":[{"key":0,"value":"x"}]},)"
            R"({"names":[{"key":0,"value":""},{"key":1,"value":""}]}])");
  EXPECT_EQ(
      Json("[{parts: [{key: string[], value: {r: int32[(?)], x: int32[]}}]}]",
           {Bytes(10, Bytes(1, "b") + Bytes(2, Int(1, 1))) +
            Bytes(10, Bytes(2, Int(1, 2) + Int(3, 4)) + Bytes(1, "a") + Bytes(2, Int(3, 5)))}),
      R"([{"parts":[{"key":"a","value":{"r":[4,5],"x":2}},)"
      R"({"key":"b","value":{"r":[],"x":1}}]}])");
  EXPECT_EQ(
      Json("[{parts: [{key: string[], value: {x: int32[]}}]}]", {"", Bytes(10, Bytes(1, "b"))}),
      "row 1: `parts.value.x`: required, and not there");
  EXPECT_EQ(Json("[{flags: [{key: bool[], value: {x: int32[(?)]}}]}]",
                 {Bytes(14, Int(1, 5)) + Bytes(14, "")}),
            R"([{"flags":[{"key":false,"value":{"x":[]}},{"key":true,"value":{"x":[]}}]}])");
}

TEST_F(ProtobufRowsTest, LooksUpKeys) {
  ProtobufOptions options;
  options.names["names[-2]"] = "two";
  options.names["parts[b]"] = "b";
  options.names["names[x]"] = "bad";
  std::string rows = Bytes(9, Int(1, 3) + Bytes(2, "old")) + Bytes(9, Int(1, 3) + Bytes(2, "new")) +
                     Bytes(10, Bytes(1, "b") + Bytes(2, Int(1, 7)));
  EXPECT_EQ(Json("[{b: [{x: int32[]}], names: [{value: string[]}], two: string[(?)]}]", {rows, ""},
                 options),
            R"([{"b":[{"x":7}],"names":[{"value":"new"}],"two":["new"]},)"
            R"({"b":[],"names":[],"two":[]}])");
  EXPECT_EQ(Json("[{bad: string[(?)]}]", {}, options),
            "`bad`: expected an int32 as key, found `x`");
}

TEST_F(ProtobufRowsTest, OpensAny) {
  ProtobufOptions options;
  options.names["(h/t.Sub)"] = "sub";
  options.names["(h/t.Opt)"] = "opt";
  auto any = [](const char* url, const std::string& value) {
    return Bytes(13, Bytes(1, url) + Bytes(2, value));
  };
  EXPECT_EQ(Json("[{any: [{opt: [{r: int32[(?)]}], sub: [{x: int32[]}], type_url: string[(?)]}]}]",
                 {any("a/t.Sub", Int(1, 4)), any("b/c/t.Opt", Int(3, 4)), any("t.Sub", ""),
                  any("a/t.Opt", Int(3, 1)) + any("a/t.Sub", Int(1, 2)), "",
                  Bytes(13, Bytes(1, "a/t.Opt"))},
                 options),
            R"([{"any":[{"opt":[],"sub":[{"x":4}],"type_url":["a/t.Sub"]}]},)"
            R"({"any":[{"opt":[{"r":[4]}],"sub":[],"type_url":["b/c/t.Opt"]}]},)"
            R"({"any":[{"opt":[],"sub":[],"type_url":["t.Sub"]}]},)"
            R"({"any":[{"opt":[],"sub":[{"x":2}],"type_url":["a/t.Sub"]}]},{"any":[]},)"
            R"({"any":[{"opt":[{"r":[]}],"sub":[],"type_url":["a/t.Opt"]}]}])");
  EXPECT_EQ(Json("[{any: [{sub: [{x: int32[]}]}]}]", {any("/t.Sub", "\x08")}, options),
            "row 0, byte 13: ends within a number");
}

TEST_F(ProtobufRowsTest, RejectsMalformedRows) {
  const char* spec =
      "[{a: int32[(?)], subs: [{x: int32[]}], r: int32[(?)], fixed: uint32[(?)], "
      "g: [{on: bool[(?)]}], names: [{key: int32[], value: string[]}]}]";
  struct Case {
    std::string row;
    const char* rejection;
  };
  const std::string endless(11, '\xff');
  const Case cases[] = {
      {"\x08", "byte 1: ends within a number"},
      {"\x08" + endless, "byte 1: a number of more than 10 bytes"},
      {endless, "byte 0: a number of more than 10 bytes"},
      {Varint(uint64_t{1} << 35 | 8), "byte 0: unknown tag 34359738376"},
      {std::string("\0\0", 2), "byte 0: expected a field number of at least 1, found 0"},
      {"\x0e", "byte 0: expected a wire type from 0 to 5, found 6"},
      {"\x2a\x05\x08\x01", "byte 1: expected a field of 5 bytes, found 2"},
      {"\x2a" + endless, "byte 1: a number of more than 10 bytes"},
      {"\x2a\x03\x08\x01\x08", "byte 5: ends within a number"},
      {"\x1a\x02\x01\x80", "byte 3: ends within a number"},
      {"\x5a\x03\x01\x01\x01", "byte 2: expected a multiple of 4 bytes of packed numbers, found 3"},
      {"\x5d\x01", "byte 1: ends within a field"},
      {"\x64", "byte 0: group 12 ends but did not begin"},
      {"\x63\x08\x01", "byte 1: group 12 has no end"},
      {"\x63\x6c", "byte 1: group 13 ends but did not begin"},
      {"\xf3\x07\x6c", "byte 2: group 13 ends but did not begin"},
      {"\xf3\x07", "byte 0: group 126 has no end"},
      {"\xf9\x07\x01", "byte 0: ends within a field"},
      {"\x4a\x01\x08", "byte 3: ends within a number"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.rejection);
    auto value = Read(spec, {"", c.row, ""});
    EXPECT_EQ(value.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(MessageOf(value.status()), Cat("row 1, ", c.rejection));
  }
  EXPECT_EQ(Json(spec, {Bytes(5, Int(1, 1)) + Bytes(5, "")}),
            "row 0: `subs.x`: required, and not there");
}

// No memory is taken for what is only claimed, and no stack for what is only nested.
TEST_F(ProtobufRowsTest, RejectsFalseSizes) {
  const char* spec =
      "[{s: string[(?)], r: int32[(?)], fixed: uint32[(?)], subs: [{x: int32[]}], "
      "opt: [{r: int32[(?)], next: [{r: int32[(?)]}]}], parts: [{key: string[], value: {x: "
      "int32[]}}], g: [{on: bool[(?)]}]}]";
  auto rejection = [&](const std::string& row) {
    MemoryLimit limit(uint64_t{64} << 20);
    auto value = Read(spec, {row});
    EXPECT_EQ(value.status().code(), absl::StatusCode::kInvalidArgument);
    return std::string(MessageOf(value.status()));
  };
  const std::pair<uint64_t, const char*> kSizes[] = {{uint64_t{1} << 31, "2147483648"},
                                                     {uint64_t{1} << 32, "4294967296"},
                                                     {UINT64_MAX, "18446744073709551615"}};
  for (const auto& [size, text] : kSizes) {
    for (int field : {2, 3, 4, 5, 9, 10, 11, 99}) {  // a text, packed, messages, maps, unknown
      std::string claim = Varint(static_cast<uint64_t>(field) << 3 | 2) + Varint(size) + "\x08";
      EXPECT_THAT(rejection(claim),
                  HasSubstr(Cat("expected a field of ", text, " bytes, found 1")));
      EXPECT_THAT(rejection(Bytes(4, claim)),
                  HasSubstr(Cat("expected a field of ", text, " bytes, found 1")));
    }
  }
  // Messages deeper than the type are not looked at; groups may be as deep as protobuf lets them.
  std::string messages;  // from the inside, back to front
  for (int i = 0; i < 50000; ++i) {
    std::string size = Varint(messages.size());
    messages.append(size.rbegin(), size.rend()) += '\x22';
  }
  std::reverse(messages.begin(), messages.end());
  EXPECT_TRUE(Read(spec, {messages}).ok());
  for (const char* start : {"\x7b", "\x63", "\x22\x7f\x7b"}) {
    std::string rejected = rejection(start + std::string(50000, '\x7b'));
    EXPECT_THAT(rejected, HasSubstr("row 0, byte "));
  }
  EXPECT_THAT(rejection(std::string(50000, '\x7b')), HasSubstr("groups nested more than 100 deep"));
  EXPECT_THAT(rejection(std::string(50000, '\x63')), HasSubstr("groups nested more than 100 deep"));
}

TEST_F(ProtobufRowsTest, SkipsTheUnknown) {
  const char* spec = "[{a: int32[(?)], g: [{on: bool[(?)]}]}]";
  std::string deep = std::string(100, '\x7b') + std::string(100, '\x7c');
  EXPECT_EQ(
      Json(spec, {Int(99, 5) + Bytes(98, "x") + "\x7b" + Int(1, 7) + "\x7c" + Int(1, 1),
                  Bytes(1, "x") + "\x0d" + "1234" + Int(1, 2), deep, "\x63\x08\x01\x64\x63\x64"}),
      R"([{"a":[1],"g":[]},{"a":[2],"g":[]},{"a":[],"g":[]},{"a":[],"g":[{"on":[true]},)"
      R"({"on":[]}]}])");
  EXPECT_EQ(Json(spec, {"\x7b" + deep + "\x7c"}),
            "row 0, byte 100: groups nested more than 100 deep");
}

TEST_F(ProtobufRowsTest, LeavesOutWhatNobodyReads) {
  const char* spec =
      "[{a: int32[(?)], i: int32[(?)], opt: [{r: int32[(?)]}], r: int32[2], "
      "subs: [{s: string[(?)], x: int32[]}], t: string[(?)]}]";
  std::vector<std::string> rows = {Int(1, 5) + Bytes(3, "\1\2") +
                                       Bytes(5, Int(1, 1) + Bytes(2, "s")) + Int(6, 1) +
                                       Bytes(7, "t"),
                                   Bytes(3, "\3\4") + Bytes(4, "broken\xff") + Int(6, 2)};
  auto type = ParseTypeSpec(spec);
  std::vector<std::string> names;
  for (const auto& component : ComponentsOf(*type)) names.push_back(component.name);
  auto read = [&](const std::vector<std::string>& wanted) {
    std::vector<bool> needs;
    for (const std::string& name : names) {
      needs.push_back(std::find(wanted.begin(), wanted.end(), name) != wanted.end());
    }
    auto value = Read(spec, rows, {}, needs);
    return value.ok() ? ValueToJson(*value) : std::string(MessageOf(value.status()));
  };
  std::string nothing = R"({"a":[],"i":[],"opt":[],"r":[0,0],"subs":[],"t":[]})";
  EXPECT_EQ(read({}), "[" + nothing + "," + nothing + "]");
  EXPECT_EQ(
      read({"subs.x.values", "a.row_splits_0"}),
      R"([{"a":[5],"i":[],"opt":[],"r":[0,0],"subs":[{"s":[],"x":1}],"t":[]},)" + nothing + "]");
  EXPECT_EQ(read({"r", "subs.row_splits_0"}),
            R"([{"a":[],"i":[],"opt":[],"r":[1,2],"subs":[{"s":[],"x":0}],"t":[]},)"
            R"({"a":[],"i":[],"opt":[],"r":[3,4],"subs":[],"t":[]}])");
  // Members of a oneof still clear one another.
  EXPECT_EQ(read({"i.values"}), R"([{"a":[],"i":[],"opt":[],"r":[0,0],"subs":[],"t":[]},)"
                                R"({"a":[],"i":[2],"opt":[],"r":[0,0],"subs":[],"t":[]}])");
}

// Read, and passed over: at the end of a row, and with more behind it.
TEST_F(ProtobufRowsTest, ReadsNumbersAndTextsOfEachLength) {
  for (int bits = 0; bits < 64; ++bits) {
    auto number = static_cast<int64_t>(uint64_t{1} << bits);
    uint64_t zigzag = static_cast<uint64_t>(number) << 1 ^ (bits == 63 ? ~uint64_t{0} : 0);
    std::string run = Bytes(2000, Varint(zigzag));
    std::string wanted = Cat("{\"far\":[", number, "]}");
    EXPECT_EQ(Json("[{far: int64[(?)]}]", {run, Int(1000, zigzag) + run, run + Int(1, zigzag)}),
              Cat("[", wanted, ",", wanted, ",", wanted, "]"));
  }
  for (size_t size :
       std::initializer_list<size_t>{0, 1, 15, 16, 17, 63, 64, 65, 127, 128, 300, 20000}) {
    std::string text(size, 'x');
    std::string wanted = Cat("{\"s\":[\"", text, "\"]}");
    EXPECT_EQ(Json("[{s: string[(?)]}]", {Bytes(2, text), Bytes(1000, text) + Bytes(2, text),
                                          Bytes(2, text) + Bytes(7, text)}),
              Cat("[", wanted, ",", wanted, ",", wanted, "]"));
  }
}

// Columns grow to what the first rows foretell, whether or not the rest is like them.
TEST_F(ProtobufRowsTest, ReadsRowsUnlikeTheFirst) {
  std::vector<std::string> rows(500, Bytes(2, "long text in the first rows"));
  for (int i = 0; i < 3000; ++i) rows.push_back(Bytes(3, std::string(100, '\1')));
  auto value = Read("[{r: int32[(?)], s: string[(?)]}]", rows);
  ASSERT_TRUE(value.ok()) << value.status();
  std::string text = ValueToJson(*value);
  EXPECT_EQ(std::count(text.begin(), text.end(), '1'), 300000);
  EXPECT_EQ(std::count(text.begin(), text.end(), 'f'), 500);
}

TEST_F(ProtobufRowsTest, KeepsTheLimitOfBytesToTheByte) {
  // Three rows: 12 bytes of numbers, 24 of where they end; 9 of text, 24 and 24 of where that ends.
  std::vector<std::string> rows(3, Int(1, 7) + Bytes(2, "abc"));
  limits_.expanded_bytes = 93;
  EXPECT_TRUE(Read("[{a: int32[(?)], s: string[(?)]}]", rows).ok());
  limits_.expanded_bytes = 92;
  EXPECT_EQ(Json("[{a: int32[(?)], s: string[(?)]}]", rows),
            "row 2: more than 92 bytes in columns, which is the limit (--max_expanded_bytes)");
  // What is replaced does not count.
  EXPECT_TRUE(Read("[{s: string[(?)]}]", {Bytes(2, std::string(60, 'x')) + Bytes(2, "abc")}).ok());
}

TEST_F(ProtobufRowsTest, KeepsLimits) {
  limits_.expanded_bytes = 64;
  EXPECT_EQ(Json("[{r: int32[(?)]}]", {Bytes(3, std::string(20, '\1'))}),
            "row 0: more than 64 bytes in columns, which is the limit (--max_expanded_bytes)");
  EXPECT_EQ(Json("[{subs: [{r: int32[(?)], x: int32[]}]}]",
                 {Bytes(5, Int(1, 1)) + Bytes(5, Int(1, 1)) + Bytes(5, Int(1, 1)) +
                  Bytes(5, Int(1, 1)) + Bytes(5, Int(1, 1)) + Bytes(5, Int(1, 1))}),
            "row 0: more than 64 bytes in columns, which is the limit (--max_expanded_bytes)");
  limits_ = Limits();
  limits_.tensor_elements = 2;
  EXPECT_EQ(Json("[{r: int32[(?)]}]", {Bytes(3, "\1\1\1")}),
            "`r`: 3 elements; the limit is 2 (--max_tensor_elements)");
  limits_ = Limits();
  limits_.rank = 1;
  EXPECT_EQ(Json("[{r: int32[(?)]}]", {}), "rank 2; the limit is 1 (--max_rank)");
}

}  // namespace
}  // namespace signet
