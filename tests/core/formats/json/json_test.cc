#include "core/formats/json/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/formats/json/json_events.h"
#include "core/types/notation/notation.h"
#include "core/values/builders/value_notation.h"
#include "signet/record_spec.h"
#include "tests/properties/values_random.h"

namespace signet {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TypeSpec SpecOf(const char* notation) {
  return std::string_view(notation).empty() ? TypeSpec() : *ParseTypeSpec(notation);
}

struct Accepted {
  const char* type;  // empty: untyped
  const char* json;
  const char* value;  // in the notation
};

constexpr Accepted kAccepted[] = {
    {"float32[2]", "[1, 2.5]", "float32[2] [1.0, 2.5]"},
    {"float32[2, ?]", " [[1,2],[3,4]] ", "float32[2, 2] [[1.0, 2.0], [3.0, 4.0]]"},
    {"float32[?, 3]", "[]", "float32[0, 3] []"},
    {"float64[]", "\"NaN\"", "float64[] nan"},
    {"float64[2]", "[\"Infinity\", \"-Infinity\"]", "float64[2] [inf, -inf]"},
    {"float64[]", "1e-999", "float64[] 0.0"},
    {"float64[]", "100000000000000000000", "float64[] 1e+20"},
    {"float64[2]", "[-0, -0.0]", "float64[2] [-0.0, -0.0]"},
    {"int64[]", "-0", "int64[] 0"},
    {"int64[2]", "[9223372036854775807, -9223372036854775808]",
     "int64[2] [9223372036854775807, -9223372036854775808]"},
    {"uint64[]", "18446744073709551615", "uint64[] 18446744073709551615"},
    {"bool[2]", "[true, false]", "bool[2] [true, false]"},
    {"complex64[2]", "[1, [2, -1.5]]", "complex64[2] [[1.0, 0.0], [2.0, -1.5]]"},
    {"string[2]", "[\"a\\u0000\\ud83d\\ude00\", {\"b64\": \"/w==\"}]",
     "string[2] [\"a\\x00\xf0\x9f\x98\x80\", \"\\xff\"]"},
    {"ragged int64[?, (?)]", "[[1], [], [2, 3]]", "ragged int64[3, (?)] [[1], [], [2, 3]]"},
    {"[{ids: int64[(?)], t: string[]}]", "[{\"t\": \"x\", \"ids\": [1]}]",
     "{ids: int64[(?)], t: string[]}[1] [{ids: [1], t: \"x\"}]"},
    {"{b64: string[]}", "{\"b64\": \"a\"}", "{b64: string[]} {b64: \"a\"}"},
    {"[{a: int64[]}]", "\xef\xbb\xbf{\"a\": [1]}", "{a: int64[]}[1] [{a: 1}]"},
    {"",
     "\xef\xbb\xbf"
     "1",
     "1"},
    {"", "1", "1"},
    {"", "-0", "0"},
    {"", "1.0", "1.0"},
    {"", "18446744073709551615", "18446744073709551615"},
    {"", "null", "None"},
    {"", "[1, \"a\", {\"k\": true}]", "list(1, \"a\", dict(k: True)) [1, \"a\", {k: true}]"},
    {"", "{\"b64\": \"/w==\"}", "\"\\xff\""},
    {"", "{\"b64\": \"/w==\", \"x\": 1}", "dict(b64: \"/w==\", x: 1) {b64: \"/w==\", x: 1}"},
    {"", "{\"b64\": 1}", "dict(b64: 1) {b64: 1}"},
    {"", "{}", "dict() {}"},
    {"string[]", "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\u20ac\"",
     "string[] \"\\\"\\\\/\\x08\\x0c\\n\\x0d\\t\xc3\xa9\xe2\x82\xac\""},
    {"{a: int64[]}", "{\"\\u0061\": 1}", "{a: int64[]} {a: 1}"},
};

TEST(JsonTest, ReadsUnderTypes) {
  for (const Accepted& row : kAccepted) {
    SCOPED_TRACE(row.json);
    auto value = ValueFromJson(row.json, SpecOf(row.type), Limits());
    ASSERT_TRUE(value.ok()) << value.status();
    auto expected = ParseValue(row.value);
    ASSERT_TRUE(expected.ok()) << expected.status();
    EXPECT_EQ(ToString(*value), ToString(*expected));
  }
}

TEST(JsonTest, ReadsKeysThatAreNotWrittenAsTheyAre) {
  TypeSpec number = SpecOf("int64[]");
  for (const auto& [key, written] : std::initializer_list<std::pair<const char*, const char*>>{
           {"a\\", R"("a\\")"}, {"a\\n", R"("a\\n")"}, {"\"", R"("\"")"}, {"\n", R"("\n")"}}) {
    TypeSpec spec = *MakeDictType({{key, number}});
    EXPECT_TRUE(ValueFromJson(Cat("{", written, ": 1}"), spec, Limits()).ok()) << written;
    EXPECT_FALSE(ValueFromJson(Cat("{\"", key, "\": 1}"), spec, Limits()).ok()) << key;
  }
  TypeSpec spec = *MakeDictType({{"a\": 1, \"b", number}});
  EXPECT_FALSE(ValueFromJson(R"({"a": 1, "b": 2})", spec, Limits()).ok());
}

struct Rejected {
  const char* type;
  const char* json;
  const char* message;
  absl::StatusCode code = absl::StatusCode::kInvalidArgument;
  const char* field = "";
};

constexpr absl::StatusCode kOutOfRange = absl::StatusCode::kOutOfRange;
constexpr absl::StatusCode kInvalid = absl::StatusCode::kInvalidArgument;

constexpr Rejected kRejected[] = {
    {"int64[]", "9223372036854775808", "", kOutOfRange},
    {"uint64[]", "18446744073709551616", "integers have at most 64 bits", kOutOfRange},
    {"", "18446744073709551616", "integers have at most 64 bits", kOutOfRange},
    {"float64[]", "1e999", "`1e999`", kOutOfRange},
    {"float64[]", "-1e999", "`-1e999`", kOutOfRange},
    {"", "1e999", "`1e999`", kOutOfRange},
    {"float32[]", "1e39", "", kOutOfRange},
    {"int32[]", "1.0", "int32"},
    {"float64[]", "NaN", "byte 0: expected a JSON value, found `NaN`; write \"NaN\""},
    {"float32[]", "-inf", "expected a JSON value, found `-inf`; write \"-Infinity\""},
    {"int64[]", "NaN", "byte 0: expected a JSON value, found `NaN`"},
    {"float64[]", "Infinity", "byte 0"},
    {"int64[]", "\"NaN\"", "int64"},
    {"float64[]", "01", "`01`"},
    {"float64[]", "1.", "`1.`"},
    {"float64[]", "+1", "byte 0"},
    {"float64[]", ".5", "byte 0"},
    {"float64[]", "1e", "`1e`"},
    {"float64[]", "0x1", "`0x1`"},
    {"float64[]", "-", "`-`"},
    {"float64[]", "nul", "`nul`"},
    {"bool[]", "truex", "`truex`"},
    {"int64[]", "", "empty text"},
    {"int64[]", "  ", "empty text"},
    {"int64[]", "1 2", "byte 2"},
    {"int64[]", "1, 2", "byte 1: expected one JSON value, found more text after its end"},
    {"int64[]", "1]", "found more text after its end"},
    {"int64[1]", "[1", "byte 2: `[1]`: expected `,` or `]`, found the end of the text", kInvalid,
     "[1]"},
    {"int64[1]", "[1,]", "byte 3: `[1]`: expected a JSON value, found `]`", kInvalid, "[1]"},
    {"int64[2]", "[1 2]", "byte 3: `[1]`: expected `,` or `]`, found `2`", kInvalid, "[1]"},
    {"int64[2]", "[1;2]", "byte 1: `[0]`: expected a JSON value, found `1;2`", kInvalid, "[0]"},
    {"", "{\"a\" 1}", "byte 5: expected `:`, found `1`"},
    {"", "\xef\xbb\xbf{\"a\" 1}", "byte 8: expected `:`, found `1`"},
    {"", "\xef\xbb\xbf", "empty text"},
    {"", "{\"a\": 1,}", "byte 8: expected a key in quotation marks, found `}`"},
    {"", "{\"a\": 1", "byte 7: expected `,` or `}`, found the end of the text"},
    {"", "{1: 2}", "byte 1: expected a key in quotation marks, found `1`"},
    {"", "[1}", "byte 2: `[1]`: expected `,` or `]`, found `}`", kInvalid, "[1]"},
    {"", "\"abc", "byte 0: expected `\"` at the end of a text"},
    {"", "\"\\ud800\"", "lone surrogate"},
    {"", "\"\\x\"", "broken escape"},
    {"", "[\"a\nb\"]", "byte 3: text contains an unescaped control character"},
    {"", "[\"\\\"\", \"b]", "byte 7: expected `\"` at the end of a text"},
    {"", "[\"\xc3\xa9\xff\"]", "byte 4: text that is not UTF-8"},
    {"", "\"\xe2\x82\"", "byte 1: text that is not UTF-8"},
    {"", "[\"a\", \"a\nb\"]", "byte 8: text contains an unescaped control character"},
    {"", "\"abc\xc3\xa9\xe2\x82 \"", "byte 6: text that is not UTF-8"},
    {"", "[1]\xc3", "byte 3: text that is not UTF-8"},
    {"", "[1]\xc3\xa9", "byte 4: expected JSON, found other text"},
    {"", "{\"a\": 1, \"a\": 2}", "`a`"},
    {"{a: int64[]}", "{\"a\": 1, \"a\": 2}", "duplicate key `a`"},
    {"{a: int64[]}", "{}", "no key `a`"},
    {"{a: int64[]}", "{\"b\": 1}", "no key `a`; unknown key: `b`"},
    {"[{price: int64[], n: int64[]}]", "[{\"n\": 1, \"prise\": 2}]",
     "no key `price`; the key `prise` is unknown: did you mean `price`?", kInvalid, "[0]"},
    {"[{name: string[]}]", "{\"name\": \"x\"}",
     "an object instead of a list of records has columns; write `[{...}]` for one record", kInvalid,
     "name"},
    {"[{title: int64[]}]", "[{\"tittle\": 1, \"title\": 1}, {\"t\": 2}]",
     "no key `title`; unknown key: `t`", kInvalid, "[1]"},
    {"{a: int64[]}", "{\"a\": null}", "byte 6: `a`: ", kInvalid, "a"},
    {"{a: string[]}", "{\"a\": null}", "as `x: string[] = \"\"` does", kInvalid, "a"},
    {"float32[?, 1]", "[[null]]", "write \"NaN\" to send a float that is missing", kInvalid,
     "[0][0]"},
    {"[{a: int64[]}]", "[{\"a\": 1}, {\"a\": []}]", "`[1].a`", kInvalid, "[1].a"},
    {"string[]", "{\"b64\": \"?\"}", "expected base64 text under `b64`, found `?`"},
    {"string[]", "{\"b65\": \"\"}", ""},
    {"int64[]", "[1]", ""},
};

TEST(JsonTest, Rejects) {
  for (const Rejected& row : kRejected) {
    SCOPED_TRACE(std::string(row.type) + " " + row.json);
    auto value = ValueFromJson(row.json, SpecOf(row.type), Limits());
    ASSERT_FALSE(value.ok()) << ToString(*value);
    EXPECT_EQ(value.status().code(), row.code) << value.status();
    EXPECT_THAT(std::string(MessageOf(value.status())), HasSubstr(row.message));
    EXPECT_EQ(FieldOf(value.status()), row.field) << value.status();
  }
}

// Whether the type is declared, inferred, or that of the literals themselves.
TEST(JsonTest, RejectsIntegersThatNoTypeHolds) {
  for (const char* number :
       {"9223372036854775808", "-9223372036854775809", "18446744073709551616",
        "340282366920938463463374607431768211456", "-170141183460469231731687303715884105729"}) {
    const std::string text = Cat(R"([{"a": )", number, "}]");
    SCOPED_TRACE(text);
    auto expect_out_of_range = [](const Status& status, std::string_view way) {
      EXPECT_EQ(status.code(), absl::StatusCode::kOutOfRange) << way << ": " << status;
      EXPECT_EQ(ReasonOf(status), "OUT_OF_RANGE") << way << ": " << status;
      EXPECT_EQ(FieldOf(status), "[0].a") << way << ": " << status;
    };
    for (const char* type : {"[{a: int64[]}]", "list(dict(a: int64[]))"}) {
      expect_out_of_range(ValueFromJson(text, SpecOf(type), Limits()).status(), type);
    }
    if (std::string_view(number) == "9223372036854775808") continue;  // is a uint64
    expect_out_of_range(ValueFromJson(text, SpecOf("[{a: uint64[]}]"), Limits()).status(),
                        "[{a: uint64[]}]");
    expect_out_of_range(ValueFromJson(text, TypeSpec(), Limits()).status(), "as it is");
    expect_out_of_range(InferFromJson(text, Limits()).status(), "inferred");
  }
}

TEST(JsonTest, HoldsDepthNamesAndBytes) {
  for (const char* type : {"", "int64[?]"}) {
    auto value = ValueFromJson(std::string(50000, '['), SpecOf(type), Limits());
    EXPECT_EQ(value.status().code(), kInvalid) << value.status();
  }
  auto deep = ValueFromJson(std::string(65, '[') + std::string(65, ']'), {}, Limits());
  EXPECT_THAT(std::string(MessageOf(deep.status())), HasSubstr("--max_nesting_depth"));
  EXPECT_TRUE(ValueFromJson(std::string(64, '[') + std::string(64, ']'), {}, Limits()).ok());

  std::string many = "[0";
  for (int i = 0; i < 5000; ++i) many += ",0";
  many += "]";
  TypeSpec ints = SpecOf("int64[?]");
  EXPECT_TRUE(ValueFromJson(many, ints, Limits()).ok());
  Limits bytes;
  bytes.expanded_bytes = 100;
  Limits elements;
  elements.tensor_elements = 100;
  Limits message;
  message.message_bytes = 100;
  struct Row {
    TypeSpec spec;
    Limits limits;
    const char* rejection;
  };
  const Row kRows[] = {
      {{}, Limits(), "more than 4096 elements, which is the limit (--max_names)"},
      {ints, elements, "more than 100 elements, which is the limit (--max_tensor_elements)"},
      {ints, bytes, "more than 100 bytes of data, which is the limit (--max_expanded_bytes)"},
      {ints, message, "10003 bytes; the limit is 100 (--max_message_bytes)"},
  };
  for (const Row& row : kRows) {
    Status status = ValueFromJson(many, row.spec, row.limits).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted) << status;
    EXPECT_THAT(std::string(MessageOf(status)), HasSubstr(row.rejection));
  }
}

TEST(JsonTest, RejectsHugeInputWithItsPath) {
  std::string nines(100000, '9');
  Limits limits;
  limits.expanded_bytes = 10000;
  const struct {
    const char* type;
    std::string json;
    const char* message;
  } rows[] = {
      {"[{a: int64[]}]", R"([{"a": )" + std::string(50000, '['),
       "byte 7: `[0].a`: expected an integer for `int64[?]`, found a list"},
      {"[{a: int64[]}]", R"([{"a": )" + nines + "}]", "byte 7: `[0].a`: `99999999999999999999"},
      {"[{a: float32[(?)]}]", R"([{"a": [1, -)" + nines + "]}]",
       "byte 11: `[0].a[1]`: `-9999999999999999999"},
      {"[{a: float64[]}]", R"([{"a": 1e99999999999999999999}])",
       "byte 7: `[0].a`: `1e99999999999999999999`; the largest float64 is"},
      {"[{a: string[]}]", R"([{"a": "x"}, {"a": ")" + nines + R"("}])",
       "byte 19: `[1].a`: more than 10000 bytes of data, which is the limit (--max_expanded_"},
      {"[{a: string[]}]", R"([{"a": "x"}, {"a": "\n)" + nines + R"("}])",
       "byte 19: `[1].a`: more than 10000 bytes of data, which is the limit (--max_expanded_"},
      {"[{a: int64[(?)]}]", R"({"a": [[1], [2, 3)" + std::string(50000, ' '),
       "byte 50017: `a[1][2]`: expected `,` or `]`, found the end of the text"},
      {"", std::string(50000, '['), "byte 64: `[0][0][0]"},
      {"", std::string(20, '[') + std::string(50000, '{'),
       "byte 21: `[0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0][0]`: expected a key "
       "in quotation marks, found `{`"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.message);
    auto value = ValueFromJson(row.json, SpecOf(row.type), limits);
    ASSERT_FALSE(value.ok());
    EXPECT_THAT(std::string(MessageOf(value.status())), StartsWith(row.message));
    EXPECT_LT(MessageOf(value.status()).size(), 400u);
  }
  // In unneeded values, brackets are counted and not matched.
  TypeSpec spec = SpecOf("[{a: int64[], b: int64[]}]");
  std::string deep = std::string(50000, '[') + std::string(50000, ']');
  auto passed =
      ValueFromJson(R"([{"a": )" + deep + R"(, "b": 1}])", spec, Limits(), {true, false, true});
  EXPECT_TRUE(passed.ok()) << passed.status();
  EXPECT_FALSE(
      ValueFromJson(R"([{"a": )" + std::string(50000, '['), spec, Limits(), {true, false, true})
          .ok());
}

TEST(JsonTest, ReadsLines) {
  TypeSpec spec = SpecOf("[{a: int64[]}]");
  for (const char* text : {"{\"a\": 1}\n{\"a\": 2}", "{\"a\": 1}\r\n{\"a\": 2}\r\n",
                           "\n\n {\"a\": 1}\n  \n{\"a\": 2}\n\n"}) {
    SCOPED_TRACE(text);
    auto value = ValueFromJsonLines(text, spec, Limits());
    ASSERT_TRUE(value.ok()) << value.status();
    EXPECT_EQ(ToString(*value), "{a: int64[]}[2] [{a: 1}, {a: 2}]");
  }
  for (const char* text : {"", "\n", " \n \n"}) {
    auto value = ValueFromJsonLines(text, spec, Limits());
    ASSERT_TRUE(value.ok()) << value.status();
    EXPECT_EQ(value->spec().shape()->dim(0), 0);
  }
}

TEST(JsonTest, RejectsLinesOfOtherThanOneRecord) {
  for (const char* text : {"1, 2", "1 2", "[\n1]", "1\n2, 3", "1,\n2", "1\n,2", "[1\n2]\n3, 4"}) {
    SCOPED_TRACE(text);
    for (const char* type : {"int64[?]", "ragged int64[?, (?)]"}) {
      EXPECT_EQ(ValueFromJsonLines(text, SpecOf(type), Limits()).status().code(), kInvalid);
    }
  }
}

TEST(JsonTest, ReadsAndWritesColumns) {
  const char* kRows = R"([{"a":1,"b":["x"],"c":{"d":[true]}},{"a":2,"b":[],"c":{"d":[]}}])";
  const char* kColumns = R"({"a":[1,2],"b":[["x"],[]],"c":[{"d":[true]},{"d":[]}]})";
  TypeSpec spec = SpecOf("[{a: int32[], b: string[(?)], c: {d: bool[(?)]}}]");
  auto rows = ValueFromJson(kRows, spec, Limits());
  auto columns = ValueFromJson(Cat(" \n", kColumns), spec, Limits());
  ASSERT_TRUE(rows.ok()) << rows.status();
  ASSERT_TRUE(columns.ok()) << columns.status();
  EXPECT_EQ(ToString(*columns), ToString(*rows));
  EXPECT_EQ(ValueToJson(*rows, {.columns = true}), kColumns);
  auto none = ValueFromJson(R"({"a":[],"b":[],"c":[]})", spec, Limits());
  ASSERT_TRUE(none.ok()) << none.status();
  EXPECT_EQ(ValueToJson(*none, {.columns = true}), R"({"a":[],"b":[],"c":[]})");
  EXPECT_EQ(ValueToJson(Tensor::Scalar(1), {.columns = true}), "1");

  auto rejection = [&](const char* json) {
    return std::string(ValueFromJson(json, spec, Limits()).status().message());
  };
  EXPECT_THAT(rejection(R"({"a":[1],"b":[]})"), HasSubstr("`c`"));
  EXPECT_THAT(rejection(R"({"a":[1],"b":[],"c":[]})"), HasSubstr("rows"));
  EXPECT_THAT(rejection(R"({"a":["1"],"b":[[]],"c":[]})"), HasSubstr("`a[0]`"));
  EXPECT_THAT(rejection(R"({"a":[1],"b":[[]],"c":[{"d":[]}],"a":[1]})"), HasSubstr("`a`"));
}

TEST(JsonTest, SkipsUnknownKeysOrRejectsThem) {
  struct Case {
    const char *type, *json, *value;
  } const kCases[] = {
      {"[{a: int32[]}]", R"([{"a":1,"b":{"c":[1,"x"]}},{"z":null,"a":2}])",
       "{a: int32[]}[2] [{a: 1}, {a: 2}]"},
      {"[{a: int32[]}]", R"({"a":[1,2],"b":[3]})", "{a: int32[]}[2] [{a: 1}, {a: 2}]"},
      {"{a: {b: int32[]}}", R"({"a":{"c":1,"b":2}})", "{a: {b: int32[]}} {a: {b: 2}}"},
      {"dict(a: float32[])", R"({"b":"x","a":1.5})", "dict(a: float32[]) {a: 1.5}"},
      {"dict(a: 1)", R"({"b":"x","a":1})", "dict(a: 1) {a: 1}"},
  };
  Limits strict;
  strict.reject_unknown_fields = true;
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.json);
    auto value = ValueFromJson(c.json, SpecOf(c.type), Limits());
    ASSERT_TRUE(value.ok()) << value.status();
    EXPECT_EQ(ToString(*value), c.value);
    auto events = ValueFromJsonEvents(c.json, SpecOf(c.type), Limits());
    ASSERT_TRUE(events.ok()) << events.status();
    EXPECT_EQ(ToString(*events), c.value);
    auto rejected = ValueFromJson(c.json, SpecOf(c.type), strict);
    EXPECT_EQ(rejected.status().code(), kInvalid);
    EXPECT_THAT(std::string(rejected.status().message()), HasSubstr("; expected one of `"));
  }
  // What is skipped has to be JSON as far as brackets go, and a sparse value has no other parts.
  EXPECT_FALSE(ValueFromJson(R"({"a":1,"b":[}})", SpecOf("{a: int32[]}"), Limits()).ok());
  EXPECT_FALSE(ValueFromJson(R"({"indices":[[0]],"values":[1],"dense_shape":[2],"x":1})",
                             SpecOf("sparse float32[?]"), Limits())
                   .ok());
}

