#include "core/types/child_path.h"

#include <gtest/gtest.h>

#include "core/types/notation/notation.h"

namespace signet {
namespace {

TEST(ChildPathTest, ElementsHavePositionsAndOthersNames) {
  struct Case {
    const char *type, *step, *path;  // of the last child, of a type at `x`
  } const cases[] = {
      {"list(1, int64[])", "[1]", "x[1]"}, {"tuple(int64[])", "[0]", "x[0]"},
      {"dict(a: 1, b: 2)", "b", "x.b"},    {"namedtuple P(z: 1, y: 2)", "y", "x.y"},
      {"attrs P(y: 2)", "y", "x.y"},       {"{c: int8[], a: int8[]}", "c", "x.c"},
      {"app.T(v: int8[])", "v", "x.v"},
  };
  for (const Case& c : cases) {
    TypeSpec spec = *ParseTypeSpec(c.type);
    size_t last = spec.children().size() - 1;
    EXPECT_EQ(ChildStep(spec, last), c.step) << c.type;
    EXPECT_EQ(ChildPath("x", spec, last), c.path) << c.type;
    EXPECT_EQ(ChildPath("", spec, last), c.step) << c.type;
  }
}

}  // namespace
}  // namespace signet
