#include "core/formats/protobuf/protobuf_path.h"

#include <gtest/gtest.h>

namespace signet {
namespace {

TEST(ProtobufPathTest, ReadsSteps) {
  struct Case {
    const char* text;
    ProtobufPath steps;
  };
  const Case cases[] = {
      {"", {}},
      {"a", {"a"}},
      {"a-1._b.c", {"a-1", "_b", "c"}},
      {"a.(x.y.ext).b", {"a", "(x.y.ext)", "b"}},
      {"any.(type.googleapis.com/x.y.T).b", {"any", "(type.googleapis.com/x.y.T)", "b"}},
      {"map[].a", {"map[]", "a"}},
      {"map[(k].e)y].a", {}},
      {"map[a.(b)].c", {"map[a.(b)]", "c"}},
      {"a.*", {"a", "*"}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.text);
    auto path = ParseProtobufPath(c.text);
    bool is_rejected = c.steps.empty() && *c.text != '\0';
    ASSERT_EQ(path.ok(), !is_rejected) << path.status();
    if (!path.ok()) continue;
    EXPECT_EQ(*path, c.steps);
    EXPECT_EQ(ToText(*path), c.text);
  }
}

TEST(ProtobufPathTest, Rejects) {
  for (const char* text : {".",     "a.",   ".a",     "a..b",   "a.+",     "a*",      "*.a",
                           "a.(",   "a.()", "a.(.b)", "a.(b.)", "a.(b",    "b(a)",    "(a)b",
                           "[k].a", "a[k",  "a[k]b",  "a[[k]]", "(host/)", "((a)/b)", "\xff"}) {
    EXPECT_EQ(ParseProtobufPath(text).status().code(), absl::StatusCode::kInvalidArgument) << text;
  }
  EXPECT_EQ(MessageOf(ParseProtobufPath("a.b(c)").status()),
            "path `a.b(c)`: expected a step `name`, `name[key]`, `(extension.name)`, "
            "`(host/type.Name)`, or `*` at the end, found `b(c)`");
}

TEST(ProtobufPathTest, TakesStepsApart) {
  auto lookup = ParseProtobufStep("labels[a.b]");
  ASSERT_TRUE(lookup.ok());
  EXPECT_EQ(lookup->kind, ProtobufStep::Kind::kMapLookup);
  EXPECT_EQ(lookup->name, "labels");
  EXPECT_EQ(lookup->key, "a.b");
  auto cast = ParseProtobufStep("(a/b/x.T)");
  ASSERT_TRUE(cast.ok());
  EXPECT_EQ(cast->kind, ProtobufStep::Kind::kAnyCast);
  EXPECT_EQ(cast->name, "x.T");
}

}  // namespace
}  // namespace signet
