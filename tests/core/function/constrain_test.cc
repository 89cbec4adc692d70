#include "core/function/constrain.h"

#include <vector>

#include <gtest/gtest.h>

#include "core/types/notation/notation.h"
#include "tests/core/function/signature_of.h"

namespace signet {
namespace {

std::vector<TypeSpec> Constraints(size_t count) {
  return std::vector<TypeSpec>(count, *ParseTypeSpec("float32[?]"));
}

TEST(ConstrainTest, HandsTypesOutFromTheLeft) {
  struct Case {
    const char* signature;
    size_t constraints;
    const char* constrained;
  } const cases[] = {
      {"(x, y = 3)", 1, "(x: float32[?], y: 3 = ...)"},
      {"(self, x)", 1, "(self, x: float32[?])"},
      {"(x, *r)", 3, "(x: float32[?], r_0: float32[?], r_1: float32[?], /)"},
      {"(x, *r, k = 1, **kw)", 1, "(x: float32[?], /, *, k: 1 = ...)"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.signature);
    Signature signature = SignatureOf(c.signature);
    auto type = ConstrainParameters(signature.type, Constraints(c.constraints), signature.defaults);
    ASSERT_TRUE(type.ok()) << type.status();
    EXPECT_EQ(type->ToString(), c.constrained);
  }
}

TEST(ConstrainTest, RejectsTooFewAndTooMany) {
  struct Case {
    const char* signature;
    size_t constraints;
    const char* reason;
    const char* field;
  } const cases[] = {
      {"(x, y)", 1, "MISSING_CONSTRAINT", "y"},
      {"(x)", 2, "EXTRA_CONSTRAINTS", ""},
      {"(x, *, k)", 2, "KEYWORD_ONLY_WITHOUT_DEFAULT", "k"},
      {"(x = 1, *r)", 2, "REQUIRED_AFTER_OPTIONAL", "r_0"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.signature);
    Signature signature = SignatureOf(c.signature);
    auto type = ConstrainParameters(signature.type, Constraints(c.constraints), signature.defaults);
    ASSERT_FALSE(type.ok());
    EXPECT_EQ(ReasonOf(type.status()), c.reason);
    EXPECT_EQ(FieldOf(type.status()), c.field);
  }
}

}  // namespace
}  // namespace signet
