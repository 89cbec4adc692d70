#include "core/function/binding.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/core/function/signature_of.h"

namespace signet {
namespace {

// What each parameter gets: `x=0` positional, `x=k` by name, `r=1..3` of *args; absent ones are
// left out. Then the extra keywords.
std::string Written(const FunctionType& type, const Binding& binding,
                    const std::vector<std::string_view>& keywords) {
  std::vector<std::string> parts;
  for (size_t i = 0; i < binding.parameters.size(); ++i) {
    const BoundParameter& bound = binding.parameters[i];
    const std::string& name = type.parameters()[i].name;
    switch (bound.source) {
      case BoundParameter::Source::kAbsent:
        break;
      case BoundParameter::Source::kPositional:
        parts.push_back(Cat(name, "=", bound.index));
        break;
      case BoundParameter::Source::kKeyword:
        parts.push_back(Cat(name, "=", keywords[bound.index]));
        break;
      case BoundParameter::Source::kVariadic:
        if (bound.count > 0)
          parts.push_back(Cat(name, "=", bound.index, "..", bound.index + bound.count));
        break;
    }
  }
  for (size_t keyword : binding.extra_keywords) parts.push_back(Cat("**", keywords[keyword]));
  return Join(parts, " ");
}

using Keywords = std::vector<std::string_view>;

TEST(BindingTest, BindsAsPythonDoes) {
  struct Case {
    const char* signature;
    size_t positional;
    Keywords keywords;
    const char* bound;
  } const cases[] = {
      {"()", 0, {}, ""},
      {"(x, y)", 2, {}, "x=0 y=1"},
      {"(x, y)", 1, {"y"}, "x=0 y=y"},
      {"(x, y)", 0, {"y", "x"}, "x=x y=y"},
      {"(x, y = 1)", 1, {}, "x=0"},
      {"(a, /, b, *args, c = 1, **kw)", 4, {"d"}, "a=0 b=1 args=2..4 **d"},
      {"(*args, **kw)", 0, {"args", "kw"}, "**args **kw"},
      {"(x = 1, /, **kw)", 0, {"x"}, "**x"},
      {"(x, /, **kw)", 1, {"x"}, "x=0 **x"},
      {"(*args, k)", 2, {"k"}, "args=0..2 k=k"},
      {"(*, k = 1, l)", 0, {"l"}, "l=l"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.signature);
    FunctionType type = TypeOf(c.signature);
    auto binding = BindArguments(type, c.positional, c.keywords);
    ASSERT_TRUE(binding.ok()) << binding.status();
    EXPECT_EQ(Written(type, *binding, c.keywords), c.bound);
  }
}

TEST(BindingTest, FindsFaultsInPythonsOrder) {
  struct Case {
    const char* signature;
    size_t positional;
    Keywords keywords;
    const char* reason;
    const char* field;
    const char* message;
  } const cases[] = {
      {"(x, y)", 1, {}, "MISSING_REQUIRED", "y", "no argument for `y`, in `(x, y)`"},
      {"(x)",
       1,
       {"z", "z"},
       "DUPLICATE_KEYWORD",
       "z",
       "argument `z` is given more than once, in `(x)`"},
      {"()",
       1,
       {"z"},
       "TOO_MANY_POSITIONAL",
       "",
       "expected no positional arguments, found 1, in `()`"},
      {"(x, y)",
       3,
       {},
       "TOO_MANY_POSITIONAL",
       "",
       "expected at most 2 positional arguments, found 3, in `(x, y)`"},
      {"(x, *, tax = 1)",
       2,
       {},
       "TOO_MANY_POSITIONAL",
       "",
       "expected at most 1 positional argument, found 2; `tax` is passed by name: `tax=...`, in "
       "`(x, *, tax = ...)`"},
      {"(x, *, tax = 1)",
       2,
       {"tax"},
       "TOO_MANY_POSITIONAL",
       "",
       "expected at most 1 positional argument, found 2, in `(x, *, tax = ...)`"},
      // A duplicate is found before an excess positional that stands further right.
      {"(x, y)",
       3,
       {"x"},
       "MULTIPLE_VALUES",
       "x",
       "argument `x` is given by position and by name, in `(x, y)`"},
      {"(x, /)",
       0,
       {"x"},
       "POSITIONAL_ONLY_AS_KEYWORD",
       "x",
       "argument `x` is given by name; it is taken by position only, in `(x, /)`"},
      {"(x, /)", 1, {"x"}, "UNEXPECTED_KEYWORD", "x", "no parameter `x`, in `(x, /)`"},
      {"(x, /, **kw)", 0, {"x"}, "MISSING_REQUIRED", "x", "no argument for `x`, in `(x, /, **kw)`"},
      // A missing argument comes before an unexpected keyword, which may be meant for it.
      {"(x, *, y)",
       1,
       {"z"},
       "MISSING_REQUIRED",
       "y",
       "no argument for `y`, and no parameter `z`, in `(x, *, y)`"},
      {"(input_0, input_1)",
       1,
       {"inpt_1", "b"},
       "MISSING_REQUIRED",
       "input_1",
       "no argument for `input_1`, and no parameter `b`, `inpt_1`, in `(input_0, input_1)`"},
      {"(x, y, **kw)", 1, {"z"}, "MISSING_REQUIRED", "y", "no argument for `y`, in `(x, y, **kw)`"},
      {"(title, limit = 3)",
       0,
       {"title", "limt"},
       "UNEXPECTED_KEYWORD",
       "limt",
       "no parameter `limt`; the nearest is `limit`, in `(title, limit = ...)`"},
      {"(x)", 1, {"b", "a"}, "UNEXPECTED_KEYWORD", "b", "no parameter `b`, in `(x)`"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.message);
    auto binding = BindArguments(TypeOf(c.signature), c.positional, c.keywords);
    ASSERT_FALSE(binding.ok());
    EXPECT_EQ(ReasonOf(binding.status()), c.reason);
    EXPECT_EQ(FieldOf(binding.status()), c.field);
    EXPECT_EQ(MessageOf(binding.status()), c.message);
  }
}

TEST(BindingTest, ShowsTheSignatureItIsGiven) {
  Keywords none;
  auto binding = BindArguments(TypeOf("(x)"), 0, none, "score(x)");
  EXPECT_EQ(MessageOf(binding.status()), "no argument for `x`, in `score(x)`");
}

TEST(BindingTest, BindsManyKeywords) {
  std::vector<std::string> names;
  for (int i = 0; i < 1000; ++i) names.push_back(Cat("k", i));
  Keywords keywords(names.begin(), names.end());
  FunctionType type = TypeOf("(k7, **kw)");
  auto binding = BindArguments(type, 0, keywords);
  ASSERT_TRUE(binding.ok());
  EXPECT_EQ(binding->parameters[0].index, 7U);
  EXPECT_EQ(binding->extra_keywords.size(), 999U);
  keywords.push_back("k12");
  EXPECT_EQ(FieldOf(BindArguments(type, 0, keywords).status()), "k12");
}

TEST(BindingTest, ReplaysByPositionUntilOneIsLeftOut) {
  FunctionType type = TypeOf("(a, b = 1, c = 2, *, d = 3, **kw)");
  Keywords keywords = {"c", "z"};
  auto binding = BindArguments(type, 1, keywords);
  ASSERT_TRUE(binding.ok());
  auto names = [](const std::vector<ReplayedCall::Argument>& arguments) {
    std::vector<std::string> out;
    for (const auto& argument : arguments) out.push_back(argument.name);
    return Join(out, " ");
  };
  ReplayedCall given = ReplayBinding(type, *binding, keywords, false);
  EXPECT_EQ(names(given.positional), "a");
  EXPECT_EQ(names(given.keyword), "c z");
  ReplayedCall filled = ReplayBinding(type, *binding, keywords, true);
  EXPECT_EQ(names(filled.positional), "a b c");
  EXPECT_EQ(names(filled.keyword), "d z");
}

}  // namespace
}  // namespace signet
