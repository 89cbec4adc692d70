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
  if (answer->spec().is(TypeKind::kLiteral)) return ToString(*answer);
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

// PyTorch exports squeeze(1) as an If if it does not know the size. The rank of its result depends
// on the run, and so does what operators compute from it.
TEST(OnnxControlFlowTest, OperatorsAcceptValuesWhoseRankOnlyTheRunKnows) {
  const std::string numbers = Number("zero", 0) + Number("one", 1) + Number("two", 2) +
                              Node("Unsqueeze", "zero zero1", "zeros") +
                              Node("Unsqueeze", "one zero1", "ones") +
                              Node("Unsqueeze", "two zero1", "twos");
  const std::string head =
      Node("Constant", "", "zero1",
           "attribute { name: 'value' type: TENSOR t { data_type: 7 dims: 1 int64_data: 0 } } ") +
      numbers;
  const std::string squeezed = Node("Squeeze", "x ones", "t");
  const std::string dynamic = Node("If", "c", "y",
                                   Body("then_branch", "", squeezed, "t") +
                                       Body("else_branch", "", Node("Identity", "x", "e"), "e"));
  for (const std::string& op :
       {Node("Shape", "y", "z"),
        Node("Size", "y", "z"),
        Node("Flatten", "y", "z", Int("axis", 1)),
        Node("Transpose", "y", "z"),
        Node("Gather", "y one", "z", Int("axis", 0)),
        Node("Gather", "y ones", "z", Int("axis", -1)),
        Node("Slice", "y ones twos", "z"),
        Node("Slice", "y zeros ones zeros", "z"),
        Node("Concat", "y y", "z", Int("axis", 0)),
        Node("Softmax", "y", "z"),
        Node("ReduceSum", "y zeros", "z"),
        Node("ReduceMean", "y", "z"),
        Node("ArgMax", "y", "z", Int("axis", 0)),
        Node("CumSum", "y zero", "z"),
        Node("Reshape", "y zeros", "z"),
        Node("Unsqueeze", "y zeros", "z"),
        Node("TopK", "y ones", "z z2", Int("axis", 0)),
        Node("Neg", "y", "z"),
        Node("Add", "y x", "z"),
        Node("MatMul", "x y", "z"),
        Node("Split", "y", "z z2"),
        Node("NonZero", "y", "z"),
        Node("OneHot", "y two twos2", "z"),
        Node("Shape", "y", "s") + Node("ConstantOfShape", "s", "z"),
        Node("Shape", "y", "s") + Node("Expand", "one s", "z"),
        Node("Shape", "y", "s") + Node("Tile", "y s", "z"),
        Node("Shape", "y", "s") + Node("Reshape", "x s", "z"),
        Node("Neg", "y", "n") + Node("Add", "n y", "m") + Node("Shape", "m", "z"),
        Node("Neg", "y", "n") + Node("Where", "c n y", "w") + Node("Flatten", "w", "z")}) {
    const std::string more = Node("Concat", "zeros ones", "twos2", Int("axis", 0));
    for (bool condition : {true, false}) {
      for (const char* x : {"int64[2, 1] [[5], [3]]", "int64[4, 1] [[1], [0], [2], [1]]"}) {
        const std::string known =
            condition ? Node("Squeeze", "x ones", "y") : Node("Identity", "x", "y");
        const std::string wanted = Answer(Model("c x", head + more + known + op, "z"),
                                          {condition ? "bool[] True" : "bool[] False", x});
        const std::string found = Answer(Model("c x", head + more + dynamic + op, "z"),
                                         {condition ? "bool[] True" : "bool[] False", x});
        const bool is_error = wanted.find(": ") != std::string::npos;
        // Errors name the branch as well.
        if (is_error) {
          EXPECT_THAT(found, HasSubstr(": ")) << op << x;
        } else {
          EXPECT_EQ(found, wanted) << op << x;
        }
      }
    }
  }
}