TEST(JsonTest, ReadsMissingAndNullFieldsAsTheTypeDeclares) {
  struct Case {
    const char *type, *json, *value;  // the value as JSON
  } const kCases[] = {
      {"[{age: float32[] = nan, name?: string[]}]",
       R"([{},{"age":null,"name":null},{"name":"Bo","age":3}])",
       R"([{"age":"NaN","name":null},{"age":"NaN","name":null},{"age":3.0,"name":"Bo"}])"},
      {"[{name?: string[], ids?: int64[(?)]}]", R"([{"ids":[]},{"name":"a","ids":[1,2]},{}])",
       R"([{"name":null,"ids":[]},{"name":"a","ids":[1,2]},{"name":null,"ids":null}])"},
      // Columns.
      {"[{age: float32[] = nan, name?: string[], id: int64[]}]",
       R"({"age":[1,null],"name":["a",null],"id":[7,8]})",
       R"([{"age":1.0,"name":"a","id":7},{"age":"NaN","name":null,"id":8}])"},
      {"[{age: float32[] = nan, name?: string[], tags: string[(?)] = [], id: int64[]}]",
       R"({"id":[7,8]})",
       R"([{"age":"NaN","name":null,"tags":[],"id":7},{"age":"NaN","name":null,"tags":[],"id":8}])"},
      {"[{home?: {city: string[], zip: int32[] = 0}}]", R"([{"home":{"city":"X"}},{"home":null}])",
       R"([{"home":{"city":"X","zip":0}},{"home":null}])"},
      {"{a?: int64[]}", "{}", R"({"a":null})"},
      {"dict(x: (float32[?] = []), y: 1)", R"({"y":1})", R"({"x":[],"y":1})"},
      {"(float32[?, 1] = nan)", "[[null],[2]]", R"([["NaN"],[2.0]])"},
  };
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.json);
    for (auto read : {ValueFromJson(c.json, SpecOf(c.type), Limits()),
                      ValueFromJsonEvents(c.json, SpecOf(c.type), Limits())}) {
      ASSERT_TRUE(read.ok()) << read.status();
      EXPECT_EQ(ValueToJson(*read), c.value);
      // It reads back.
      auto again = ValueFromJson(ValueToJson(*read), SpecOf(c.type), Limits());
      ASSERT_TRUE(again.ok()) << again.status();
      EXPECT_EQ(ValueToJson(*again), c.value);
      auto columns = ValueFromJson(ValueToJson(*read, {.columns = true}), SpecOf(c.type), Limits());
      ASSERT_TRUE(columns.ok()) << columns.status();
      EXPECT_EQ(ValueToJson(*columns), c.value);
    }
  }
  const std::pair<const char*, const char*> kMissingFields[] = {
      {"[{age: float32[]}]", R"([{"age":null}])"},          {"[{age: float32[]}]", R"([{}])"},
      {"[{age: float32[]}]", R"({"age":[null]})"},          {"float32[?]", "[null]"},
      {"[{home: {city: string[]}}]", R"([{"home":null}])"},  // a record
  };
  for (const auto& [type, json] : kMissingFields) {
    SCOPED_TRACE(json);
    auto value = ValueFromJson(json, SpecOf(type), Limits());
    EXPECT_EQ(value.status().code(), kInvalid);
    EXPECT_THAT(std::string(value.status().message()), HasSubstr("?: "));
  }
  // Columns, of which none states the number of rows.
  auto value = ValueFromJson("{}", SpecOf("[{age: float32[] = nan}]"), Limits());
  EXPECT_EQ(value.status().code(), kInvalid);
  EXPECT_THAT(std::string(value.status().message()),
              HasSubstr("declared as optional or with a default"));
}

