// Faulty programs in the model language: the position of the error is where a person would point.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/model/language/model_reader.h"
#include "core/model/language/syntax/limits.h"
#include "core/model/language/syntax/source_errors.h"

namespace signet {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

struct Faulty {
  const char* text;     // `^^` marks the position of the error and is removed
  const char* message;  // a part of the message
};

std::string Rejected(std::string_view text) {
  auto def = ModelDefFromLanguage(text, {});
  return def.ok() ? "accepted" : std::string(MessageOf(def.status()));
}

class FaultyProgramTest : public testing::TestWithParam<Faulty> {};

TEST_P(FaultyProgramTest, PointsAtTheError) {
  std::string text = GetParam().text;
  const size_t mark = text.find("^^");
  ASSERT_NE(mark, std::string::npos);
  text.erase(mark, 2);
  const SourcePosition at = PositionOf(text, mark);
  EXPECT_THAT(Rejected(text), StartsWith(Cat("model.signet:", at.line, ":", at.column, ": ")))
      << text;
  EXPECT_THAT(Rejected(text), HasSubstr(GetParam().message)) << text;
}

constexpr Faulty kPrograms[] = {
    // Values of the functions around a nested function.
    {"def f(x, k):\n    def ^^g(y, z=1):\n        return y + k\n    return g(x)\n",
     "`g` uses `k` of the function around it: expected parameters without defaults"},
    {"def f(x, k):\n    def g(y):\n        return y + k\n    def h(k):\n        return ^^g(k)\n"
     "    return h(x)\n",
     "`h` has a value `k` of its own, but calls a function that uses `k` of `f`"},
    {"def f(x, k):\n    def g(y):\n        return y + k\n    return ^^cond(x, x, then=g, else=h)\n"
     "def h(x):\n    return x\n",
     "expected `h` to be inside `f`, because another function uses its `k`"},
    {"def f(x):\n    def g(y):\n        return y + k\n    z = ^^g(x)\n    k = x\n    return z\n",
     "name `k` is used before it is assigned"},
    {"def f(x, k):\n    def g(i, going, y):\n        return (going, y + k)\n"
     "    return ^^ops.loop(3, None, x, body=g, carried=1)\n",
     "a function that uses `k` of the function around it: expected `call`, `case`"},
    // What Python has, and the language has not.
    {"def f(x, y):\n    return x ^^& y\n", "unsupported `&`; write `and` for bools"},
    {"def f(x, y):\n    return x ^^in y\n", "unsupported `in`"},
    {"def f(x):\n    return x ^^is None\n", "unsupported `is`; `is_same(x, None)` tests"},
    {"def f(x):\n    x.a ^^= 1\n    return x\n", "values do not change, and `struct_update"},
    {"def f(x):\n    ^^elif x:\n        y = 1\n    return x\n", "write `case`"},
    {"def f(x):\n    ^^assert x\n    return x\n", "write `check_true`"},
    {"def f(x):\n    ^^try:\n        y = 1\n    return x\n", "unsupported statement `try`"},
    {"def f(x):\n    return ^^f\"a\"\n", "unsupported text with the prefix `f`"},
    {"def f(x):\n    return x.^^sum()\n", "values have no methods; write `reduce_sum(x, ...)`"},
    {"def f(x):\n    return ^^np.sum(x)\n", "its name in Signet is `reduce_sum`"},
    {"def f(x, y):\n    return ^^max(x, y)\n", "its name in Signet is `maximum`"},
    {"def f(x, y):\n    return ^^np.hypot(x, y)\n", "write `sqrt(x * x + y * y)`"},
    {"def f(x):\n    return map(x, function=^^lambda y: y)\n", "map(xs, function=double)"},
    {"def f(x):\n    return unstack(x)^^[:1]\n", "expected the number of one"},
    {"def f(x):\n    return top_k(x, k=1)^^[2]\n", "`top_k` has 2 outputs, found the index 2"},
    {"def f(x):\n    return top_k(x, k=1).^^index\n", "or its name: `indices`, `values`"},
    {"def f(x):\n    a = unstack(x)\n    return a^^[1]\n", "`a` is the first of several"},
    {"def f(x):\n    return ^^np.exp(x)\n", "op or function `np.exp` not found; write `exp(...)`"},
    {"def f(x):\n    y = ^^print(x)\n    return x\n", "a function of a model only returns values"},
    {"def f(x):\n    return cast(x, ^^float32)\n", "pass it by name: `dtype=float32`"},
    {"def f(x: float32^^, y: int32[]):\n    return x\n", "a scalar is `float32[]`"},
    {"def f(x: ^^str):\n    return x\n", "did you mean `string[]`?"},
    {"def f(x):\n    return argmax(x, ^^axes=0)\n", "did you mean `axis`?"},
    {"def f(x):\n    return reduce_sum(x, ^^axis=0)\n", "did you mean `axes`?"},
    {"def f(x, y):\n    return select(x ^^& y, 1, 2)\n", "unsupported `&`; write `and`"},
    {"def f(x, y):\n    return [x ^^in y]\n", "unsupported `in`"},
    {"def f(x):\n    return select(x == ^^f\"a\", 1, 2)\n", "unsupported text with the prefix `f`"},
    {"def f(x):\n    return select(x.tier ^^= \"a\", 1, 2)\n",
     "expected `,` or `)`, found `=`; `==` compares two values"},
    {"def f(x):\n    ^^// twice\n    return x\n", "a comment starts with `#`"},
    {"@^^signet.function\ndef f(x):\n    return x\n", "a function needs none"},
    {"import ^^numpy as np\n\ndef f(x):\n    return x\n", "in quotation marks, such as"},
    // Syntax.
    {"def f(x)^^\n    return x\n", "expected `:` after the signature, found the end of the line"},
    {"def ^^(x):\n    return x\n", "expected the name of the function"},
    {"def f^^:\n    return 1\n", "expected `(` before the parameters"},
    {"def ^^f(x):\nreturn x\n", "expected an indented body"},
    {"def f(x):\n    return x +^^\n", "expected an expression, found the end of the line"},
    {"def f(x):\n    return ^^(x + 1\n", "`(` is not closed"},
    {"def f(x):\n    return x + 1^^)\n", "`)` has no opening bracket"},
    {"def f(x):\n    return (x + 1^^]\n", "expected `)`"},
    {"def f(x):\n    y = ^^\"abc\n    return y\n", "expected a closing `\"`"},
    {"def f(x):\n    gr^^öße = 1\n    return x\n", "`ö`; names have ASCII letters"},
    {"def f(x):\n    return x ^^\u00a0+ 1\n", "unexpected character U+00A0, which is not visible"},
    {"def f(x):\n    return concat(x, ^^“a”)\n", "quotation marks are `\"`"},
    {"def f(x):\n    return x ^^x\n", "expected an operator or the end of the line"},
    {"def f(x):\n    ^^if x:\n        y = 1\n    return x\n", "unsupported statement `if`"},
    {"def f(x):\n    ^^for i in x:\n        y = i\n    return x\n", "write `map`"},
    {"def f(x):\n    return 1 ^^if x else 2\n", "unsupported"},
    {"def f(x):\n    x ^^+= 1\n    return x\n", "unsupported assignment `+=`"},
    {"def f(x):\n    return x < 1 ^^< 2\n", "chain of comparisons"},
    {"def f(x):\n    y = x ^^! 2\n    return y\n", "expected an operator"},
    {"def f(x):\n    return x^^.1\n", "expected an operator"},
    {"def f(x):\n    return add(x, y=1, ^^x)\n", "expected a keyword argument"},
    {"def f(x):\n    return add(x, y=1, ^^y=2)\n", "duplicate keyword argument `y`"},
    {"def f(x):\n  ^^\treturn x\n", "expected spaces"},
    {"^^x = 3\n", "write `capture x = VALUE`"},
    {"def f(x):\n    return {^^a: x}\n", "expected a key in quotation marks"},
    {"def f(x):\n    return ^^99999999999999999999\n", "expected an integer"},
    {"def f(x):\n    ^^in = x\n    return x\n", "`in` is reserved"},
    // Signatures and types.
    {"def f(x: float32[2, ^^, 3]):\n    return x\n", "expected a dimension"},
    {"def f(x: float32[^^None]):\n    return x\n", "an unknown dimension is written as `?`"},
    {"def f(x: ^^flat32[?]):\n    return x\n",
     "expected a type, found `flat32`; the nearest is `float32`"},
    {"def f(x, ^^x):\n    return x\n", "two parameters are called `x`"},
    {"capture c: float32^^[\n\ndef f(x):\n    return c\n", "`[` is not closed"},
    {"capture ^^c: float32[2]\n\ndef f(x):\n    return c\n",
     "capture `c` not found; captures.safetensors"},
    {"capture c = float32[2] [1.0, ^^\"a\"]\n\ndef f(x):\n    return c\n",
     "`[1]`: expected a number for `float32`, found text"},
    {"def f(x):\n    return x + float32[2] [1.0^^]\n",
     "expected a list of 2 in dimension 0 of `float32[2]`, found a list of 1"},
    // Names.
    {"def f(orders):\n    return ^^oders.items\n",
     "name `oders` not found; did you mean `orders`?"},
    {"def f(x):\n    return ^^y + 1\n    y = 2\n", "used before it is assigned"},
    {"def f(x):\n    y = x\n    ^^y = x + 1\n    return y\n", "line 2 assigns it"},
    {"def f(x):\n    ^^x = x + 1\n    return x\n", "a parameter has it"},
    {"def f(x):\n    return ^^reduce_sun(x)\n", "did you mean `reduce_sum`?"},
    {"def f(x):\n    return ^^subtract(x, 1)\n", "its name in Signet is `sub`"},
    {"def g(x):\n    return x\n\ndef f(x):\n    return ^^g + 1\n", "found the function `g`"},
    {"def f(x):\n    return x.^^cast(dtype=\"int32\")\n", "write `cast(x, ...)`"},
    {"def f(x):\n    return ^^x(1)\n", "expected an op or a function, found the value `x`"},
    {"def f(x):\n    return captures[^^\"w\"] * x\n", "capture `w` not found"},
    {"def ^^f(x):\n    y = x\n", "missing `return`"},
    {"def f(x):\n    return x\n    ^^y = x\n", "after `return`"},
    {"def f(x):\n    return x\n\ndef ^^f(y):\n    return y\n",
     "duplicate function `f`; line 1 defines it"},
    // Calls.
    {"def f(x):\n    return ^^add(x)\n", "`add`"},
    {"def f(x):\n    return add(x, 1, ^^2)\n", "expected at most 2 inputs"},
    {"def f(x):\n    return sort(x, ^^True)\n",
     "expected at most 1 input, found 2; attributes are keyword arguments: `axis`"},
    {"def f(x):\n    return ^^sub(y=x)\n", "`sub`: missing input `x`"},
    {"def f(x):\n    return top_k(x, ^^kkkkk=3)\n", "available: `axis`, `k`, `largest`, `x`"},
    {"def g(x):\n    return x\n\ndef f(x):\n    return cond(x, x, then=g, ^^else_=g)\n",
     "`cond`: keyword argument `else_` not found; did you mean `else`?"},
    {"def f(x):\n    return select(x, ^^true, 1)\n", "did you mean `True`?"},
    // The number and the names of arguments are checked without the types of parameters.
    {"def g(a, *, scale=1):\n    return a * scale\n\ndef f(x):\n    return ^^g(x, scael=2)\n",
     "function `g`: no parameter `scael`; the nearest is `scale`"},
    {"def g(a):\n    return a\n\ndef f(x):\n    y = ^^g(x, x)\n    return y\n", "function `g`: "},
    {"def f(x):\n    return ^^add(x)\n", "2:12: `add`: expected the inputs (x, y), found 1 input"},
    {"def f(x):\n    return cast(x, dtype=^^float23)\n", "did you mean `float32`?"},
    {"def f(x):\n    return cast(x, ^^dtyp=\"int32\")\n", "did you mean `dtype`?"},
    {"def f(x):\n    return ops.map(x, function=^^g)\n", "function `g` not found"},
    {"def f(x):\n    a, b, ^^c = top_k(x, k=2)\n    return a\n", "expected at most 2 names"},
    {"def f(x):\n    return x[1:^^2.5]\n", "expected an integer or a value in a slice"},
    {"def f(x):\n    return x[::^^x]\n", "expected an integer as the step of a slice"},
    {"def f(x):\n    return x[^^2.5]\n", "as a key"},
    {"@^^exmple(\"1\")\ndef f(x):\n    return x\n", "decorator `exmple` not found"},
    {"@parameters(^^y=\"an input\")\ndef f(x):\n    return x\n", "parameter `y` not found"},
    {"def ^^f(x):\n    return g(x)\n\ndef g(x):\n    return f(x)\n", "cycle"},
    // Classes.
    {"class a.B:\n    u: static\n    x: ...\n\ndef f(x):\n    return ^^a.B(x)\n",
     "`a.B`: missing static attribute `u`"},
    {"class a.Money:\n    x: ...\n\ndef f(x):\n    return ^^a.Mony(x)\n",
     "did you mean `a.Money`?"},
    {"class a.B:\n    x: ...\n    override(^^UNARY_ELEMENTWIS, f)\n\ndef f(x):\n    return x\n",
     "did you mean `UNARY_ELEMENTWISE`?"},
    {"class a.B:\n    x: ...\n    override(shape, f)\n    ^^override(mull, f)\n\n"
     "def f(x):\n    return x\n",
     "op `mull` not found; the nearest is `mul`"},
    {"class a.P:\n    w: ...\n\nclass a.C(^^a.P):\n    v: ...\n\ndef f(x):\n    return x\n",
     "extension type `a.C`: expected the component `w` of its parent `a.P`, found `v`"},
    {"class a.P:\n    w: static\n\nclass a.C(^^a.P):\n    v: ...\n\ndef f(x):\n    return x\n",
     "extension type `a.C`: expected the static attribute `w` of its parent `a.P`, found none"},
    {"class ^^Masked:\n    x: ...\n\ndef f(x):\n    return x\n", "`project.Type`"},
    {"class a.B:\n    x: ...\n    invariant(^^check)\n\ndef f(x):\n    return x\n",
     "`check` not found"},
    {"class a.B:\n    x: float32^^[\n\ndef f(x):\n    return x\n", "`[` is not closed"},
    {"class a.B:\n    x: ...\n    ^^overide(shape, f)\n\ndef f(x):\n    return x\n", "not found"},
    {"class a.B:\n    x: ...\n\ndef f(x):\n    return a.B(x, ^^y=1)\n", "component `y` not found"},
    {"class a.B(^^a.C):\n    x: ...\n\ndef f(x):\n    return x\n",
     "extension type `a.B`: parent `a.C` not found; extension types: none"},
    {"class a.B:\n    x: ...\n    conversion(^^a.C, f)\n\ndef f(x):\n    return x\n",
     "extension type `a.C` not found"},
    {"def f(x):\n    return is_a(x, type=type(^^a.C))\n", "extension type `a.C` not found"},
};

INSTANTIATE_TEST_SUITE_P(Programs, FaultyProgramTest, testing::ValuesIn(kPrograms));

// Errors that are found later, when a body is specialized, name a function and a node.
TEST(SourceErrorsTest, FindsThePlaceOfANode) {
  const char* text =
      "capture table: float32[3]\n"
      "def f(o: [{tier: string[], n: float32[]}], x: int32[?]):\n"
      "    b = select(o.teir == \"gold\", o.n * gather(table, x[5][3]), o.n)\n"
      "    return sqrt(b.values)\n";
  auto place = [&](std::string_view error) {
    const Status placed = WithSourcePosition(text, InvalidArgument("function `f`: ", error));
    const std::string_view message = MessageOf(placed);
    return std::string(message.substr(0, message.find(": ")));
  };
  EXPECT_EQ(place("node `o.teir`: no field"), "model.signet:3:18");
  EXPECT_EQ(place("node `b_1`: equal"), "model.signet:3:23");
  EXPECT_EQ(place("node `x[5][3]`: rank"), "model.signet:3:58");
  EXPECT_EQ(place("node `b_2`: gather"), "model.signet:3:40");
  EXPECT_EQ(place("node `b_3`: mul"), "model.signet:3:38");
  EXPECT_EQ(place("node `b`: select"), "model.signet:3:9");
  EXPECT_EQ(place("node `b.values`: no field"), "model.signet:4:19");
  EXPECT_EQ(place("node `result`: sqrt"), "model.signet:4:12");
  EXPECT_EQ(place("result: expected"), "model.signet:4:12");
  EXPECT_EQ(place("something else"), "model.signet:2:5");
}

// An error of a function that others call is where this function is wrong.
TEST(SourceErrorsTest, FindsThePlaceInTheInnermostFunction) {
  const char* text =
      "import \"net.onnx\" as net\n"
      "class a.T:\n"
      "    v: float32[?]\n"
      "    @invariant\n"
      "    def fits(self):\n"
      "        return self.q > 1\n"
      "def h(o):\n"
      "    return o.itemz.price\n"
      "def f(orders, x):\n"
      "    def g(y):\n"
      "        return sqrt(y)\n"
      "    z = net.main(orders)\n"
      "    return map(h(z), function=g)\n";
  auto place = [&](std::string_view error) {
    const Status placed = WithSourcePosition(text, InvalidArgument(error));
    const std::string_view message = MessageOf(placed);
    return std::string(message.substr(0, message.find(": ")));
  };
  EXPECT_EQ(place("function `f`: node `result_1`: function `h`: node `o.itemz`: no field"),
            "model.signet:8:14");
  EXPECT_EQ(place("function `f`: node `result`: function `_f_g`: node `result`: sqrt"),
            "model.signet:11:16");
  EXPECT_EQ(place("function `f`: node `result`: function `_f_g`: result: expected a scalar"),
            "model.signet:11:16");
  EXPECT_EQ(place("function `f`: node `z`: function `_net_main`: expected an argument"),
            "model.signet:12:9");
  EXPECT_EQ(place("function `f`: argument `x`: `a.T`: `fits`: node `self.q`: no field"),
            "model.signet:6:21");
}

TEST(SourceErrorsTest, ReportsABranchAndItsElseOnce) {
  const std::string text =
      Rejected("def f(x):\n    if x:\n        y = 1\n    else:\n        y = 2\n    return y\n");
  EXPECT_THAT(text, HasSubstr("unsupported statement `if`"));
  EXPECT_THAT(text, testing::Not(HasSubstr("`else`")));
}

TEST(SourceErrorsTest, ShowsTheLineAndACaret) {
  EXPECT_EQ(Rejected("def f(orders):\n    return oders.items  # all\n"),
            "model.signet:2:12: name `oders` not found; did you mean `orders`?\n"
            "        return oders.items  # all\n"
            "               ^");
}

TEST(SourceErrorsTest, ReportsSeveralErrors) {
  const std::string text =
      Rejected("def f(x):\n    y = a + b\n    return c\n\ndef g(x):\n    return ad(x, d)\n");
  for (const char* place :
       {"2:9: name `a`", "2:13: name `b`", "3:12: name `c`", "6:12: op", "6:18: name `d`"}) {
    EXPECT_THAT(text, HasSubstr(place));
  }
}

TEST(SourceErrorsTest, ContinuesAfterSyntaxErrors) {
  const std::string text = Rejected(
      "def f(x):\n    y = x +\n    z = (y\n\ndef g(x):\n    return x x\n\ndef h(x)\n    return "
      "x\n");
  for (const char* place : {"2:12: ", "3:9: `(` is not closed", "6:14: ", "8:9: "}) {
    EXPECT_THAT(text, HasSubstr(place));
  }
}

// What follows from a wrong bracket or a tab is not an error of its own.
TEST(SourceErrorsTest, ReportsAWrongTokenOnce) {
  for (const char* program :
       {"def f(x):\n    y = sqrt(x\n    z = y\n    return z\n", "def f(x):\n    return (x + 1]\n",
        "def f(x: [{a: [{b: string[]}]}):\n    return x\n",
        "def f(x):\n    y = x\n\tz = y\n    return z\n"}) {
    const std::string text = Rejected(program);
    EXPECT_EQ(text.find("model.signet:", 1), text.npos) << text;
  }
}

TEST(SourceErrorsTest, StopsAfterManyErrors) {
  std::string program = "def f(x):\n";
  for (int i = 0; i < 100; ++i) program += Cat("    y", i, " = a", i, "\n");
  const std::string text = Rejected(program + "    return x\n");
  EXPECT_THAT(text, HasSubstr("name `a19` not found"));
  EXPECT_THAT(text, testing::Not(HasSubstr("name `a20` not found")));
}

TEST(SourceErrorsTest, CountsCharacters) {
  EXPECT_THAT(Rejected("def f(x):\n    return \"äö\" + y\n"), StartsWith("model.signet:2:19: "));
}

TEST(LanguageLimitsTest, RejectsDeepAndLargePrograms) {
  const std::string head = "def f(x):\n    return ";
  EXPECT_THAT(Rejected(head + std::string(100'000, '(') + "x\n"), HasSubstr("limit of 200"));
  EXPECT_THAT(Rejected(head + std::string(100'000, '-') + "x\n"), HasSubstr("limit of 200"));
  std::string sum = "x";
  for (int i = 0; i < 100'000; ++i) sum += "+x";
  EXPECT_THAT(Rejected(head + sum + "\n"), HasSubstr("limit of 200"));
  std::string fields = "x";
  for (int i = 0; i < 100'000; ++i) fields += ".a";
  EXPECT_THAT(Rejected(head + fields + "\n"), HasSubstr("limit of 200"));
  std::string nots;
  for (int i = 0; i < 100'000; ++i) nots += "not ";
  EXPECT_THAT(Rejected(head + nots + "x\n"), HasSubstr("limit of 200"));
  std::string blocks;
  for (size_t i = 0; i < 2000; ++i) blocks += std::string(i, ' ') + "def f(x):\n";
  EXPECT_THAT(Rejected(blocks), HasSubstr("limit of 200"));
  EXPECT_THAT(Rejected(std::string(kMaxSourceBytes + 1, ' ')), HasSubstr("exceed the limit"));
  EXPECT_THAT(Rejected("def f(x):\n    return \"\xff\"\n"), HasSubstr("UTF-8"));
}

}  // namespace
}  // namespace signet
