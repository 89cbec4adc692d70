#include "core/types/identifier.h"

#include <gtest/gtest.h>

namespace signet {
namespace {

TEST(IdentifierTest, TellsTheThreeKindsOfNamesApart) {
  struct Case {
    std::string_view text;
    bool identifier, field, type;
  } const cases[] = {
      {"a", true, true, false},          {"a1_b", true, true, false},
      {"_a", true, false, false},        {"1a", false, false, false},
      {"", false, false, false},         {"a\n", false, false, false},
      {"a.b", false, false, true},       {"1.2", false, false, true},
      {"a.b.c", false, false, true},     {"a.", false, false, false},
      {".a", false, false, false},       {"a..b", false, false, false},
      {"\xc3\xa9", false, false, false}, {"\xc3\xa9.b", false, false, false},
      {"a b", false, false, false},      {"a.b\n", false, false, false},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.text);
    EXPECT_EQ(IsIdentifier(c.text), c.identifier);
    EXPECT_EQ(IsFieldName(c.text), c.field);
    EXPECT_EQ(IsTypeName(c.text), c.type);
  }
}

TEST(IdentifierTest, KnowsPythonsKeywords) {
  for (std::string_view word : {"None", "lambda", "yield", "False", "async"})
    EXPECT_TRUE(IsPythonKeyword(word));
  for (std::string_view word : {"none", "print", "match", ""}) EXPECT_FALSE(IsPythonKeyword(word));
}

TEST(IdentifierTest, PathsAreJoinedByDots) {
  EXPECT_EQ(JoinPath("", "b"), "b");
  EXPECT_EQ(JoinPath("a[2]", "b"), "a[2].b");
}

}  // namespace
}  // namespace signet
