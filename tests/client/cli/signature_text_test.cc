#include "client/cli/signature_text.h"

#include <gtest/gtest.h>

#include "core/function/signature.h"

namespace signet {
namespace {

TEST(SignatureTextTest, BreaksLongSignaturesAtTheirParts) {
  struct Case {
    std::string signature;
    size_t width;
    std::string broken;
  } const cases[] = {
      {"f(x: float32[?], y = 3)", 30, "f(x: float32[?], y = 3)"},
      {"f(x: float32[?, 3], y = \"a, (b\", /)", 20,
       "f(\n  x: float32[?, 3],\n  y = \"a, (b\",\n  /\n)"},
      {"score(recipe: {title: string[], ingredients: [{name: string[], weight: float32[]}]}, limit "
       "= "
       "3) -> [{title: string[], score: float32[]}]",
       60,
       "score(\n"
       "  recipe: {\n"
       "    title: string[],\n"
       "    ingredients: [{name: string[], weight: float32[]}]\n"
       "  },\n"
       "  limit = 3\n"
       ") -> [{title: string[], score: float32[]}]"},
      {"f() -> [{title: string[], score: float32[], name: string[]}]", 40,
       "f() -> [{\n  title: string[],\n  score: float32[],\n  name: string[]\n}]"},
      {"", 10, ""},
      {"nothing_to_break_in_this_name", 10, "nothing_to_break_in_this_name"},
      {"unclosed(", 3, "unclosed("},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.signature);
    EXPECT_EQ(BreakSignature(c.signature, c.width), c.broken);
  }
}

TEST(SignatureTextTest, BreaksTypesWithinIndentedText) {
  EXPECT_EQ(BreakSignature("[{title: string[], score: float32[]}]", 30, 4),
            "[{\n      title: string[],\n      score: float32[]\n    }]");
  EXPECT_EQ(BreakSignature("[{title: string[]}]", 30, 4), "[{title: string[]}]");
}

TEST(SignatureTextTest, ReadsBack) {
  const std::string signature =
      "f(a: (float32[?, 1] = nan), b: {z?: string[], y: list(int64[], \"x, {\")}, /, *, "
      "c: app.M<n=3>(v: [{w: float32[3] = [1, 2, 3]}]), **rest) -> dict(k: int8[])";
  for (size_t width : {10, 20, 40, 80, 100}) {
    SCOPED_TRACE(width);
    auto whole = ParseSignature(
        "f(a: (float32[?, 1] = nan), b: {z?: string[], y: int8[]}, /, *, c: app.M<n=3>(v: [{w: "
        "float32[3] = [1, 2, 3]}]), **rest) -> dict(k: int8[])");
    ASSERT_TRUE(whole.ok()) << whole.status();
    std::string text = FormatSignature("f", whole->type, {});
    auto broken = ParseSignature(BreakSignature(text, width));
    ASSERT_TRUE(broken.ok()) << broken.status();
    EXPECT_EQ(FormatSignature("f", broken->type, {}), text);
  }
  EXPECT_NE(BreakSignature(signature, 40), signature);
}

}  // namespace
}  // namespace signet
