#include "core/model/language/wrap_lines.h"

#include <gtest/gtest.h>

namespace signet {
namespace {

TEST(WrapLinesTest, ASignatureIsBrokenBetweenParametersIfItIsLong) {
  EXPECT_EQ(WrapSignature("def f", "(x, k = 3) -> float32[]"), "def f(x, k = 3) -> float32[]");
  const std::string name(80, 'x');
  EXPECT_EQ(
      WrapSignature("def f",
                    "(" + name + ": [{a: int32[], b: int8[]}], /, k = \"a, (\") -> {a: int8[]}"),
      "def f(\n    " + name +
          ": [{a: int32[], b: int8[]}],\n    /,\n    k = \"a, (\"\n) -> {a: int8[]}");
  EXPECT_EQ(WrapSignature("def f", "() -> " + name + name), "def f() -> " + name + name);
}

TEST(WrapLinesTest, ElementsAreBrokenAfterCommas) {
  EXPECT_EQ(WrapElements("capture x = [1, 2]"), "capture x = [1, 2]");
  const std::string word = "\"" + std::string(60, 'x') + ", y\"";
  EXPECT_EQ(WrapElements("[" + word + ", " + word + ", 1]"),
            "[" + word + ",\n    " + word + ", 1]");
  EXPECT_EQ(WrapElements(word + word), word + word);
}

}  // namespace
}  // namespace signet
