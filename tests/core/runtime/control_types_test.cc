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
  EXPECT_THAT(RefusalOf("f", {"sparse int32[] {indices: [[]], values: [1], dense_shape: []}"}),
              HasSubstr("C1 elements of `sparse int32[]`; takes values of rank at least 1"));
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
  EXPECT_THAT(RefusalOf("f", {"t.Never(x: int32[2]) {x: [1, 2]}"}),
              HasSubstr("which do not batch"));
  EXPECT_THAT(RefusalOf("f", {"t.B(x: int32[2]) {x: [1, 2]}"}), HasSubstr("which is not declared"));
  EXPECT_THAT(RefusalOf("f", {"t.A(x: int32[]) {x: 1}"}),
              HasSubstr("C1 elements of `int32[]`; takes values of rank at least 1"));
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
  EXPECT_THAT(RefusalOf("f", {"int32[2] [1, 6]"}), HasSubstr("`small` does not hold"));
  EXPECT_THAT(RefusalOf("f", {"int32[2] [4, 3]"}), HasSubstr("`small` does not hold"));
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
  EXPECT_THAT(RefusalOf("f", {"bool[] True", "int32[] 7"}),
              HasSubstr("`t.Circle(x: int32[])` and `t.Other(x: int32[])` have no type in common"));
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
  EXPECT_THAT(RefusalOf("f", {"bool[] True", "string[] \"a\""}),
              HasSubstr("have no type in common"));
}

}  // namespace
}  // namespace signet