TEST(JsonTest, ReadsScalarsForFieldsOfOneElement) {
  const char* const kType = "[{x: float32[1], s: string[1, 1], o?: int64[1]}]";
  for (const char* json : {R"([{"x":1,"s":"a","o":2},{"x":[2],"s":[["b"]],"o":null}])",
                           R"({"x":[1,[2]],"s":["a",[["b"]]],"o":[2,null]})"}) {
    SCOPED_TRACE(json);
    for (const auto& read : {ValueFromJson(json, SpecOf(kType), Limits()),
                             ValueFromJsonEvents(json, SpecOf(kType), Limits())}) {
      ASSERT_TRUE(read.ok()) << read.status();
      EXPECT_EQ(ValueToJson(*read),
                R"([{"x":[1.0],"s":[["a"]],"o":[2]},{"x":[2.0],"s":[["b"]],"o":null}])");
    }
  }
  const std::pair<const char*, const char*> kOthers[] = {
      {"[{x: float32[2]}]", R"([{"x":1}])"},
      {"[{x: float32[?]}]", R"([{"x":1}])"},
      {"[{x: string[1, 1]}]", R"([{"x":["a"]}])"},
      {"float32[1]", "1"},
  };
  for (const auto& [type, json] : kOthers) {
    EXPECT_EQ(ValueFromJson(json, SpecOf(type), Limits()).status().code(), kInvalid) << type;
  }
}

