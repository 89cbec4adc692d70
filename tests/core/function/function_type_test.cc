#include "signet/function_type.h"

#include <vector>

#include <gtest/gtest.h>

#include "core/types/notation/notation.h"
#include "tests/core/function/signature_of.h"

namespace signet {
namespace {

using Kind = ParameterKind;

TEST(FunctionTypeTest, RejectsIllegalSignatures) {
  TypeSpec scalar = *ParseTypeSpec("float32[]");
  struct Case {
    const char* reason;
    const char* field;
    std::vector<Parameter> parameters;
  } const cases[] = {
      {"WRONG_PARAMETER_ORDER", "b", {{"a", Kind::kKeywordOnly}, {"b"}}},
      {"WRONG_PARAMETER_ORDER", "b", {{"a", Kind::kVarPositional}, {"b", Kind::kPositionalOnly}}},
      {"WRONG_PARAMETER_ORDER", "b", {{"a", Kind::kVarPositional}, {"b", Kind::kVarPositional}}},
      {"WRONG_PARAMETER_ORDER", "b", {{"a", Kind::kVarKeyword}, {"b", Kind::kVarKeyword}}},
      {"REQUIRED_AFTER_OPTIONAL", "b", {{"a", Kind::kPositionalOnly, true}, {"b"}}},
      {"DUPLICATE_PARAMETER", "a", {{"a"}, {"a", Kind::kKeywordOnly}}},
      {"INVALID_PARAMETER_NAME", "a b", {{"a b"}}},
      {"INVALID_PARAMETER_NAME", "from", {{"from"}}},
      {"INVALID_PARAMETER_NAME", "", {{""}}},
      {"VARIADIC_OPTIONAL", "a", {{"a", Kind::kVarKeyword, true}}},
      {"VARIADIC_TYPED", "a", {{"a", Kind::kVarPositional, false, scalar}}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(Cat(c.reason, " ", c.parameters.back().name));
    auto type = FunctionType::Make(c.parameters);
    ASSERT_FALSE(type.ok());
    EXPECT_EQ(ReasonOf(type.status()), c.reason);
    EXPECT_EQ(FieldOf(type.status()), c.field);
  }
}

TEST(FunctionTypeTest, TakesWhatPythonTakes) {
  EXPECT_TRUE(FunctionType::Make({{"from", Kind::kPositionalOnly}}).ok());
  EXPECT_TRUE(
      FunctionType::Make({{"a", Kind::kKeywordOnly, true}, {"b", Kind::kKeywordOnly}}).ok());
  EXPECT_TRUE(FunctionType::Make({{"a", Kind::kPositionalOrKeyword, true},
                                  {"r", Kind::kVarPositional},
                                  {"b", Kind::kKeywordOnly}})
                  .ok());
}

TEST(FunctionTypeTest, NamesManyParametersOnce) {
  std::vector<Parameter> parameters;
  for (int i = 0; i < 100; ++i) parameters.push_back({Cat("p", i)});
  EXPECT_TRUE(FunctionType::Make(parameters).ok());
  parameters.push_back({"p3"});
  auto type = FunctionType::Make(parameters);
  ASSERT_FALSE(type.ok());
  EXPECT_EQ(ReasonOf(type.status()), "DUPLICATE_PARAMETER");
}

TEST(FunctionTypeTest, CapturesAreAMapAndOutputPlaysNoPart) {
  FunctionType a = TypeOf("(x: int64[]) with (c: int64[], d: 1) -> int64[]");
  FunctionType b = TypeOf("(x: int64[]) with (d: 1, c: int64[])");
  EXPECT_EQ(a, b);
  EXPECT_EQ(a.fingerprint(), b.fingerprint());
  FunctionType c = TypeOf("(x: int64[]) with (d: int64[], c: 1)");
  EXPECT_FALSE(a == c);
  EXPECT_NE(a.fingerprint(), c.fingerprint());
  EXPECT_EQ(a.structure(), c.structure());
}

TEST(FunctionTypeTest, MonomorphicIsRequiredAndTyped) {
  EXPECT_TRUE(TypeOf("(x: int64[], /, *, y: 3)").IsMonomorphic());
  EXPECT_TRUE(TypeOf("()").IsMonomorphic());
  EXPECT_FALSE(TypeOf("(x)").IsMonomorphic());
  EXPECT_FALSE(TypeOf("(x: int64[] = 1)").IsMonomorphic());
  EXPECT_FALSE(TypeOf("(*x)").IsMonomorphic());
}

TEST(FunctionTypeTest, ExplainsWhyATargetDoesNotAccept) {
  struct Case {
    const char* request;
    const char* target;
    const char* why;
  } const cases[] = {
      {"(x: float32[2])", "(x: float32[?])", ""},
      {"(x: float32[2, 3])", "(x: float32[?])",
       "parameter `x` is `float32[2, 3]`; the candidate expects `float32[?]`"},
      {"(x: 1)", "(x: 2)", "parameter `x` is `1`; the candidate expects `2`"},
      {"(x: 1)", "(y: 1)", "parameter 0 is `x`; the candidate has `y` there"},
      {"(x: 1)", "(x: 1, /)",
       "parameter `x` is positional-or-keyword; that of the candidate is positional-only"},
      {"(x: 1)", "(x: 1 = ...)", "parameter `x` is required; that of the candidate is optional"},
      {"(x: 1)", "(x)", "parameter `x` has no type in the candidate"},
      {"(x: 1, y: 2)", "(x: 1)", "2 parameters; the candidate has 1"},
      {"() with (c: 1)", "()", "capture `c` is not among the candidate's"},
      {"() with (c: 1)", "() with (c: 2)", "capture `c` is `1`; the candidate has `2`"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(Cat(c.request, " for ", c.target));
    EXPECT_EQ(ExplainMismatch(TypeOf(c.request), TypeOf(c.target)), c.why);
    auto accepts = IsSupertype(TypeOf(c.request), TypeOf(c.target));
    EXPECT_EQ(accepts.ok() && *accepts, std::string(c.why).empty());
  }
}

}  // namespace
}  // namespace signet
