#include "core/base/utf8.h"

#include <gtest/gtest.h>

#include "signet/status.h"

namespace signet {
namespace {

TEST(Utf8Test, MeasuresCharacters) {
  EXPECT_EQ(Utf8Length("ab"), 1U);
  EXPECT_EQ(Utf8Length("\xc3\xa9"), 2U);
  EXPECT_EQ(Utf8Length("\xe2\x82\xac!"), 3U);
  EXPECT_EQ(Utf8Length("\xf0\x9f\x98\x80"), 4U);
  // Cut short, overlong, a surrogate, above U+10FFFF, a tail alone.
  for (const char* text :
       {"\xc3", "\xe2\x82", "\xf0\x9f\x98", "\xc0\x80", "\xe0\x80\x80", "\xf0\x80\x80\x80",
        "\xed\xa0\x80", "\xf4\x90\x80\x80", "\x80", "\xff"}) {
    EXPECT_EQ(Utf8Length(text), 0U) << text;
  }
}

TEST(Utf8Test, KeepsCharactersAndSpellsBytesOut) {
  EXPECT_EQ(AsUtf8(""), "");
  EXPECT_EQ(AsUtf8("caf\xc3\xa9\n"), "caf\xc3\xa9\n");
  EXPECT_EQ(AsUtf8("a\xff\xc3z\x80"), "a\\xff\\xc3z\\x80");
}

TEST(Utf8Test, ErrorsAreText) {
  EXPECT_EQ(MessageOf(InvalidArgument("no `", "\xff\xfe", "`")), "no `\\xff\\xfe`");
}

}  // namespace
}  // namespace signet
