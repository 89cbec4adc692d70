#include "signet/nest.h"

#include <gtest/gtest.h>

#include "core/values/builders/value_notation.h"

namespace signet {
namespace {

constexpr NestOptions kExpand = {.expand_composites = true};

Value Read(std::string_view text) {
  auto value = ParseValue(text);
  EXPECT_TRUE(value.ok()) << text << ": " << value.status();
  return value.ok() ? *value : Value();
}

std::string Leaves(std::string_view text, NestOptions options) {
  std::string out;
  for (const Value& leaf : FlattenNest(Read(text), options)) {
    out += Cat(out.empty() ? "" : "; ", ToString(leaf));
  }
  return out;
}

TEST(NestTest, NamesEachLeafByItsPath) {
  struct Case {
    const char *type, *closed, *open;
  } const cases[] = {
      {"int64[]", "", ""},
      {"list(tuple(), dict(), 1, tuple(2))", "[2] [3][0]", "[2] [3][0]"},
      {"dict(b: 3, a: list(1, 2))", "a[0] a[1] b", "a[0] a[1] b"},
      {"namedtuple P(y: 1, x: 2)", "y x", "y x"},
      // Numbers as keys are text: in byte order, and without quotation marks in paths.
      {"dict(\"10\": 1, \"9\": list(2, 3), \"-1\": dict(\"41\": 4))", "-1.41 10 9[0] 9[1]",
       "-1.41 10 9[0] 9[1]"},
      {"list(ragged int32[?, (?)], sparse int8[3])", "[0] [1]",
       "[0].values [0].row_splits_0 [1].indices [1].values [1].dense_shape"},
      {"app.M<n=1>(v: int8[], d: dict(b: 2, a: 1))", "", "v d.a d.b"},
      {"dict(s: [{a: int8[(?)], b: int8[]}])", "s", "s.a.values s.a.row_splits_0 s.b s.nrows"},
      {"[[{a: int8[]}]]", "", "a.values a.row_splits_0 nrows row_splits_0"},
  };
  for (const Case& c : cases) {
    TypeSpec spec = *ParseTypeSpec(c.type);
    for (NestOptions options : {NestOptions{}, kExpand}) {
      auto paths = NestPaths(spec, options);
      std::string text;
      for (const std::string& path : paths) text += Cat(&path == &paths[0] ? "" : " ", path);
      EXPECT_EQ(text, options.expand_composites ? c.open : c.closed);
      EXPECT_EQ(paths.size(), NumLeaves(spec, options));
    }
  }
}

TEST(NestTest, FlattensInOrder) {
  struct Case {
    const char *text, *closed, *open;
  } const cases[] = {
      {"3", "3", "3"},
      {"list(tuple(), dict(), 1, None) [[], {}, 1, None]", "1; None", "1; None"},
      {"dict(b: 3, B: 1, a: 2, \"1\": 0) {b: 3, B: 1, a: 2, \"1\": 0}", "0; 1; 2; 3", "0; 1; 2; 3"},
      {"namedtuple P(y: 1, x: 2) {y: 1, x: 2}", "1; 2", "1; 2"},
      {"ragged int32[2, (?)] [[1, 2], [3]]", "ragged int32[2, (?)] [[1, 2], [3]]",
       "int32[3] [1, 2, 3]; int64[3] [0, 2, 3]"},
      {"sparse int8[3] {indices: [[1]], values: [7], dense_shape: [3]}",
       "sparse int8[3] {indices: [[1]], values: [7], dense_shape: [3]}",
       "int64[1, 1] [[1]]; int8[1] [7]; int64[1] [3]"},
      {"app.M<n=1>(v: int8[], d: dict(b: 2, a: 1)) {v: 3, d: {a: 1, b: 2}}",
       "app.M<n=1>(v: int8[], d: dict(b: 2, a: 1)) {v: 3, d: {b: 2, a: 1}}", "int8[] 3; 1; 2"},
      {"[{a: int8[(?)], b: int8[]}] [{a: [1, 2], b: 1}, {a: [], b: 2}]",
       "[{a: int8[(?)], b: int8[]}] [{a: [1, 2], b: 1}, {a: [], b: 2}]",
       "int8[2] [1, 2]; int64[3] [0, 2, 2]; int8[2] [1, 2]; int64[] 2"},
      {"[{a: [{q: string[]}], z: {k: int8[]}}] [{a: [{q: \"u\"}], z: {k: 1}}]",
       "[{a: [{q: string[]}], z: {k: int8[]}}] [{a: [{q: \"u\"}], z: {k: 1}}]",
       "string[1] [\"u\"]; int64[2] [0, 1]; int64[] 1; int64[2] [0, 1]; int8[1] [1]; int64[] 1; "
       "int64[] 1"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.text);
    EXPECT_EQ(Leaves(c.text, {}), c.closed);
    EXPECT_EQ(Leaves(c.text, kExpand), c.open);
    for (NestOptions options : {NestOptions{}, kExpand}) {
      Value value = Read(c.text);
      auto leaves = FlattenNest(value, options);
      EXPECT_EQ(leaves.size(), NumLeaves(value.spec(), options));
      EXPECT_TRUE(SameValue(*PackNest(value.spec(), leaves, options), value));
    }
  }
}

TEST(NestTest, PackingTakesAnyLeafButChecksComponents) {
  TypeSpec spec = *ParseTypeSpec("list(1, dict(a: 2))");
  std::vector<Value> leaves = {Read("\"x\""), Read("list(3) [3]")};
  EXPECT_EQ(ToString(*PackNest(spec, leaves)), "list(\"x\", dict(a: list(3))) [\"x\", {a: [3]}]");
  Status few = PackNest(spec, std::span(leaves).first(1)).status();
  EXPECT_EQ(MessageOf(few), "number of leaves of `list(1, dict(a: 2))`: expected 2, found 1");
  TypeSpec ragged = *ParseTypeSpec("ragged int8[?, (?)]");
  std::vector<Value> wrong = {Read("int8[2] [1, 2]"), Read("int64[2] [0, 3]")};
  EXPECT_FALSE(PackNest(ragged, wrong, kExpand).ok());
  wrong[1] = Value::None();
  EXPECT_FALSE(PackNest(ragged, wrong, kExpand).ok());
  std::vector<Value> literals = {Value::None()};
  EXPECT_FALSE(PackNest(*ParseTypeSpec("{a: int8[]}"), literals, kExpand).ok());
  // A field whose rows differ from those of its structure.
  TypeSpec structure = *ParseTypeSpec("[{a: int8[(?)]}]");
  std::vector<Value> rows = {Read("int8[1] [1]"), Read("int64[2] [0, 1]"), Read("int64[] 2")};
  EXPECT_EQ(ReasonOf(PackNest(structure, rows, kExpand).status()), "ROW_SPLITS");
}

TEST(NestTest, MapsEachLeaf) {
  auto count = 0;
  auto mapped = MapNest(Read("tuple(1, list(2)) [1, [2]]"), [&](const Value&) -> StatusOr<Value> {
    return Value::OfLiteral(Literal::Int(++count));
  });
  EXPECT_EQ(ToString(*mapped), "tuple(1, list(2)) [1, [2]]");
  auto rejected = MapNest(Read("list(1) [1]"),
                          [](const Value&) -> StatusOr<Value> { return InvalidArgument("no"); });
  EXPECT_EQ(MessageOf(rejected.status()), "no");
}

TEST(NestTest, ComparesStructure) {
  struct Case {
    const char *a, *b;
    bool strict, loose, expanded;
  } const cases[] = {
      {"list(1, tuple(2))", "list(\"a\", tuple(None))", true, true, true},
      {"list(1)", "tuple(1)", false, true, false},
      {"list(1)", "list(1, 2)", false, false, false},
      {"list(1)", "1", false, false, false},
      {"dict(a: 1)", "dict(b: 1)", false, false, false},
      {"dict(a: 1)", "list(1)", false, false, false},
      {"namedtuple P(x: 1)", "namedtuple Q(x: 1)", false, true, false},
      {"namedtuple P(x: 1)", "tuple(1)", false, true, false},
      {"ragged int8[2, (?)]", "ragged int8[3, (?)]", true, true, true},
      {"ragged int8[2, (?)]", "ragged int16[2, (?)]", true, true, false},
      {"ragged int8[2, (?)]", "int8[2]", true, true, false},
      {"app.M<n=1>(v: int8[])", "app.M<n=1>(v: int16[])", true, true, true},
      {"app.M<n=1>(v: int8[])", "app.M<n=2>(v: int8[])", true, true, false},
      {"app.M(v: list(1))", "app.M(v: list(1, 2))", true, true, false},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(Cat(c.a, " and ", c.b));
    TypeSpec a = *ParseTypeSpec(c.a), b = *ParseTypeSpec(c.b);
    EXPECT_EQ(CheckSameStructure(a, b).ok(), c.strict);
    EXPECT_EQ(CheckSameStructure(a, b, {.check_kinds = false}).ok(), c.loose);
    EXPECT_EQ(CheckSameStructure(a, b, {.expand_composites = true}).ok(), c.expanded);
  }
  EXPECT_EQ(MessageOf(CheckSameStructure(*ParseTypeSpec("dict(a: list(1, list(2)))"),
                                         *ParseTypeSpec("dict(a: list(1, 2))"))),
            "`a[1]`: `list(2)` and `2` differ: only one of them is expanded");
}

}  // namespace
}  // namespace signet