TEST(JsonTest, WritesFieldsInTheOrderOfTheType) {
  for (const char* type :
       {"[{z: int8[], a: {y: int8[], b: int8[]}}]", "[{a: {b: int8[], y: int8[]}, z: int8[]}]"}) {
    auto value = ValueFromJson(R"([{"a":{"b":1,"y":2},"z":3}])", SpecOf(type), Limits());
    ASSERT_TRUE(value.ok()) << value.status();
    bool is_reversed = type[2] == 'z';
    EXPECT_EQ(ValueToJson(*value),
              is_reversed ? R"([{"z":3,"a":{"y":2,"b":1}}])" : R"([{"a":{"b":1,"y":2},"z":3}])");
    EXPECT_EQ(ValueToJson(*value, {.columns = true}), is_reversed
                                                          ? R"({"z":[3],"a":[{"y":2,"b":1}]})"
                                                          : R"({"a":[{"b":1,"y":2}],"z":[3]})");
    EXPECT_EQ(*JsonLinesFromValue(*value, Limits()), is_reversed
                                                         ? "{\"z\":3,\"a\":{\"y\":2,\"b\":1}}\n"
                                                         : "{\"a\":{\"b\":1,\"y\":2},\"z\":3}\n");
  }
}

TEST(JsonTest, PassesOverColumnsThatNobodyReads) {
  TypeSpec spec = SpecOf("[{a: int32[], b: string[(?)]}]");
  const std::vector<bool> needs = {true, true, false, false};  // nrows, a, b's ends, b
  auto value = ValueFromJson(R"({"a":[1,2],"b":[7,["x"]]})", spec, Limits(), needs);
  ASSERT_TRUE(value.ok()) << value.status();
  EXPECT_EQ(ToString(*value), "{a: int32[], b: string[(?)]}[2] [{a: 1, b: []}, {a: 2, b: []}]");
  for (const char* rejected :
       {R"({"a":[1,2],"b":[[]]})", R"({"a":[1,2]})", R"({"a":[1],"b":[[],]})",
        R"({"a":[1],"b":["x":1]})", R"({"a":[1],"b":[[]],"a":[1]})", R"({"a":["x"],"b":[[]]})"}) {
    EXPECT_FALSE(ValueFromJson(rejected, spec, Limits(), needs).ok()) << rejected;
  }
}