TEST(OnnxControlFlowTest, LoopsMayChangeTheRank) {
  std::string model =
      Model("n x",
            Node("Constant", "", "first",
                 "attribute { name: 'value' type: TENSOR t { data_type: 7 dims: 1 int64_data: 0 } "
                 "} ") +
                Truth("on", true) +
                Node("Loop", "n on x", "y",
                     Body("body", "i going a",
                          Node("Identity", "going", "still") + Node("Unsqueeze", "a first", "b"),
                          "still b")) +
                Node("Shape", "y", "z"),
            "z");
  EXPECT_EQ(Answer(model, {"int64[] 0", "float32[2] [1, 2]"}), "[2]");
  EXPECT_EQ(Answer(model, {"int64[] 3", "float32[2] [1, 2]"}), "[1, 1, 1, 2]");
  EXPECT_THAT(Answer(model, {"int64[] 9", "float32[2] [1, 2]"}),
              HasSubstr("expected at most 8 dimensions"));
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
              HasSubstr("graph `prob_mod`: expected 1 input and 1 output, found 2 and 1"));
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
  EXPECT_THAT(run(Ints("scan_input_axes", {0})),
              HasSubstr("`scan_input_axes`: expected 2 elements, found 1"));
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
              HasSubstr("expected a sequence with at least one element"));
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
              HasSubstr("expected a sequence with at least one element"));
  std::string stacked =
      model("n x", Number("zero", 0) + Number("one", 1) + Node("Range", "zero i one", "y"),
            Node("ConcatFromSequence", "l", "a", Int("axis", 0) + Int("new_axis", 1)), "a");
  EXPECT_EQ(Answer(stacked, {"int64[] 1", "int64[1] [9]"}), "[[]]");
  EXPECT_THAT(Answer(stacked, {"int64[] 3", "int64[1] [9]"}),
              HasSubstr("expected elements of one shape, found elements of different sizes"));
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
  EXPECT_THAT(Answer(model, {x, "int64[] 0"}), HasSubstr("expected parts of size at least 1"));
  // As many sizes as the run says.
  std::string sizes =
      Model("x k",
            Number("zero", 0) + Number("one", 1) + Node("Range", "zero k one", "s") +
                Node("SplitToSequence", "x s", "l") + Node("SequenceLength", "l", "n") +
                Node("SequenceAt", "l one", "y"),
            "n y");
  EXPECT_EQ(Answer(sizes, {"int64[3] [7, 8, 9]", "int64[] 3"}), "{n: 3, y: [7]}");
  EXPECT_THAT(Answer(sizes, {"int64[4] [7, 8, 9, 0]", "int64[] 3"}),
              HasSubstr("row_splits: expected 4 as the last entry"));
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
  EXPECT_THAT(Answer(model(1), {"bool[] True", "int64[1] [5]", x}),
              HasSubstr("expected an axis from -1 to 0 for a value of rank 1, found 1"));
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

// Returns `model` with `type` for its last input or output (`field`) that has this name and no
// type.
std::string Declare(std::string model, const std::string& field, const std::string& name,
                    const std::string& type) {
  const std::string start = Cat(field, " { name: '", name, "' ");
  const size_t at = model.rfind(start + "}");
  EXPECT_NE(at, std::string::npos) << start;
  return model.insert(at + start.size(), Cat("type { ", type, " } "));
}
const char* const kTensor = "tensor_type { elem_type: 7 }";
const std::string kSequence = Cat("sequence_type { elem_type { ", kTensor, " } }");
const std::string kOptional = Cat("optional_type { elem_type { ", kTensor, " } }");
const std::string kOptionalSequence = Cat("optional_type { elem_type { ", kSequence, " } }");

TEST(OnnxOptionalTest, BranchesGiveNoneOrAValue) {
  auto model = [](const std::string& nodes) {
    return Model("c x",
                 Node("If", "c", "r",
                      Body("then_branch", "", Node("Optional", "", "t"), "t") +
                          Body("else_branch", "", nodes + Node("Optional", "v", "e"), "e")) +
                     Node("OptionalHasElement", "r", "has"),
                 "r has");
  };
  std::string tensor = Declare(model(Node("Neg", "x", "v")), "output", "r", kOptional);
  EXPECT_EQ(Answer(tensor, {"bool[] True", "int64[2] [1, 2]"}), "{r: None, has: False}");
  EXPECT_EQ(Answer(tensor, {"bool[] False", "int64[2] [1, 2]"}), "{r: [-1, -2], has: True}");
  std::string list = Number("two", 2) + Node("SequenceConstruct", "x two", "v");
  std::string sequence = Declare(model(list), "output", "r", kOptionalSequence);
  EXPECT_EQ(Answer(sequence, {"bool[] True", "int64[2] [1, 2]"}), "{r: None, has: False}");
  EXPECT_EQ(Answer(sequence, {"bool[] False", "int64[2] [1, 2]"}), "{r: [[1, 2], 2], has: True}");
  // An open list.
  std::string parts = Node("SplitToSequence", "x n", "v");
  std::string open =
      Declare(Model("c x n",
                    Node("If", "c", "r",
                         Body("then_branch", "", Node("Optional", "", "t"), "t") +
                             Body("else_branch", "", parts + Node("Optional", "v", "e"), "e")),
                    "r"),
              "output", "r", kOptionalSequence);
  const char* x = "int64[3] [1, 2, 3]";
  EXPECT_EQ(Answer(open, {"bool[] True", x, "int64[] 2"}), "None");
  EXPECT_EQ(Answer(open, {"bool[] False", x, "int64[] 2"}), "[[1, 2], [3]]");
}

