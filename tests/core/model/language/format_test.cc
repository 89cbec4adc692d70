#include "core/model/language/format.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace signet {
namespace {

// Formats a text, and checks that formatting it again does not change it.
std::string Formatted(std::string_view text) {
  auto formatted = FormatSource(text);
  if (!formatted.ok()) return std::string(MessageOf(formatted.status()));
  auto again = FormatSource(*formatted);
  EXPECT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again.ok() ? *again : "", *formatted);
  return *formatted;
}

TEST(FormatTest, SeparatesTokens) {
  EXPECT_EQ(Formatted("def f( x :float32[],/,*,k=3,s:{a:float32[]=1.0}={a:2})->float32[] :\n"
                      "  y=x*-2**k  //3 -x[ 1 :,None,:,:2]\n"
                      "  z  =  f2(y,k = 3,names=['a','b'])<1\n"
                      "  z=(y*(1+z)-(-y))/[1]\n"
                      "  return not y\n"),
            "def f(x: float32[], /, *, k = 3, s: {a: float32[] = 1.0} = {a: 2}) -> float32[]:\n"
            "    y = x * -2 ** k // 3 - x[1:, None, :, :2]\n"
            "    z = f2(y, k=3, names=[\"a\", \"b\"]) < 1\n"
            "    z = (y * (1 + z) - (-y)) / [1]\n"
            "    return not y\n");
}

TEST(FormatTest, KeepsLinesThatEndWithABackslash) {
  EXPECT_EQ(Formatted("def f(x):\n  y = x + \\\n      x * \\\r\n x\n  return [y, \\\n    x]\n"),
            "def f(x):\n    y = x + \\\n        x * \\\n        x\n    return [y,\n        x]\n");
}

TEST(FormatTest, KeepsTypesAndCommentsAndTexts) {
  constexpr char kText[] = R"("""A model."""

# The weights.
capture w: float32[2]  # trained
capture bias = float32[] -2.0


class a.B:
    """Text
      with lines."""
    version: static
    x: float32[?, $version]  # values
    conversion(a.B<version=1>(lengths: int64[?]), f)

    @override(shape, inputs=[a.B, tensor])
    def g(x, /):
        return size(x)


@example("'[1, 2]'")
@parameters(
    x="a value",
)
def f(x: ragged<rank=1> int64[?, (?)]):
    def inner(y):
        # Only this.
        return y

    a, _ = top_k(x, k=2)
    return ops.map(
        a,
        function=inner,
    )
    # The end.
)";
  EXPECT_EQ(Formatted(kText), kText);
}

TEST(FormatTest, SeparatesFunctionsByTwoLines) {
  EXPECT_EQ(Formatted("def f(x):\n\n\n    return x\ndef g(x):\n    return x\n\n\n\n\n"),
            "def f(x):\n    return x\n\n\ndef g(x):\n    return x\n");
}

TEST(FormatTest, RejectsErrors) {
  EXPECT_THAT(Formatted("def f(x):\n    return (x\n"), testing::HasSubstr("`(` is not closed"));
}

}  // namespace
}  // namespace signet
