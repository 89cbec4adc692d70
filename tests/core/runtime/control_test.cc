// Control ops on values known only when a function runs. Loops over types of any kind are in
// control_types_test.cc.

#include <atomic>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/runtime/polymorphic_function.h"
#include "tests/core/runtime/control_fixture.h"

namespace signet {
namespace {

using ::testing::HasSubstr;

TEST_F(ControlTest, CondChoosesWhenItRuns) {
  DefineUnary("minus", "neg");
  DefineUnary("magnitude", "abs");
  DefineCond("minus", "magnitude");
  Expect("f", {"bool[] True", "float32[2] [1, -2]"}, "float32[2] [-1.0, 2.0]");
  Expect("f", {"bool[] False", "float32[2] [1, -2]"}, "float32[2] [1.0, 2.0]");
  Expect("f", {"bool[] True", "ragged int32[2, (?)] [[1, 2], [3]]"},
         "ragged int32[2, (?)] [[-1, -2], [-3]]");
}

TEST_F(ControlTest, CondOnStructures) {
  Define(BodyMaker("first", "(x)").Node("y", "gather", {"x", "0"}).Make("y"));
  Define(BodyMaker("last", "(x)").Node("y", "gather", {"x", "-1"}).Make("y"));
  Define(BodyMaker("second", "(x)").Node("y", "gather", {"x", "1"}).Make("y"));
  DefineCond("first", "second");
  const std::string rows =
      "[{id: int64[], tags: string[(?)]}] "
      "[{id: 1, tags: [\"a\", \"b\"]}, {id: 2, tags: []}]";
  Expect("f", {"bool[] True", rows},
         "{id: int64[], tags: string[2]} {id: 1, tags: [\"a\", \"b\"]}");
  Expect("f", {"bool[] False", rows}, "{id: int64[], tags: string[0]} {id: 2, tags: []}");
}

TEST_F(ControlTest, DeferredErrorsWaitForTheirBranch) {
  Define(BodyMaker("pairs", "(x)")
             .Node("y", "reshape", {"x"}, {{"shape", Names("list(2, -1)")}})
             .Make("y"));
  Define(BodyMaker("triples", "(x)")
             .Node("y", "reshape", {"x"}, {{"shape", Names("list(3, -1)")}})
             .Make("y"));
  auto define = [&](bool defer) {
    Define(BodyMaker("f", "(c, x)")
               .Node("y", "cond", {"c", "x"},
                     {{"then", AttributeOf("pairs")},
                      {"else", AttributeOf("triples")},
                      {"defer_errors", AttributeOf(defer)}})
               .Make("y"));
  };
  define(true);
  Expect("f", {"bool[] True", "int32[4] [1, 2, 3, 4]"}, "int32[2, 2] [[1, 2], [3, 4]]");
  Expect("f", {"bool[] False", "int32[3] [1, 2, 3]"}, "int32[3, 1] [[1], [2], [3]]");
  EXPECT_THAT(RejectionOf("f", {"bool[] False", "int32[4] [1, 2, 3, 4]"}),
              HasSubstr("function `triples`"));
  EXPECT_THAT(RejectionOf("f", {"bool[] False", "int32[5] [1, 2, 3, 4, 5]"}),
              HasSubstr("function `pairs`"));
  define(false);
  EXPECT_THAT(RejectionOf("f", {"bool[] True", "int32[4] [1, 2, 3, 4]"}),
              HasSubstr("function `triples`"));
}

TEST_F(ControlTest, BranchesJoinSizes) {
  Define(BodyMaker("twice", "(x)").Node("y", "concat", {"x", "x"}).Make("y"));
  Define(BodyMaker("same", "(x)").Make("x"));
  DefineCond("twice", "same");
  Expect("f", {"bool[] True", "int32[2] [1, 2]"}, "int32[4] [1, 2, 1, 2]");
  Expect("f", {"bool[] False", "int32[2] [1, 2]"}, "int32[2] [1, 2]");
  auto made = Specialize(library_.functions.at("f"),
                         CallType(library_.functions.at("f"), {Value::OfType(Names("bool[]")),
                                                               Value::OfType(Names("int32[2]"))}),
                         library_, {.verify = true});
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_EQ(made->output.ToString(), "int32[?]");
}

TEST_F(ControlTest, BranchesJoinLiteralsWithTensors) {
  Define(BodyMaker("same", "(x)").Make("x"));
  Define(BodyMaker("zero", "(x)").Make("0"));
  Define(BodyMaker("half", "(x)").Make("0.5"));
  DefineCond("same", "zero");
  Expect("f", {"bool[] False", "float64[] 3"}, "float64[] 0.0", "0");
  DefineCond("zero", "half");
  Expect("f", {"bool[] True", "float64[] 3"}, "float32[] 0.0", "0");
}

TEST_F(ControlTest, BranchesJoinTensorsWithRaggedValues) {
  Define(BodyMaker("same", "(x)").Make("x"));
  Define(BodyMaker("rows", "(x)").Node("y", "ragged_from_dense", {"x"}).Make("y"));
  DefineCond("same", "rows");
  Expect("f", {"bool[] True", "int32[2, 3] [[1, 2, 3], [4, 5, 6]]"},
         "ragged int32[2, (3)] [[1, 2, 3], [4, 5, 6]]", "int32[2, 3] [[1, 2, 3], [4, 5, 6]]");
}

TEST_F(ControlTest, BranchesJoinNests) {
  Define(BodyMaker("a", "(x)").Node("y", "make_tuple", {"x", "1", "\"a\""}).Make("y"));
  Define(BodyMaker("b", "(x)")
             .Node("z", "neg", {"x"})
             .Node("y", "make_tuple", {"z", "2", "\"a\""})
             .Make("y"));
  DefineCond("a", "b");
  Expect("f", {"bool[] False", "int32[] 5"}, "tuple(int32[], int32[], \"a\") [-5, 2, \"a\"]",
         "tuple(int32[], 2, \"a\") [-5, 2, \"a\"]");
}

TEST_F(ControlTest, BranchesOfNoCommonTypeAreRejected) {
  Define(BodyMaker("text", "(x)").Make("\"a\""));
  Define(BodyMaker("same", "(x)").Make("x"));
  DefineCond("text", "same");
  EXPECT_THAT(RejectionOf("f", {"bool[] True", "float32[] 1"}), HasSubstr("`\"a\"`"));
  DefineUnary("truth", "logical_not");
  EXPECT_THAT(RejectionOf("f", {"int32[] 1", "float32[] 1"}),
              HasSubstr("the condition: expected `bool[]`, found `int32[]`"));
}

TEST_F(ControlTest, ErrorsOfABranchWaitUntilItRuns) {
  library_.values["rows"] = Tensor::Of<int32_t>({2}, {1, 2});
  library_.values["beyond"] = Tensor::Scalar<int64_t>(7);
  Define(BodyMaker("pick", "(x)").Node("y", "gather", {"$rows", "$beyond"}).Make("y"));
  Define(BodyMaker("same", "(x)").Make("x"));
  DefineCond("pick", "same");
  Expect("f", {"bool[] False", "int32[] 1"}, "int32[] 1");
  EXPECT_THAT(RejectionOf("f", {"bool[] True", "int32[] 1"}),
              HasSubstr("expected an index from 0 to 1, found 7 at position 0"));
}

TEST_F(ControlTest, CaseCountsBranches) {
  DefineUnary("minus", "neg");
  DefineUnary("magnitude", "abs");
  Define(BodyMaker("same", "(x)").Make("x"));
  Define(BodyMaker("f", "(i, x)")
             .Node("y", "case", {"i", "x"},
                   {{"functions", Names("list(\"minus\", \"magnitude\", \"same\")")}})
             .Make("y"));
  Expect("f", {"int32[] 0", "int32[] -3"}, "int32[] 3");
  Expect("f", {"int64[] 1", "int32[] -3"}, "int32[] 3");
  Expect("f", {"int64[] 2", "int32[] -3"}, "int32[] -3");
  Expect("f", {"int32[] 9", "int32[] -3"}, "int32[] -3");
  Expect("f", {"int32[] -1", "int32[] -3"}, "int32[] -3");
}

// count(i, x) -> while(i < 5): (i + 1, x * 2)
void DefineCount(TestLibrary& library, NamedTypes more = {}) {
  library.functions.insert_or_assign(
      "below", BodyMaker("below", "(i, x)").Node("y", "less", {"i", "5"}).Make("y"));
  library.functions.insert_or_assign("step", BodyMaker("step", "(i, x)")
                                                 .Node("j", "add", {"i", "1"})
                                                 .Node("z", "add", {"x", "x"})
                                                 .Node("y", "make_tuple", {"j", "z"})
                                                 .Make("y"));
  more.emplace_back("condition", AttributeOf("below"));
  more.emplace_back("body", AttributeOf("step"));
  library.functions.insert_or_assign("count", BodyMaker("count", "(i, x)")
                                                  .Node("w", "while", {"i", "x"}, more)
                                                  .Node("y", "make_tuple", {"w:0", "w:1"})
                                                  .Make("y"));
}

TEST_F(ControlTest, WhileRunsAsLongAsItsConditionHolds) {
  DefineCount(library_);
  Expect("count", {"int32[] 2", "float32[2] [1, 3]"},
         "tuple(int32[], float32[2]) [5, [8.0, 24.0]]");
  Expect("count", {"int32[] 7", "float32[2] [1, 3]"}, "tuple(int32[], float32[2]) [7, [1.0, 3.0]]");
  Expect("count", {"2", "ragged int32[2, (?)] [[1], [2, 3]]"},
         "tuple(int32[], ragged int32[2, (?)]) [5, [[8], [16, 24]]]");
  DefineCount(library_, {{"max_steps", AttributeOf(2)}});
  Expect("count", {"int32[] 0", "float32[] 1"}, "tuple(int32[], float32[]) [2, 4.0]");
}

TEST_F(ControlTest, TypesOfVariablesSettle) {
  Define(BodyMaker("small", "(x)")
             .Node("n", "dim_size", {"x"}, {{"axis", AttributeOf(0)}})
             .Node("y", "less", {"n", "5"})
             .Make("y"));
  Define(BodyMaker("grow", "(x)").Node("y", "concat", {"x", "x"}).Make("y"));
  Define(BodyMaker("f", "(x)")
             .Node("w", "while", {"x"},
                   {{"condition", AttributeOf("small")}, {"body", AttributeOf("grow")}})
             .Make("w"));
  Expect("f", {"int32[3] [1, 2, 3]"}, "int32[6] [1, 2, 3, 1, 2, 3]");
  Expect("f", {"string[1] [\"a\"]"},
         "string[8] [\"a\", \"a\", \"a\", \"a\", \"a\", \"a\", \"a\", \"a\"]");
  Define(BodyMaker("grow", "(x)")
             .Node("y", "expand_dims", {"x"}, {{"axis", AttributeOf(0)}})
             .Make("y"));
  EXPECT_FALSE(RejectionOf("f", {"ragged int32[2, (?)] [[1], [2]]"}).empty());
}

TEST_F(ControlTest, LiteralsThatABodyLeavesStayLiterals) {
  library_.values["ones"] = Tensor::Of<int32_t>({2, 2}, {1, 1, 1, 1});
  Define(BodyMaker("more", "(i, axis)").Node("y", "less", {"i", "3"}).Make("y"));
  Define(BodyMaker("next", "(i, axis)")
             .Node("s", "reduce_sum", {"$ones"}, {}, {{"axes", "axis"}})
             .Node("m", "reduce_max", {"s"})
             .Node("j", "add", {"i", "m"})
             .Node("y", "make_tuple", {"j", "axis"})
             .Make("y"));
  Define(BodyMaker("f", "(i, axis = 1)")
             .Node("w", "while", {"i", "axis"},
                   {{"condition", AttributeOf("more")}, {"body", AttributeOf("next")}})
             .Make("w"));
  Expect("f", {"int32[] 1"}, "int32[] 3");
}

// f(x) -> map(x; function)
FunctionDef MapOf(std::string_view function, NamedTypes more = {}) {
  more.emplace_back("function", AttributeOf(function));
  return BodyMaker("f", "(x)").Node("y", "map", {"x"}, more).Make("y");
}

TEST_F(ControlTest, MapStacksResults) {
  DefineUnary("minus", "neg");
  Define(MapOf("minus"));
  Expect("f", {"int32[3] [1, 2, 3]"}, "int32[3] [-1, -2, -3]");
  Expect("f", {"int32[2, 2] [[1, 2], [3, 4]]"}, "int32[2, 2] [[-1, -2], [-3, -4]]");
  Expect("f", {"int32[0, 2] []"}, "int32[0, 2] []");
  Define(BodyMaker("more", "(x)").Node("y", "string_concat", {"x", "x"}).Make("y"));
  Define(MapOf("more"));
  Expect("f", {"string[3] [\"a\", \"\", \"bc\"]"}, "string[3] [\"aa\", \"\", \"bcbc\"]");
}

TEST_F(ControlTest, MapOverRaggedRows) {
  DefineUnary("total", "reduce_sum");
  Define(MapOf("total"));
  Expect("f", {"ragged int32[3, (?)] [[1, 2], [], [3]]"}, "int32[3] [3, 0, 3]");
  // The result is ragged because the rows are, for any number of rows, whether or not it is
  // declared and the parameter of the function is a tensor.
  for (bool declared : {false, true}) {
    for (std::string_view signature : {"(x)", "(x: int32[?])", "(x: int32[...])"}) {
      Define(BodyMaker("minus", signature).Node("y", "neg", {"x"}).Make("y"));
      Define(MapOf("minus", {{"ragged", AttributeOf(declared)}}));
      Expect("f", {"ragged int32[3, (?)] [[1, 2], [], [3]]"},
             "ragged int32[3, (?)] [[-1, -2], [], [-3]]");
      Expect("f", {"ragged int32[2, (?)] [[1, 2], [3, 4]]"},
             "ragged int32[2, (?)] [[-1, -2], [-3, -4]]");
      Expect("f", {"ragged int32[0, (?)] []"}, "ragged int32[0, (?)] []");
    }
    DefineUnary("minus", "neg");
    Expect("f", {"ragged int32[2, (?), (?)] [[[1], [2, 3]], []]"},
           "ragged int32[2, (?), (?)] [[[-1], [-2, -3]], []]");
  }
}

TEST_F(ControlTest, MapStacksTensorsOfRaggedRowsIntoATensor) {
  Define(BodyMaker("ends", "(x)")
             .Node("low", "reduce_min", {"x"})
             .Node("high", "reduce_max", {"x"})
             .Node("y", "stack", {"low", "high"})
             .Make("y"));
  Define(MapOf("ends"));
  Expect("f", {"ragged int32[2, (?)] [[1, 5, 2], [3]]"}, "int32[2, 2] [[1, 5], [3, 3]]");
  Expect("f", {"ragged int32[0, (?)] []"}, "int32[0, 2] []");
  // An op that makes a tensor of a row: its sizes must be equal, unless `ragged` says otherwise.
  Define(BodyMaker("places", "(x)")
             .Node("n", "dim_size", {"x"}, {{"axis", AttributeOf(0)}})
             .Node("y", "range", {"n"})
             .Make("y"));
  Define(MapOf("places"));
  EXPECT_THAT(RejectionOf("f", {"ragged int32[2, (?)] [[1, 2], []]"}),
              HasSubstr("the result of round 1"));
  Define(MapOf("places", {{"ragged", AttributeOf(true)}}));
  Expect("f", {"ragged int32[2, (?)] [[1, 2], []]"}, "ragged int64[2, (?)] [[0, 1], []]");
}

TEST_F(ControlTest, MapStacksWhatIsMadeOfRaggedRowsIntoRows) {
  auto expect = [&](BodyMaker body, std::string_view expected) {
    Define(body.Make("y"));
    Define(MapOf("body"));
    Expect("f", {"ragged int32[2, (?)] [[3, 1, 2], [5]]"}, expected);
    Expect("f", {"ragged int32[0, (?)] []"}, "ragged int32[0, (?)] []");
  };
  auto body = [] { return BodyMaker("body", "(x: int32[?])"); };
  expect(body().Node("y", "sort", {"x"}), "ragged int32[2, (?)] [[1, 2, 3], [5]]");
  expect(body().Node("y", "cumsum", {"x"}, {{"axis", AttributeOf(0)}}),
         "ragged int32[2, (?)] [[3, 4, 6], [5]]");
  expect(body().Node("y", "slice", {"x"}, {{"starts", Names("list(1)")}}),
         "ragged int32[2, (?)] [[1, 2], []]");
  expect(body().Node("big", "greater", {"x", "2"}).Node("y", "boolean_mask", {"x", "big"}),
         "ragged int32[2, (?)] [[3], [5]]");
  expect(body().Node("y", "concat", {"x", "x"}),
         "ragged int32[2, (?)] [[3, 1, 2, 3, 1, 2], [5, 5]]");
  expect(body()
             .Node("sorted", "sort", {"x"})
             .Node("part", "sub", {"sorted", "x"})
             .Node("y", "mul", {"part", "10"}),
         "ragged int32[2, (?)] [[-20, 10, 10], [0]]");
  DefineUnary("minus", "neg");
  expect(body().Node("y", "map", {"x"}, {{"function", AttributeOf("minus")}}),
         "ragged int32[2, (?)] [[-3, -1, -2], [-5]]");
  expect(body()
             .Node("sum", "reduce_sum", {"x"})
             .Node("big", "greater", {"sum", "5"})
             .Node("y", "cond", {"big", "x"},
                   {{"then", AttributeOf("minus")}, {"else", AttributeOf("minus")}}),
         "ragged int32[2, (?)] [[-3, -1, -2], [-5]]");
}

TEST_F(ControlTest, ScanStacksResultsOfRaggedRowsAsMapDoes) {
  Define(BodyMaker("step", "(total, x)")
             .Node("sum", "reduce_sum", {"x"})
             .Node("more", "add", {"total", "sum"})
             .Node("y", "mul", {"x", "2"})
             .Node("both", "make_tuple", {"more", "y"})
             .Make("both"));
  Define(BodyMaker("f", "(x)")
             .Node("s", "scan", {"0", "x"}, {{"function", AttributeOf("step")}})
             .Node("y", "make_tuple", {"s:0", "s:1"})
             .Make("y"));
  Expect("f", {"ragged int32[3, (?)] [[1, 2], [], [3]]"},
         "tuple(int32[], ragged int32[3, (?)]) [6, [[2, 4], [], [6]]]");
  Expect("f", {"ragged int32[0, (?)] []"}, "tuple(int32[], ragged int32[0, (?)]) [0, []]");
}

TEST_F(ControlTest, MapOverStructures) {
  Define(BodyMaker("same", "(x)").Make("x"));
  Define(MapOf("same"));
  const std::string rows =
      "{id: int64[], parts: [{n: int32[]}], tags: string[(?)]}[2] "
      "[{id: 1, parts: [{n: 1}], tags: [\"a\", \"b\"]}, "
      "{id: 2, parts: [{n: 2}, {n: 3}], tags: []}]";
  Expect("f", {rows}, rows);
  Define(MapOf("same", {{"ragged", AttributeOf(true)}}));
  Expect("f", {rows}, rows);
  Define(BodyMaker("louder", "(x: {id: int64[], parts: [{n: int32[]}], tags: string[?]})")
             .Node("tags", "struct_get", {"x"}, {{"field", AttributeOf("tags")}})
             .Node("y", "string_concat", {"tags", "\"!\""})
             .Make("y"));
  Define(MapOf("louder"));
  Expect("f", {rows}, "ragged string[2, (?)] [[\"a!\", \"b!\"], []]");
  Define(BodyMaker("parts", "(x)")
             .Node("y", "struct_get", {"x"}, {{"field", AttributeOf("parts")}})
             .Make("y"));
  Define(MapOf("parts"));
  Expect("f", {rows}, "{n: int32[]}[2, ?] [[{n: 1}], [{n: 2}, {n: 3}]]");
}

TEST_F(ControlTest, StructMapCallsAFunctionOnFlatValues) {
  Define(BodyMaker("up", "(a, b)").Node("y", "add", {"a", "b"}).Make("y"));
  auto define = [&](std::string_view function) {
    Define(BodyMaker("f", "(x)")
               .Node("y", "struct_map", {"x"},
                     {{"parent", AttributeOf("s")},
                      {"fields", Names("list(\"a\", \"b\")")},
                      {"function", AttributeOf(function)},
                      {"name", AttributeOf("c")}})
               .Make("y"));
  };
  define("up");
  Expect("f", {"{s: [{a: int8[(?)], b: int8[(?)]}]}[2] [{s: [{a: [1], b: [2]}]}, {s: []}]"},
         "{s: [{a: int8[(?)], b: int8[(?)], c: int8[(?)]}]}[2] "
         "[{s: [{a: [1], b: [2], c: [3]}]}, {s: []}]");
  EXPECT_THAT(RejectionOf("f", {"{s: [{a: int8[(?)], b: int8[(?)]}]}[1] [{s: [{a: [1], b: []}]}]"}),
              HasSubstr("row 0: expected the same number of values, found 1 and 0"));
  Define(BodyMaker("tail", "(a, b)")
             .Node("y", "slice", {"b"}, {{"starts", Names("list(1)")}})
             .Make("y"));
  define("tail");
  EXPECT_THAT(
      RejectionOf("f", {"{s: [{a: int8[(?)], b: int8[(?)]}]}[1] [{s: [{a: [1], b: [1]}]}]"}),
      HasSubstr("result of the function: expected one value per element of the fields"));
}

TEST_F(ControlTest, MapOverNests) {
  Define(BodyMaker("swap", "(x, y)").Node("z", "make_tuple", {"y", "x", "7"}).Make("z"));
  Define(BodyMaker("f", "(x, y)")
             .Node("z", "map", {"x", "y"}, {{"function", AttributeOf("swap")}})
             .Make("z"));
  Expect("f", {"int32[2] [1, 2]", "string[2, 1] [[\"a\"], [\"b\"]]"},
         "tuple(string[2, 1], int32[2], 7) [[[\"a\"], [\"b\"]], [1, 2], 7]");
  EXPECT_THAT(RejectionOf("f", {"int32[2] [1, 2]", "int32[3] [1, 2, 3]"}), HasSubstr("2"));
}

TEST_F(ControlTest, ScanCarriesAndCollects) {
  Define(BodyMaker("add_up", "(total, x)")
             .Node("sum", "add", {"total", "x"})
             .Node("y", "make_tuple", {"sum", "sum"})
             .Make("y"));
  for (bool reverse : {false, true}) {
    Define(BodyMaker("f", "(x)")
               .Node("s", "scan", {"0", "x"},
                     {{"function", AttributeOf("add_up")}, {"reverse", AttributeOf(reverse)}})
               .Node("y", "make_tuple", {"s:0", "s:1"})
               .Make("y"));
    Expect("f", {"int32[3] [1, 2, 4]"},
           reverse ? "tuple(int32[], int32[3]) [7, [7, 6, 4]]"
                   : "tuple(int32[], int32[3]) [7, [1, 3, 7]]");
    Expect("f", {"int32[0] []"}, "tuple(int32[], int32[0]) [0, []]");
  }
}

TEST_F(ControlTest, ReduceCarries) {
  Define(BodyMaker("join", "(text, x)").Node("y", "string_concat", {"text", "x"}).Make("y"));
  Define(BodyMaker("f", "(x)")
             .Node("y", "reduce", {"\"\"", "x"}, {{"function", AttributeOf("join")}})
             .Make("y"));
  Expect("f", {"string[3] [\"a\", \"b\", \"c\"]"}, "string[] \"abc\"");
}

TEST_F(ControlTest, FixedInputsAreTheSameInEachCall) {
  const TypeSpec function = AttributeOf("scale");
  Define(BodyMaker("scale", "(x, by, axis)")
             .Node("y", "mul", {"x", "by"})
             .Node("total", "reduce_sum", {"y"}, {}, {{"axes", "axis"}})
             .Make("total"));
  Define(
      BodyMaker("f", "(x, by)")
          .Node("y", "map", {"x", "by", "0"}, {{"function", function}, {"fixed", AttributeOf(2)}})
          .Make("y"));
  Expect("f", {"int32[2, 2] [[1, 2], [3, 4]]", "int32[] 10"}, "int32[2] [30, 70]");
  Expect("f", {"ragged int32[2, (?)] [[1], [3, 4]]", "int32[1] [10]"}, "int32[2] [10, 70]");
  Expect("f", {"int32[0, 2] []", "int32[2] [1, 2]"}, "int32[0] []");

  Define(BodyMaker("add_up", "(total, x, by)")
             .Node("more", "mul", {"x", "by"})
             .Node("sum", "add", {"total", "more"})
             .Node("y", "make_tuple", {"sum", "by"})
             .Make("y"));
  Define(BodyMaker("f", "(x, by)")
             .Node("s", "scan", {"0", "x", "by"},
                   {{"function", AttributeOf("add_up")}, {"fixed", AttributeOf(1)}})
             .Node("y", "make_tuple", {"s:0", "s:1"})
             .Make("y"));
  Expect("f", {"int32[3] [1, 2, 4]", "int32[] 2"}, "tuple(int32[], int32[3]) [14, [2, 2, 2]]");

  Define(BodyMaker("join", "(text, x, end)")
             .Node("both", "string_concat", {"text", "x"})
             .Node("y", "string_concat", {"both", "end"})
             .Make("y"));
  Define(BodyMaker("f", "(x, end)")
             .Node("y", "reduce", {"\"\"", "x", "end"},
                   {{"function", AttributeOf("join")}, {"fixed", AttributeOf(1)}})
             .Make("y"));
  Expect("f", {"string[2] [\"a\", \"b\"]", "string[] \";\""}, "string[] \"a;b;\"");

  Define(BodyMaker("below", "(n, end)").Node("y", "less", {"n", "end"}).Make("y"));
  Define(BodyMaker("next", "(n, end)").Node("y", "add", {"n", "end"}).Make("y"));
  const auto loop = [](int fixed) {
    return BodyMaker("f", "(n, end)")
        .Node("w", "while", {"n", "end"},
              {{"condition", AttributeOf("below")},
               {"body", AttributeOf("next")},
               {"fixed", AttributeOf(fixed)}})
        .Make("w");
  };
  Define(loop(1));
  Expect("f", {"int32[] -7", "int32[] 3"}, "int32[] 5");
  for (int fixed : {-1, 2}) {
    Define(loop(fixed));
    EXPECT_THAT(RejectionOf("f", {"int32[] 1", "int32[] 3"}),
                HasSubstr("`fixed`: expected 0 to 1, less than the number of inputs"));
  }
}

TEST_F(ControlTest, CallChoosesAmongCandidates) {
  Define(BodyMaker("any_tensor", "(x: float32[...])").Node("y", "neg", {"x"}).Make("y"));
  Define(BodyMaker("vector", "(x: float32[?])").Node("y", "abs", {"x"}).Make("y"));
  Define(BodyMaker("text", "(x: string[...])").Make("x"));
  Define(BodyMaker("f", "(x)")
             .Node("y", "call", {"x"},
                   {{"functions", Names("list(\"any_tensor\", \"vector\", \"text\")")}})
             .Make("y"));
  Expect("f", {"float32[1] [-1]"}, "float32[1] [1.0]");
  Expect("f", {"float32[] -1"}, "float32[] 1.0");
  Expect("f", {"string[] \"a\""}, "string[] \"a\"");
  EXPECT_THAT(RejectionOf("f", {"int32[] 1"}),
              HasSubstr("argument `x`: expected `float32[...]`, `float32[?]` or `string[...]`, "
                        "found `int32[]`"));
}

TEST_F(ControlTest, CallChoosesTheMostSpecificCandidateWhateverTheOrder) {
  Define(BodyMaker("floats", "(x: float32[...])").Node("y", "neg", {"x"}).Make("y"));
  Define(BodyMaker("three", "(x: 3)").Make("\"three\""));
  Define(BodyMaker("anything", "(x)").Make("\"anything\""));
  for (const char* order :
       {"list(\"floats\", \"three\", \"anything\")", "list(\"anything\", \"floats\", \"three\")",
        "list(\"three\", \"anything\", \"floats\")"}) {
    Define(BodyMaker("f", "(x)").Node("y", "call", {"x"}, {{"functions", Names(order)}}).Make("y"));
    Expect("f", {"3"}, "\"three\"");
    Expect("f", {"4"}, "float32[] -4.0");
    Expect("f", {"\"a\""}, "\"anything\"");
  }
}

TEST_F(ControlTest, NestsEightDeep) {
  DefineUnary("f0", "neg");
  for (int i = 1; i <= 4; ++i) {
    Define(BodyMaker(Cat("g", i), "(x)")
               .Node("y", "map", {"x"}, {{"function", AttributeOf(Cat("f", i - 1))}})
               .Make("y"));
    Define(BodyMaker("same", "(x)").Make("x"));
    Define(BodyMaker(Cat("f", i), "(x)")
               .Node("s", "reduce_sum", {"x"})
               .Node("c", "greater", {"s", "0"})
               .Node("y", "cond", {"c", "x"},
                     {{"then", AttributeOf(Cat("g", i))}, {"else", AttributeOf("same")}})
               .Make("y"));
  }
  Expect("f4", {"int32[2, 1, 2, 2] [[[[1, 2], [-3, 1]]], [[[1, -2], [3, 4]]]]"},
         "int32[2, 1, 2, 2] [[[[-1, -2], [-3, 1]]], [[[1, -2], [-3, -4]]]]");
}

// f(x) -> while(True): x
FunctionDef Forever(TestLibrary& library) {
  library.functions.insert_or_assign("yes", BodyMaker("yes", "(x)").Make("True"));
  library.functions.insert_or_assign("same", BodyMaker("same", "(x)").Make("x"));
  return BodyMaker("f", "(x)")
      .Node("y", "while", {"x"}, {{"condition", AttributeOf("yes")}, {"body", AttributeOf("same")}})
      .Make("y");
}

TEST_F(ControlTest, ErrorsSayWhichFunctionTheyAreIn) {
  Define(BodyMaker("inner", "(r: {ids: int64[?]}, k: int32[])").Make("r"));
  Define(BodyMaker("middle", "(r)")
             .Node("c", "call", {"r", "3"}, {{"function", AttributeOf("inner")}})
             .Make("c"));
  Define(BodyMaker("outer", "(r)")
             .Node("d", "call", {"r"}, {{"function", AttributeOf("middle")}})
             .Make("d"));
  EXPECT_EQ(RejectionOf("outer", {"{ids: int32[2]} {ids: [1, 2]}"}),
            "node `d`: function `middle`: node `c`: function `inner`: argument `r.ids`: expected "
            "`int64[?]`, found `int32[2]`");
  Define(BodyMaker("plain", "(r)")
             .Node("c", "call", {"r", "2.5"}, {{"function", AttributeOf("inner")}})
             .Make("c"));
  EXPECT_THAT(RejectionOf("plain", {"{ids: int64[2]} {ids: [1, 2]}"}),
              HasSubstr("node `c`: function `inner`: argument `k`: "));
}

TEST_F(ControlTest, LoopsEndByBudget) {
  FunctionDef def = Forever(library_);
  PolymorphicFunction function(def, library_, {.max_loop_steps = 1000});
  auto result = function.Call({{Tensor::Scalar(1)}, {}}, {});
  EXPECT_EQ(result.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(MessageOf(result.status())),
              HasSubstr("more than 1000 steps, which is the limit (--max_loop_steps)"));
}

TEST_F(ControlTest, LoopsEndByMemory) {
  Define(BodyMaker("grow", "(x)").Node("y", "concat", {"x", "x"}).Make("y"));
  Define(BodyMaker("yes", "(x)").Make("True"));
  FunctionDef def = BodyMaker("f", "(x)")
                        .Node("y", "while", {"x"},
                              {{"condition", AttributeOf("yes")}, {"body", AttributeOf("grow")}})
                        .Make("y");
  PolymorphicFunction function(def, library_, {.max_call_bytes = 1 << 20});
  auto result = function.Call({{Tensor::Of<int32_t>({1}, {1})}, {}}, {});
  EXPECT_EQ(result.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(MessageOf(result.status())), HasSubstr("--max_call_bytes"));
}

TEST_F(ControlTest, LoopsEndByDeadlineAndCancellation) {
  FunctionDef def = Forever(library_);
  PolymorphicFunction function(def, library_, {.max_loop_steps = INT64_MAX / 2});
  auto begin = std::chrono::steady_clock::now();
  RunControl late{.deadline = begin + std::chrono::milliseconds(20)};
  auto result = function.Call({{Tensor::Scalar(1)}, {}}, late);
  EXPECT_EQ(result.status().code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(2));
  std::atomic<bool> cancelled = false;
  std::thread canceller([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    cancelled = true;
  });
  RunControl stopped{.cancelled = &cancelled};
  EXPECT_EQ(function.Call({{Tensor::Scalar(1)}, {}}, stopped).status().code(),
            absl::StatusCode::kCancelled);
  canceller.join();
}

TEST_F(ControlTest, DropsWhatNoResultNeeds) {
  DefineCount(library_);
  FunctionDef def = BodyMaker("f", "(i, x)")
                        .Node("w", "while", {"i", "x"},
                              {{"condition", AttributeOf("below")}, {"body", AttributeOf("step")}})
                        .Make("w");
  auto made = Specialize(
      def, CallType(def, {Value::OfType(Names("int32[]")), Value::OfType(Names("float32[2]"))}),
      library_, {.verify = true});
  ASSERT_TRUE(made.ok()) << made.status();
  ASSERT_EQ(made->graph.nodes.size(), 2u);  // the first test, the loop
  const FlatNode& loop = made->graph.nodes[1];
  EXPECT_EQ(loop.op->name, "loop");
  EXPECT_EQ(loop.outputs.size(), 1u);
  EXPECT_EQ(loop.bodies[0]->nodes.size(), 2u);  // the sum, the test
  EXPECT_THAT(made->graph.ToString(), HasSubstr("body 0:\n    inputs:"));
}

}  // namespace
}  // namespace signet
