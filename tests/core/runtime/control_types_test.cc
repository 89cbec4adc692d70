// Loops and branches over values that are more than tensors: sparse values, those of extension
// types, and types that have only a parent or a conversion in common.

#include <gmock/gmock.h>

#include "tests/core/runtime/control_fixture.h"

namespace signet {
namespace {

using ::testing::HasSubstr;

class ControlTypesTest : public ControlTest {
 protected:
  ControlTypesTest() { Define(BodyMaker("same", "(x)").Make("x")); }
  // f(x) -> map(x; function)
  void DefineMap(std::string_view function, NamedTypes more = {}) {
    more.emplace_back("function", AttributeOf(function));
    Define(BodyMaker("f", "(x)").Node("y", "map", {"x"}, more).Make("y"));
  }
};

TEST_F(ControlTypesTest, MapTakesSparseRows) {
  const std::string matrix =
      "sparse int32[3, 4] {indices: [[0, 1], [0, 3], [2, 0]], values: [5, 6, 7], "
      "dense_shape: [3, 4]}";
  DefineMap("same");
  Expect("f", {matrix}, matrix);
  Expect("f", {"sparse int32[0, 4] {indices: [], values: [], dense_shape: [0, 4]}"},
         "sparse int32[0, 4] {indices: [], values: [], dense_shape: [0, 4]}");
  const std::string cube =
      "sparse string[2, 1, 2] {indices: [[0, 0, 1], [1, 0, 0]], values: [\"a\", \"b\"], "
      "dense_shape: [2, 1, 2]}";
  Expect("f", {cube}, cube);
  const std::string scalars = "sparse float32[3] {indices: [[1]], values: [2.5], dense_shape: [3]}";
  Expect("f", {scalars}, scalars);
  DefineUnary("total", "reduce_sum");
  DefineMap("total");
  Expect("f", {matrix}, "int32[3] [11, 0, 7]");
  EXPECT_THAT(RejectionOf("f", {"sparse int32[] {indices: [[]], values: [1], dense_shape: []}"}),
              HasSubstr("elements: expected values of rank at least 1, found `sparse int32[]`"));
}

TEST_F(ControlTypesTest, MapStacksSparseResultsInTheGreatestSizes) {
  DefineUnary("stored", "sparse_from_dense");
  DefineMap("stored");
  Expect("f", {"int32[2, 3] [[0, 1, 0], [2, 0, 3]]"},
         "sparse int32[2, 3] {indices: [[0, 1], [1, 0], [1, 2]], values: [1, 2, 3], "
         "dense_shape: [2, 3]}");
  Expect("f", {"ragged int32[3, (?)] [[7], [], [0, 0, 8]]"},
         "sparse int32[3, 3] {indices: [[0, 0], [2, 2]], values: [7, 8], dense_shape: [3, 3]}");
  Expect("f", {"ragged int32[0, (?)] []"},
         "sparse int32[0, 0] {indices: [], values: [], dense_shape: [0, 0]}");
}

TEST_F(ControlTypesTest, ScanAndReduceTakeSparseRows) {
  const std::string matrix =
      "sparse int32[2, 3] {indices: [[0, 1], [1, 1], [1, 2]], values: [5, 6, 7], "
      "dense_shape: [2, 3]}";
  const std::string start = "sparse int32[3] {indices: [[0]], values: [1], dense_shape: [3]}";
  Define(BodyMaker("plus", "(a, b)").Node("y", "add", {"a", "b"}).Make("y"));
  Define(BodyMaker("f", "(s, x)")
             .Node("y", "reduce", {"s", "x"}, {{"function", AttributeOf("plus")}})
             .Make("y"));
  Expect("f", {start, matrix},
         "sparse int32[3] {indices: [[0], [1], [2]], values: [1, 11, 7], dense_shape: [3]}");
  Define(BodyMaker("both", "(a, b)")
             .Node("sum", "add", {"a", "b"})
             .Node("y", "make_tuple", {"sum", "sum"})
             .Make("y"));
  Define(BodyMaker("f", "(s, x)")
             .Node("w", "scan", {"s", "x"},
                   {{"function", AttributeOf("both")}, {"reverse", AttributeOf(true)}})
             .Make("w:1"));
  Expect("f", {start, matrix},
         "sparse int32[2, 3] {indices: [[0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [1, 2]], "
         "values: [1, 11, 7, 1, 6, 7], dense_shape: [2, 3]}");
}

TEST_F(ControlTypesTest, MapTakesExtensionValuesComponentByComponent) {
  library_.Declare("t.A", "");
  library_.Declare("t.Never", "", {}, {}, {}, /*batches=*/false);
  DefineMap("same");
  for (const char* value : {
           "t.A(x: int32[2]) {x: [1, 2]}",
           "t.A(x: ragged int32[2, (?)]) {x: [[1, 2], []]}",
           "t.A(x: tuple(int32[2], \"k\", t.A(x: string[2, 1]))) "
           "{x: [[1, 2], \"k\", {x: [[\"a\"], [\"b\"]]}]}",
           "t.A(x: sparse int32[2, 3]) "
           "{x: {indices: [[0, 1]], values: [5], dense_shape: [2, 3]}}",
           "list(t.A(x: int32[0]), {a: int32[]}[0]) [{x: []}, []]",
       }) {
    Expect("f", {value}, value);
  }
  EXPECT_THAT(
      RejectionOf("f", {"t.Never(x: int32[2]) {x: [1, 2]}"}),
      HasSubstr("found `t.Never(x: int32[2])`; its declaration sets `batching` to `NEVER`"));
  EXPECT_THAT(RejectionOf("f", {"t.B(x: int32[2]) {x: [1, 2]}"}),
              HasSubstr("found `t.B(x: int32[2])`; the model does not declare this type"));
  EXPECT_THAT(RejectionOf("f", {"t.A(x: int32[]) {x: 1}"}),
              HasSubstr("elements: expected values of rank at least 1, found `int32[]`"));
}

TEST_F(ControlTypesTest, WhatMapMakesOfExtensionTypesIsChecked) {
  Define(BodyMaker("small", "(a)")
             .Node("x", "struct_get", {"a"}, {{"field", AttributeOf("x")}})
             .Node("s", "reduce_sum", {"x"})
             .Node("y", "less", {"s", "5"})
             .Make("y"));
  library_.Declare("t.Small", "", {.invariants = {"small"}});
  Define(BodyMaker("make", "(x)")
             .Node("y", "make_extension", {"x"}, {{"type", AttributeOf("t.Small")}})
             .Make("y"));
  DefineMap("make");
  Expect("f", {"int32[2] [1, 2]"}, "t.Small(x: int32[2]) {x: [1, 2]}");
  EXPECT_THAT(RejectionOf("f", {"int32[2] [1, 6]"}), HasSubstr("`small` does not hold"));
  EXPECT_THAT(RejectionOf("f", {"int32[2] [4, 3]"}), HasSubstr("`small` does not hold"));
}

TEST_F(ControlTypesTest, BranchesJoinFieldsAndComponents) {
  library_.Declare("t.A", "");
  Define(BodyMaker("open", "(x)").Node("y", "ragged_from_dense", {"x"}).Make("y"));
  auto define = [&](std::string_view maker, NamedTypes attributes) {
    Define(BodyMaker("dense", "(x)").Node("y", maker, {"x"}, attributes).Make("y"));
    Define(BodyMaker("rows", "(x)")
               .Node("r", "ragged_from_dense", {"x"})
               .Node("y", maker, {"r"}, attributes)
               .Make("y"));
    DefineCond("dense", "rows");
  };
  const std::string matrix = "int32[2, 1] [[1], [2]]";
  define("make_extension", {{"type", AttributeOf("t.A")}});
  Expect("f", {"bool[] True", matrix}, "t.A(x: ragged int32[2, (1)]) {x: [[1], [2]]}",
         "t.A(x: int32[2, 1]) {x: [[1], [2]]}");
  Expect("f", {"bool[] False", matrix}, "t.A(x: ragged int32[2, (1)]) {x: [[1], [2]]}");
}

TEST_F(ControlTypesTest, BranchesJoinFieldsOfStructures) {
  Define(BodyMaker("dense", "(x)")
             .Node("y", "struct_make", {"x"},
                   {{"names", Names("list(\"a\")")}, {"rank", AttributeOf(1)}})
             .Make("y"));
  Define(BodyMaker("rows", "(x)")
             .Node("r", "ragged_from_dense", {"x"})
             .Node("y", "struct_make", {"r"},
                   {{"names", Names("list(\"a\")")}, {"rank", AttributeOf(1)}})
             .Make("y"));
  DefineCond("dense", "rows");
  const std::string matrix = "int32[2, 1] [[1], [2]]";
  Expect("f", {"bool[] True", matrix}, "{a: int32[(1)]}[2] [{a: [1]}, {a: [2]}]",
         "{a: int32[1]}[2] [{a: [1]}, {a: [2]}]");
  Expect("f", {"bool[] False", matrix}, "{a: int32[(1)]}[2] [{a: [1]}, {a: [2]}]");
}

TEST_F(ControlTypesTest, BranchesJoinVectorsThatAreDeclaredRagged) {
  Define(BodyMaker("first", "(x, y)").Make("x"));
  Define(BodyMaker("second", "(x, y)").Make("y"));
  Define(BodyMaker("f", "(c, x, y)")
             .Node("z", "cond", {"c", "x", "y"},
                   {{"then", AttributeOf("first")}, {"else", AttributeOf("second")}})
             .Make("z"));
  const std::string declared = "ragged<rank=0> int32[2] [1, 2]";
  const std::string dense = "int32[3] [3, 4, 5]";
  Expect("f", {"bool[] True", declared, dense}, declared);
  Expect("f", {"bool[] False", declared, dense}, "ragged<rank=0> int32[3] [3, 4, 5]", dense);
}

TEST_F(ControlTypesTest, BranchesJoinAsTheNearestParent) {
  library_.Declare("t.Shape", "");
  library_.Declare("t.Round", "t.Shape");
  library_.Declare("t.Circle", "t.Round");
  library_.Declare("t.Oval", "t.Round");
  library_.Declare("t.Square", "t.Shape");
  library_.Declare("t.Other", "");
  for (const char* name : {"Circle", "Oval", "Round", "Square", "Other"}) {
    Define(BodyMaker(name, "(x)")
               .Node("y", "make_extension", {"x"}, {{"type", AttributeOf(Cat("t.", name))}})
               .Make("y"));
  }
  for (auto [one, other, joined] : {std::tuple("Circle", "Oval", "Round"),
                                    {"Circle", "Square", "Shape"},
                                    {"Round", "Circle", "Round"},
                                    {"Oval", "Oval", "Oval"}}) {
    DefineCond(one, other);
    Expect("f", {"bool[] True", "int32[] 7"}, Cat("t.", joined, "(x: int32[]) {x: 7}"),
           Cat("t.", one, "(x: int32[]) {x: 7}"));
    Expect("f", {"bool[] False", "int32[] 7"}, Cat("t.", joined, "(x: int32[]) {x: 7}"),
           Cat("t.", other, "(x: int32[]) {x: 7}"));
  }
  DefineCond("Circle", "Other");
  EXPECT_THAT(
      RejectionOf("f", {"bool[] True", "int32[] 7"}),
      HasSubstr("expected values with a common type, found `t.Circle(x: int32[])` and "
                "`t.Other(x: int32[])`; extension types join if they have a common parent"));
}

TEST_F(ControlTypesTest, BranchesJoinByConversion) {
  const TypeSpec older = Names("t.A<version=1>()");
  library_.Declare("t.A", "", {.conversions = {{older, "upgrade"}, {Names("int32[?]"), "new"}}},
                   {"version"}, {older});
  for (int64_t version : {1, 2}) {
    Define(BodyMaker(version == 1 ? "old" : "new", "(x)")
               .Node("y", "make_extension", {"x"},
                     {{"type", AttributeOf("t.A")},
                      {"statics", *MakeDictType({{"version", AttributeOf(version)}})}})
               .Make("y"));
  }
  Define(BodyMaker("upgrade", "(a)")
             .Node("x", "struct_get", {"a"}, {{"field", AttributeOf("x")}})
             .Node("y", "neg", {"x"})
             .Node("z", "call", {"y"}, {{"function", AttributeOf("new")}})
             .Make("z"));
  const std::string vector = "int32[2] [1, 2]";
  const std::string wrapped = "t.A<version=2>(x: int32[2]) {x: [1, 2]}";
  const std::string upgraded = "t.A<version=2>(x: int32[2]) {x: [-1, -2]}";
  DefineCond("new", "old");
  Expect("f", {"bool[] True", vector}, wrapped);
  Expect("f", {"bool[] False", vector}, upgraded, "t.A<version=1>(x: int32[2]) {x: [1, 2]}");
  DefineCond("same", "new");
  Expect("f", {"bool[] True", vector}, wrapped, vector);
  Expect("f", {"bool[] False", vector}, wrapped);
  DefineCond("same", "old");
  EXPECT_THAT(RejectionOf("f", {"bool[] True", "string[] \"a\""}),
              HasSubstr("expected values with a common type"));
}

// Functions that return one of the captures `a` and `b`: at once, in every round of `map` and
// `scan`, and as the variable of `reduce`.
class ControlJoinTest : public ControlTest {
 protected:
  ControlJoinTest() {
    Define(BodyMaker("first", "(x, y)").Make("x"));
    Define(BodyMaker("second", "(x, y)").Make("y"));
  }