TEST(JsonTest, WritesLines) {
  const std::pair<const char*, const char*> kCases[] = {
      {"[{a: int32[]}] [{a: 1}, {a: 2}]", "{\"a\":1}\n{\"a\":2}\n"},
      {"[{a: int32[]}] []", ""},
      {"ragged int32[2, (?)] [[1, 2], []]", "[1,2]\n[]\n"},
      {"float32[2] [1, 2]", "1.0\n2.0\n"},
      {"string[1] [\"\\n\"]", "\"\\n\"\n"},
  };
  for (const auto& [notation, lines] : kCases) {
    SCOPED_TRACE(notation);
    Value value = *ParseValue(notation);
    auto written = JsonLinesFromValue(value, Limits());
    ASSERT_TRUE(written.ok()) << written.status();
    EXPECT_EQ(*written, lines);
    auto read = ValueFromJsonLines(*written, value.spec(), Limits());
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_EQ(ValueToJson(*read), ValueToJson(value));
  }
  auto lines_of = [](const char* notation) {
    auto written = JsonLinesFromValue(*ParseValue(notation), Limits());
    return written.ok() ? *written : std::string(MessageOf(written.status()));
  };
  EXPECT_EQ(lines_of("int32[] 1"), "`int32[]` has no rows to write, one per line");
  // Records of columns.
  EXPECT_EQ(lines_of("dict(_a: int32[2], b: ragged int32[2, (?)], c: {d: bool[]}[2]) "
                     "{_a: [1, 2], b: [[3], []], c: [{d: true}, {d: false}]}"),
            "{\"_a\":1,\"b\":[3],\"c\":{\"d\":true}}\n"
            "{\"_a\":2,\"b\":[],\"c\":{\"d\":false}}\n");
  EXPECT_EQ(lines_of("namedtuple P(x: int32[1], y: dict(z: int32[1])) {x: [1], y: {z: [2]}}"),
            "{\"x\":1,\"y\":{\"z\":2}}\n");
  EXPECT_EQ(lines_of("dict(a: int32[0]) {a: []}"), "");
  EXPECT_EQ(lines_of("dict() {}"), "`dict()` has no rows to write, one per line");
  EXPECT_EQ(lines_of("dict(a: int32[1], b: int32[]) {a: [1], b: 1}"),
            "`int32[]` has no rows to write, one per line");
  EXPECT_THAT(lines_of("dict(a: int32[1], b: int32[2]) {a: [1], b: [1, 2]}"),
              HasSubstr("`a` has 1 rows and `b` 2"));
}

