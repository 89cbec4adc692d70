#include "core/function/canonicalize.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/function/plain_data.h"
#include "core/values/builders/value_notation.h"
#include "tests/core/function/signature_of.h"

namespace signet {
namespace {

Value PlainValue(std::string_view text) {
  NotationReader in(text);
  auto value = ReadPlainData(in, {});
  EXPECT_TRUE(value.ok()) << text << ": " << value.status();
  return value.ok() ? *value : Value::None();
}

struct Call {
  std::vector<const char*> positional;
  std::vector<std::pair<const char*, const char*>> keyword;
};

CallArguments ArgumentsOf(const Call& call) {
  CallArguments arguments;
  for (const char* text : call.positional) arguments.positional.push_back(PlainValue(text));
  for (const auto& [name, text] : call.keyword) {
    arguments.keyword.emplace_back(name, PlainValue(text));
  }
  return arguments;
}

TEST(CanonicalizeTest, MakesTheMonomorphicType) {
  struct Case {
    const char* signature;
    Call call;
    const char* type;
  } const cases[] = {
      {"(x: float32[...], y = 1)", {{"2"}, {}}, "(x: float32[], y: 1)"},
      {"(x, y)", {{}, {{"y", "1"}, {"x", "2"}}}, "(x: 2, y: 1)"},
      {"(a, *r, k = 1, **kw)",
       {{"1", "\"s\"", "[2]"}, {{"z", "3"}, {"b", "4"}}},
       "(a: 1, r_0: \"s\", r_1: list(2), /, *, k: 1, b: 4, z: 3)"},
      {"(a, *r)", {{}, {{"a", "1"}}}, "(a: 1, /)"},
      {"(x: int64[] = 3)", {{}, {}}, "(x: int64[])"},
      {"(x: float32[?])", {{"[1, 2]"}, {}}, "(x: float32[2])"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.signature);
    Signature signature = SignatureOf(c.signature);
    auto call = Canonicalize(signature.type, ArgumentsOf(c.call), signature.defaults);
    ASSERT_TRUE(call.ok()) << call.status();
    EXPECT_EQ(call->type.ToString(), c.type);
    EXPECT_TRUE(call->type.IsMonomorphic());
    ASSERT_EQ(call->arguments.size(), call->type.parameters().size());
    for (size_t i = 0; i < call->arguments.size(); ++i) {
      EXPECT_EQ(call->arguments[i].spec(), call->type.parameters()[i].type);
    }
  }
}

TEST(CanonicalizeTest, AcceptsNamesThatPythonAccepts) {
  struct Case {
    const char* signature;
    Call call;
    const char* type;
  } const cases[] = {
      {"(x, /, **kw)", {{"1"}, {{"x", "2"}}}, "(x: 1, /, *, x: 2)"},
      {"(x = 1, /, **kw)", {{}, {{"x", "2"}}}, "(x: 1, /, *, x: 2)"},
      {"(args_0, *args)", {{"1", "2"}, {}}, "(args_0: 1, args_0: 2, /)"},
      {"(*args, **kw)", {{"1"}, {{"args_0", "2"}}}, "(args_0: 1, /, *, args_0: 2)"},
      {"(*args, args_0 = 3)", {{"1"}, {}}, "(args_0: 1, /, *, args_0: 3)"},
      {"(**kw)",
       {{}, {{"kw", "1"}, {"", "2"}, {"a b", "3"}, {"class", "4"}, {"\u00e9", "5"}}},
       "(*, \"\": 2, \"a b\": 3, class: 4, kw: 1, \"\u00e9\": 5)"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.type);
    Signature signature = SignatureOf(c.signature);
    auto call = Canonicalize(signature.type, ArgumentsOf(c.call), signature.defaults);
    ASSERT_TRUE(call.ok()) << call.status();
    EXPECT_TRUE(call->type.IsMonomorphic());
    EXPECT_EQ(call->type.ToString(), c.type);
  }
}

TEST(CanonicalizeTest, AnyAcceptsEveryArgumentAsItIs) {
  for (const char* value : {"1", "\"text\"", "None", "[1, {a: 2}]", "float32[2] [1, 2]"}) {
    Signature signature = SignatureOf("(x: any)");
    auto call = Canonicalize(signature.type, ArgumentsOf({{value}, {}}), signature.defaults);
    ASSERT_TRUE(call.ok()) << call.status();
    EXPECT_EQ(call->type.parameters()[0].type, call->arguments[0].spec());
    EXPECT_FALSE(call->type.parameters()[0].type.is(TypeKind::kAny));
  }
  Signature nested = SignatureOf("(x: dict(a: any, b: float32[]))");
  auto call = Canonicalize(nested.type, ArgumentsOf({{"{a: [1], b: 2}"}, {}}), nested.defaults);
  ASSERT_TRUE(call.ok()) << call.status();
  EXPECT_EQ(call->type.ToString(), "(x: dict(a: list(1), b: float32[]))");
}

TEST(CanonicalizeTest, SaysWhichArgumentIsAtFault) {
  struct Case {
    const char* signature;
    Call call;
    const char* reason;
    const char* field;
    const char* message;
  } const cases[] = {
      {"(x, y = ...)",
       {{"1"}, {}},
       "MISSING_DEFAULT",
       "y",
       "no argument for `y`, and its default value is not stored; pass one"},
      {"(x: dict(ids: int64[?]))",
       {{"{ids: [1, 2.5]}"}, {}},
       "DTYPE_MISMATCH",
       "x.ids[1]",
       "argument `x.ids[1]`: expected an integer for `int64`, found `2.5`"},
      {"(x: any(int64[]))", {{"2.5"}, {}}, "DTYPE_MISMATCH", "x", "argument `x`: `2.5`"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.message);
    Signature signature = SignatureOf(c.signature);
    auto call = Canonicalize(signature.type, ArgumentsOf(c.call), signature.defaults);
    ASSERT_FALSE(call.ok());
    EXPECT_EQ(ReasonOf(call.status()), c.reason);
    EXPECT_EQ(FieldOf(call.status()), c.field);
    EXPECT_EQ(MessageOf(call.status()).substr(0, std::string_view(c.message).size()), c.message);
  }
}

TEST(CanonicalizeTest, RejectsAnArgumentWithoutValue) {
  for (const char* signature : {"(x)", "(x: float32[])", "(*x)"}) {
    CallArguments arguments;
    arguments.positional.emplace_back();
    auto call = Canonicalize(TypeOf(signature), std::move(arguments), {});
    EXPECT_EQ(ReasonOf(call.status()), "TYPE_MISMATCH") << signature;
  }
}

TEST(CanonicalizeTest, AttachesCaptures) {
  std::vector<Capture> captures = {{"w", *ParseTypeSpec("float32[3]")}};
  auto call = Canonicalize(TypeOf("(x)"), ArgumentsOf({{"1"}, {}}), {}, captures);
  ASSERT_TRUE(call.ok());
  EXPECT_EQ(call->type.ToString(), "(x: 1) with (w: float32[3])");
}

}  // namespace
}  // namespace signet
