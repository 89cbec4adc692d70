#include "core/types/registry/type_template.h"

#include <gtest/gtest.h>

#include "core/types/notation/notation.h"
#include "signet/literal_spec.h"

namespace signet {
namespace {

const std::vector<std::string> kStatics = {"dtype", "rows", "shape"};

NamedTypes Statics(std::string_view dict) {
  auto type = ParseTypeSpec(dict);
  EXPECT_TRUE(type.ok()) << type.status();
  const auto* spec = type->As<DictSpec>();
  NamedTypes out;
  for (size_t i = 0; i < spec->keys().size(); ++i) {
    out.emplace_back(spec->keys()[i], type->children()[i]);
  }
  return out;
}

TEST(TypeTemplateTest, PutsStaticAttributesInTheirPlaces) {
  struct Case {
    const char *text, *statics, *type;
  } const cases[] = {
      {"float32[?, $rows]", "dict(rows: 3)", "float32[?, 3]"},
      {"float32[$rows]", "dict(rows: None)", "float32[?]"},
      {"$dtype[$rows, $rows]", "dict(dtype: \"int8\", rows: 2)", "int8[2, 2]"},
      {"$dtype[$shape]", "dict(dtype: \"string\", shape: list(2, None))", "string[2, ?]"},
      {"float32[$shape]", "dict(shape: list())", "float32[]"},
      {"ragged $dtype[?, (?)]", "dict(dtype: \"bool\")", "ragged bool[?, (?)]"},
      {"[{a: int64[$rows]}]", "dict(rows: 4)", "[{a: int64[4]}]"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.text);
    auto written = TypeTemplate::Parse(c.text, kStatics);
    ASSERT_TRUE(written.ok()) << written.status();
    auto type = written->Fill(Statics(c.statics));
    ASSERT_TRUE(type.ok()) << type.status();
    EXPECT_EQ(type->ToString(), c.type);
  }
}

TEST(TypeTemplateTest, RejectsPlaceholdersWithoutAttributes) {
  struct Case {
    const char *text, *message;
  } const cases[] = {
      {"float32[$width]",
       "no static attribute `width` to put in place of `$width`; static attributes: `dtype`, "
       "`rows`, `shape`"},
      {"float32[$]",
       "no static attribute `` to put in place of `$`; static attributes: `dtype`, `rows`, "
       "`shape`"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.text);
    auto written = TypeTemplate::Parse(c.text, kStatics);
    ASSERT_FALSE(written.ok());
    EXPECT_EQ(MessageOf(written.status()), c.message);
  }
  EXPECT_FALSE(TypeTemplate::Parse("float32[$rows", kStatics).ok());
}

TEST(TypeTemplateTest, RejectsAttributesThatDoNotSuit) {
  struct Case {
    const char *statics, *message;
  } const cases[] = {
      {"dict(rows: 1)", "no static attribute `dtype`, which `$dtype[$rows]` names"},
      {"dict(dtype: \"float33\", rows: 1)",
       "static attribute `dtype` in `$dtype[$rows]`: expected the name of a dtype, a size, or a "
       "list of sizes, found `\"float33\"`"},
      {"dict(dtype: \"float32\", rows: -1)",
       "static attribute `rows` in `$dtype[$rows]`: expected the name of a dtype, a size, or a "
       "list of sizes, found `-1`"},
  };
  auto written = TypeTemplate::Parse("$dtype[$rows]", kStatics);
  ASSERT_TRUE(written.ok()) << written.status();
  for (const Case& c : cases) {
    SCOPED_TRACE(c.statics);
    EXPECT_EQ(MessageOf(written->Fill(Statics(c.statics)).status()), c.message);
  }
  EXPECT_FALSE(written->Fill(Statics("dict(dtype: 3, rows: 1)")).ok());
}

}  // namespace
}  // namespace signet