TEST(JsonTest, WritesNoMoreThanTheLimit) {
  // There is nothing in these, and no end of lists and objects.
  constexpr int64_t kMany = 1'000'000'000'000'000;
  const Value values[] = {
      Value(*Tensor::Make(DType::kInt8, {kMany, 0}, Buffer())),
      *MakeValue(*ParseTypeSpec("{}[?]"), {Tensor::Scalar(kMany)}),
      Value(*Tensor::Make(DType::kInt8, {0}, Buffer())),
  };
  Limits limits;
  limits.message_bytes = 100;
  for (const Value& value : values) {
    SCOPED_TRACE(value.spec().ToString());
    bool is_small = value.spec().shape()->dim(0) == 0;
    auto text = JsonFromValue(value, limits, {.columns = false});
    auto lines = JsonLinesFromValue(value, limits);
    EXPECT_EQ(text.ok(), is_small);
    EXPECT_EQ(lines.ok(), is_small);
    if (is_small) continue;
    EXPECT_EQ(text.status().code(), absl::StatusCode::kResourceExhausted);
    EXPECT_THAT(std::string(text.status().message()),
                HasSubstr("more than 100 bytes of JSON; that is the limit (--max_message_bytes)"));
  }
}

TEST(JsonTest, Writes) {
  const struct {
    const char* value;
    const char* json;
  } rows[] = {
      {"float32[3] [0.1, 1.0, 1e30]", "[0.1,1.0,1e+30]"},
      {"float64[3] [nan, inf, -inf]", "[\"NaN\",\"Infinity\",\"-Infinity\"]"},
      {"float64[] -0.0", "-0.0"},
      {"uint64[] 18446744073709551615", "18446744073709551615"},
      {"int64[] -9223372036854775808", "-9223372036854775808"},
      {"string[2] [\"a\\\"\\\\\\n\\x01\xc3\xa9\", \"\\xff\"]",
       "[\"a\\\"\\\\\\n\\u0001\xc3\xa9\",{\"b64\":\"/w==\"}]"},
      {"[{ids: int64[(?)]}] [{ids: [1]}, {ids: []}]", "[{\"ids\":[1]},{\"ids\":[]}]"},
      {"dict(a: None, b: True) {a: null, b: true}", "{\"a\":null,\"b\":true}"},
      {"tuple() []", "[]"},
      {"complex64[] [1.0, 2.0]", "[1.0,2.0]"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.value);
    auto value = ParseValue(row.value);
    ASSERT_TRUE(value.ok()) << value.status();
    EXPECT_EQ(ValueToJson(*value), row.json);
  }
  EXPECT_EQ(ValueToJson(*ParseValue("[{a: int64[], b: int64[0]}] [{a: 1, b: []}]"), {.indent = 2}),
            "[\n  {\n    \"a\": 1,\n    \"b\": []\n  }\n]");
}

