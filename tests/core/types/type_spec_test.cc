#include "signet/type_spec.h"

#include <gtest/gtest.h>

#include "core/types/notation/notation.h"
#include "signet/tensor_spec.h"

namespace signet {
namespace {

TypeSpec Type(std::string_view text) {
  auto spec = ParseTypeSpec(text);
  EXPECT_TRUE(spec.ok()) << text << ": " << spec.status();
  return spec.ok() ? *spec : TypeSpec();
}

TEST(TypeSpecTest, EqualTypesAreOnePointerAndForgottenWithTheLast) {
  size_t before = NumInternedTypes();
  {
    TypeSpec a = Type("dict(a: float32[17, 23])");
    TypeSpec b = Type("dict(a: float32[17, 23])");
    EXPECT_EQ(&a.rep(), &b.rep());
    EXPECT_EQ(a.fingerprint(), b.fingerprint());
    EXPECT_EQ(NumInternedTypes(), before + 2);
    TypeSpec copy = a;
    a = TypeSpec();
    b = std::move(copy);
    EXPECT_TRUE(b);
  }
  EXPECT_EQ(NumInternedTypes(), before);
}

TEST(TypeSpecTest, FingerprintsAreTheSameInEveryRun) {
  EXPECT_EQ(Type("float32[?, 3]").fingerprint(), Type("float32[?, 3]").fingerprint());
  EXPECT_NE(Type("float32[?, 3]").fingerprint(), Type("float32[3, ?]").fingerprint());
  EXPECT_EQ(Type("float32[?, 3]").structure(), Type("float32[5]").structure());
  EXPECT_NE(Type("float32[]").structure(), Type("float64[]").structure());
}

TEST(TypeSpecTest, RelationsFollowTheTable) {
  struct Case {
    const char *a, *b;
    bool below, above, compatible;
    std::string join;  // empty: none
  } const cases[] = {
      {"float32[2]", "float32[?]", true, false, true, "float32[?]"},
      {"float32[2]", "float64[2]", false, false, false, ""},
      {"float32[2]", "float32[...]", true, false, true, "float32[...]"},
      {"float32[2]", "float32[2, 1]", false, false, false, "float32[...]"},
      {"float32[2]", "float32[2]@x", true, false, true, ""},
      {"float32[2]@x", "float32[2]@y", false, false, true, ""},
      {"1", "1.0", false, false, false, ""},
      {"1", "True", false, false, false, ""},
      {"nan", "nan", true, true, true, "nan"},
      {"0.0", "-0.0", true, true, true, ""},  // equal by value, not identical
      {"nan", "nan(0x7ff8000000000001)", true, true, true, ""},
      {"list(0.0)", "list(-0.0)", true, true, true, ""},
      {"list(3)", "tuple(3)", false, false, false, ""},
      {"list(float32[2])", "list(float32[3])", false, false, false, "list(float32[?])"},
      {"list(3)", "list(3, 3)", false, false, false, ""},
      {"list(3)", "list(4)", false, false, false, ""},
      {"dict(a: float32[2])", "dict(a: float32[?])", true, false, true, "dict(a: float32[?])"},
      {"dict(a: 3)", "dict(b: 3)", false, false, false, ""},
      {"namedtuple P(x: 3)", "attrs P(x: 3)", false, false, false, ""},
      {"namedtuple P(x: 3)", "namedtuple Q(x: 3)", false, false, false, ""},
      {"namedtuple P(x: 3, y: 4)", "namedtuple P(y: 4, x: 3)", false, false, false, ""},
      {"ragged int64[2, (?)]", "ragged int64[?, (?)]", true, false, true, "ragged int64[?, (?)]"},
      {"ragged int64[2, (3)]", "ragged int64[2, (?)]", true, false, true, "ragged int64[2, (?)]"},
      {"ragged int64[2, (?)]", "ragged<splits=int32> int64[2, (?)]", false, false, false, ""},
      {"ragged int64[2, (?)]", "int64[2, ?]", false, false, false, ""},
      {"sparse int64[2]", "sparse int64[?]", true, false, true, "sparse int64[?]"},
      {"{a: int64[2]}", "{a: int64[?]}", true, false, true, "{a: int64[?]}"},
      {"{a: int64[]}", "{b: int64[]}", false, false, false, ""},
      {"{a: int64[]}", "{a: int64[], b: int64[]}", false, false, false, ""},
      {"{a: int64[]}[3]", "[{a: int64[]}]", true, false, true, "[{a: int64[]}]"},
      {"{a: int64[]}", "[{a: int64[]}]", false, false, false, ""},
      {"x.T<n=1>(a: int64[2])", "x.T<n=1>(a: int64[?])", true, false, true,
       "x.T<n=1>(a: int64[?])"},
      {"x.T<n=1>(a: int64[2])", "x.T<n=2>(a: int64[2])", false, false, false, ""},
      {"any(float32[2])", "any", true, false, true, "any"},
      {"any(float32[2])", "any(float32[?])", true, false, true, "any(float32[?])"},
      {"any(float32[2])", "any(int8[2])", false, false, false, "any"},
      {"float32[2]", "any", false, false, false, ""},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(Cat(c.a, " and ", c.b));
    TypeSpec a = Type(c.a), b = Type(c.b);
    EXPECT_EQ(IsSubtype(a, b), c.below);
    EXPECT_EQ(IsSubtype(b, a), c.above);
    EXPECT_EQ(IsCompatible(a, b), c.compatible);
    EXPECT_EQ(IsCompatible(b, a), c.compatible);
    for (const TypeSpec& join :
         {MostSpecificCommonSupertype(a, b), MostSpecificCommonSupertype(b, a)}) {
      EXPECT_EQ(join ? join.ToString() : "", c.join);
    }
  }
}

TEST(TypeSpecTest, RaggedOfRankZeroAcceptsDenseOneWay) {
  TypeSpec ragged = Type("ragged<rank=0> float32[3]"), dense = Type("float32[3]");
  EXPECT_TRUE(IsCompatible(ragged, dense));
  EXPECT_FALSE(IsCompatible(dense, ragged));
  EXPECT_FALSE(IsSubtype(dense, ragged));
  EXPECT_FALSE(MostSpecificCommonSupertype(dense, ragged));
}

TEST(TypeSpecTest, TypesThatDifferOnlyInNotesAreEqual) {
  struct Case {
    const char *a, *b;
  } const cases[] = {
      {"{b: int8[], a: string[]}", "{a: string[], b: int8[]}"},
      {"dict(b: 1, a: 2)", "dict(a: 2, b: 1)"},
      {"[{x: {b: int8[], a: int8[]}}]", "[{x: {a: int8[], b: int8[]}}]"},
      {"list(dict(b: 1, a: 2))", "list(dict(a: 2, b: 1))"},
      {"app.M<s=dict(b: 1, a: 2)>(x: dict(b: 1, a: 2))",
       "app.M<s=dict(a: 2, b: 1)>(x: dict(a: 2, b: 1))"},
      {"{a: float32[] = nan}", "{a: float32[]}"},
      {"(float32[?] = 1)", "(float32[?] = 2)"},
      {"[{a?: string[]}]", "[{a: string[(?)]}]"},
      {"{a?: string[]}", "{a: string[?]}"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.a);
    // Whichever comes first, each is written as it was.
    for (bool is_first : {true, false}) {
      TypeSpec first = *ParseTypeSpec(is_first ? c.a : c.b);
      TypeSpec second = *ParseTypeSpec(is_first ? c.b : c.a);
      EXPECT_EQ(first, second);
      EXPECT_EQ(first.fingerprint(), second.fingerprint());
      EXPECT_EQ(first.structure(), second.structure());
      EXPECT_TRUE(IsSubtype(first, second));
      EXPECT_TRUE(IsSubtype(second, first));
      EXPECT_EQ(first.plain(), second);
      EXPECT_EQ(first.plain().ToString(), second.plain().ToString());
      EXPECT_EQ(*ParseTypeSpec(first.ToString()), first);
    }
  }
  EXPECT_NE(*ParseTypeSpec("{b: int8[], a: int8[]}"), *ParseTypeSpec("{b: int8[], c: int8[]}"));
  EXPECT_EQ(ParseTypeSpec("{b: int8[], a: string[]}")->ToString(), "{b: int8[], a: string[]}");
  EXPECT_EQ(ParseTypeSpec("{a: string[], b: int8[]}")->ToString(), "{a: string[], b: int8[]}");
}

TEST(TypeSpecTest, ArrangesFieldsAsDeclared) {
  struct Case {
    const char *type, *declared, *arranged;
  } const cases[] = {
      {"{a: int8[], b: int8[]}", "{b: int8[], a: int8[]}", "{b: int8[], a: int8[]}"},
      {"{b: int8[], a: int8[]}", "{a: int8[], b: int8[]}", "{a: int8[], b: int8[]}"},
      {"{b: int8[], a: int8[]}[3]", "[{b: int8[], a: int8[] = 1}]", "{b: int8[], a: int8[]}[3]"},
      {"[{x: {d: int8[], c: int8[]}}]", "[{x: {c: int8[], d: int8[]}}]",
       "[{x: {c: int8[], d: int8[]}}]"},
      {"[{a: int8[(?)]}]", "[{a?: int8[]}]", "[{a?: int8[]}]"},
      {"list(dict(b: 1, a: 2))", "list(dict(b: 1, a: 2))", "list(dict(b: 1, a: 2))"},
      // Where nothing is declared, by name.
      {"{b: int8[], a: int8[]}", "{b: int8[], c: int8[]}", "{a: int8[], b: int8[]}"},
      {"dict(b: 1, a: 2)", "any", "dict(a: 2, b: 1)"},
      {"(float32[?] = nan)", "(float32[?] = nan)", "float32[?]"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.type);
    EXPECT_EQ(ArrangedLike(*ParseTypeSpec(c.type), *ParseTypeSpec(c.declared)).ToString(),
              c.arranged);
  }
  EXPECT_EQ(ArrangedLike(*ParseTypeSpec("dict(b: 1, a: 2)"), {}).ToString(), "dict(a: 2, b: 1)");
}

TEST(TypeSpecTest, JoinsAndRebuildsKeepTheOrder) {
  TypeSpec joined = MostSpecificCommonSupertype(*ParseTypeSpec("{b: int8[2], a?: int8[]}"),
                                                *ParseTypeSpec("{a?: int8[], b: int8[3]}"));
  EXPECT_EQ(joined.ToString(), "{b: int8[?], a?: int8[]}");
  TypeSpec many = *ParseTypeSpec("[{b: int8[], a?: int8[]}]");
  auto rebuilt = many.rep().Rebuild({4}, {many.children().begin(), many.children().end()});
  ASSERT_TRUE(rebuilt.ok()) << rebuilt.status();
  EXPECT_EQ(rebuilt->ToString(), "{b: int8[], a?: int8[]}[4]");
}

TEST(TypeSpecTest, ComponentsAreInCanonicalOrder) {
  struct Case {
    const char* type;
    std::string components;
  } const cases[] = {
      {"float32[2]", ": float32[2]"},
      {"3", ""},
      {"ragged int64[2, (?), 4]", "values: int64[?, 4], row_splits_0: int64[3]"},
      {"ragged<splits=int32> int64[?, (?), (?)]",
       "values: int64[?], row_splits_0: int32[?], row_splits_1: int32[?]"},
      {"ragged<rank=0> float32[3]", "values: float32[3]"},
      {"sparse string[2, ?]", "indices: int64[?, 2], values: string[?], dense_shape: int64[2]"},
      {"dict(b: 3, a: list(int8[], int16[]))", "a[0]: int8[], a[1]: int16[]"},
      {"app.M(v: ragged int8[?, (?)], m: bool[])",
       "v.values: int8[?], v.row_splits_0: int64[?], m: bool[]"},
      {"{b: int8[], a: int16[]}", "a: int16[], b: int8[]"},
      {"[{a: int8[], b: string[(?)]}]",
       "nrows: int64[], a: int8[?], b.values: string[?], b.row_splits_0: int64[?]"},
      {"[[{a: int8[], b: string[(?)]}]]",
       "nrows: int64[], row_splits_0: int64[?], a.values: int8[?], b.values: string[?], "
       "b.row_splits_1: int64[?]"},
      {"[{a: [{x: int8[]}]}]", "nrows: int64[], a.row_splits_0: int64[?], a.x.values: int8[?]"},
      {"{a: [{x: int8[]}]}", "a.nrows: int64[], a.x: int8[?]"},
      {"{a: int8[3]}[2, 4]", "nrows: int64[], row_splits_0: int64[3], a: int8[2, 4, 3]"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.type);
    TypeSpec spec = Type(c.type);
    std::string found;
    for (const ComponentSpec& component : ComponentsOf(spec)) {
      found += Cat(found.empty() ? "" : ", ", component.name, ": ", component.spec);
    }
    EXPECT_EQ(found, c.components);
    EXPECT_EQ(ComponentsOf(spec).size(), spec.num_components());
  }
}

}  // namespace
}  // namespace signet
