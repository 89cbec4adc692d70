#include "core/function/signature.h"

#include <string>

#include <gtest/gtest.h>

#include "core/values/builders/value_notation.h"
#include "tests/core/function/signature_of.h"

namespace signet {
namespace {

TEST(SignatureTest, ReadsBackWhatItWrites) {
  const char* const cases[] = {
      "()",
      "f()",
      "(x)",
      "(x, /)",
      "(x, /, y, *rest, z, **kw)",
      "(x, *, y)",
      "(*rest)",
      "(**kw)",
      "score(x: float32[?], /, top_k = 3, *, scale: float32[] = 1.0, **kw) -> float32[?]",
      "(recipes: [{title: string[]}], user: float32[16], /, top_k = 3) -> string[?]",
      "(x = None, y = True, z = \"a, b\", w = -1.5)",
      "(x = [1, (2.0, \"s\")], y = {a: 1, \"odd key\": []}, z = (1,), w = ())",
      "(x: float32[?] = [1.0, 2.0])",
      "(x: float32[...] = float32[2, 0] [[], []])",
      "(x: int8[?, ?] = [[1, 2], [3, 4]])",
      "(x = float32[2] [1.0, 2.0])",
      "(x: bool[] = True, y: string[] = \"s\")",
      "(x: float16[] = 0.1, y: float32[] = 0.1, z: float32[] = inf)",
      "(x: {title: string[], n: int64[]} = {n: 1, title: \"t\"})",
      "(x: ragged int64[2, (?)] = [[1, 2], []])",
      "(x: dict(a: int64[]) = {a: 1})",
      "(x: list(int64[], 3) = [1, 3])",
      "(x: float32[?] = ...)",
      "(x: 3, y: tuple(\"a\", None))",
      "(x: float32[n, 3, ?], z: int8[_k, n], y: string[n] = [\"a\"])",
      "(x: float32[2]) with (table: float32[?, 3], n: 1) -> string[?]",
  };
  for (const char* text : cases) {
    SCOPED_TRACE(text);
    auto signature = ParseSignature(text);
    ASSERT_TRUE(signature.ok()) << signature.status();
    std::string written = FormatSignature(signature->name, signature->type, signature->defaults,
                                          signature->dimension_names);
    auto again = ParseSignature(written);
    ASSERT_TRUE(again.ok()) << written << ": " << again.status();
    EXPECT_EQ(again->type, signature->type) << written;
    EXPECT_EQ(again->type.output(), signature->type.output());
    ASSERT_EQ(again->defaults.size(), signature->defaults.size()) << written;
    for (const auto& [name, value] : signature->defaults) {
      EXPECT_TRUE(SameValue(again->defaults.at(name), value)) << written;
    }
    EXPECT_EQ(FormatSignature(again->name, again->type, again->defaults, again->dimension_names),
              written);
  }
}

TEST(SignatureTest, WritesWhatItReads) {
  const char* const cases[] = {
      "score(x: float32[?], /, top_k = 3, *, scale: float32[] = 1.0, **kw) -> float32[?]",
      "(x, /, y, *rest, z, **kw)",
      "(x = [1, (2.0, \"s\")], y = {a: 1}, z = (1,), w = ())",
      "(x: float32[?] = [1.0, 2.0])",
      "(x: float32[n, 3, ?], z: int8[_k, n], y: string[n] = [\"a\"])",
      "(x: float32[2]) with (table: float32[?, 3], n: 1) -> string[?]",
  };
  for (const char* text : cases) {
    Signature signature = SignatureOf(text);
    EXPECT_EQ(FormatSignature(signature.name, signature.type, signature.defaults,
                              signature.dimension_names),
              text);
  }
  EXPECT_EQ(TypeOf("f(x: float32[] = 1.0)").ToString(), "(x: float32[] = ...)");
}

TEST(SignatureTest, CastsDefaultsToTheirConstraints) {
  Signature signature =
      SignatureOf("(scale: float32[] = 1, ids: int64[?] = (1, 2), n: int8[] = ...)");
  EXPECT_EQ(ToString(signature.defaults.at("scale")), "float32[] 1.0");
  EXPECT_EQ(ToString(signature.defaults.at("ids")), "int64[2] [1, 2]");
  EXPECT_FALSE(signature.defaults.contains("n"));
  EXPECT_TRUE(signature.type.LookupParameter("n")->optional);
}

TEST(SignatureTest, LeavesOutLongDefaults) {
  Signature signature =
      SignatureOf("(x = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17])");
  EXPECT_EQ(FormatSignature("f", signature.type, signature.defaults), "f(x = ...)");
}

TEST(SignatureTest, RejectsAtAColumn) {
  struct Case {
    const char* text;
    const char* message;
  } const cases[] = {
      {"", "column 1: expected a function's name or `(`, found the end"},
      {"f", "column 2: expected `(` before the parameters, found the end"},
      {"f(x", "column 4: expected `,` or `)`, found the end"},
      {"f(/)", "column 3: expected a parameter, found `/`"},
      {"f(x, /, y, /)", "column 12: expected a parameter, found `/`"},
      {"f(*)", "column 4: expected a name or a keyword-only parameter, found `)`"},
      {"f(*, **kw)", "expected a keyword-only parameter after `*`"},
      {"f(x: ragged int8[n, (?)])", "expected a dimension, found `n`"},
      {"f(x: int8[n]) -> int8[n]",
       "column 23: expected a dimension, found `n`; only the dimensions of "
       "tensors that are parameters have names; elsewhere, write `?`"},
      {"f(x: int8[n, (?)])", "expected a tensor of one parameter, because dimensions have names"},
      {"f(x: int8[?, (n)])", "expected a dimension, found `n`"},
      {"f(x: {a: int8[n]})", "expected a dimension, found `n`"},
      {"f(*x: int8[n])", "expected a tensor of one parameter, because dimensions have names"},
      {"f(x: int8[?]) -> int8[n]", "expected a dimension, found `n`"},
      {"f(*a, *b)", "column 7: expected a parameter, because only one `*` is allowed, found `*`"},
      {"f(x: )", "column 6: expected a type, found `)`"},
      {"f(x = )", "column 7: expected a type, found `)`"},
      {"f(x) ->", "column 8: expected a type, found the end"},
      {"f(x) y", "column 6: expected the end, found `y`"},
      {"f(x, x)", "two parameters are called `x`"},
      {"f(x = 1, y)", "parameter `y` has no default; it follows `x`, which has one"},
      {"f(x: int64[] = 1.5)",
       "default of `x`: argument `x`: expected an integer for `int64`, found `1.5`"},
      {"f(**kw, x)", "parameter `x` is positional-or-keyword; it follows `kw`"},
      {"f(*r = 1)", "parameter `r`: expected no default for a variadic positional parameter"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.text);
    auto signature = ParseSignature(c.text);
    ASSERT_FALSE(signature.ok());
    EXPECT_NE(MessageOf(signature.status()).find(c.message), std::string_view::npos)
        << signature.status();
  }
}

TEST(SignatureTest, BoundsTheDepthOfDefaults) {
  std::string deep(10000, '[');
  EXPECT_FALSE(ParseSignature(Cat("f(x = ", deep)).ok());
  EXPECT_FALSE(ParseSignature(Cat("f(x = ", std::string(10000, '('))).ok());
}

}  // namespace
}  // namespace signet