TEST(JsonTest, ReadsBackRandomValuesUnderTheirTypes) {
  RandomValues random;
  for (int i = 0; i < 2000; ++i) {
    random.with_notes = random.Chance(2);
    TypeSpec spec = random.Type(3);
    ValueBuilder builder = *ValueBuilder::Make(spec);
    ASSERT_TRUE(random.Fill(spec, builder).ok());
    auto value = builder.Finish();
    ASSERT_TRUE(value.ok()) << value.status();
    std::string json = ValueToJson(*value);
    // A float literal that is not finite has no JSON form of its own.
    if (value->spec().ToString().find("inf") != std::string::npos ||
        value->spec().ToString().find("nan") != std::string::npos) {
      continue;
    }
    auto read = ValueFromJson(json, value->spec(), Limits());
    ASSERT_TRUE(read.ok()) << ToString(*value) << "\n" << json << "\n" << read.status();
    ASSERT_EQ(ToString(*read), ToString(*value));
    read = ValueFromJson(ValueToJson(*value, {.indent = 1}), value->spec(), Limits());
    ASSERT_TRUE(read.ok()) << read.status();
    ASSERT_EQ(ToString(*read), ToString(*value));
  }
}

TEST(JsonTest, InfersTypesFromRecords) {
  struct Case {
    const char *json, *value;
  } const cases[] = {
      {"[[1, 2.5], []]", "ragged float32[2, (?)] [[1.0, 2.5], []]"},
      {"[{\"a\": {\"b64\": \"/w==\"}}, {\"a\": \"x\"}]",
       "{a: string[]}[2] [{a: \"\\xff\"}, {a: \"x\"}]"},
      {"{\"b64\": \"eA==\", \"c\": 1}", "{b64: string[], c: int32[]} {b64: \"eA==\", c: 1}"},
      {"\"NaN\"", "string[] \"NaN\""},
  };
  for (const Case& c : cases) {
    auto value = InferFromJson(c.json, {});
    EXPECT_EQ(value.ok() ? ToString(*value) : value.status().ToString(), c.value);
  }
  EXPECT_EQ(ToString(*InferFromJson("[\"NaN\"]", {}, {.dtype = DType::kFloat16})),
            "float16[1] [nan]");
}

