#include "core/formats/protobuf/protobuf_selection.h"

#include <gtest/gtest.h>

#include "core/types/notation/notation.h"
#include "tests/core/formats/protobuf/proto_text.h"

namespace signet {
namespace {

constexpr char kProto2[] = R"(
  syntax = "proto2";
  package t;
  message Any { optional string type_url = 1; optional bytes value = 2; }
  enum Color { RED = 0; BLUE = 1; }
  message Point { required float x = 1; optional double y = 2; }
  message Root {
    required int64 id = 1;
    optional string title = 2;
    repeated uint32 sizes = 3;
    required Point origin = 4;
    optional Point end = 5;
    repeated Point way = 6;
    map<string, Point> named = 7;
    repeated group Part = 8 { optional bool on = 1; optional Color color = 2; }
    oneof choice { bytes raw = 9; Point spot = 10; }
    optional Any detail = 11;
    extensions 100 to 200;
  }
  message Node { optional int32 value = 1; repeated Node children = 2; }
  message Hidden { optional int32 _x = 1; }
  extend Root { repeated sint64 scores = 100; }
)";

constexpr char kProto3[] = R"(
  syntax = "proto3";
  package t;
  message Sub { int32 n = 1; }
  message Root { string name = 1; optional int32 set = 2; Sub sub = 3; repeated float f = 4; }
)";

class ProtobufSelectionTest : public testing::Test {
 protected:
  void Load(const char* source) { schema_ = *ProtobufSchema::Parse(DescriptorSetOf(source)); }

  std::string TypeOfAll(const char* message, const ProtobufOptions& options = {}) {
    auto selected = SelectFields(*schema_, **schema_->FindMessage(message), options, Limits());
    if (!selected.ok()) return std::string(MessageOf(selected.status()));
    return TypeOf(*selected)->ToString();
  }

  std::string OnPaths(const char* message, std::vector<std::string> texts) {
    ProtobufOptions options;
    for (const std::string& text : texts) options.paths.push_back(*ParseProtobufPath(text));
    options.names["(t.scores)"] = "scores";
    options.names["(h/t.Point)"] = "point";
    options.names["named[a b]"] = "ab";
    return TypeOfAll(message, options);
  }

  std::string Rejection(const char* message, const char* spec) {
    auto type = ParseTypeSpec(spec);
    EXPECT_TRUE(type.ok()) << type.status();
    auto selected = SelectFieldsOf(*type, *schema_, **schema_->FindMessage(message), {}, Limits());
    return std::string(MessageOf(selected.status()));
  }

  std::shared_ptr<const ProtobufSchema> schema_;
};

TEST_F(ProtobufSelectionTest, GivesTheTypeOfAMessage) {
  Load(kProto2);
  EXPECT_EQ(TypeOfAll("t.Root"),
            "[{id: int64[], title: string[(?)], sizes: uint32[(?)], "
            "origin: {x: float32[], y: float64[(?)]}, end: [{x: float32[], y: float64[(?)]}], "
            "way: [{x: float32[], y: float64[(?)]}], "
            "named: [{key: string[], value: {x: float32[], y: float64[(?)]}}], "
            "part: [{on: bool[(?)], color: int32[(?)]}], raw: string[(?)], "
            "spot: [{x: float32[], y: float64[(?)]}], "
            "detail: [{type_url: string[(?)], value: string[(?)]}]}]");
  ProtobufOptions options;
  options.names["(t.scores)"] = "scores";
  EXPECT_NE(TypeOfAll("t.Root", options).find("scores: int64[(?)]"), std::string::npos);
}

TEST_F(ProtobufSelectionTest, ReadsPaths) {
  Load(kProto2);
  EXPECT_EQ(OnPaths("t.Root", {"id", "end.y"}), "[{id: int64[], end: [{y: float64[(?)]}]}]");
  EXPECT_EQ(OnPaths("t.Root", {"origin"}), "[{origin: {x: float32[], y: float64[(?)]}}]");
  EXPECT_EQ(OnPaths("t.Root", {"way.*"}), "[{way: [{x: float32[], y: float64[(?)]}]}]");
  EXPECT_EQ(OnPaths("t.Root", {"(t.scores)"}), "[{scores: int64[(?)]}]");
  EXPECT_EQ(OnPaths("t.Root", {"named[a b].x"}), "[{ab: [{x: float32[]}]}]");
  EXPECT_EQ(OnPaths("t.Root", {"detail.(h/t.Point).x"}), "[{detail: [{point: [{x: float32[]}]}]}]");
  EXPECT_EQ(OnPaths("t.Node", {"children.children.value", "value"}),
            "[{children: [{children: [{value: int32[(?)]}]}], value: int32[(?)]}]");
}