// Round i adds i to the optional value, which is 10 in the first round if it is None.
TEST(OnnxOptionalTest, LoopsCarryNoneOrAValue) {
  std::string body =
      Declare(Body("body", "i c o",
                   Node("Identity", "c", "on") + Node("OptionalHasElement", "o", "has") +
                       Node("If", "has", "v",
                            Body("then_branch", "", Node("OptionalGetElement", "o", "t"), "t") +
                                Body("else_branch", "", Number("e", 10), "e")) +
                       Node("Add", "v i", "w") + Node("Optional", "w", "p"),
                   "on p"),
              "input", "o", kOptional);
  std::string model = Model("n o", Truth("yes", true) + Node("Loop", "n yes o", "r", body), "r");
  model = Declare(Declare(model, "output", "r", kOptional), "input", "o", kOptional);
  EXPECT_EQ(Answer(model, {"int64[] 0", "None"}), "None");
  EXPECT_EQ(Answer(model, {"int64[] 3", "None"}), "13");
  EXPECT_EQ(Answer(model, {"int64[] 0", "int64[] 5"}), "5");
  EXPECT_EQ(Answer(model, {"int64[] 3", "int64[] 5"}), "8");
}

TEST(OnnxOptionalTest, EmptySequencesArePresent) {
  std::string model = Model(
      "c x",
      Node("If", "c", "r",
           Body("then_branch", "", Node("SequenceEmpty", "", "s") + Node("Optional", "s", "t"),
                "t") +
               Body("else_branch", "", Node("Optional", "", "e"), "e")) +
          Node("OptionalHasElement", "r", "has") +
          Node("If", "has", "n",
               Body("then_branch", "",
                    Node("OptionalGetElement", "r", "l") + Node("SequenceInsert", "l x", "m") +
                        Node("SequenceLength", "m", "t2"),
                    "t2") +
                   Body("else_branch", "", Number("e2", -1), "e2")),
      "r has n");
  model = Declare(model, "output", "r", kOptionalSequence);
  EXPECT_EQ(Answer(model, {"bool[] True", "int64[] 1"}), "{r: [], has: True, n: 1}");
  EXPECT_EQ(Answer(model, {"bool[] False", "int64[] 1"}), "{r: None, has: False, n: -1}");
}

// Branches of branches within a loop. Round i sets the value to [i, .., i] of i elements if `even`
// has its parity, else to None in round 3; other rounds return it unchanged.
TEST(OnnxOptionalTest, BranchesWithinLoopsChangeTheValue) {
  std::string inner = Body("then_branch", "", Node("Optional", "", "t2"), "t2") +
                      Body("else_branch", "", Node("Identity", "o", "e2"), "e2");
  std::string branch =
      Body(
          "then_branch", "",
          Node("Reshape", "i one", "i1") + Node("Expand", "i i1", "v") + Node("Optional", "v", "t"),
          "t") +
      Body("else_branch", "",
           Number("three", 3) + Node("Equal", "i three", "is3") + Node("If", "is3", "e", inner),
           "e");
  std::string body =
      Body("body", "i c o",
           Node("Identity", "c", "on") + Number("two", 2) + Node("Mod", "i two", "odd") +
               Node("Equal", "odd even", "is") + Node("If", "is", "p", branch) +
               Node("OptionalHasElement", "p", "has"),
           "on p has");
  std::string model =
      Model("n even",
            "initializer { name: 'one' dims: 1 data_type: 7 int64_data: 1 } " + Truth("yes", true) +
                Node("Optional", "", "none") + Node("Loop", "n yes none", "r all", body) +
                Node("OptionalHasElement", "r", "has"),
            "r all has");
  model = Declare(model, "output", "r", kOptional);
  EXPECT_EQ(Answer(model, {"int64[] 0", "int64[] 0"}), "{r: None, all: [], has: False}");
  EXPECT_EQ(Answer(model, {"int64[] 2", "int64[] 0"}), "{r: [], all: [True, True], has: True}");
  EXPECT_EQ(Answer(model, {"int64[] 3", "int64[] 0"}),
            "{r: [2, 2], all: [True, True, True], has: True}");
  EXPECT_EQ(Answer(model, {"int64[] 4", "int64[] 0"}),
            "{r: None, all: [True, True, True, False], has: False}");
  EXPECT_EQ(Answer(model, {"int64[] 5", "int64[] 1"}),
            "{r: [3, 3, 3], all: [False, True, True, True, True], has: True}");
}