TEST(JsonTest, RejectsRecordsWithThePlace) {
  struct Case {
    const char *json, *message;
  } const cases[] = {
      {"[1, true]", "byte 4: `[1]`: expected integers, like the other values here, found a bool"},
      {"[{\"a\": 1}, {\"b\": 2}]", "byte 12: `[1]`: key `b`; the objects before have `a`"},
      {"{\"a\": null}", "byte 6: `a`: expected a value, or an empty list for none, found null"},
      {"[1] 2", "byte 4: expected one JSON value, found more text after its end"},
      {"[1], 2", "byte 3: expected one JSON value, found more text after its end"},
      {"", "expected one JSON value, found empty text"},
      {"[1, 99999999999999999999]",
       "byte 4: `[1]`: `99999999999999999999`; integers have at most 64 bits"},
      {"[1, 9223372036854775808]",
       "`[1]`: expected -9223372036854775808 to 9223372036854775807 for `int64`, found "
       "`9223372036854775808`"},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(MessageOf(InferFromJson(c.json, {}).status()), c.message) << c.json;
  }
}

TEST(JsonTest, InfersWithinLimits) {
  Limits limits;
  limits.names = 1;
  EXPECT_EQ(MessageOf(InferFromJson("{\"a\": 1, \"b\": 1}", limits).status()),
            "byte 9: more than 1 different keys, which is the limit (--max_names)");
  limits.nesting_depth = 2;
  EXPECT_EQ(InferFromJson("[[[1]]]", limits).status().code(), absl::StatusCode::kInvalidArgument);
  limits.tensor_elements = 2;
  EXPECT_EQ(MessageOf(InferFromJson("[1, 2, 3]", limits).status()),
            "byte 7: `[2]`: more than 2 elements, which is the limit (--max_tensor_elements)");
  limits.message_bytes = 2;
  EXPECT_EQ(InferFromJson("[1, 2]", limits).status().code(), absl::StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace signet