  void Capture(std::string_view a, std::string_view b) {
    const NamedTypes branches = {{"then", AttributeOf("first")}, {"else", AttributeOf("second")}};
    library_.values.clear();
    library_.values.emplace("a", Parse(a));
    library_.values.emplace("b", Parse(b));
    Define(BodyMaker("pick", "(i)")
               .Node("is_zero", "equal", {"i", "0"})
               .Node("y", "cond", {"is_zero", "$a", "$b"}, branches)
               .Make("y"));
    Define(BodyMaker("map", "(x)")
               .Node("y", "map", {"x"}, {{"function", AttributeOf("pick")}})
               .Make("y"));
    Define(BodyMaker("replace", "(s, i)")
               .Node("is_zero", "equal", {"i", "0"})
               .Node("y", "cond", {"is_zero", "s", "$b"}, branches)
               .Make("y"));
    Define(BodyMaker("reduce", "(x)")
               .Node("y", "reduce", {"$a", "x"}, {{"function", AttributeOf("replace")}})
               .Make("y"));
    Define(BodyMaker("replace_both", "(s, i)")
               .Node("y", "call", {"s", "i"}, {{"function", AttributeOf("replace")}})
               .Node("z", "make_tuple", {"y", "y"})
               .Make("z"));
    Define(BodyMaker("scan", "(x)")
               .Node("y", "scan", {"$a", "x"}, {{"function", AttributeOf("replace_both")}})
               .Make("y:1"));
  }
};

TEST_F(ControlJoinTest, JoinsTensorsWithSparseValues) {
  const std::string dense = "int32[2] [0, 7]";
  const std::string stored =
      "sparse int32[2] {indices: [[0], [1]], values: [0, 7], "
      "dense_shape: [2]}";
  const std::string sparse = "sparse int32[3] {indices: [[2]], values: [5], dense_shape: [3]}";
  Capture(dense, sparse);
  // An op that runs at once returns the result of its branch unchanged.
  Expect("pick", {"int32[] 0"}, stored, dense);
  Expect("pick", {"int32[] 1"}, sparse);
  const std::string stack =
      "sparse int32[2, 3] {indices: [[0, 0], [0, 1], [1, 2]], "
      "values: [0, 7, 5], dense_shape: [2, 3]}";
  Expect("map", {"int32[2] [0, 1]"}, stack);
  Expect("map", {"int32[0] []"},
         "sparse int32[0, 0] {indices: [], values: [], dense_shape: [0, 0]}");
  Expect("scan", {"int32[2] [0, 1]"}, stack);
  Expect("reduce", {"int32[1] [0]"}, stored);
  Expect("reduce", {"int32[2] [0, 1]"}, sparse);
  Capture(sparse, dense);
  Expect("pick", {"int32[] 0"}, sparse);
  Expect("pick", {"int32[] 1"}, stored, dense);
}

TEST_F(ControlJoinTest, StatesHowToConvertResultsThatDoNotJoinSparseValues) {
  const std::string sparse = "sparse int32[3] {indices: [[2]], values: [5], dense_shape: [3]}";
  struct Row {
    const char* value;
    const char* type;
    const char* hint;
  };
  constexpr char kOp[] = "convert one of them with an op such as `sparse_to_dense` or";
  constexpr char kCast[] = "convert one of them with `cast`";
  const Row kRows[] = {
      {"ragged int32[2, (?)] [[1], []]", "ragged int32[2, (?)]", kOp},
      {"int32[] 3", "int32[]", kOp},
      {"int32[1, 1] [[3]]", "int32[1, 1]", kOp},
      {"int64[1] [3]", "int64[1]", kCast},
      {"ragged float32[1, (?)] [[1]]", "ragged float32[1, (?)]", kCast},
      {"3", "3", "values join if they have one kind and one dtype"},
  };
  for (const Row& row : kRows) {
    SCOPED_TRACE(row.value);
    Capture(row.value, sparse);
    EXPECT_THAT(RejectionOf("map", {"int32[2] [0, 1]"}),
                HasSubstr(Cat("expected values with a common type, found `", row.type,
                              "` and `sparse int32[3]`; ", row.hint)));
  }
}

TEST_F(ControlJoinTest, JoinsMatricesAndTextWithSparseValues) {
  Capture("string[1, 2] [[\"\", \"a\"]]",
          "sparse string[2, 2] {indices: [[1, 0]], values: [\"b\"], dense_shape: [2, 2]}");
  Expect("pick", {"int32[] 0"},
         "sparse string[1, 2] {indices: [[0, 0], [0, 1]], values: [\"\", \"a\"], "
         "dense_shape: [1, 2]}",
         "string[1, 2] [[\"\", \"a\"]]");
  Capture("float32[0, 2] []",
          "sparse float32[1, 2] {indices: [[0, 1]], values: [-0.0], dense_shape: [1, 2]}");
  Expect("pick", {"int32[] 0"},
         "sparse float32[0, 2] {indices: [], values: [], dense_shape: [0, 2]}", "float32[0, 2] []");
}

TEST_F(ControlJoinTest, JoinsTensorsWithSparseValuesInNestsAndExtensionValues) {
  library_.Declare("t.A", "");
  const std::string entries = "{indices: [[2]], values: [5], dense_shape: [3]}";
  const std::string stored = "{indices: [[0], [1]], values: [0, 7], dense_shape: [2]}";
  const std::string stack =
      "{indices: [[0, 0], [0, 1], [1, 2]], values: [0, 7, 5], "
      "dense_shape: [2, 3]}";
  Capture("t.A(x: int32[2]) {x: [0, 7]}", Cat("t.A(x: sparse int32[3]) {x: ", entries, "}"));
  Expect("pick", {"int32[] 0"}, Cat("t.A(x: sparse int32[2]) {x: ", stored, "}"),
         "t.A(x: int32[2]) {x: [0, 7]}");
  Expect("map", {"int32[2] [0, 1]"}, Cat("t.A(x: sparse int32[2, 3]) {x: ", stack, "}"));
  Capture("dict(a: list(int32[2]), b: 1) {a: [[0, 7]], b: 1}",
          Cat("dict(a: list(sparse int32[3]), b: 2) {a: [", entries, "], b: 2}"));
  Expect("map", {"int32[2] [0, 1]"},
         Cat("dict(a: list(sparse int32[2, 3]), b: int32[2]) {a: [", stack, "], b: [1, 2]}"));
}

TEST_F(ControlJoinTest, JoinsOneTypeWithOtherStaticAttributesAsItsParent) {
  library_.Declare("t.Amount", "");
  library_.Declare("t.Money", "t.Amount", {}, {"currency"});
  Capture("t.Money<currency=\"EUR\">(x: int32[]) {x: 1}",
          "t.Money<currency=\"USD\">(x: int32[]) {x: 2}");
  Expect("pick", {"int32[] 0"}, "t.Amount(x: int32[]) {x: 1}",
         "t.Money<currency=\"EUR\">(x: int32[]) {x: 1}");
  Expect("map", {"int32[3] [0, 1, 0]"}, "t.Amount(x: int32[3]) {x: [1, 2, 1]}");
  Expect("reduce", {"int32[2] [0, 1]"}, "t.Amount(x: int32[]) {x: 2}");
  library_.Declare("t.Orphan", "", {}, {"k"});
  Capture("t.Orphan<k=1>(x: int32[]) {x: 1}", "t.Orphan<k=2>(x: int32[]) {x: 2}");
  EXPECT_THAT(RejectionOf("pick", {"int32[] 0"}),
              HasSubstr("expected values with a common type, found `t.Orphan<k=1>(x: int32[])` and "
                        "`t.Orphan<k=2>(x: int32[])`; extension types join if"));
}

TEST_F(ControlJoinTest, PrefersAConversionToTheParentOfOneType) {
  const TypeSpec older = Names("t.Child<version=1>()");
  library_.Declare("t.Parent", "");
  library_.Declare("t.Child", "t.Parent", {.conversions = {{older, "upgrade"}}}, {"version"},
                   {older});
  Define(BodyMaker("upgrade", "(a)")
             .Node("x", "struct_get", {"a"}, {{"field", AttributeOf("x")}})
             .Node("y", "neg", {"x"})
             .Node("z", "make_extension", {"y"},
                   {{"type", AttributeOf("t.Child")},
                    {"statics", *MakeDictType({{"version", AttributeOf(int64_t{2})}})}})
             .Make("z"));
  Capture("t.Child<version=1>(x: int32[]) {x: 1}", "t.Child<version=2>(x: int32[]) {x: 2}");
  Expect("map", {"int32[2] [0, 1]"}, "t.Child<version=2>(x: int32[2]) {x: [-1, 2]}");
}

TEST_F(ControlJoinTest, RejectsValuesThatAConversionWouldChange) {
  const std::string sparse = "sparse int32[3] {indices: [[2]], values: [5], dense_shape: [3]}";
  auto error_of = [&](std::string_view a, std::string_view b) {
    Capture(a, b);
    return RejectionOf("map", {"int32[1] [0]"});
  };
  EXPECT_THAT(
      error_of("float32[3] [1, 2, 3]", sparse),
      HasSubstr("found `float32[3]` and `sparse int32[3]`; convert one of them with `cast`"));
  EXPECT_THAT(error_of("ragged int32[2, (?)] [[1], []]",
                       "sparse int32[2, 1] {indices: [], values: [], dense_shape: [2, 1]}"),
              HasSubstr("`sparse int32[2, 1]`; convert one of them with an op such as"));
  EXPECT_THAT(error_of("int32[2, 1] [[1], [2]]", sparse),
              HasSubstr("found `int32[2, 1]` and `sparse int32[3]`"));
  EXPECT_THAT(error_of("int32[] 3", "sparse int32[] {indices: [], values: [], dense_shape: []}"),
              HasSubstr("found `int32[]` and `sparse int32[]`"));
  EXPECT_THAT(error_of("list(int32[]) [1]", "list(sparse int32[3], int32[]) [" +
                                                sparse.substr(sparse.find('{')) + ", 1]"),
              HasSubstr("nests join if their keys and lengths are equal"));
  EXPECT_THAT(
      error_of(sparse, "sparse int32[1, 1] {indices: [], values: [], dense_shape: [1, 1]}"),
      HasSubstr("the results of iterations: expected one known rank, found `sparse int32[...]`"));
}

TEST_F(ControlJoinTest, StacksOfOtherSizesNameTheRound) {
  library_.Declare("t.A", "");
  Capture("t.A(x: int32[2]) {x: [1, 2]}", "t.A(x: int32[3]) {x: [3, 4, 5]}");
  EXPECT_THAT(RejectionOf("map", {"int32[2] [0, 1]"}),
              HasSubstr("the result of round 1: expected `int32[2]` as in round 0, found "
                        "`int32[3]`"));
  Define(BodyMaker("rows", "(x)")
             .Node("y", "map", {"x"},
                   {{"function", AttributeOf("pick")}, {"ragged", AttributeOf(true)}})
             .Make("y"));
  Expect("rows", {"int32[2] [0, 1]"}, "t.A(x: ragged int32[2, (?)]) {x: [[1, 2], [3, 4, 5]]}");
}

// The rounds of a loop over a list that shrinks are built one by one, and each has its own types.
TEST_F(ControlJoinTest, JoinsElementsOfRoundsThatAreBuiltOneByOne) {
  Define(BodyMaker("take", "(i, going, list)")
             .Node("zero", "sub", {"i", "i"})
             .Node("first", "onnx.SequenceAt", {"list", "zero"})
             .Node("rest", "onnx.SequenceErase", {"list", "zero"})
             .Node("stored", "sparse_from_dense", {"first"})
             .Node("y", "make_tuple", {"going", "rest", "stored"})
             .Make("y"));
  Define(BodyMaker("f", "(list)")
             .Node("y", "loop", {"2", "None", "list"},
                   {{"body", AttributeOf("take")}, {"carried", AttributeOf(1)}})
             .Make("y:1"));
  Expect("f", {"list(int32[3], int32[1]) [[0, 0, 7], [5]]"},
         "sparse int32[2, 3] {indices: [[0, 2], [1, 0]], values: [7, 5], dense_shape: [2, 3]}");
}

}  // namespace
}  // namespace signet