TEST(OnnxOptionalTest, DamagedModelsAreRejected) {
  auto loop = [](const std::string& input) {
    std::string body = Declare(
        Body("body", "i c o", Node("Identity", "c", "on") + Node("Identity", "o", "p"), "on p"),
        "input", input, kOptional);
    return Model("n c o", Node("Loop", "n c o", "r", body), "r");
  };
  // A round and a condition are never optional.
  EXPECT_EQ(Answer(loop("i"), {"int64[] 2", "bool[] True", "int64[] 5"}), "5");
  EXPECT_EQ(Answer(loop("c"), {"int64[] 2", "bool[] True", "int64[] 5"}), "5");
  std::string branch = Body("then_branch", "", Node("Optional", "", "t"), "t") +
                       Body("else_branch", "", Node("Optional", "x", "e"), "e");
  for (const char* op : {"Neg", "Shape", "SequenceLength", "SequenceAt", "ConcatFromSequence",
                         "SequenceErase", "SplitToSequence", "Cast"}) {
    std::string used = Model("c x", Node("If", "c", "p", branch) + Node(op, "p c", "r"), "r");
    EXPECT_THAT(Answer(used, {"bool[] True", "int64[2] [1, 2]"}),
                testing::AnyOf(HasSubstr("node `r`"), HasSubstr("onnx.")))
        << op;
  }
  // A value that no type covers, and a value that is not a tensor or a sequence.
  std::string unlike = Model("c x",
                             Node("Cast", "x", "y", Int("to", 11)) +
                                 Node("If", "c", "p",
                                      Body("then_branch", "", Node("Optional", "y", "t"), "t") +
                                          Body("else_branch", "", Node("Optional", "x", "e"), "e")),
                             "p");
  EXPECT_THAT(Answer(unlike, {"bool[] True", "int64[2] [1, 2]"}), HasSubstr("common type"));
  std::string other = Model("c x", Node("If", "c", "p", branch), "p");
  EXPECT_THAT(Answer(other, {"bool[] True",
                             "sparse int64[2] {indices: [[0]], values: [1], dense_shape: [2]}"}),
              HasSubstr("expected a tensor or a sequence"));
}

TEST(OnnxOptionalTest, InputsMayHaveDefaults) {
  std::string model = Model("o", Node("OptionalHasElement", "o", "has"), "o has");
  model = Declare(Declare(model, "input", "o", kOptional), "output", "o", kOptional);
  model.insert(model.rfind("node {"), "initializer { name: 'o' data_type: 7 int64_data: 5 } ");
  EXPECT_EQ(Answer(model, {}), "{o: 5, has: True}");
  EXPECT_EQ(Answer(model, {"None"}), "{o: None, has: False}");
}