TEST_F(ProtobufSelectionTest, KnowsProto3) {
  Load(kProto3);
  EXPECT_EQ(TypeOfAll("t.Root"),
            "[{name: string[(?)], set: int32[(?)], sub: [{n: int32[(?)]}], f: float32[(?)]}]");
  EXPECT_EQ(Rejection("t.Root", "[{name: string[], sub: [{n: int32[]}]}]"), "");
  EXPECT_EQ(Rejection("t.Root", "[{name: string[(?)], f: float32[4]}]"), "");
  EXPECT_EQ(Rejection("t.Root", "[{set: int32[]}]"),
            "`set`: it is optional in the message, which fits `int32[(?)]`; the parameter has "
            "`int32[]`");
}

TEST_F(ProtobufSelectionTest, RejectsOptions) {
  Load(kProto2);
  EXPECT_EQ(OnPaths("t.Root", {"id", "id"}), "path `id` is a duplicate");
  EXPECT_EQ(OnPaths("t.Root", {"end", "end.x"}), "path `end.x` is a duplicate");
  EXPECT_EQ(OnPaths("t.Root", {"end.x", "end.*"}), "path `end.x` is a duplicate");
  EXPECT_EQ(OnPaths("t.Root", {"end.z"}),
            "path `end.z`: no field `z` in message type `t.Point`; fields: `x`, `y`");
  EXPECT_EQ(OnPaths("t.Root", {"id.x"}), "path `id.x`: `id` is not a message, so it has no fields");
  EXPECT_EQ(OnPaths("t.Root", {"id[1]"}),
            "path `id[1]`: `id[1]`: field `id` is not a map; write `id`");
  EXPECT_EQ(OnPaths("t.Root", {"end.(h/t.Point)"}),
            "path `end.(h/t.Point)`: `(h/t.Point)`: expected google.protobuf.Any, found "
            "message type `t.Point`");
  EXPECT_EQ(OnPaths("t.Root", {"named[c]"}),
            "`named[c]`: `named[c]` is not a valid field name; choose a name that starts with a "
            "letter, followed by letters, digits, or underscores");
  EXPECT_EQ(OnPaths("t.Node", {"children"}),
            "`children.children`: message type `t.Node` contains itself; list the paths to "
            "read");
  EXPECT_EQ(OnPaths("t.Node", {"*"}),
            "path `*`: `*` below message type `t.Node`, which contains itself; list the paths "
            "to read");
  EXPECT_NE(TypeOfAll("t.Hidden").find("`_x` is not a valid field name"), std::string::npos);
  ProtobufOptions named;
  named.names["_x"] = "x";
  EXPECT_EQ(TypeOfAll("t.Hidden", named), "[{x: int32[(?)]}]");
  named.names["(t.scores)"] = "id";
  EXPECT_EQ(TypeOfAll("t.Root", named), "`(t.scores)`: duplicate field name `id`");
}

TEST_F(ProtobufSelectionTest, FollowsAStructure) {
  Load(kProto2);
  EXPECT_EQ(Rejection("t.Root", "[{id: int64[], way: [{x: float32[]}], sizes: uint32[3]}]"), "");
  EXPECT_EQ(Rejection("t.Root", "{named: [{value: {x: float32[]}}]}"), "");
  EXPECT_EQ(Rejection("t.Node", "[{children: [{children: [{value: int32[(?)]}]}]}]"), "");
  struct Case {
    const char* spec;
    const char* rejection;
  };
  const Case cases[] = {
      {"[{nope: int64[]}]",
       "`nope`: no field `nope` in message type `t.Root`; fields: choice.., detail"},
      {"[{id: int32[]}]",
       "`id`: it is required in the message, which fits `int64[]`; the parameter has `int32[]`"},
      {"[{title: string[]}]",
       "`title`: it is optional in the message, which fits `string[(?)]`; the parameter has "
       "`string[]`"},
      {"[{way: [{y: float64[]}]}]",
       "`way.y`: it is optional in the message, which fits `float64[(?)]`; the parameter has "
       "`float64[]`"},
      {"[{way: {x: float32[]}}]",
       "`way`: it is repeated in the message, which fits `[{..}]`; the parameter has `{..}`"},
      {"[{sizes: uint32[(?), (?)]}]",
       "`sizes`: it is repeated in the message, which fits `uint32[(?)]`; the parameter has "
       "`uint32[(?), (?)]`"},
      {"float32[?]", "expected `[{..}]`, a structure with one row per message, found `float32[?]`"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.spec);
    std::string rejection = Rejection("t.Root", c.spec);
    std::string start =
        std::string(c.rejection).substr(0, std::string(c.rejection).find("choice.."));
    EXPECT_EQ(rejection.substr(0, start.size()), start) << rejection;
  }
}

TEST_F(ProtobufSelectionTest, BoundsTheTree) {
  // Each type has the next one twice: a tree of 2^30 fields.
  std::string source = "syntax = \"proto2\"; package t;";
  for (int i = 0; i < 30; ++i) {
    source += Cat("message M", i, " { optional M", i + 1, " a = 1; optional M", i + 1, " b = 2; }");
  }
  source += "message M30 { optional int32 x = 1; }";
  Load(source.c_str());
  EXPECT_NE(TypeOfAll("t.M0").find("--max_names"), std::string::npos);
}

}  // namespace
}  // namespace signet
