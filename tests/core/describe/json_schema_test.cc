#include "core/describe/json_schema.h"

#include <gtest/gtest.h>

#include "core/types/notation/notation.h"

namespace signet {
namespace {

using Json = nlohmann::ordered_json;

Json SchemaOfText(std::string_view text) {
  auto type = ParseTypeSpec(text);
  EXPECT_TRUE(type.ok()) << type.status();
  return type.ok() ? JsonSchemaOf(*type) : Json();
}

// Removes the notation of each part, which most tests do not check.
Json WithoutNotation(Json schema) {
  if (schema.is_object()) schema.erase("x-signet-type");
  if (schema.is_structured()) {
    for (Json& part : schema) part = WithoutNotation(std::move(part));
  }
  return schema;
}

void Expect(std::string_view type, std::string_view schema) {
  EXPECT_EQ(WithoutNotation(SchemaOfText(type)).dump(), Json::parse(schema).dump()) << type;
}

constexpr char kFloat[] =
    R"({"anyOf": [{"type": "number"}, {"type": "string", "enum": ["NaN", "Infinity", "-Infinity"]}]})";

TEST(JsonSchemaTest, DescribesScalars) {
  Expect("float32[]", kFloat);
  Expect("bool[]", R"({"type": "boolean"})");
  Expect("int8[]", R"({"type": "integer", "minimum": -128, "maximum": 127})");
  Expect("int64[]",
         R"({"type": "integer", "format": "int64", "minimum": -9223372036854775808,
             "maximum": 9223372036854775807})");
  Expect(
      "uint64[]",
      R"({"type": "integer", "format": "uint64", "minimum": 0, "maximum": 18446744073709551615})");
  EXPECT_EQ(SchemaOfText("string[]")["anyOf"][0]["type"], "string");
  EXPECT_EQ(SchemaOfText("complex64[]")["anyOf"][1]["minItems"], 2);
}

TEST(JsonSchemaTest, HasAListPerDimension) {
  Expect("bool[?, 3]",
         R"({"type": "array", "items": {"type": "array", "items": {"type": "boolean"},
             "minItems": 3, "maxItems": 3}})");
  Expect("ragged bool[2, (?)]",
         R"({"type": "array", "items": {"type": "array", "items": {"type": "boolean"}},
             "minItems": 2, "maxItems": 2})");
  Expect("bool[...]", "{}");
}

TEST(JsonSchemaTest, DescribesRecords) {
  Expect("[{ok: bool[], flags: bool[(?)], parts: [{on: bool[]}]}]",
         R"({"type": "array", "items": {"type": "object", "properties": {
               "ok": {"type": "boolean"},
               "flags": {"type": "array", "items": {"type": "boolean"}},
               "parts": {"type": "array", "items": {"type": "object",
                         "properties": {"on": {"type": "boolean"}}, "required": ["on"]}}},
             "required": ["ok", "flags", "parts"]}})");
}

TEST(JsonSchemaTest, DoesNotRequireFieldsThatMayBeMissing) {
  const Json schema = SchemaOfText("[{a?: bool[], b: float32[] = nan}]")["items"];
  EXPECT_EQ(schema["required"], Json::array());
  EXPECT_EQ(WithoutNotation(schema["properties"]["a"]).dump(),
            R"({"anyOf":[{"type":"boolean"},{"type":"null"}]})");
  EXPECT_EQ(schema["properties"]["b"]["anyOf"][1]["type"], "null");
}

TEST(JsonSchemaTest, DescribesNestsAndLiterals) {
  Expect("tuple(bool[], 3)",
         R"({"type": "array", "minItems": 2, "maxItems": 2,
             "prefixItems": [{"type": "boolean"}, {"const": 3}]})");
  Expect("list()", R"({"type": "array", "minItems": 0, "maxItems": 0})");
  Expect("dict(a: bool[], \"odd key\": \"text\")",
         R"({"type": "object", "properties": {"a": {"type": "boolean"},
             "odd key": {"const": "text"}}, "required": ["a", "odd key"]})");
  Expect("None", R"({"type": "null"})");
  Expect("any", "{}");
  EXPECT_EQ(WithoutNotation(JsonSchemaOf(TypeSpec())).dump(), "{}");
}

TEST(JsonSchemaTest, HasTheNotationOfEachPart) {
  const Json schema = SchemaOfText("[{ids: int64[(?)]}]");
  EXPECT_EQ(schema["x-signet-type"], "[{ids: int64[(?)]}]");
  EXPECT_EQ(schema["items"]["properties"]["ids"]["x-signet-type"], "int64[(?)]");
  EXPECT_EQ(schema["items"]["properties"]["ids"]["items"]["x-signet-type"], "int64");
}

}  // namespace
}  // namespace signet
