// If, Loop, Scan, sequences, optional values and functions of ONNX, by what calls of small models
// answer.

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/values/builders/value_notation.h"
#include "tests/core/frontends/onnx/onnx_folder.h"

namespace signet {
namespace {

using testing::HasSubstr;

// --- models as text: names are separated by blanks, `_` is one left out -------------------------

std::string Names(const char* field, const std::string& names) {
  std::string out;
  std::istringstream words(names);
  for (std::string word; words >> word;) {
    out += Cat(field, ": '", word == "_" ? "" : word, "' ");
  }
  return out;
}

std::string Node(const char* op, const std::string& inputs, const std::string& outputs,
                 const std::string& more = "") {
  return Cat("node { op_type: '", op, "' ", Names("input", inputs), Names("output", outputs), more,
             " } ");
}

std::string Ints(const char* name, std::initializer_list<int> values) {
  std::string out = Cat("attribute { name: '", name, "' type: INTS ");
  for (int value : values) out += Cat("ints: ", value, " ");
  return Cat(out, "} ");
}
std::string Int(const char* name, int value) {
  return Cat("attribute { name: '", name, "' type: INT i: ", value, " } ");
}
// A subgraph.
std::string Body(const char* name, const std::string& inputs, const std::string& nodes,
                 const std::string& outputs) {
  std::string out = Cat("attribute { name: '", name, "' type: GRAPH g { name: 'b' ");
  for (const auto& [field, names] : {std::pair("input", inputs), std::pair("output", outputs)}) {
    std::istringstream words(names);
    for (std::string word; words >> word;) out += Cat(field, " { name: '", word, "' } ");
  }
  return Cat(out, nodes, "} } ");
}
// A constant scalar.
std::string Number(const char* name, int value) {
  return Node(
      "Constant", "", name,
      Cat("attribute { name: 'value' type: TENSOR t { data_type: 7 int64_data: ", value, " } } "));
}
std::string Truth(const char* name, bool value) {
  return Node("Constant", "", name,
              Cat("attribute { name: 'value' type: TENSOR t { data_type: 9 int32_data: ",
                  value ? 1 : 0, " } } "));
}

// A model of inputs of any type.
std::string Model(const std::string& inputs, const std::string& nodes, const std::string& outputs,
                  int opset = 16) {
  std::string out = Cat("ir_version: 8 opset_import { version: ", opset, " } graph { name: 'g' ");
  for (const auto& [field, names] : {std::pair("input", inputs), std::pair("output", outputs)}) {
    std::istringstream words(names);
    for (std::string word; words >> word;) out += Cat(field, " { name: '", word, "' } ");
  }
  return Cat(out, nodes, "} ");
}

// What a call with these values gives, or why not.
std::string Answer(const OnnxFolder& onnx, std::initializer_list<const char*> arguments) {
  auto model = onnx.Load();
  if (!model.ok()) return std::string(MessageOf(model.status()));
  CallArguments given;
  for (const char* text : arguments) {
    auto value = ParseValue(text);
    EXPECT_TRUE(value.ok()) << value.status();
    given.positional.push_back(*std::move(value));
  }
  auto main = (*model)->FindFunction("");
  EXPECT_TRUE(main.ok()) << main.status();
  auto answer = (*main)->Call(std::move(given), {});
  if (!answer.ok()) return std::string(MessageOf(answer.status()));
  // Without the type, which may leave sizes open.
  return ToString(*answer).substr(answer->spec().ToString().size() + 1);
}
std::string Answer(const std::string& text, std::initializer_list<const char*> arguments) {
  return Answer(OnnxFolder(text), arguments);
}

// --- If -----------------------------------------------------------------------------------------

TEST(OnnxControlFlowTest, BranchesSeeValuesOutside) {
  std::string inner = Node("If", "d", "z",
                           Body("then_branch", "", Node("Add", "x y", "t2"), "t2") +
                               Body("else_branch", "", Node("Sub", "x y", "e2"), "e2"));
  std::string model = Model("c d x",
                            Number("three", 3) + Node("Mul", "x three", "y") +
                                Node("If", "c", "r",
                                     Body("then_branch", "", inner, "z") +
                                         Body("else_branch", "", Node("Neg", "y", "e"), "e")),
                            "r");
  EXPECT_EQ(Answer(model, {"bool[] True", "bool[] True", "int64[2] [1, 2]"}), "[4, 8]");
  EXPECT_EQ(Answer(model, {"bool[1] [True]", "bool[] False", "int64[2] [1, 2]"}), "[-2, -4]");
  EXPECT_EQ(Answer(model, {"bool[] False", "bool[] False", "int64[2] [1, 2]"}), "[-3, -6]");
}

TEST(OnnxControlFlowTest, BranchesMayDifferInShape) {
  std::string model =
      Model("c x",
            Node("If", "c", "r s",
                 Body("then_branch", "", Node("Concat", "x x", "t", Int("axis", 0)), "t x") +
                     Body("else_branch", "", Node("Identity", "x", "e"), "e e")),
            "r s");
  EXPECT_EQ(Answer(model, {"bool[] True", "int64[2] [1, 2]"}), "{r: [1, 2, 1, 2], s: [1, 2]}");
  EXPECT_EQ(Answer(model, {"bool[] False", "int64[2] [1, 2]"}), "{r: [1, 2], s: [1, 2]}");
}

// --- FlexAttention ------------------------------------------------------------------------------

std::string Flex(const std::string& graphs) {
  std::string model = Model("q k v c",
                            Node("FlexAttention", "q k v", "y",
                                 "domain: 'ai.onnx.preview' attribute { name: 'scale' type: FLOAT "
                                 "f: 1 } " +
                                     graphs),
                            "y", 26);
  return model + "opset_import { domain: 'ai.onnx.preview' version: 1 } ";
}

TEST(OnnxControlFlowTest, FlexAttentionPutsItsGraphsInPlace) {
  const char* q = "float32[1, 2, 1, 1] [[[[1]], [[1]]]]";
  const char* k = "float32[1, 1, 2, 1] [[[[0], [1]]]]";
  const char* v = "float32[1, 1, 2, 1] [[[[3], [5]]]]";
  const char* c = "float32[2] [0, -inf]";
  EXPECT_EQ(Answer(Flex(""), {"float32[1, 1, 1, 1] [[[[0]]]]", k, v, c}), "[[[[4.0]]]]");
  // One sees values outside of it.
  std::string score = Body("score_mod", "s", Node("Add", "s c", "t"), "t");
  EXPECT_EQ(Answer(Flex(score), {q, k, v, c}), "[[[[3.0]], [[3.0]]]]");
  std::string share = Body("prob_mod", "s", Node("Add", "s s", "t"), "t");
  EXPECT_EQ(Answer(Flex(score + share), {q, k, v, c}), "[[[[6.0]], [[6.0]]]]");
  // Halves are multiplied as float32, which the graphs see.
  EXPECT_EQ(
      Answer(Flex(score), {"float16[1, 1, 1, 1] [[[[1]]]]", "float16[1, 1, 2, 1] [[[[0], [1]]]]",
                           "float16[1, 1, 2, 1] [[[[3], [5]]]]", c}),
      "[[[[3.0]]]]");
  EXPECT_THAT(Answer(Flex(Body("prob_mod", "s r", Node("Add", "s r", "t"), "t")), {q, k, v, c}),
              HasSubstr("graph `prob_mod` of 2 inputs and 1 outputs"));
}

// --- Loop ---------------------------------------------------------------------------------------

// v = v + x, as often as M and `going` say; collects v.
std::string Adding(const std::string& limit, const std::string& going) {
  std::string body = Node("Add", "v x", "w") + Node("Less", "w bound", "on");
  return Model(
      "M going bound x v0",
      Node("Loop", limit + " " + going + " v0", "last all", Body("body", "i c v", body, "on w w")),
      "last all");
}

TEST(OnnxControlFlowTest, LoopsRunUntilEitherEnds) {
  auto run = [](const std::string& model, const char* limit, const char* going) {
    return Answer(model, {limit, going, "int64[] 5", "int64[] 2", "int64[] 0"});
  };
  std::string model = Adding("M", "going");
  EXPECT_EQ(run(model, "int64[] 2", "bool[] True"), "{last: 4, all: [2, 4]}");
  EXPECT_EQ(run(model, "int64[1] [9]", "bool[1] [True]"), "{last: 6, all: [2, 4, 6]}");
  EXPECT_EQ(run(model, "int64[] 0", "bool[] True"), "{last: 0, all: []}");
  EXPECT_EQ(run(model, "int64[] 3", "bool[] False"), "{last: 0, all: []}");
  EXPECT_EQ(run(Adding("_", "going"), "int64[] 2", "bool[] True"), "{last: 6, all: [2, 4, 6]}");
  EXPECT_EQ(run(Adding("M", "_"), "int64[] 1", "bool[] True"), "{last: 2, all: [2]}");
  EXPECT_EQ(run(Adding("_", "_"), "int64[] 1", "bool[] True"), "{last: 6, all: [2, 4, 6]}");
}

TEST(OnnxControlFlowTest, LoopsWithinLoopsSeeAllAround) {
  std::string inner =
      Node("Loop", "n _ u", "w",
           Body("body", "j d b", Node("Add", "b x", "b2") + Node("Add", "b2 i", "b3"), "d b3"));
  std::string model = Model(
      "n x",
      Number("zero", 0) + Node("Loop", "n _ zero", "last", Body("body", "i c u", inner, "c w")),
      "last");
  // Rounds i of 3 times x + i.
  EXPECT_EQ(Answer(model, {"int64[] 3", "int64[] 10"}), "99");
  EXPECT_EQ(Answer(model, {"int64[] 0", "int64[] 10"}), "0");
}

TEST(OnnxControlFlowTest, CarriedValuesMayGrow) {
  std::string model =
      Model("n x",
            Node("Loop", "n _ x", "last",
                 Body("body", "i c v", Node("Concat", "v x", "w", Int("axis", 0)), "c w")),
            "last");
  EXPECT_EQ(Answer(model, {"int64[] 2", "int64[1] [7]"}), "[7, 7, 7]");
  EXPECT_EQ(Answer(model, {"int64[] 0", "int64[1] [7]"}), "[7]");
}

TEST(OnnxControlFlowTest, LoopsThatGoOnGiveAsManyElementsAsTheirLimit) {
  std::string model =
      Model("x",
            Number("three", 3) + Truth("yes", true) +
                Node("Loop", "three yes x", "_ all",
                     Body("body", "i c v", Node("Identity", "c", "on") + Node("Add", "v i", "w"),
                          "on w w")) +
                Node("Shape", "all", "s"),
            "s all");
  EXPECT_EQ(Answer(model, {"int64[2] [1, 2]"}), "{s: [3, 2], all: [[1, 2], [2, 3], [4, 5]]}");
}

// --- Scan ---------------------------------------------------------------------------------------

TEST(OnnxControlFlowTest, ScansAlongAxesBothWays) {
  // s = s + a; gives s and a - b.
  std::string body =
      Body("body", "s a b", Node("Add", "s a", "t") + Node("Sub", "a b", "d"), "t t d");
  auto model = [&](const std::string& more) {
    return Model(
        "s0 x y",
        Node("Scan", "s0 x y", "s sums differences", body + Int("num_scan_inputs", 2) + more),
        "s sums differences");
  };
  auto run = [&](const std::string& more) {
    return Answer(model(more), {"int64[2] [0, 100]", "int64[2, 2] [[1, 2], [3, 4]]",
                                "int64[2, 2] [[1, 1], [2, 2]]"});
  };
  EXPECT_EQ(run(""), "{s: [4, 106], sums: [[1, 102], [4, 106]], differences: [[0, 1], [1, 2]]}");
  EXPECT_EQ(run(Ints("scan_input_directions", {1, 0}) + Ints("scan_output_directions", {0, 1})),
            "{s: [4, 106], sums: [[3, 104], [4, 106]], differences: [[-1, 0], [2, 3]]}");
  EXPECT_EQ(run(Ints("scan_input_axes", {1, -1}) + Ints("scan_output_axes", {1, -1})),
            "{s: [3, 107], sums: [[1, 3], [103, 107]], differences: [[0, 1], [1, 2]]}");
  EXPECT_THAT(run(Ints("scan_input_axes", {0})), HasSubstr("1 `scan_input_axes`; takes 2"));
}

TEST(OnnxControlFlowTest, ScansWithoutStates) {
  std::string model =
      Model("x",
            Node("Scan", "x", "y",
                 Body("body", "a", Node("Neg", "a", "b"), "b") + Int("num_scan_inputs", 1)),
            "y");
  EXPECT_EQ(Answer(model, {"int64[2, 1] [[1], [2]]"}), "[[-1], [-2]]");
  EXPECT_EQ(Answer(model, {"int64[0, 1] []"}), "[]");
}

TEST(OnnxControlFlowTest, ScansOfVersion8HaveABatch) {
  std::string body =
      Body("body", "s a", Node("Add", "s a", "t") + Node("Identity", "t", "u"), "t u");
  auto model = [&](const char* inputs, const std::string& more) {
    return Model("n s0 x", Node("Scan", inputs, "s all", body + Int("num_scan_inputs", 1) + more),
                 "s all", 8);
  };
  std::initializer_list<const char*> given = {"int64[2] [3, 1]", "int64[2] [0, 100]",
                                              "int64[2, 3] [[1, 2, 3], [4, 5, 6]]"};
  EXPECT_EQ(Answer(model("_ s0 x", ""), given), "{s: [6, 115], all: [[1, 3, 6], [104, 109, 115]]}");
  EXPECT_EQ(Answer(model("n s0 x", ""), given), "{s: [6, 104], all: [[1, 3, 6], [104, 0, 0]]}");
  EXPECT_EQ(Answer(model("n s0 x", Ints("directions", {1})), given),
            "{s: [6, 104], all: [[3, 5, 6], [104, 0, 0]]}");
}

// --- sequences and optional values --------------------------------------------------------------

TEST(OnnxSequenceTest, PositionsMayBeKnownLate) {
  std::string nodes = Node("SequenceAt", "l p", "at") + Node("SequenceInsert", "l x p", "more") +
                      Node("SequenceErase", "l p", "less") + Node("SequenceLength", "more", "n");
  std::string model = Model("l x p", nodes, "at more less n");
  const char* list = "list(int64[1], int64[2]) [[1], [2, 3]]";
  const char* x = "int64[0] []";
  EXPECT_EQ(Answer(model, {list, x, "int64[] 0"}),
            "{at: [1], more: [[], [1], [2, 3]], less: [[2, 3]], n: 3}");
  EXPECT_EQ(Answer(model, {list, x, "int32[] -1"}),
            "{at: [2, 3], more: [[1], [], [2, 3]], less: [[1]], n: 3}");
  EXPECT_THAT(Answer(model, {list, x, "int64[] 2"}), HasSubstr("2"));
  std::string known = Model("l x", Number("p", -2) + nodes, "at more less n");
  EXPECT_EQ(Answer(known, {list, x}), "{at: [1], more: [[], [1], [2, 3]], less: [[2, 3]], n: 3}");
}

TEST(OnnxSequenceTest, CutsAndJoins) {
  std::string one = Model("x", Node("SplitToSequence", "x", "l", Int("keepdims", 0)), "l");
  EXPECT_EQ(Answer(one, {"int64[2, 1] [[1], [2]]"}), "[[1], [2]]");
  std::string parts = Model("x s", Node("SplitToSequence", "x s", "l", Int("axis", -1)), "l");
  EXPECT_EQ(Answer(parts, {"int64[1, 3] [[1, 2, 3]]", "int64[2] [1, 2]"}), "[[[1]], [[2, 3]]]");
  std::string halves = Model("x", Number("two", 2) + Node("SplitToSequence", "x two", "l"), "l");
  EXPECT_EQ(Answer(halves, {"int64[3] [1, 2, 3]"}), "[[1, 2], [3]]");
  std::string joined =
      Model("l",
            Node("ConcatFromSequence", "l", "a", Int("axis", 0)) +
                Node("ConcatFromSequence", "l", "b", Int("axis", 1) + Int("new_axis", 1)),
            "a b");
  EXPECT_EQ(Answer(joined, {"list(int64[2], int64[2]) [[1, 2], [3, 4]]"}),
            "{a: [1, 2, 3, 4], b: [[1, 3], [2, 4]]}");
}

TEST(OnnxSequenceTest, ListsGrowInLoopsOfKnownLength) {
  std::string body = Body(
      "body", "i c l",
      Node("Identity", "c", "on") + Node("Add", "x i", "y") + Node("SequenceInsert", "l y", "m"),
      "on m y");
  auto model = [&](const std::string& limit) {
    return Model("n x",
                 limit + Truth("yes", true) + Node("SequenceEmpty", "", "l0") +
                     Node("Loop", "m yes l0", "l all", body),
                 "l all");
  };
  EXPECT_EQ(Answer(model(Number("m", 2)), {"int64[] 0", "int64[1] [5]"}),
            "{l: [[5], [6]], all: [[5], [6]]}");
}

// Only the run knows how many rounds there are.
TEST(OnnxSequenceTest, ListsGrowInLoopsOfAnyLength) {
  // Round i appends what `nodes` make of `x` and `i`.
  auto model = [](const std::string& inputs, const std::string& nodes, const std::string& behind,
                  const std::string& outputs) {
    std::string body =
        Body("body", "i c l",
             Node("Identity", "c", "on") + nodes + Node("SequenceInsert", "l y", "m"), "on m");
    return Model(inputs,
                 Truth("yes", true) + Node("SequenceEmpty", "", "l0") +
                     Node("Loop", "n yes l0", "l", body) + behind,
                 outputs);
  };
  std::string joined = Node("ConcatFromSequence", "l", "a", Int("axis", 0)) +
                       Node("ConcatFromSequence", "l", "b", Int("axis", -1)) +
                       Node("ConcatFromSequence", "l", "s", Int("axis", 1) + Int("new_axis", 1)) +
                       Node("SequenceLength", "l", "k");
  std::string same = model("n x", Node("Add", "x i", "y"), joined, "a b s k");
  EXPECT_EQ(Answer(same, {"int64[] 2", "int64[1, 2] [[5, 7]]"}),
            "{a: [[5, 7], [6, 8]], b: [[5, 7, 6, 8]], s: [[[5, 7], [6, 8]]], k: 2}");
  EXPECT_THAT(Answer(same, {"int64[] 0", "int64[1, 2] [[5, 7]]"}),
              HasSubstr("the sequence has no elements"));
  // Elements of other sizes in each round.
  std::string rest = Node("SequenceAt", "l p", "at") + Node("SequenceErase", "l p", "less") +
                     Node("SequenceInsert", "l x p", "more") + Node("SequenceErase", "l", "front");
  std::string ranges =
      model("n x p", Number("zero", 0) + Number("one", 1) + Node("Range", "zero i one", "y"),
            Node("ConcatFromSequence", "l", "a", Int("axis", 0)) + rest, "a at less more front");
  EXPECT_EQ(Answer(ranges, {"int64[] 3", "int64[1] [9]", "int64[] -1"}),
            "{a: [0, 0, 1], at: [0, 1], less: [{element: []}, {element: [0]}], more: [{element: "
            "[]}, {element: [0]}, {element: [9]}, {element: [0, 1]}], front: [{element: []}, "
            "{element: [0]}]}");
  EXPECT_THAT(Answer(ranges, {"int64[] 3", "int64[1] [9]", "int64[] 3"}),
              HasSubstr("outside of the sequence"));
  EXPECT_THAT(Answer(ranges, {"int64[] 0", "int64[1] [9]", "int64[] 0"}),
              HasSubstr("the sequence has no elements"));
  std::string stacked =
      model("n x", Number("zero", 0) + Number("one", 1) + Node("Range", "zero i one", "y"),
            Node("ConcatFromSequence", "l", "a", Int("axis", 0) + Int("new_axis", 1)), "a");
  EXPECT_EQ(Answer(stacked, {"int64[] 1", "int64[1] [9]"}), "[[]]");
  EXPECT_THAT(Answer(stacked, {"int64[] 3", "int64[1] [9]"}),
              HasSubstr("elements of a sequence differ in size"));
}

TEST(OnnxSequenceTest, ListsOfAnyLengthAreReturnedAsRows) {
  std::string body = Body(
      "body", "i c l",
      Node("Identity", "c", "on") + Node("Add", "x i", "y") + Node("SequenceInsert", "l y", "m"),
      "on m");
  std::string model = Model("n x",
                            Truth("yes", true) + Node("SequenceConstruct", "x", "l0") +
                                Node("Loop", "n yes l0", "l", body),
                            "l");
  const std::string output = "output { name: 'l' ";
  model.insert(model.rfind(output) + output.size(),
               "type { sequence_type { elem_type { tensor_type { elem_type: 7 } } } } ");
  EXPECT_EQ(Answer(model, {"int64[] 2", "int64[1] [5]"}), "[[5], [5], [6]]");
  EXPECT_EQ(Answer(model, {"int64[] 0", "string[1] [\"a\"]"}).substr(0, 4), "node");
}

TEST(OnnxSequenceTest, BranchesMayGiveListsOfOtherLengths) {
  std::string model =
      Model("c x",
            Node("If", "c", "l",
                 Body("then_branch", "", Node("SequenceConstruct", "x x", "t"), "t") +
                     Body("else_branch", "", Node("SequenceEmpty", "", "e"), "e")) +
                Node("SequenceLength", "l", "n") + Node("SequenceInsert", "l x", "m") +
                Node("ConcatFromSequence", "m", "y", Int("axis", 0)),
            "n y");
  EXPECT_EQ(Answer(model, {"bool[] True", "int64[1] [4]"}), "{n: 2, y: [4, 4, 4]}");
  EXPECT_EQ(Answer(model, {"bool[] False", "int64[1] [4]"}), "{n: 0, y: [4]}");
}

TEST(OnnxSequenceTest, TensorsAreCutIntoPartsOfComputedSizes) {
  std::string model = Model("x s",
                            Node("SplitToSequence", "x s", "l") + Node("SequenceLength", "l", "n") +
                                Number("last", -1) + Node("SequenceAt", "l last", "y"),
                            "n y");
  const char* x = "int64[5, 1] [[1], [2], [3], [4], [5]]";
  EXPECT_EQ(Answer(model, {x, "int64[] 2"}), "{n: 3, y: [[5]]}");
  EXPECT_EQ(Answer(model, {x, "int32[] 5"}), "{n: 1, y: [[1], [2], [3], [4], [5]]}");
  EXPECT_THAT(Answer(model, {x, "int64[] 0"}), HasSubstr("parts of a size below 1"));
  // As many sizes as the run says.
  std::string sizes =
      Model("x k",
            Number("zero", 0) + Number("one", 1) + Node("Range", "zero k one", "s") +
                Node("SplitToSequence", "x s", "l") + Node("SequenceLength", "l", "n") +
                Node("SequenceAt", "l one", "y"),
            "n y");
  EXPECT_EQ(Answer(sizes, {"int64[3] [7, 8, 9]", "int64[] 3"}), "{n: 3, y: [7]}");
  EXPECT_THAT(Answer(sizes, {"int64[4] [7, 8, 9, 0]", "int64[] 3"}), HasSubstr("C3"));
  // A dimension of a size that only the run knows, along another axis.
  std::string columns =
      Model("x k",
            Number("zero", 0) + Number("one", 1) + Node("Range", "zero k one", "s") +
                Node("Gather", "x s", "g", Int("axis", 1)) +
                Node("SplitToSequence", "g", "l", Int("axis", 1) + Int("keepdims", 0)) +
                Node("SplitToSequence", "g", "m", Int("axis", 1)) +
                Node("SequenceAt", "l one", "y") + Node("SequenceAt", "m one", "z"),
            "y z");
  EXPECT_EQ(Answer(columns, {"int64[2, 3] [[1, 2, 3], [4, 5, 6]]", "int64[] 2"}),
            "{y: [2, 5], z: [[2], [5]]}");
}

TEST(OnnxSequenceTest, TensorsAreCutAlongInnerAxesIntoPartsOfComputedSizes) {
  auto model = [](int axis) {
    return Model("x k",
                 Number("zero", 0) + Number("one", 1) + Node("Range", "zero k one", "s") +
                     Node("SplitToSequence", "x s", "l", Int("axis", axis)) +
                     Node("SequenceLength", "l", "n") + Node("SequenceAt", "l one", "y"),
                 "n y");
  };
  EXPECT_EQ(Answer(model(1), {"int64[2, 3] [[1, 2, 3], [4, 5, 6]]", "int64[] 3"}),
            "{n: 3, y: [[1], [4]]}");
  EXPECT_EQ(Answer(model(-1), {"int64[1, 2, 3] [[[1, 2, 3], [4, 5, 6]]]", "int64[] 3"}),
            "{n: 3, y: [[[1], [4]]]}");
  EXPECT_EQ(Answer(model(1), {"int64[1, 3, 2] [[[1, 2], [3, 4], [5, 6]]]", "int64[] 3"}),
            "{n: 3, y: [[[1, 2]]]}");
  EXPECT_THAT(Answer(model(1), {"int64[1, 4] [[1, 2, 3, 4]]", "int64[] 3"}),
              HasSubstr("do not add up"));
  std::string halves = Model("x k",
                             Node("SplitToSequence", "x k", "l", Int("axis", 1)) +
                                 Number("last", -1) + Node("SequenceAt", "l last", "y"),
                             "y");
  EXPECT_EQ(Answer(halves, {"int64[2, 3] [[1, 2, 3], [4, 5, 6]]", "int64[] 2"}), "[[3], [6]]");
}

// As the align_corners form of AffineGrid has it, written out: one branch gives a scalar.
TEST(OnnxSequenceTest, BranchesMayDifferInRank) {
  auto model = [](int axis) {
    return Model("c v x",
                 Node("If", "c", "s",
                      Body("then_branch", "", Number("a", 2), "a") +
                          Body("else_branch", "", Node("Identity", "v", "b"), "b")) +
                     Number("axis", axis) + Node("Unsqueeze", "s axis", "u") +
                     Node("Add", "x u", "y"),
                 "y");
  };
  const char* x = "int64[2, 2] [[1, 2], [3, 4]]";
  for (int axis : {0, -1}) {
    EXPECT_EQ(Answer(model(axis), {"bool[] True", "int64[1] [5]", x}), "[[3, 4], [5, 6]]");
    EXPECT_EQ(Answer(model(axis), {"bool[] False", "int64[1] [5]", x}), "[[6, 7], [8, 9]]");
  }
  EXPECT_THAT(Answer(model(1), {"bool[] True", "int64[1] [5]", x}), HasSubstr("C2"));
}

TEST(OnnxSequenceTest, MapsLists) {
  std::string model =
      Model("l m x",
            Node("SequenceMap", "l m x", "r s",
                 Body("body", "a b c", Node("Add", "a b", "d") + Node("Mul", "d c", "e"), "d e")),
            "r s", 17);
  EXPECT_EQ(Answer(model, {"list(int64[1], int64[2]) [[1], [2, 3]]",
                           "list(int64[1], int64[2]) [[10], [20, 30]]", "int64[] 2"}),
            "{r: [[11], [22, 33]], s: [[22], [44, 66]]}");
  EXPECT_EQ(Answer(model, {"list() []", "list() []", "int64[] 2"}), "{r: [], s: []}");
}

TEST(OnnxSequenceTest, OptionalValuesAreThereOrNone) {
  std::string model =
      Model("o",
            Node("OptionalHasElement", "o", "has") + Node("Optional", "o", "p") +
                Node("If", "has", "r",
                     Body("then_branch", "", Node("OptionalGetElement", "p", "t"), "t") +
                         Body("else_branch", "", Number("e", 7), "e")),
            "has r");
  EXPECT_EQ(Answer(model, {"int64[] 3"}), "{has: True, r: 3}");
  EXPECT_EQ(Answer(model, {"None"}), "{has: False, r: 7}");
}

// --- functions and signatures -------------------------------------------------------------------

// A function of the model; `more` are fields of its message.
std::string Function(const char* name, const std::string& inputs, const std::string& outputs,
                     const std::string& nodes) {
  return Cat("functions { name: '", name, "' domain: 'f' ", Names("input", inputs),
             Names("output", outputs),
             "opset_import { version: 16 } opset_import { domain: 'f' version: 1 } ", nodes, "} ");
}
std::string CallOf(const char* name, const std::string& inputs, const std::string& outputs,
                   const std::string& more = "") {
  return Node(name, inputs, outputs, Cat("domain: 'f' ", more));
}

TEST(OnnxFunctionTest, AttributesComeFromCallsOrDefaults) {
  std::string concat = "attribute { name: 'axis' ref_attr_name: 'along' type: INT } ";
  std::string model =
      Cat(Function("Twice", "a", "b", "attribute: 'along' " + Node("Concat", "a a", "b", concat)),
          Function("Both", "a", "b c",
                   CallOf("Twice", "a", "b", Int("along", 1)) + CallOf("Twice", "a", "c")),
          Model("x", CallOf("Both", "x", "y z"), "y z"));
  onnx::ModelProto proto = OnnxFolder::Parsed(model);
  onnx::AttributeProto along;
  along.set_name("along");
  along.set_type(onnx::AttributeProto::INT);
  along.set_i(0);
  auto& function = *proto.mutable_functions(0);
  function.GetReflection()->MutableUnknownFields(&function)->AddLengthDelimited(
      11, along.SerializeAsString());
  EXPECT_EQ(Answer(OnnxFolder(proto), {"int64[1, 2] [[1, 2]]"}),
            "{y: [[1, 2, 1, 2]], z: [[1, 2], [1, 2]]}");
}

TEST(OnnxFunctionTest, OverloadsAreToldApart) {
  std::string model = Cat(Function("F", "a", "b", Node("Neg", "a", "b")),
                          Function("F", "a", "b", Node("Add", "a a", "b")),
                          Model("x", CallOf("F", "x", "y") + CallOf("F", "x", "z"), "y z"));
  onnx::ModelProto proto = OnnxFolder::Parsed(model);
  auto overload = [](google::protobuf::Message& message, int field) {
    message.GetReflection()->MutableUnknownFields(&message)->AddLengthDelimited(field, "double");
  };
  overload(*proto.mutable_functions(1), 13);
  overload(*proto.mutable_graph()->mutable_node(1), 8);
  EXPECT_EQ(Answer(OnnxFolder(proto), {"int64[] 3"}), "{y: -3, z: 6}");
}

TEST(OnnxFunctionTest, FunctionsHaveBranchesAndInputsLeftOut) {
  std::string model = Cat(
      Function(
          "Pick", "c a b", "r",
          Node("If", "c", "r",
               Body("then_branch", "", Node("Neg", "a", "t"), "t") +
                   Body("else_branch", "",
                        Node("OptionalHasElement", "b", "h") + Node("Identity", "a", "e"), "e"))),
      Model("c x", CallOf("Pick", "c x", "y"), "y"));
  EXPECT_EQ(Answer(model, {"bool[] True", "int64[] 3"}), "-3");
  EXPECT_EQ(Answer(model, {"bool[] False", "int64[] 3"}), "3");
}

TEST(OnnxSignatureTest, DimensionsOfOneNameAgree) {
  auto input = [](const char* name, const char* dims) {
    return Cat("input { name: '", name, "' type { tensor_type { elem_type: 7 shape { ", dims,
               " } } } } ");
  };
  std::string model = Cat("ir_version: 8 opset_import { version: 17 } graph { name: 'g' ",
                          input("x", "dim { dim_param: 'batch' } dim { dim_value: 2 }"),
                          input("y", "dim { dim_param: 'batch' }"), "output { name: 'z' } ",
                          Node("Transpose", "x", "t") + Node("Add", "t y", "z"), "} ");
  OnnxFolder onnx(model);
  EXPECT_EQ(Answer(onnx, {"int64[1, 2] [[1, 2]]", "int64[1] [1]"}), "[[2], [3]]");
  EXPECT_THAT(Answer(onnx, {"int64[1, 2] [[1, 2]]", "int64[3] [1, 2, 3]"}),
              testing::AllOf(
                  HasSubstr("dimension 0 of `y` is 3, dimension 0 of `x` is 1; both are `batch`"),
                  testing::Not(HasSubstr("node `"))));
  auto loaded = onnx.Load();
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  auto main = (*loaded)->FindFunction("main");
  ASSERT_TRUE(main.ok()) << main.status();
  EXPECT_EQ((*main)->signature(), "main(x: int64[batch, 2], y: int64[batch])");
}

TEST(OnnxSignatureTest, NodesMayStandInAnyOrder) {
  std::string branch = Body("then_branch", "", Node("Neg", "b", "t"), "t") +
                       Body("else_branch", "", Node("Identity", "b", "e"), "e");
  std::string model = Model(
      "c x", Node("If", "c", "y", branch) + Node("Add", "a a", "b") + Node("Add", "x x", "a"), "y");
  EXPECT_EQ(Answer(model, {"bool[] True", "int64[] 1"}), "-4");
  EXPECT_EQ(Answer(model, {"bool[] False", "int64[] 1"}), "4");
}

TEST(OnnxSignatureTest, InitializersOfIr3AreNoParameters) {
  std::string rest = Cat(" opset_import { version: 9 } graph { name: 'g' ",
                         "input { name: 'x' } input { name: 'w' } ",
                         "initializer { name: 'w' data_type: 7 int64_data: 5 } ",
                         Node("Add", "x w", "y"), "output { name: 'y' } }");
  EXPECT_EQ(Answer("ir_version: 3" + rest, {"int64[] 1"}), "6");
  EXPECT_THAT(Answer("ir_version: 3" + rest, {"int64[] 1", "int64[] 2"}), HasSubstr("argument"));
  EXPECT_EQ(Answer("ir_version: 4" + rest, {"int64[] 1", "int64[] 2"}), "3");
}

}  // namespace
}  // namespace signet