// Results of the same model for vectors of every size, first from new functions and then from
// functions that were made for other sizes.
TEST(OnnxOptionalTest, ResultsDoNotDependOnEarlierCalls) {
  // `p` is None if `x` has more than 3 elements, `l` are its elements, and `s` is [x, x[0]] or [x].
  std::string branch = Body("then_branch", "", Node("Optional", "", "t"), "t") +
                       Body("else_branch", "", Node("Optional", "x", "e"), "e");
  std::string lists = Body("then_branch", "", Node("SequenceConstruct", "x", "t2"), "t2") +
                      Body("else_branch", "",
                           Number("zero", 0) + Node("Gather", "x zero", "first") +
                               Node("SequenceConstruct", "x first", "e2"),
                           "e2");
  std::string text =
      Model("c x",
            Node("Size", "x", "n") + Number("three", 3) + Node("Greater", "n three", "large") +
                Node("If", "large", "p", branch) + Node("If", "c", "q", branch) +
                Node("If", "c", "s", lists) + Node("SplitToSequence", "x", "l"),
            "p q s l");
  text = Declare(Declare(text, "output", "p", kOptional), "output", "q", kOptional);
  text = Declare(Declare(text, "output", "s", kSequence), "output", "l", kSequence);
  OnnxFolder onnx(text);
  auto used = onnx.Load();
  ASSERT_TRUE(used.ok()) << used.status();
  for (int call = 0; call < 40; ++call) {
    const int64_t size = 1 + call * 7 % 20;
    CallArguments given;
    given.positional.push_back(Value(Tensor::Scalar(call % 2 == 0)));
    given.positional.push_back(
        Value(Tensor::Of<int64_t>({size}, std::vector<int64_t>(static_cast<size_t>(size), call))));
    auto fresh = onnx.Load();
    ASSERT_TRUE(fresh.ok()) << fresh.status();
    auto expected = (**(*fresh)->FindFunction("")).Call(given, {});
    auto found = (**(*used)->FindFunction("")).Call(given, {});
    ASSERT_TRUE(expected.ok()) << expected.status();
    ASSERT_TRUE(found.ok()) << found.status();
    EXPECT_TRUE(SameValue(*expected, *found)) << ToString(*expected) << " and " << ToString(*found);
  }
}

TEST(OnnxOptionalTest, StatesAnyForResultsWhoseTypeTheRunDecides) {
  auto load = [](const std::string& nodes, const std::string& outputs, const char* type) {
    std::string model = Declare(Model("c x", nodes, outputs), "input", "c",
                                "tensor_type { elem_type: 9 shape { } }");
    model = Declare(model, "input", "x",
                    "tensor_type { elem_type: 7 shape { dim { dim_param: 'n' } } }");
    return OnnxFolder(Declare(model, "output", "r", type)).Load();
  };
  auto stated = [](const auto& model) {
    auto main = (*model)->FindFunction("");
    return (*main)->output() ? (*main)->output().ToString() : "";
  };
  auto explained = [](const auto& model) {
    auto c = ParseValue("bool[] True");
    auto x = ParseValue("int64[2] [1, 2]");
    return (**(*model)->FindFunction("")).Explain({{*c, *x}, {}}).output.ToString();
  };
  std::string branches = Body("then_branch", "", Node("Optional", "", "t"), "t") +
                         Body("else_branch", "", Node("Optional", "x", "e"), "e");
  auto optional = load(Node("If", "c", "r", branches), "r c", kOptional.c_str());
  ASSERT_TRUE(optional.ok()) << optional.status();
  EXPECT_EQ(explained(optional), "dict(r: any, c: bool[])");
  // The number of elements is the size of `x`: a list for a known size.
  auto list = load(Node("SplitToSequence", "x", "r"), "r", kSequence.c_str());
  ASSERT_TRUE(list.ok()) << list.status();
  EXPECT_EQ(stated(list), "any");
  EXPECT_EQ(explained(list), "list(int64[1], int64[1])");
  auto rows = load(Node("Size", "x", "n") +
                       Node("If", "c", "m",
                            Body("then_branch", "", Number("t", 1), "t") +
                                Body("else_branch", "", Number("e", 2), "e")) +
                       Node("SplitToSequence", "x m", "r"),
                   "r", kSequence.c_str());
  ASSERT_TRUE(rows.ok()) << rows.status();
  EXPECT_EQ(stated(rows), "any");
  EXPECT_EQ(explained(rows), "ragged int64[?, (?)]");
}

TEST(OnnxOptionalTest, RejectsTheTypesOfIntermediateResultsAsArguments) {
  std::string model = Model("o", Node("Identity", "o", "r"), "r");
  for (const char* argument :
       {"onnx.Optional(present: bool[], value: int64[]) {present: False, value: 1}",
        "list(onnx.Optional(present: True, value: int64[])) [{present: True, value: 1}]",
        "onnx.Sequence(elements: int64[1]) {elements: [1]}"}) {
    EXPECT_THAT(Answer(model, {argument}), HasSubstr("a type of intermediate results"));
  }
}

