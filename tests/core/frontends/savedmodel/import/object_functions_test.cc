// Imports functions of the object graph, and calls them as the functions of Python are called.

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/frontends/savedmodel/import/object_graph_text.h"

namespace signet {
namespace {

using ::testing::HasSubstr;
using ObjectFunctionsTest = ObjectGraphTest;

// A trace receives its arguments of `*args` and `**kwargs`.
TEST_F(ObjectFunctionsTest, BindsVariadicArguments) {
  SavedModelText model;
  AddSum(model, "one", {"x"});
  AddSum(model, "four", {"x", "rest_0", "rest_1", "b"});
  const std::string no = "bool_value: false";
  const std::string yes = "bool_value: true";
  model.Field(
      ObjectGraph({.args = {"self", "x"},
                   .varargs = "rest",
                   .varkw = "more",
                   .keyword_only = {"training"},
                   .keyword_defaults = {{"training", no}}},
                  {{"one", {kVector}, {{"training", no}}},
                   {"four", {kVector, kVector, kVector}, {{"b", kVector}, {"training", yes}}}}));
  Load(model);
  EXPECT_EQ(Signature("f"), "f(x: float32[?], *rest, training = False, **more)");
  EXPECT_EQ(Call("f", {{Floats({1})}, {}}), "float32[1] [1.0]");
  EXPECT_EQ(Call("f", {{Floats({1}), Floats({2}), Floats({3})},
                       {{"b", Floats({4})}, {"training", True()}}}),
            "float32[1] [10.0]");
  EXPECT_THAT(Call("f", {{Floats({1}), Floats({2})}, {}}), HasSubstr("error: "));
  EXPECT_THAT(Call("f", {{Floats({1})}, {{"c", Floats({2})}}}), HasSubstr("error: "));
}

// An input signature may be shorter than the parameters. The others have their default values.
TEST_F(ObjectFunctionsTest, KeepsParametersThatTheInputSignatureLeavesOut) {
  SavedModelText model;
  AddSum(model, "one", {"x"});
  model.Field(ObjectGraph({.args = {"x", "y"}, .defaults = {kNone}, .input_signature = {kVector}},
                          {{"one", {kVector}}}));
  Load(model);
  EXPECT_EQ(Signature("f"), "f(x: float32[?], y: None = None)");
  EXPECT_EQ(Call("f", {{Floats({1})}, {}}), "float32[1] [1.0]");
  EXPECT_EQ(Call("f", {{Floats({1})}, {{"y", Value::None()}}}), "float32[1] [1.0]");
  EXPECT_THAT(Call("f", {{Floats({1}), True()}, {}}), HasSubstr("error: "));
}

// A dtype or a shape in Python is an argument like any other.
TEST_F(ObjectFunctionsTest, PassesDtypesAndShapesAsLiterals) {
  SavedModelText model;
  AddSum(model, "one", {"x"});
  const std::string dtype = "tensor_dtype_value: DT_FLOAT";
  const std::string shape = "tensor_shape_value { dim { size: 2 } dim { size: -1 } }";
  model.Field(ObjectGraph({.args = {"x", "dtype", "shape"}, .defaults = {dtype, shape}},
                          {{"one", {kVector, dtype, shape}}}));
  Load(model);
  EXPECT_EQ(Call("f", {{Floats({1})}, {}}), "float32[1] [1.0]");
  EXPECT_EQ(Call("f", {{Floats({1}), Value::OfLiteral(Literal::String("float32"))}, {}}),
            "float32[1] [1.0]");
  EXPECT_THAT(Call("f", {{Floats({1}), Value::OfLiteral(Literal::String("int32"))}, {}}),
              HasSubstr("error: "));
}

// A dict may be a default value. The function is traced with its plain values.
TEST_F(ObjectFunctionsTest, PassesDictsAsDefaultValues) {
  SavedModelText model;
  AddSum(model, "one", {"x"});
  const std::string options =
      DictText({{"mode", "string_value: 'sum'"}, {"limits", TupleText({"int64_value: 3", kNone})}});
  model.Field(ObjectGraph({.args = {"x", "options"}, .defaults = {options}},
                          {{"one", {kVector, options}}}));
  Load(model);
  EXPECT_EQ(Signature("f"),
            "f(x: float32[?], options: dict(limits: tuple(3, None), mode: \"sum\") = "
            "{limits: (3, None), mode: \"sum\"})");
  EXPECT_EQ(Call("f", {{Floats({1})}, {}}), "float32[1] [1.0]");
  auto text = [](const char* value) { return Value::OfLiteral(Literal::String(value)); };
  const Value limits =
      TupleOf(std::vector<Value>{Value::OfLiteral(Literal::Int(3)), Value::None()});
  for (const char* mode : {"sum", "mean"}) {
    auto given = MakeDict({{"limits", limits}, {"mode", text(mode)}});
    ASSERT_TRUE(given.ok()) << given.status();
    EXPECT_THAT(Call("f", {{Floats({1}), *given}, {}}),
                HasSubstr(std::string_view(mode) == "sum" ? "float32[1] [1.0]" : "error: "));
  }
}

// A function may never have been traced with a default value.
TEST_F(ObjectFunctionsTest, AcceptsArgumentsInPlaceOfADefaultThatNoTraceHas) {
  SavedModelText model;
  AddSum(model, "off", {"x"});
  AddSum(model, "on", {"x"});
  const std::string no = "bool_value: false";
  const std::string yes = "bool_value: true";
  model.Field(ObjectGraph({.args = {"x", "training"}, .defaults = {kNone}},
                          {{"off", {kVector, no}}, {"on", {kVector, yes}}}));
  Load(model);
  EXPECT_EQ(Call("f", {{Floats({1})}, {{"training", Value::OfLiteral(Literal::Bool(false))}}}),
            "float32[1] [1.0]");
  EXPECT_THAT(Call("f", {{Floats({1})}, {}}),
              HasSubstr("argument `training`: expected `False` or `True`, found `None`"));
}

// A number is the default value of a tensor.
TEST_F(ObjectFunctionsTest, ConvertsDefaultValues) {
  SavedModelText model;
  AddSum(model, "sum", {"x", "y"});
  const std::string scalar = "tensor_spec_value { shape { } dtype: DT_FLOAT }";
  model.Field(ObjectGraph({.args = {"x", "y"}, .defaults = {"float64_value: 2"}},
                          {{"sum", {scalar, scalar}, {}, scalar}}));
  Load(model);
  EXPECT_EQ(Signature("f"), "f(x: float32[], y: float32[] = 2.0)");
  EXPECT_EQ(Call("f", {{Value(Tensor::Scalar(1.0F))}, {}}), "float32[] 3.0");
}

TEST_F(ObjectFunctionsTest, KeepsADefaultThatNoTraceHas) {
  SavedModelText model;
  AddSum(model, "both", {"x", "mask"});
  model.Field(
      ObjectGraph({.args = {"x", "mask"}, .defaults = {kNone}}, {{"both", {kVector, kVector}}}));
  Load(model);
  EXPECT_EQ(Signature("f"), "f(x: float32[?], mask: any = None)");
  EXPECT_EQ(model_->def().functions[0].parameter_docs.at("mask"), "Types: `float32[?]`.");
  EXPECT_EQ(Call("f", {{Floats({1}), Floats({2})}, {}}), "float32[1] [3.0]");
  EXPECT_THAT(Call("f", {{Floats({1})}, {}}), HasSubstr("argument `mask`: "));
}

// Types of TensorFlow itself have other rules than their fields show.
TEST_F(ObjectFunctionsTest, RejectsTypesOfTensorFlowItself) {
  SavedModelText model;
  AddSum(model, "two", {"values"});
  AddSum(model, "plain", {"x"});
  const std::string shape = ExtensionText("tf.DynamicRaggedShape.Spec", {{"_fields", kVector}});
  model.Field(ObjectGraph(
      {.args = {"x"}}, {{"two", {shape}}}, "children { node_id: 2 local_name: 'g' }",
      Cat("nodes { function { concrete_functions: 'plain' function_spec { ",
          SpecificationText({.args = {"x"}}), "} } } ", TraceText({"plain", {kVector}}))));
  Load(model);
  EXPECT_EQ(Call("g", {{Floats({1})}, {}}), "float32[1] [1.0]");
  EXPECT_THAT(model_->def().metadata.at("unavailable.f"),
              HasSubstr("parameter `x`: unsupported type `tf.DynamicRaggedShape.Spec`"));
}

// One function may have two names.
TEST_F(ObjectFunctionsTest, PublishesEachNameOfAFunction) {
  SavedModelText model;
  AddSum(model, "one", {"x"});
  model.Field(ObjectGraph({.args = {"x"}}, {{"one", {kVector}}},
                          "children { node_id: 1 local_name: '__call__' }"));
  Load(model);
  EXPECT_EQ(Call("f", {{Floats({1})}, {}}), "float32[1] [1.0]");
  EXPECT_EQ(Call("call", {{Floats({1})}, {}}), "float32[1] [1.0]");
}

// A node of the graph may have the name of a function.
TEST_F(ObjectFunctionsTest, KeepsTheNamesOfFunctions) {
  SavedModelText model;
  AddSum(model, "one", {"x"});
  model.Placeholder("x", "DT_FLOAT", {-1})
      .Node("f", "Neg", {"x"})
      .Signature({{"x", "DT_FLOAT"}}, {"f"})
      .Field(ObjectGraph({.args = {"x"}}, {{"one", {kVector}}}));
  Load(model);
  EXPECT_EQ(Call("f", {{Floats({1})}, {}}), "float32[1] [1.0]");
}

// A function that was made from a graph of version 1 has no signature. Its parameters have the
// names of nodes.
TEST_F(ObjectFunctionsTest, ImportsFunctionsOfGraphsOfVersion1) {
  for (const char* signature : {"", "canonicalized_input_signature { none_value { } }"}) {
    SCOPED_TRACE(signature);
    SavedModelText model;
    AddSum(model, "pruned", {"a", "b"});
    model.Field(
        Cat("object_graph_def { nodes { children { node_id: 1 local_name: 'prune' } ",
            "user_object { } } nodes { bare_concrete_function { concrete_function_name: 'pruned' ",
            "argument_keywords: 'scope/a' argument_keywords: 'b' allowed_positional_arguments: 1 ",
            "} } concrete_functions { key: 'pruned' value { ", signature, " output_signature { ",
            DictText({{"y", kVector}}), " } } } }"));
    Load(model);
    EXPECT_EQ(Signature("prune"), "prune(scope_a: float32[...], *, b: float32[...])");
    EXPECT_EQ(Call("prune", {{Floats({1})}, {{"b", Floats({2})}}}),
              "dict(y: float32[1]) {y: [3.0]}");
  }
}

// A function may read a file in assets/.
TEST_F(ObjectFunctionsTest, ReadsFilesInAssets) {
  SavedModelText model;
  model
      .Function("read", {{"path", "DT_STRING"}}, {{"text", "DT_STRING"}},
                {{"text", "file:contents:0"}},
                {SavedModelText::NodeText("file", "ReadFile", {"path"})})
      .Function("other", {{"path", "DT_STRING"}}, {{"text", "DT_STRING"}},
                {{"text", "file:contents:0"}},
                {SavedModelText::NodeText("file", "ReadFile", {"path"})})
      .Constant("path", "DT_STRING", {}, "string_val: '/etc/passwd'")
      .Field("asset_file_def { tensor_info { name: 'asset:0' } filename: 'words.txt' }")
      .Field(ObjectGraph(
          {}, {{"read", {}, {}, "tensor_spec_value { dtype: DT_STRING shape { } }", {3}}},
          "children { node_id: 2 local_name: 'g' }",
          Cat("nodes { function { concrete_functions: 'other' function_spec { ",
              SpecificationText({}), "} } } nodes { asset { asset_file_def_index: 0 } } ",
              "nodes { constant { operation: 'path' } } ",
              TraceText({"other", {}, {}, "tensor_spec_value { dtype: DT_STRING }", {4}}))));
  std::filesystem::create_directory(folder_.path() / "assets");
  std::ofstream(folder_.path() / "assets" / "words.txt") << "a\nb\n";
  Load(model);
  EXPECT_EQ(Call("f", {}), "string[] \"a\\nb\\n\"");
  EXPECT_THAT(model_->def().metadata.at("unavailable.g"),
              HasSubstr("ReadFile of a file that is not in assets/"));
}

// A model of Keras that was saved without being called has functions only in its layers.
TEST_F(ObjectFunctionsTest, AddsTheFunctionsOfLayersIfThereAreNoOthers) {
  const std::string keras = "user_object { identifier: '_tf_keras_model' } ";
  const std::string spec =
      Cat("function_spec { ", SpecificationText({.args = {"self", "x"}}), "} ");
  auto graph = [&](std::string_view call) {
    return Cat(
        "object_graph_def { nodes { children { node_id: 1 local_name: 'query_model' } "
        "children { node_id: 3 local_name: 'query' } ",
        keras, "} nodes { ", call, keras, "} nodes { function { concrete_functions: 'one' ", spec,
        "} } nodes { function { ", spec, "} } ", TraceText({"one", {kVector}}), "}");
  };
  SavedModelText model;
  AddSum(model, "one", {"x"});
  model.Field(graph("children { node_id: 2 local_name: '__call__' } "));
  Load(model);
  ASSERT_EQ(model_->def().functions.size(), 2u);  // with the function of the trace
  EXPECT_EQ(Call("query_model_call", {{Floats({1})}, {}}), "float32[1] [1.0]");

  SavedModelText empty;
  empty.Field(graph(""));
  TemporaryFolder folder;
  EXPECT_THAT(std::string(MessageOf(empty.Load(folder.path()).status())),
              HasSubstr("no function can be served: it has no signature, and no traced function "
                        "except those that fill its tables"));
}

}  // namespace
}  // namespace signet
