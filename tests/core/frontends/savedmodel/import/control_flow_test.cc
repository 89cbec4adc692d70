// Imports branches and loops of both versions of TensorFlow, and calls them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/frontends/savedmodel/import/saved_model_text.h"

namespace signet {
namespace {

using ::testing::HasSubstr;

Value Floats(Shape shape, std::initializer_list<float> values) {
  return Value(Tensor::Of<float>(std::move(shape), values));
}

// y is the first element of x, or 7 if there is none. The first element of an empty vector is an
// error, which must not be computed.
SavedModelText FirstOrSeven() {
  SavedModelText model;
  model.Placeholder("x", "DT_FLOAT", {-1})
      .Node("size", "Size", {"x"})
      .Constant("zero", "DT_INT32", {}, "int_val: 0")
      .Node("some", "Greater", {"size", "zero"})
      .Node("pivot", "Switch", {"some", "some"})
      .Node("on_true", "Identity", {"pivot:1"})
      .Node("on_false", "Identity", {"pivot"})
      .Node("x_switch", "Switch", {"x", "some"})
      .Constant("first", "DT_INT32", {}, "int_val: 0", {"^on_true"})
      .Node("item", "GatherV2", {"x_switch:1", "first", "first"})
      .Node("negated", "Neg", {"item"})
      .Constant("seven", "DT_FLOAT", {}, "float_val: 7", {"^on_false"})
      .Node("y", "Merge", {"seven", "item"})
      .Node("z", "Merge", {"seven", "negated"});
  return model;
}

TEST(ControlFlowTest, RunsOneSideOfABranch) {
  SavedModelText model = FirstOrSeven();
  model.Signature({{"x", "DT_FLOAT"}}, {"y", "z"});
  EXPECT_EQ(model.Call({{"x", Floats({2}, {3, 4})}}),
            "dict(y: float32[], z: float32[]) {y: 3.0, z: -3.0}");
  EXPECT_EQ(model.Call({{"x", Floats({0}, {})}}),
            "dict(y: float32[], z: float32[]) {y: 7.0, z: 7.0}");
}

// All results of a branch are computed by one `cond`.
TEST(ControlFlowTest, JoinsTheResultsOfABranch) {
  SavedModelText model = FirstOrSeven();
  model.Signature({{"x", "DT_FLOAT"}}, {"y", "z"});
  TemporaryFolder folder;
  auto loaded = model.Load(folder.path());
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  int branches = 0;
  for (const GraphNode& node : (*loaded)->def().functions[0].graph.nodes) {
    branches += node.op->name == "cond" ? 1 : 0;
  }
  EXPECT_EQ(branches, 1);
}

TEST(ControlFlowTest, ReturnsTheNumberOfTheSide) {
  SavedModelText model = FirstOrSeven();
  model.Node("side", "Identity", {"y:1"}).Signature({{"x", "DT_FLOAT"}}, {"side"});
  EXPECT_EQ(model.Call({{"x", Floats({1}, {3})}}), "dict(side: int32[]) {side: 1}");
  EXPECT_EQ(model.Call({{"x", Floats({0}, {})}}), "dict(side: int32[]) {side: 0}");
}

TEST(ControlFlowTest, RejectsABranchThatUsesItsResult) {
  SavedModelText model;
  model.Placeholder("x", "DT_FLOAT", {})
      .Node("p", "Less", {"x", "x"})
      .Node("x_switch", "Switch", {"x", "p"})
      .Node("y_switch", "Switch", {"y", "p"})
      .Node("negated", "Neg", {"y_switch:1"})
      .Node("y", "Merge", {"x_switch", "negated"})
      .Signature({{"x", "DT_FLOAT"}}, {"y"});
  EXPECT_THAT(model.Call({{"x", Floats({}, {3})}}), HasSubstr("use one another in a cycle"));
}

// The value of each loop is needed inside of the other one.
TEST(ControlFlowTest, RejectsLoopsThatUseOneAnother) {
  SavedModelText model;
  model.Placeholder("x", "DT_FLOAT", {});
  for (auto [name, other] : {std::pair("a", "b"), std::pair("b", "a")}) {
    const std::string frame = AttributeText("frame_name", Cat("s: '", name, "'"));
    model.Node(Cat(name, "_enter"), "Enter", {"x"}, frame)
        .Node(Cat(name, "_merge"), "Merge", {Cat(name, "_enter"), Cat(name, "_next")})
        .Node(Cat(name, "_less"), "Less", {Cat(name, "_merge"), Cat(other, "_exit")})
        .Node(Cat(name, "_loop"), "LoopCond", {Cat(name, "_less")})
        .Node(Cat(name, "_switch"), "Switch", {Cat(name, "_merge"), Cat(name, "_loop")})
        .Node(Cat(name, "_next"), "NextIteration", {Cat(name, "_switch:1")})
        .Node(Cat(name, "_exit"), "Exit", {Cat(name, "_switch")});
  }
  model.Node("y", "Neg", {"a_exit"}).Signature({{"x", "DT_FLOAT"}}, {"y"});
  EXPECT_THAT(model.Call({{"x", Floats({}, {3})}}), HasSubstr("loops are nested too deep"));
}

// The time to find what each loop variable needs is bounded.
TEST(ControlFlowTest, RejectsALoopOfVeryManyVariables) {
  SavedModelText model;
  model.Placeholder("x", "DT_FLOAT", {})
      .Node("less", "Less", {"merge0", "merge1"})
      .Node("loop", "LoopCond", {"less"});
  const std::string frame = AttributeText("frame_name", "s: 'frame'");
  std::vector<std::string> all;
  for (int i = 0; i < 1000; ++i) {
    model.Node(Cat("enter", i), "Enter", {"x"}, frame)
        .Node(Cat("merge", i), "Merge", {Cat("enter", i), Cat("next", i)})
        .Node(Cat("switch", i), "Switch", {Cat("merge", i), "loop"})
        .Node(Cat("next", i), "NextIteration", {"sum"})
        .Node(Cat("exit", i), "Exit", {Cat("switch", i)});
    all.push_back(Cat("switch", i, ":1"));
  }
  model.Node("sum", "AddN", all).Node("y", "Neg", {"exit0"}).Signature({{"x", "DT_FLOAT"}}, {"y"});
  EXPECT_THAT(model.Call({{"x", Floats({}, {3})}}), HasSubstr("the graph is too large"));
}

// A condition that is known selects a side, even if another node reads the condition.
TEST(ControlFlowTest, SelectsTheSideOfAKnownCondition) {
  SavedModelText model;
  model.Placeholder("x", "DT_FLOAT", {-1})
      .Constant("training", "DT_BOOL", {}, "bool_val: false")
      .Node("number", "Cast", {"training"}, AttributeText("DstT", "type: DT_FLOAT"))
      .Node("x_switch", "Switch", {"x", "training"})
      .Node("odd", "PyFunc", {"x_switch:1"})
      .Node("negated", "Neg", {"x_switch"})
      .Node("merged", "Merge", {"negated", "odd"})
      .Node("y", "Add", {"number", "merged"})
      .Signature({{"x", "DT_FLOAT"}}, {"y"});
  EXPECT_EQ(model.Call({{"x", Floats({1}, {3})}}), "dict(y: float32[1]) {y: [-3.0]}");
}

// A condition that is known also selects a side in the branch of another condition. The constant
// may enter that branch, or be used there directly.
TEST(ControlFlowTest, SelectsTheSideOfAKnownConditionInABranch) {
  for (const char* op : {"Switch", "Identity"}) {
    SavedModelText model;
    model.Placeholder("x", "DT_FLOAT", {})
        .Placeholder("p", "DT_BOOL", {})
        .Constant("training", "DT_BOOL", {}, "bool_val: false")
        .Node("pivot", "Switch", {"p", "p"})
        .Node("on_true", "Identity", {"pivot:1"})
        .Node("x_switch", "Switch", {"x", "p"})
        .Node("known", op,
              op == std::string_view("Switch") ? SavedModelText::Names{"training", "p"}
                                               : SavedModelText::Names{"training", "^on_true"})
        .Node("number", "Cast", {"training"}, AttributeText("DstT", "type: DT_FLOAT"))
        .Node("scaled", "Add", {"x_switch:1", "number"})
        .Node("inner", "Switch", {"scaled", op == std::string_view("Switch") ? "known:1" : "known"})
        .Node("odd", "UnknownOperator", {"inner:1"})
        .Node("negated", "Neg", {"inner"})
        .Node("merged", "Merge", {"negated", "odd"})
        .Node("y", "Merge", {"x_switch", "merged"})
        .Signature({{"x", "DT_FLOAT"}, {"p", "DT_BOOL"}}, {"y"});
    for (bool p : {false, true}) {
      EXPECT_EQ(model.Call({{"p", Value(Tensor::Scalar(p))}, {"x", Value(Tensor::Scalar(3.0F))}}),
                p ? "dict(y: float32[]) {y: -3.0}" : "dict(y: float32[]) {y: 3.0}")
          << op;
    }
  }
}

// A function with a branch of TensorFlow 1, whose condition is an argument of the function. The
// other side has the operator `op`.
SavedModelText BranchOfArgument(std::string_view op) {
  SavedModelText model;
  model
      .Function("choose", {{"x", "DT_FLOAT"}, {"p", "DT_BOOL"}}, {{"y", "DT_FLOAT"}},
                {{"y", "merged:output:0"}},
                {SavedModelText::NodeText("condition", "Identity", {"p"}),
                 SavedModelText::NodeText("switch", "Switch", {"x", "condition:output:0"}),
                 SavedModelText::NodeText("negated", "Neg", {"switch:output_false:0"}),
                 SavedModelText::NodeText("other", op, {"switch:output_true:0"}),
                 SavedModelText::NodeText("merged", "Merge", {"negated:y:0", "other:y:0"})})
      .Placeholder("x", "DT_FLOAT", {-1});
  return model;
}

TEST(ControlFlowTest, TakesAnArgumentAsCondition) {
  const std::string call = AttributeText("f", "func { name: 'choose' }");
  SavedModelText model = BranchOfArgument("Square");
  model.Placeholder("p", "DT_BOOL", {})
      .Node("y", "PartitionedCall", {"x", "p"}, call)
      .Signature({{"x", "DT_FLOAT"}, {"p", "DT_BOOL"}}, {"y"});
  for (bool condition : {false, true}) {
    EXPECT_EQ(model.Call({{"p", Value(Tensor::Scalar(condition))}, {"x", Floats({1}, {3})}}),
              condition ? "dict(y: float32[1]) {y: [9.0]}" : "dict(y: float32[1]) {y: [-3.0]}");
  }
  // An argument that is a constant selects a side.
  SavedModelText known = BranchOfArgument("SomethingElse");
  known.Constant("p", "DT_BOOL", {}, "bool_val: false")
      .Node("y", "PartitionedCall", {"x", "p"}, call)
      .Signature({{"x", "DT_FLOAT"}}, {"y"});
  EXPECT_EQ(known.Call({{"x", Floats({1}, {3})}}), "dict(y: float32[1]) {y: [-3.0]}");
}

// Two outputs of one node are two conditions.
TEST(ControlFlowTest, TakesAnyOutputAsCondition) {
  SavedModelText model;
  model.Placeholder("x", "DT_FLOAT", {})
      .Placeholder("p", "DT_BOOL", {2})
      .Node("both", "Unpack", {"p"}, AttributeText("num", "i: 2"))
      .Node("first", "Switch", {"x", "both"})
      .Node("squared", "Square", {"first:1"})
      .Node("inner", "Switch", {"first", "both:1"})
      .Node("negated", "Neg", {"inner:1"})
      .Node("merged", "Merge", {"inner", "negated"})
      .Node("y", "Merge", {"merged", "squared"})
      .Signature({{"x", "DT_FLOAT"}, {"p", "DT_BOOL"}}, {"y"});
  auto call = [&](bool first, bool second) {
    return model.Call(
        {{"p", Value(Tensor::Of<bool>({2}, {first, second}))}, {"x", Value(Tensor::Scalar(3.0F))}});
  };
  EXPECT_EQ(call(false, false), "dict(y: float32[]) {y: 3.0}");
  EXPECT_EQ(call(false, true), "dict(y: float32[]) {y: -3.0}");
  EXPECT_EQ(call(true, false), "dict(y: float32[]) {y: 9.0}");
}

// A signature may feed one output of a node. The other outputs are computed.
TEST(ControlFlowTest, KeepsTheOutputsThatAreFed) {
  SavedModelText call;
  call.Placeholder("x", "DT_FLOAT", {})
      .Function("twice", {{"x", "DT_FLOAT"}}, {{"y", "DT_FLOAT"}, {"z", "DT_FLOAT"}},
                {{"y", "negated:y:0"}, {"z", "squared:y:0"}},
                {SavedModelText::NodeText("negated", "Neg", {"x"}),
                 SavedModelText::NodeText("squared", "Square", {"x"})})
      .Node("call", "PartitionedCall", {"x"}, AttributeText("f", "func { name: 'twice' }"))
      .Node("y", "Identity", {"call"})
      .Node("z", "Identity", {"call:1"})
      .Signature({{"call", "DT_FLOAT"}, {"x", "DT_FLOAT"}}, {"y", "z"});
  EXPECT_EQ(call.Call({{"call", Value(Tensor::Scalar(5.0F))}, {"x", Value(Tensor::Scalar(3.0F))}}),
            "dict(y: float32[], z: float32[]) {y: 5.0, z: 9.0}");
  SavedModelText merge = FirstOrSeven();
  merge.Node("w", "Identity", {"y"})
      .Node("side", "Identity", {"y:1"})
      .Signature({{"x", "DT_FLOAT"}, {"y", "DT_FLOAT"}}, {"side", "w"});
  EXPECT_EQ(merge.Call({{"x", Floats({1}, {3})}, {"y", Value(Tensor::Scalar(5.0F))}}),
            "dict(side: int32[], w: float32[]) {side: 1, w: 5.0}");
}

// In a loop, the condition of a branch in a branch is a constant that enters the loop.
TEST(ControlFlowTest, SelectsTheSideOfAKnownConditionInALoop) {
  const std::string frame = AttributeText("frame_name", "s: 'loop'");
  const std::string constant = frame + AttributeText("is_constant", "b: true");
  SavedModelText model;
  model.Placeholder("x", "DT_FLOAT", {})
      .Placeholder("z", "DT_FLOAT", {})
      .Constant("training", "DT_BOOL", {}, "bool_val: false")
      .Constant("limit", "DT_FLOAT", {}, "float_val: 10")
      .Node("x_enter", "Enter", {"x"}, frame)
      .Node("z_enter", "Enter", {"z"}, constant)
      .Node("limit_enter", "Enter", {"limit"}, constant)
      .Node("training_enter", "Enter", {"training"}, constant)
      .Node("merge", "Merge", {"x_enter", "next"})
      .Node("less", "Less", {"merge", "limit_enter"})
      .Node("going", "LoopCond", {"less"})
      .Node("switch", "Switch", {"merge", "going"})
      .Node("value", "Identity", {"switch:1"})
      .Constant("zero", "DT_FLOAT", {}, "float_val: 0", {"^value"})
      .Node("p", "Greater", {"value", "zero"})
      .Node("value_switch", "Switch", {"value", "p"})
      .Node("z_switch", "Switch", {"z_enter", "p"})
      .Node("training_switch", "Switch", {"training_enter", "p"})
      .Node("inner", "Switch", {"value_switch:1", "training_switch:1"})
      .Node("z_inner", "Switch", {"z_switch:1", "training_switch:1"})
      .Node("odd", "UnknownOperator", {"z_inner:1"})
      .Node("doubled", "Add", {"inner", "inner"})
      .Node("merged", "Merge", {"doubled", "odd"})
      .Node("squared", "Square", {"value_switch"})
      .Node("step", "Merge", {"squared", "merged"})
      .Node("next", "NextIteration", {"step"})
      .Node("y", "Exit", {"switch"})
      .Signature({{"x", "DT_FLOAT"}, {"z", "DT_FLOAT"}}, {"y"});
  EXPECT_EQ(model.Call({{"x", Value(Tensor::Scalar(-2.0F))}, {"z", Value(Tensor::Scalar(1.0F))}}),
            "dict(y: float32[]) {y: 16.0}");
}

// Returns a model with the parameter `x: float32[?, 2]`, its number of rows `n`, and the numbers
// `zero` and `one`.
SavedModelText ModelOfRows() {
  SavedModelText model;
  model.Placeholder("x", "DT_FLOAT", {-1, 2})
      .Node("shape", "Shape", {"x"})
      .Constant("begin", "DT_INT32", {1}, "int_val: 0")
      .Constant("end", "DT_INT32", {1}, "int_val: 1")
      .Node("n", "StridedSlice", {"shape", "begin", "end", "end"},
            AttributeText("shrink_axis_mask", "i: 1"))
      .Constant("zero", "DT_INT32", {}, "int_val: 0")
      .Constant("one", "DT_INT32", {}, "int_val: 1");
  return model;
}

// y[i] = 2 * x[i], with arrays of elements of any shape.
SavedModelText DoubledByLoop(bool grows, std::string_view form = "collected") {
  SavedModelText model = ModelOfRows();
  const std::string type = AttributeText("dtype", "type: DT_FLOAT");
  const std::string array = type + AttributeText("element_shape", "shape { unknown_rank: true }");
  const std::string dynamic =
      array + (grows ? AttributeText("dynamic_size", "b: true") : std::string());
  const std::string frame = AttributeText("frame_name", "s: 'loop'");
  const std::string constant = frame + AttributeText("is_constant", "b: true");
  model.Node("range", "Range", {"zero", "n", "one"})
      .Node("given", "TensorArrayV3", {"n"}, array)
      .Node("scattered", "TensorArrayScatterV3", {"given", "range", "x", "given:1"})
      .Node("made", "TensorArrayV3", {grows ? "zero" : "n"}, dynamic)
      .Node("i_enter", "Enter", {"zero"}, frame)
      .Node("flow_enter", "Enter", {"made:1"}, frame)
      .Node("n_enter", "Enter", {"n"}, constant)
      .Node("made_enter", "Enter", {"made"}, constant)
      .Node("given_enter", "Enter", {"given"}, constant)
      .Node("scattered_enter", "Enter", {"scattered"}, constant)
      .Node("i_merge", "Merge", {"i_enter", "i_next"})
      .Node("flow_merge", "Merge", {"flow_enter", "flow_next"})
      .Node("less", "Less", {"i_merge", "n_enter"})
      .Node("going", "LoopCond", {"less"})
      .Node("i_switch", "Switch", {"i_merge", "going"})
      .Node("flow_switch", "Switch", {"flow_merge", "going"})
      .Node("i", "Identity", {"i_switch:1"})
      .Node("flow", "Identity", {"flow_switch:1"})
      .Node("item", "TensorArrayReadV3", {"given_enter", "i", "scattered_enter"}, type)
      .Constant("factor", "DT_FLOAT", {}, "float_val: 2", {"^i"})
      .Node("product", "Mul", {"item", "factor"})
      .Node("own_left", "Sub", {"n_enter", "i"})
      .Node("last", "Sub", {"own_left", "own_one"})
      .Node("written", "TensorArrayWriteV3",
            {"made_enter", form == "from_end" ? "last" : "i", "product", "flow"})
      .Constant("own_one", "DT_INT32", {}, "int_val: 1", {"^i"})
      .Node("sum", "Add", {"i", "own_one"})
      .Node("i_next", "NextIteration", {"sum"})
      .Node("flow_next", "NextIteration", {"written"})
      .Node("flow_exit", "Exit", {"flow_switch"})
      .Node("size", "TensorArraySizeV3", {"made", "flow_exit"})
      .Node("all", "Range", {"zero", "size", "one"})
      .Node("y", form == "joined" ? "TensorArrayConcatV3" : "TensorArrayGatherV3",
            form == "joined" ? SavedModelText::Names{"made", "flow_exit"}
                             : SavedModelText::Names{"made", "all", "flow_exit"},
            type)
      .Signature({{"x", "DT_FLOAT"}}, {"y"});
  return model;
}

TEST(ControlFlowTest, CarriesArraysOfUnknownElements) {
  SavedModelText model = DoubledByLoop(false, "from_end");
  EXPECT_EQ(model.Call({{"x", Floats({2, 2}, {1, 2, 3, 4})}}),
            "dict(y: float32[2, 2]) {y: [[6.0, 8.0], [2.0, 4.0]]}");
  EXPECT_THAT(model.Call({{"x", Floats({0, 2}, {})}}), HasSubstr("{y: []}"));
}

TEST(ControlFlowTest, JoinsTheElementsOfAnArray) {
  SavedModelText model = DoubledByLoop(false, "joined");
  EXPECT_EQ(model.Call({{"x", Floats({2, 2}, {1, 2, 3, 4})}}),
            "dict(y: float32[4]) {y: [2.0, 4.0, 6.0, 8.0]}");
  EXPECT_EQ(model.Call({{"x", Floats({0, 2}, {})}}), "dict(y: float32[0]) {y: []}");
}

TEST(ControlFlowTest, CollectsTheElementsOfAnArray) {
  for (bool grows : {false, true}) {
    SCOPED_TRACE(grows);
    EXPECT_EQ(DoubledByLoop(grows).Call({{"x", Floats({2, 2}, {1, 2, 3, 4})}}),
              "dict(y: float32[2, 2]) {y: [[2.0, 4.0], [6.0, 8.0]]}");
    EXPECT_EQ(DoubledByLoop(grows).Call({{"x", Floats({0, 2}, {})}}),
              "dict(y: float32[0, 2]) {y: []}");
  }
}

// A loop may read the element that it has just written.
TEST(ControlFlowTest, ReadsTheElementsThatALoopWrote) {
  SavedModelText model = DoubledByLoop(false);
  model
      .Node("back", "TensorArrayReadV3", {"made_enter", "i", "written"},
            AttributeText("dtype", "type: DT_FLOAT"))
      .Node("last_enter", "Enter", {"first"}, AttributeText("frame_name", "s: 'loop'"))
      .Node("last_merge", "Merge", {"last_enter", "last_next"})
      .Node("last_switch", "Switch", {"last_merge", "going"})
      .Node("last_next", "NextIteration", {"back"})
      .Node("z", "Exit", {"last_switch"})
      .Node("first", "GatherV2", {"x", "zero", "zero"})
      .Signature({{"x", "DT_FLOAT"}}, {"y", "z"});
  EXPECT_EQ(model.Call({{"x", Floats({2, 2}, {1, 2, 3, 4})}}),
            "dict(y: float32[2, 2], z: float32[2]) "
            "{y: [[2.0, 4.0], [6.0, 8.0]], z: [6.0, 8.0]}");
}

// A variable of a loop that no result needs may have any operators.
TEST(ControlFlowTest, LeavesOutVariablesOfLoopsThatNothingNeeds) {
  SavedModelText model = DoubledByLoop(false);
  model.Node("odd_enter", "Enter", {"x"}, AttributeText("frame_name", "s: 'loop'"))
      .Node("odd_merge", "Merge", {"odd_enter", "odd_next"})
      .Node("odd_switch", "Switch", {"odd_merge", "going"})
      .Node("merged", "Merge", {"odd_switch:1", "i", "n_enter"})
      .Node("odd", "UnknownOperator", {"merged", "i"})
      .Node("odd_next", "NextIteration", {"odd"})
      .Node("odd_exit", "Exit", {"odd_switch"});
  EXPECT_EQ(model.Call({{"x", Floats({2, 2}, {1, 2, 3, 4})}}),
            "dict(y: float32[2, 2]) {y: [[2.0, 4.0], [6.0, 8.0]]}");
}

// y[i] = 2 * x[i], with lists.
SavedModelText DoubledByWhile(std::string_view element_shape, bool grows) {
  SavedModelText model = ModelOfRows();
  const std::string type = AttributeText("element_dtype", "type: DT_FLOAT");
  const std::string set =
      type + (grows ? AttributeText("resize_if_index_out_of_bounds", "b: true") : std::string());
  const std::vector<std::pair<std::string, std::string>> variables = {{"i", "DT_INT32"},
                                                                      {"n", "DT_INT32"},
                                                                      {"step", "DT_INT32"},
                                                                      {"made", "DT_VARIANT"},
                                                                      {"given", "DT_VARIANT"}};
  std::vector<std::pair<std::string, std::string>> results;
  for (const auto& [name, dtype] : variables) results.emplace_back(Cat("next_", name), dtype);
  model.Constant("pair", "DT_INT32", {1}, "int_val: 2");
  if (element_shape == "unknown") {
    model.Constant("element_shape", "DT_INT32", {}, "int_val: -1");
  } else {
    model.Constant("element_shape", "DT_INT32", {1}, Cat("int_val: ", element_shape));
  }
  model.Node("given", "TensorListFromTensor", {"x", "pair"}, type)
      .Node("made", "TensorListReserve", {"element_shape", grows ? "zero" : "n"}, type)
      .Node("while", "StatelessWhile", {"zero", "n", "one", "made", "given"},
            AttributeText("cond", "func { name: 'more' }") +
                AttributeText("body", "func { name: 'body' }"))
      .Node("y", "TensorListStack", {"while:3", "element_shape"}, type)
      .Function("more", variables, {{"result", "DT_BOOL"}}, {{"result", "less:z:0"}},
                {SavedModelText::NodeText("less", "Less", {"i", "n"})})
      .Function(
          "body", variables, results,
          {{"next_i", "sum:z:0"},
           {"next_n", "n"},
           {"next_step", "step"},
           {"next_made", "set:output_handle:0"},
           {"next_given", "given"}},
          {SavedModelText::ConstantText("pair", "DT_INT32", {1}, "int_val: 2"),
           SavedModelText::ConstantText("two", "DT_FLOAT", {}, "float_val: 2"),
           SavedModelText::NodeText("item", "TensorListGetItem", {"given", "i", "pair:output:0"},
                                    type),
           SavedModelText::NodeText("product", "Mul", {"item:item:0", "two:output:0"}),
           SavedModelText::NodeText("set", "TensorListSetItem", {"made", "i", "product:z:0"}, set),
           SavedModelText::NodeText("sum", "AddV2", {"i", "step"})})
      .Signature({{"x", "DT_FLOAT"}}, {"y"});
  return model;
}

TEST(ControlFlowTest, CollectsTheElementsOfAList) {
  for (const char* element_shape : {"2", "-1", "unknown"}) {
    for (bool grows : {false, true}) {
      SCOPED_TRACE(Cat(element_shape, " ", grows));
      EXPECT_EQ(DoubledByWhile(element_shape, grows).Call({{"x", Floats({2, 2}, {1, 2, 3, 4})}}),
                "dict(y: float32[2, 2]) {y: [[2.0, 4.0], [6.0, 8.0]]}");
      EXPECT_EQ(DoubledByWhile(element_shape, grows).Call({{"x", Floats({0, 2}, {})}}),
                "dict(y: float32[0, 2]) {y: []}");
    }
  }
}

// A loop over the rows of `x` with a list `made`. The body has the nodes `nodes`, among them the
// new list `set`; it may use the step `i`, the number of rows `n`, and the row `item`.
SavedModelText ListByWhile(std::string_view element_shape, std::string_view makes,
                           const std::vector<std::string>& nodes) {
  SavedModelText model = ModelOfRows();
  const std::string type = AttributeText("element_dtype", "type: DT_FLOAT");
  const std::vector<std::pair<std::string, std::string>> variables = {
      {"i", "DT_INT32"}, {"n", "DT_INT32"}, {"made", "DT_VARIANT"}, {"x", "DT_FLOAT"}};
  std::vector<std::pair<std::string, std::string>> results;
  for (const auto& [name, dtype] : variables) results.emplace_back(Cat("next_", name), dtype);
  if (element_shape == "unknown") {
    model.Constant("element_shape", "DT_INT32", {}, "int_val: -1");
  } else {
    model.Constant("element_shape", "DT_INT32", {1}, Cat("int_val: ", element_shape));
  }
  std::vector<std::string> body = {
      SavedModelText::ConstantText("zero", "DT_INT32", {}, "int_val: 0"),
      SavedModelText::ConstantText("one", "DT_INT32", {}, "int_val: 1"),
      SavedModelText::NodeText("item", "GatherV2", {"x", "i", "zero:output:0"}),
      SavedModelText::NodeText("sum", "AddV2", {"i", "one:output:0"})};
  body.insert(body.end(), nodes.begin(), nodes.end());
  model.Node("made", makes, {"element_shape", makes == "TensorListReserve" ? "n" : "zero"}, type)
      .Node("while", "While", {"zero", "n", "made", "x"},
            AttributeText("cond", "func { name: 'more' }") +
                AttributeText("body", "func { name: 'body' }"))
      .Function("more", variables, {{"result", "DT_BOOL"}}, {{"result", "less:z:0"}},
                {SavedModelText::NodeText("less", "Less", {"i", "n"})})
      .Function("body", variables, results,
                {{"next_i", "sum:z:0"},
                 {"next_n", "n"},
                 {"next_made", "set:output_handle:0"},
                 {"next_x", "x"}},
                body);
  return model;
}

// A list is filled from its end, so that it is a variable of the loop. The rank of its elements is
// known only from what the loop writes.
TEST(ControlFlowTest, CarriesListsOfUnknownElements) {
  for (const char* element_shape : {"2", "-1", "unknown"}) {
    SCOPED_TRACE(element_shape);
    SavedModelText model =
        ListByWhile(element_shape, "TensorListReserve",
                    {SavedModelText::NodeText("left", "Sub", {"n", "sum:z:0"}),
                     SavedModelText::NodeText("set", "TensorListSetItem",
                                              {"made", "left:z:0", "item:output:0"})});
    model.Node("y", "TensorListStack", {"while:2", "element_shape"})
        .Signature({{"x", "DT_FLOAT"}}, {"y"});
    EXPECT_EQ(model.Call({{"x", Floats({2, 2}, {1, 2, 3, 4})}}),
              "dict(y: float32[2, 2]) {y: [[3.0, 4.0], [1.0, 2.0]]}");
    EXPECT_THAT(model.Call({{"x", Floats({0, 2}, {})}}), HasSubstr("{y: []}"));
  }
}

// A step reads the element that it has just added to the list.
TEST(ControlFlowTest, ReadsTheElementsThatAWhileAdded) {
  const std::vector<std::pair<std::string, std::string>> variables = {
      {"i", "DT_INT32"}, {"list", "DT_VARIANT"}, {"last", "DT_FLOAT"}};
  const std::string type = AttributeText("element_dtype", "type: DT_FLOAT");
  SavedModelText model;
  model.Placeholder("x", "DT_FLOAT", {})
      .Constant("zero", "DT_INT32", {}, "int_val: 0")
      .Constant("shape", "DT_INT32", {0}, "")
      .Node("made", "EmptyTensorList", {"shape", "zero"}, type)
      .Node("while", "While", {"zero", "made", "x"},
            AttributeText("cond", "func { name: 'more' }") +
                AttributeText("body", "func { name: 'body' }"))
      .Node("y", "TensorListStack", {"while:1", "shape"}, type)
      .Node("z", "Identity", {"while:2"})
      .Function("more", variables, {{"result", "DT_BOOL"}}, {{"result", "less:z:0"}},
                {SavedModelText::ConstantText("two", "DT_INT32", {}, "int_val: 2"),
                 SavedModelText::NodeText("less", "Less", {"i", "two:output:0"})})
      .Function("body", variables,
                {{"next_i", "DT_INT32"}, {"next_list", "DT_VARIANT"}, {"next_last", "DT_FLOAT"}},
                {{"next_i", "sum:z:0"},
                 {"next_list", "pushed:output_handle:0"},
                 {"next_last", "back:item:0"}},
                {SavedModelText::ConstantText("one", "DT_INT32", {}, "int_val: 1"),
                 SavedModelText::ConstantText("shape", "DT_INT32", {0}, ""),
                 SavedModelText::NodeText("sum", "AddV2", {"i", "one:output:0"}),
                 SavedModelText::NodeText("item", "Square", {"last"}),
                 SavedModelText::NodeText("pushed", "TensorListPushBack", {"list", "item:y:0"}),
                 SavedModelText::NodeText("back", "TensorListGetItem",
                                          {"pushed:output_handle:0", "i", "shape:output:0"}, type)})
      .Signature({{"x", "DT_FLOAT"}}, {"y", "z"});
  EXPECT_EQ(model.Call({{"x", Value(Tensor::Scalar(3.0F))}}),
            "dict(y: float32[2], z: float32[]) {y: [9.0, 81.0], z: 81.0}");
}

// A step adds its row to the list only if it is the first one, or only if it is another one.
TEST(ControlFlowTest, CarriesListsThatOneBranchChanges) {
  const std::vector<std::pair<std::string, std::string>> values = {{"list", "DT_VARIANT"},
                                                                   {"value", "DT_FLOAT"}};
  for (const char* element_shape : {"2", "unknown"}) {
    for (bool is_first : {false, true}) {
      SCOPED_TRACE(Cat(element_shape, " ", is_first));
      SavedModelText model =
          ListByWhile(element_shape, "EmptyTensorList",
                      {SavedModelText::NodeText(
                           "if", "If", {"i", "made", "item:output:0"},
                           AttributeText("then_branch", is_first ? "func { name: 'keep' }"
                                                                 : "func { name: 'push' }") +
                               AttributeText("else_branch", is_first ? "func { name: 'push' }"
                                                                     : "func { name: 'keep' }")),
                       SavedModelText::NodeText("set", "Identity", {"if:output:0"})});
      model
          .Function("push", values, {{"longer", "DT_VARIANT"}},
                    {{"longer", "push:output_handle:0"}},
                    {SavedModelText::NodeText("push", "TensorListPushBack", {"list", "value"})})
          .Function("keep", values, {{"same", "DT_VARIANT"}}, {{"same", "list"}}, {})
          .Node("y", "TensorListStack", {"while:2", "element_shape"})
          .Signature({{"x", "DT_FLOAT"}}, {"y"});
      EXPECT_EQ(model.Call({{"x", Floats({3, 2}, {1, 2, 3, 4, 5, 6})}}),
                is_first ? "dict(y: float32[1, 2]) {y: [[1.0, 2.0]]}"
                         : "dict(y: float32[2, 2]) {y: [[3.0, 4.0], [5.0, 6.0]]}");
    }
  }
}

TEST(ControlFlowTest, CollectsTheElementsThatAreAddedToAnEmptyList) {
  for (const char* element_shape : {"2", "-1", "unknown"}) {
    SCOPED_TRACE(element_shape);
    SavedModelText model = ListByWhile(
        element_shape, "EmptyTensorList",
        {SavedModelText::NodeText("set", "TensorListPushBack", {"made", "item:output:0"})});
    model.Node("y", "TensorListStack", {"while:2", "element_shape"})
        .Signature({{"x", "DT_FLOAT"}}, {"y"});
    EXPECT_EQ(model.Call({{"x", Floats({2, 2}, {1, 2, 3, 4})}}),
              "dict(y: float32[2, 2]) {y: [[1.0, 2.0], [3.0, 4.0]]}");
    EXPECT_EQ(model.Call({{"x", Floats({0, 2}, {})}}), "dict(y: float32[0, 2]) {y: []}");
  }
}

// Elements of different lengths are joined: the first elements of row i, as many as i.
TEST(ControlFlowTest, JoinsElementsOfDifferentLengths) {
  SavedModelText model = ListByWhile(
      "-1", "TensorListReserve",
      {SavedModelText::ConstantText("starts", "DT_INT32", {1}, "int_val: 0"),
       SavedModelText::NodeText("count", "Reshape", {"i", "minus:output:0"}),
       SavedModelText::ConstantText("minus", "DT_INT32", {1}, "int_val: 1"),
       SavedModelText::NodeText("part", "Slice",
                                {"item:output:0", "starts:output:0", "count:output:0"}),
       SavedModelText::NodeText("set", "TensorListSetItem", {"made", "i", "part:output:0"})});
  model.Constant("none", "DT_INT64", {1}, "int64_val: 0")
      .Node("y", "TensorListConcatV2", {"while:2", "element_shape", "none"})
      .Node("lengths", "Identity", {"y:1"})
      .Node("count", "TensorListLength", {"while:2"})
      .Signature({{"x", "DT_FLOAT"}}, {"y", "lengths", "count"});
  EXPECT_EQ(model.Call({{"x", Floats({3, 2}, {1, 2, 3, 4, 5, 6})}}),
            "dict(count: int32[], lengths: int64[3], y: float32[3]) "
            "{count: 3, lengths: [0, 1, 2], y: [3.0, 5.0, 6.0]}");
  EXPECT_EQ(model.Call({{"x", Floats({0, 2}, {})}}),
            "dict(count: int32[], lengths: int64[0], y: float32[0]) "
            "{count: 0, lengths: [], y: []}");
}

// Elements of different lengths are read one by one.
TEST(ControlFlowTest, ReadsElementsOfDifferentLengths) {
  for (const char* element_shape : {"-1", "unknown"}) {
    SCOPED_TRACE(element_shape);
    SavedModelText model = ListByWhile(
        element_shape, "TensorListReserve",
        {SavedModelText::ConstantText("starts", "DT_INT32", {1}, "int_val: 0"),
         SavedModelText::ConstantText("minus", "DT_INT32", {1}, "int_val: 1"),
         SavedModelText::NodeText("count", "Reshape", {"i", "minus:output:0"}),
         SavedModelText::NodeText("part", "Slice",
                                  {"item:output:0", "starts:output:0", "count:output:0"}),
         SavedModelText::NodeText("set", "TensorListSetItem", {"made", "i", "part:output:0"})});
    model.Constant("two", "DT_INT32", {}, "int_val: 2")
        .Node("y", "TensorListGetItem", {"while:2", "one", "element_shape"})
        .Node("z", "TensorListGetItem", {"while:2", "two", "element_shape"})
        .Signature({{"x", "DT_FLOAT"}}, {"y", "z"});
    EXPECT_EQ(model.Call({{"x", Floats({3, 2}, {1, 2, 3, 4, 5, 6})}}),
              "dict(y: float32[1], z: float32[2]) {y: [3.0], z: [5.0, 6.0]}");
    EXPECT_THAT(model.Call({{"x", Floats({0, 2}, {})}}), HasSubstr("error: "));
  }
}

// Maps the rows of a ragged value, which are encoded elements of a list, to rows and to their sums.
TEST(ControlFlowTest, MapsRaggedRows) {
  const std::string variants = AttributeText("element_dtype", "type: DT_VARIANT");
  const std::string floats = AttributeText("element_dtype", "type: DT_FLOAT");
  const std::string ragged =
      AttributeText("Tvalues", "type: DT_FLOAT") + AttributeText("Tsplits", "type: DT_INT64");
  const std::vector<std::pair<std::string, std::string>> variables = {{"i", "DT_INT32"},
                                                                      {"n", "DT_INT32"},
                                                                      {"given", "DT_VARIANT"},
                                                                      {"sums", "DT_VARIANT"},
                                                                      {"rows", "DT_VARIANT"}};
  std::vector<std::pair<std::string, std::string>> results;
  for (const auto& [name, dtype] : variables) results.emplace_back(Cat("next_", name), dtype);
  SavedModelText model;
  model.Placeholder("splits", "DT_INT64", {-1})
      .Placeholder("values", "DT_FLOAT", {-1})
      .Constant("zero", "DT_INT32", {}, "int_val: 0")
      .Constant("one", "DT_INT32", {}, "int_val: 1")
      .Constant("scalar", "DT_INT32", {0}, "")
      .Node(
          "encoded", "RaggedTensorToVariant", {"splits", "values"},
          ragged + AttributeText("RAGGED_RANK", "i: 1") + AttributeText("batched_input", "b: true"))
      .Node("given", "TensorListFromTensor", {"encoded", "scalar"}, variants)
      .Node("n", "TensorListLength", {"given"})
      .Node("sums", "TensorListReserve", {"scalar", "n"}, floats)
      .Node("rows", "TensorListReserve", {"scalar", "n"}, variants)
      .Node("while", "While", {"zero", "n", "given", "sums", "rows"},
            AttributeText("cond", "func { name: 'more' }") +
                AttributeText("body", "func { name: 'body' }"))
      .Node("a", "TensorListStack", {"while:3", "scalar"}, floats)
      .Node("stacked", "TensorListStack", {"while:4", "scalar"}, variants)
      .Node("decoded", "RaggedTensorFromVariant", {"stacked"},
            ragged + AttributeText("input_ragged_rank", "i: 0") +
                AttributeText("output_ragged_rank", "i: 1"))
      .Node("b", "Identity", {"decoded"})
      .Node("c", "Identity", {"decoded:1"})
      .Function("more", variables, {{"result", "DT_BOOL"}}, {{"result", "less:z:0"}},
                {SavedModelText::NodeText("less", "Less", {"i", "n"})})
      .Function(
          "body", variables, results,
          {{"next_i", "next:z:0"},
           {"next_n", "n"},
           {"next_given", "given"},
           {"next_sums", "set_sum:output_handle:0"},
           {"next_rows", "set_row:output_handle:0"}},
          {SavedModelText::ConstantText("one", "DT_INT32", {}, "int_val: 1"),
           SavedModelText::ConstantText("axes", "DT_INT32", {1}, "int_val: 0"),
           SavedModelText::ConstantText("scalar", "DT_INT32", {0}, ""),
           SavedModelText::NodeText("next", "AddV2", {"i", "one:output:0"}),
           SavedModelText::NodeText("item", "TensorListGetItem", {"given", "i", "scalar:output:0"},
                                    variants),
           SavedModelText::NodeText("row", "RaggedTensorFromVariant", {"item:item:0"},
                                    ragged + AttributeText("input_ragged_rank", "i: -1") +
                                        AttributeText("output_ragged_rank", "i: 0")),
           SavedModelText::NodeText("sum", "Sum", {"row:output_dense_values:0", "axes:output:0"}),
           SavedModelText::NodeText("set_sum", "TensorListSetItem", {"sums", "i", "sum:output:0"},
                                    floats),
           SavedModelText::NodeText("twice", "AddV2",
                                    {"row:output_dense_values:0", "row:output_dense_values:0"}),
           SavedModelText::NodeText("encoded", "RaggedTensorToVariant", {"twice:z:0"},
                                    ragged + AttributeText("RAGGED_RANK", "i: 0") +
                                        AttributeText("batched_input", "b: false")),
           SavedModelText::NodeText("set_row", "TensorListSetItem",
                                    {"rows", "i", "encoded:encoded_ragged:0"}, variants)})
      .Signature({{"splits", "DT_INT64"}, {"values", "DT_FLOAT"}}, {"a", "b", "c"});
  EXPECT_EQ(model.Call({{"splits", Value(Tensor::Of<int64_t>({4}, {0, 2, 2, 3}))},
                        {"values", Floats({3}, {1, 2, 3})}}),
            "dict(a: float32[3], b: int64[4], c: float32[3]) "
            "{a: [3.0, 0.0, 3.0], b: [0, 2, 2, 3], c: [2.0, 4.0, 6.0]}");
}

// Returns 2 * x or x + x: a layer that has a variant for each device selects one of them by a
// constant.
SavedModelText OfDevice(std::string_view op, const std::string& branches) {
  SavedModelText model;
  model.Placeholder("x", "DT_FLOAT", {-1})
      .Node("device", "DeviceIndex", {},
            AttributeText("device_names", "list { s: 'CPU' s: 'GPU' }"))
      .Constant("no", "DT_BOOL", {}, "bool_val: false")
      .Node("y", op, {op == "Case" ? "device" : "no", "x"}, branches)
      .Function("plain", {{"v", "DT_FLOAT"}}, {{"r", "DT_FLOAT"}}, {{"r", "sum:z:0"}},
                {SavedModelText::NodeText("sum", "AddV2", {"v", "v"})})
      .Function("gpu", {{"v", "DT_FLOAT"}}, {{"r", "DT_FLOAT"}}, {{"r", "rnn:output:0"}},
                {SavedModelText::NodeText("rnn", "CudnnRNNV3", {"v"})})
      .Signature({{"x", "DT_FLOAT"}}, {"y"});
  return model;
}

// The other branches need operators that are not supported.
TEST(ControlFlowTest, ImportsOnlyTheBranchOfAKnownSelector) {
  EXPECT_EQ(OfDevice("Case", AttributeText("branches",
                                           "list { func { name: 'plain' } func { name: 'gpu' } "
                                           "func { name: 'plain' } }"))
                .Call({{"x", Floats({1}, {3})}}),
            "dict(y: float32[1]) {y: [6.0]}");
  EXPECT_EQ(OfDevice("If", AttributeText("then_branch", "func { name: 'gpu' }") +
                               AttributeText("else_branch", "func { name: 'plain' }"))
                .Call({{"x", Floats({1}, {3})}}),
            "dict(y: float32[1]) {y: [6.0]}");
}

// A branch returns values for gradients, which the other branch does not have.
TEST(ControlFlowTest, IgnoresResultsThatNothingReads) {
  SavedModelText model;
  const std::vector<std::pair<std::string, std::string>> results = {{"a", "DT_FLOAT"},
                                                                    {"b", "DT_FLOAT"}};
  const std::string shape = AttributeText("shape", "shape { dim { size: -1 } }");
  model.Placeholder("x", "DT_FLOAT", {-1})
      .Node("size", "Size", {"x"})
      .Node("if", "If", {"size", "x"},
            AttributeText("then_branch", "func { name: 'yes' }") +
                AttributeText("else_branch", "func { name: 'no' }"))
      .Node("y", "Print", {"if", "size"})
      .Node("z", "Identity", {"if:1"})
      .Function("yes", {{"v", "DT_FLOAT"}}, results, {{"a", "neg:y:0"}, {"b", "v"}},
                {SavedModelText::NodeText("neg", "Neg", {"v"})})
      .Function("no", {{"v", "DT_FLOAT"}}, results, {{"a", "v"}, {"b", "none:output:0"}},
                {SavedModelText::NodeText("none", "FakeParam", {},
                                          AttributeText("dtype", "type: DT_FLOAT") + shape)})
      .Signature({{"x", "DT_FLOAT"}}, {"y", "z"});
  EXPECT_EQ(model.Call({{"x", Floats({1}, {3})}}),
            "dict(y: float32[1], z: float32[1]) {y: [-3.0], z: [3.0]}");
  EXPECT_EQ(model.Call({{"x", Floats({0}, {})}}),
            "dict(y: float32[0], z: float32[0]) {y: [], z: []}");
}

// Elements whose first sizes differ are written to one list outside of loops.
TEST(ControlFlowTest, WritesElementsOfDifferentSizes) {
  const std::string type = AttributeText("element_dtype", "type: DT_FLOAT");
  for (const bool is_pushed : {false, true}) {
    SCOPED_TRACE(is_pushed);
    SavedModelText model;
    // They are known.
    model.Placeholder("a", "DT_FLOAT", {2})
        .Placeholder("b", "DT_FLOAT", {3})
        .Placeholder("c", "DT_FLOAT", {0})
        .Constant("shape", "DT_INT32", {1}, "int_val: -1")
        .Constant("count", "DT_INT32", {}, "int_val: 3")
        .Constant("zero", "DT_INT32", {}, "int_val: 0")
        .Constant("one", "DT_INT32", {}, "int_val: 1")
        .Constant("two", "DT_INT32", {}, "int_val: 2")
        .Constant("none", "DT_INT64", {0}, "");
    if (is_pushed) {
      model.Node("list", "EmptyTensorList", {"shape", "count"}, type)
          .Node("with_a", "TensorListPushBack", {"list", "a"}, type)
          .Node("with_b", "TensorListPushBack", {"with_a", "b"}, type)
          .Node("with_c", "TensorListPushBack", {"with_b", "c"}, type);
    } else {
      model.Node("list", "TensorListReserve", {"shape", "count"}, type)
          .Node("with_a", "TensorListSetItem", {"list", "zero", "a"}, type)
          .Node("with_b", "TensorListSetItem", {"with_a", "one", "b"}, type)
          .Node("with_c", "TensorListSetItem", {"with_b", "two", "c"}, type);
    }
    model.Node("all", "TensorListConcatLists", {"with_c", "with_a"}, type)
        .Node("joined", "TensorListConcatV2", {"with_c", "shape", "none"}, type)
        .Node("lengths", "Identity", {"joined:1"})
        .Node("item", "TensorListGetItem", {"all", "one", "shape"}, type)
        .Node("size", "TensorListLength", {"all"})
        .Signature({{"a", "DT_FLOAT"}, {"b", "DT_FLOAT"}, {"c", "DT_FLOAT"}},
                   {"item", "joined", "lengths", "size"});
    EXPECT_EQ(
        model.Call(
            {{"a", Floats({2}, {1, 2})}, {"b", Floats({3}, {3, 4, 5})}, {"c", Floats({0}, {})}}),
        Cat("dict(item: float32[3], joined: float32[5], lengths: int64[3], size: int32[]) "
            "{item: [3.0, 4.0, 5.0], joined: [1.0, 2.0, 3.0, 4.0, 5.0], lengths: [2, 3, 0], "
            "size: ",
            is_pushed ? 4 : 6, "}"));
  }
}

// If elements are only joined or read, their first sizes may be unknown, and elements may be empty.
TEST(ControlFlowTest, WritesElementsOfUnknownSizes) {
  const std::string type = AttributeText("element_dtype", "type: DT_FLOAT");
  for (const char* element_shape : {"{1} -1", "{} -1", "{2} -1 2"}) {
    for (const bool is_array : {false, true}) {
      SCOPED_TRACE(Cat(element_shape, is_array ? " array" : ""));
      const bool is_matrix = std::string_view(element_shape).starts_with("{2}");
      const bool is_vector = std::string_view(element_shape).starts_with("{1}");
      SavedModelText model;
      for (const char* name : {"a", "b", "c"}) {
        if (is_matrix) {
          model.Placeholder(name, "DT_FLOAT", {-1, 2});
        } else {
          model.Placeholder(name, "DT_FLOAT", {-1});
        }
      }
      model.Constant("count", "DT_INT32", {}, "int_val: 3")
          .Constant("zero", "DT_INT32", {}, "int_val: 0")
          .Constant("one", "DT_INT32", {}, "int_val: 1")
          .Constant("two", "DT_INT32", {}, "int_val: 2")
          .Constant("none", "DT_INT64", {0}, "");
      if (is_matrix) {
        model.Constant("shape", "DT_INT32", {2}, "int_val: -1 int_val: 2");
      } else if (is_vector) {
        model.Constant("shape", "DT_INT32", {1}, "int_val: -1");
      } else {
        model.Constant("shape", "DT_INT32", {}, "int_val: -1");
      }
      if (is_array) {
        const std::string dims = is_matrix   ? "dim { size: -1 } dim { size: 2 }"
                                 : is_vector ? "dim { size: -1 }"
                                             : "unknown_rank: true";
        model
            .Node("array", "TensorArrayV3", {"count"},
                  AttributeText("dtype", "type: DT_FLOAT") +
                      AttributeText("element_shape", Cat("shape { ", dims, " }")))
            .Node("with_a", "TensorArrayWriteV3", {"array", "zero", "a", "array:1"})
            .Node("with_b", "TensorArrayWriteV3", {"array", "one", "b", "with_a"})
            .Node("with_c", "TensorArrayWriteV3", {"array", "two", "c", "with_b"})
            .Node("joined", "TensorArrayConcatV3", {"array", "with_c"})
            .Node("item", "TensorArrayReadV3", {"array", "one", "with_c"});
      } else {
        model.Node("list", "TensorListReserve", {"shape", "count"}, type)
            .Node("with_a", "TensorListSetItem", {"list", "zero", "a"}, type)
            .Node("with_b", "TensorListSetItem", {"with_a", "one", "b"}, type)
            .Node("with_c", "TensorListSetItem", {"with_b", "two", "c"}, type)
            .Node("joined", "TensorListConcatV2", {"with_c", "shape", "none"}, type)
            .Node("item", "TensorListGetItem", {"with_c", "one", "shape"}, type);
      }
      model.Node("lengths", "Identity", {"joined:1"})
          .Signature({{"a", "DT_FLOAT"}, {"b", "DT_FLOAT"}, {"c", "DT_FLOAT"}},
                     {"item", "joined", "lengths"});
      if (is_matrix) {
        EXPECT_EQ(model.Call({{"a", Floats({0, 2}, {})},
                              {"b", Floats({2, 2}, {1, 2, 3, 4})},
                              {"c", Floats({1, 2}, {5, 6})}}),
                  "dict(item: float32[2, 2], joined: float32[3, 2], lengths: int64[3]) {item: "
                  "[[1.0, 2.0], [3.0, 4.0]], joined: [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], "
                  "lengths: [0, 2, 1]}");
      } else {
        EXPECT_EQ(
            model.Call(
                {{"a", Floats({0}, {})}, {"b", Floats({2}, {1, 2})}, {"c", Floats({1}, {3})}}),
            "dict(item: float32[2], joined: float32[3], lengths: int64[3]) {item: [1.0, "
            "2.0], joined: [1.0, 2.0, 3.0], lengths: [0, 2, 1]}");
      }
    }
  }
}

// Elements of a list that is stacked have one shape, which is known.
TEST(ControlFlowTest, KeepsTheShapeOfElementsThatAreStacked) {
  const std::string type = AttributeText("element_dtype", "type: DT_FLOAT");
  SavedModelText model;
  model.Placeholder("a", "DT_FLOAT", {-1})
      .Constant("shape", "DT_INT32", {1}, "int_val: -1")
      .Constant("count", "DT_INT32", {}, "int_val: 2")
      .Constant("zero", "DT_INT32", {}, "int_val: 0")
      .Node("list", "TensorListReserve", {"shape", "count"}, type)
      .Node("with_a", "TensorListSetItem", {"list", "zero", "a"}, type)
      .Node("item", "TensorListGetItem", {"with_a", "zero", "shape"}, type)
      .Node("all", "TensorListStack", {"with_a", "shape"}, type)
      .Signature({{"a", "DT_FLOAT"}}, {"all", "item"});
  EXPECT_EQ(model.Call({{"a", Floats({2}, {1, 2})}}),
            "dict(all: float32[2, 2], item: float32[2]) {all: [[1.0, 2.0], [0.0, 0.0]], item: "
            "[1.0, 2.0]}");
}

}  // namespace
}  // namespace signet