TEST(OnnxOptionalTest, RejectsTheElementOfNone) {
  std::string model = Model("c x",
                            Node("If", "c", "r",
                                 Body("then_branch", "", Node("Optional", "", "t"), "t") +
                                     Body("else_branch", "", Node("Optional", "x", "e"), "e")) +
                                Node("OptionalGetElement", "r", "y"),
                            "y");
  EXPECT_THAT(Answer(model, {"bool[] True", "int64[1] [1]"}), HasSubstr("found None"));
  EXPECT_EQ(Answer(model, {"bool[] False", "int64[1] [1]"}), "[1]");
}

// Round i appends the first i + 1 elements of `x`.
TEST(OnnxOptionalTest, LoopsCarryOptionalSequencesOfAnyRank) {
  std::string body =
      Declare(Body("body", "i c o",
                   Node("Identity", "c", "on") + Node("OptionalHasElement", "o", "has") +
                       Node("If", "has", "l",
                            Body("then_branch", "", Node("OptionalGetElement", "o", "t"), "t") +
                                Body("else_branch", "",
                                     Number("s", 7) + Node("SequenceConstruct", "s", "e"), "e")) +
                       Number("zero", 0) + Number("one", 1) + Node("Add", "i one", "k") +
                       Node("Range", "zero k one", "y") + Node("SequenceInsert", "l y", "m"),
                   "on m"),
              "input", "o", kOptionalSequence);
  std::string model = Model("n o", Truth("yes", true) + Node("Loop", "n yes o", "r", body), "r");
  model = Declare(Declare(model, "output", "r", kSequence), "input", "o", kOptionalSequence);
  EXPECT_EQ(Answer(model, {"int64[] 0", "None"}), "None");
  EXPECT_EQ(Answer(model, {"int64[] 1", "None"}), "[7, [0]]");
  EXPECT_EQ(Answer(model, {"int64[] 3", "None"}), "[7, [0], [0, 1], [0, 1, 2]]");
  EXPECT_EQ(Answer(model, {"int64[] 2", "list(int64[]) [5]"}), "[5, [0], [0, 1]]");
  EXPECT_EQ(Answer(model, {"int64[] 0", "list(int64[]) [5]"}), "[5]");
}

// Elements of lists of which only the run knows the length.
TEST(OnnxSequenceTest, ElementsMayDifferInRank) {
  auto model = [](const std::string& then_nodes, const std::string& nodes,
                  const std::string& outputs) {
    return Model("c x p",
                 Node("If", "c", "l",
                      Body("then_branch", "", then_nodes, "t") +
                          Body("else_branch", "", Node("SequenceEmpty", "", "e"), "e")) +
                     nodes,
                 outputs);
  };
  const char* x = "int64[2, 3] [[1, 2, 3], [4, 5, 6]]";
  std::string changes = Node("SequenceInsert", "l x p", "m") + Node("SequenceLength", "m", "n") +
                        Node("SequenceAt", "m p", "at") + Node("SequenceErase", "m p", "less");
  std::string lists = Number("one", 1) + Node("SequenceConstruct", "one x one", "t");
  std::string mixed = model(lists, changes, "m n at less");
  mixed = Declare(Declare(mixed, "output", "m", kSequence), "output", "less", kSequence);
  EXPECT_EQ(Answer(mixed, {"bool[] True", x, "int64[] 1"}),
            "{m: [1, [[1, 2, 3], [4, 5, 6]], [[1, 2, 3], [4, 5, 6]], 1], n: 4, at: [[1, 2, 3], "
            "[4, 5, 6]], less: [1, [[1, 2, 3], [4, 5, 6]], 1]}");
  EXPECT_EQ(Answer(mixed, {"bool[] False", x, "int64[] 0"}),
            "{m: [[[1, 2, 3], [4, 5, 6]]], n: 1, at: [[1, 2, 3], [4, 5, 6]], less: []}");
  EXPECT_THAT(Answer(mixed, {"bool[] True", x, "int64[] 7"}), HasSubstr("outside of the sequence"));
  // Elements of one rank, to which a tensor of another is added.
  for (const char* cut : {"SplitToSequence", "SequenceConstruct"}) {
    std::string parts = model(Node(cut, "x", "t"), Node("SequenceInsert", "l p", "m"), "m");
    parts = Declare(parts, "output", "m", kSequence);
    EXPECT_EQ(Answer(parts, {"bool[] True", x, "int64[] 1"}), cut == std::string("SplitToSequence")
                                                                  ? "[[[1, 2, 3]], [[4, 5, 6]], 1]"
                                                                  : "[[[1, 2, 3], [4, 5, 6]], 1]");
    EXPECT_EQ(Answer(parts, {"bool[] False", x, "int64[] 1"}), "[1]");
  }
  // Matrices of different sizes, scalars and texts.
  std::string ragged =
      model(Node("Transpose", "x", "y") + Node("Concat", "x x", "z", Int("axis", 0)) +
                Node("SequenceConstruct", "x y z", "t"),
            Node("SequenceInsert", "l p", "m"), "m");
  ragged = Declare(ragged, "output", "m", kSequence);
  EXPECT_EQ(Answer(ragged, {"bool[] True", "int64[1, 2] [[1, 2]]", "int64[] 3"}),
            "[[[1, 2]], [[1], [2]], [[1, 2], [1, 2]], 3]");
  EXPECT_EQ(Answer(ragged, {"bool[] True", "int64[0, 2] []", "int64[] 3"}).substr(0, 4), "[[],");
  std::string texts = model(Node("SequenceConstruct", "p x", "t"), "", "l");
  texts = Declare(texts, "output", "l", kSequence);
  EXPECT_EQ(Answer(texts, {"bool[] True", "string[2] [\"ab\", \"\"]", "string[] \"c\""}),
            "[\"c\", [\"ab\", \"\"]]");
  EXPECT_THAT(Answer(model(lists, Node("SequenceInsert", "l p", "m"), "m"),
                     {"bool[] True", x, "string[] \"c\""}),
              HasSubstr("int64"));
}

TEST(OnnxSequenceTest, BranchesMakeListsOfDifferentRanks) {
  // Scalars or vectors, in numbers that only the run knows.
  std::string model =
      Model("c x n",
            Node("If", "c", "l",
                 Body("then_branch", "",
                      Node("SplitToSequence", "x n", "a") + Node("SequenceAt", "a zero", "b") +
                          Node("SplitToSequence", "b", "t", Int("keepdims", 0)),
                      "t") +
                     Body("else_branch", "", Node("SplitToSequence", "x n", "e"), "e")) +
                Node("SequenceAt", "l zero", "first"),
            "l first");
  model.insert(model.find("node {"), "initializer { name: 'zero' data_type: 7 int64_data: 0 } ");
  model = Declare(model, "output", "l", kSequence);
  const char* x = "int64[3] [1, 2, 3]";
  EXPECT_EQ(Answer(model, {"bool[] True", x, "int64[] 2"}), "{l: [1, 2], first: 1}");
  EXPECT_EQ(Answer(model, {"bool[] False", x, "int64[] 2"}), "{l: [[1, 2], [3]], first: [1, 2]}");
}

TEST(OnnxSequenceTest, ElementsOfUnknownRankAreJoinedAlongAxis0) {
  auto model = [](const std::string& attributes) {
    return Model("c x y",
                 Node("If", "c", "l",
                      Body("then_branch", "", Node("SequenceConstruct", "x y x", "t"), "t") +
                          Body("else_branch", "", Node("SequenceConstruct", "y y", "e"), "e")) +
                     Node("ConcatFromSequence", "l", "a", attributes),
                 "a");
  };
  const char* x = "int64[1, 2] [[1, 2]]";
  const char* y = "int64[2] [3, 4]";
  EXPECT_EQ(Answer(model(Int("axis", 0)), {"bool[] False", x, y}), "[3, 4, 3, 4]");
  EXPECT_EQ(Answer(model(Int("axis", 0) + Int("new_axis", 1)), {"bool[] False", x, y}),
            "[[3, 4], [3, 4]]");
  EXPECT_THAT(Answer(model(Int("axis", 0)), {"bool[] True", x, y}),
              HasSubstr("found elements of different sizes"));
  EXPECT_THAT(Answer(model(Int("axis", 1)), {"bool[] False", x, y}), HasSubstr("expected axis 0"));
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
