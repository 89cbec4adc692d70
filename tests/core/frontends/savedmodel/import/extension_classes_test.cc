// Imports functions whose arguments and results are values of extension types.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/model/language/model_printer.h"
#include "core/model/language/model_reader.h"
#include "core/model/native/loader.h"
#include "core/model/native/model_to_proto.h"
#include "signet/extension_spec.h"
#include "tests/core/frontends/savedmodel/import/object_graph_text.h"

namespace signet {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Value Text(const char* text) { return Value::OfLiteral(Literal::String(text)); }

Value Extension(const std::string& name, const NamedValues& statics,
                const NamedValues& components) {
  NamedTypes fixed;
  for (const auto& [key, value] : statics) fixed.emplace_back(key, value.spec());
  NamedTypes types;
  Components tensors;
  for (const auto& [key, value] : components) {
    types.emplace_back(key, value.spec());
    tensors.insert(tensors.end(), value.components().begin(), value.components().end());
  }
  auto type = MakeExtensionType(name, std::move(fixed), std::move(types));
  EXPECT_TRUE(type.ok()) << type.status();
  return Value::Trusted(*type, std::move(tensors));
}

class ExtensionClassesTest : public ObjectGraphTest {
 protected:
  // The declarations of the model, such as `shop.Masked<unit>(values: float32[...])`.
  std::vector<std::string> Declarations() const {
    std::vector<std::string> out;
    for (const ExtensionTypeDef& type : model_->def().extension_types) {
      std::vector<std::string> parts;
      for (const auto& [name, component] : type.declaration.components) {
        parts.push_back(component ? Cat(name, ": ", component) : name);
      }
      const auto& attributes = type.declaration.attributes;
      out.push_back(Cat(type.declaration.name,
                        attributes.empty() ? "" : Cat("<", Join(attributes, ", "), ">"), "(",
                        Join(parts, ", "), ")"));
    }
    return out;
  }

  std::string Unavailable(const std::string& name) const {
    auto found = model_->def().metadata.find(Cat("unavailable.", name));
    return found == model_->def().metadata.end() ? "" : found->second;
  }

  // Calls `f` of the model, and of the models that are written in the model language and in the
  // native form.
  std::string CallAll(const CallArguments& arguments) const {
    const std::string out = Call("f", arguments);
    auto printed = PrintModel(model_->def());
    if (!printed.ok()) return Cat("error: ", MessageOf(printed.status()));
    auto read = ModelDefFromLanguage(printed->text, {printed->tensors, ""});
    if (!read.ok()) return Cat("error: ", MessageOf(read.status()), "\n", printed->text);
    auto proto = ModelToProto(model_->def());
    if (!proto.ok()) return Cat("error: ", MessageOf(proto.status()));
    auto native = ModelDefFromProto(proto->proto, proto->captures, Limits(), {});
    if (!native.ok()) return Cat("error: ", MessageOf(native.status()));
    for (ModelDef* def : {&*read, &*native}) {
      const LoadedModel model("m", 1, std::move(*def), {});
      auto function = model.FindFunction("f");
      if (!function.ok()) return Cat("error: ", MessageOf(function.status()));
      auto result = (*function)->Call(arguments, {});
      const std::string other =
          result.ok() ? ToString(*result) : Cat("error: ", MessageOf(result.status()));
      if (other != out) return Cat("error: ", out, " and ", other, "\n", printed->text);
    }
    return out;
  }
};

// An extension type is declared. Other types may be nested in it.
TEST_F(ExtensionClassesTest, DeclaresTypes) {
  SavedModelText model;
  AddIdentity(model, "same", {{"values", "DT_FLOAT"}, {"x", "DT_FLOAT"}});
  const std::string outer =
      ExtensionText("shop.Masked.Spec", {{"values", kVector},
                                         {"unit", TextValue("kg")},
                                         {"inner", ExtensionText("Inner.Spec", {{"x", kVector}})}});
  model.Field(ObjectGraph({.args = {"x"}}, {{"same", {outer}, {}, outer}}));
  Load(model);
  EXPECT_THAT(Declarations(), ElementsAre("saved_model.Inner(x: float32[...])",
                                          "shop.Masked<unit>(values: float32[...], inner: "
                                          "saved_model.Inner(x: float32[...]))"));
  const std::string type =
      "shop.Masked<unit=\"kg\">(values: float32[?], inner: saved_model.Inner(x: float32[?]))";
  EXPECT_THAT(Signature("f"), HasSubstr(Cat("f(x: ", type, ")")));
  auto masked = [](const char* unit) {
    return Extension("shop.Masked", {{"unit", Text(unit)}},
                     {{"values", Floats({1})},
                      {"inner", Extension("saved_model.Inner", {}, {{"x", Floats({2, 3})}})}});
  };
  EXPECT_EQ(CallAll({{masked("kg")}, {}}), ToString(masked("kg")));
  EXPECT_THAT(Call("f", {{masked("g")}, {}}), HasSubstr("error: "));
}

// The traces of a function may have different static attributes, which select the trace.
TEST_F(ExtensionClassesTest, SelectsTracesByStaticAttributes) {
  SavedModelText model;
  AddSum(model, "once", {"values"});
  AddSum(model, "twice", {"values", "values"});
  model.Function("negative", {{"values", "DT_FLOAT"}}, {{"y", "DT_FLOAT"}}, {{"y", "neg:y:0"}},
                 {SavedModelText::NodeText("neg", "Neg", {"values"})});
  auto type = [](const std::string& unit) {
    return ExtensionText("shop.Masked.Spec", {{"values", kVector}, {"unit", unit}});
  };
  model.Field(ObjectGraph({.args = {"x"}}, {{"once", {type(TextValue("kg"))}},
                                            {"negative", {type("int64_value: 3")}}}));
  Load(model);
  EXPECT_THAT(Declarations(), ElementsAre("shop.Masked<unit>(values: float32[...])"));
  EXPECT_EQ(model_->def().functions[0].parameter_docs.at("x"),
            "Types: `shop.Masked<unit=\"kg\">(values: float32[?])`, "
            "`shop.Masked<unit=3>(values: float32[?])`.");
  auto call = [&](Value unit) {
    return CallAll(
        {{Extension("shop.Masked", {{"unit", std::move(unit)}}, {{"values", Floats({2})}})}, {}});
  };
  EXPECT_EQ(call(Text("kg")), "float32[1] [2.0]");
  EXPECT_EQ(call(Value::OfLiteral(Literal::Int(3))), "float32[1] [-2.0]");
  EXPECT_THAT(call(Text("g")), HasSubstr("argument `x`: expected `shop.Masked<unit=\"kg\">"));
}

// Plain values of all kinds are static attributes, in arguments and in results.
TEST_F(ExtensionClassesTest, KeepsStaticAttributesOfAllKinds) {
  SavedModelText model;
  AddIdentity(model, "same", {{"x", "DT_FLOAT"}});
  const std::string type = ExtensionText(
      "shop.T.Spec",
      {{"none", kNone},
       {"yes", "bool_value: true"},
       {"count", "int64_value: -3"},
       {"rate", "float64_value: 0.5"},
       {"text", TextValue("a")},
       {"dtype", "tensor_dtype_value: DT_INT32"},
       {"shape", "tensor_shape_value { dim { size: 2 } dim { size: -1 } }"},
       {"open", "tensor_shape_value { unknown_rank: true }"},
       {"pair", TupleText({"int64_value: 1", kNone})},
       {"empty", TupleText({})},
       {"options", DictText({{"b", "int64_value: 1"}, {"a", TupleText({TextValue("x")})}})},
       {"x", kVector}});
  model.Field(ObjectGraph({.args = {"x"}}, {{"same", {type}, {}, type}}));
  Load(model);
  EXPECT_THAT(Declarations(),
              ElementsAre("shop.T<none, yes, count, rate, text, dtype, shape, open, pair, empty, "
                          "options>(x: float32[...])"));
  auto integer = [](int64_t value) { return Value::OfLiteral(Literal::Int(value)); };
  const Value given = Extension(
      "shop.T",
      {{"none", Value::None()},
       {"yes", True()},
       {"count", integer(-3)},
       {"rate", Value::OfLiteral(Literal::Float(0.5))},
       {"text", Text("a")},
       {"dtype", Text("int32")},
       {"shape", ListOf(std::vector<Value>{integer(2), Value::None()})},
       {"open", Value::None()},
       {"pair", TupleOf(std::vector<Value>{integer(1), Value::None()})},
       {"empty", TupleOf(std::vector<Value>{})},
       {"options", *MakeDict({{"a", TupleOf(std::vector<Value>{Text("x")})}, {"b", integer(1)}})}},
      {{"x", Floats({1})}});
  EXPECT_EQ(CallAll({{given}, {}}), ToString(given));
}

// Components may be ragged, sparse, and nests. Plain values in a nest are part of the component.
TEST_F(ExtensionClassesTest, PassesCompositeComponents) {
  SavedModelText model;
  AddIdentity(model, "same",
              {{"flat", "DT_FLOAT"},
               {"splits", "DT_INT64"},
               {"indices", "DT_INT64"},
               {"values", "DT_FLOAT"},
               {"dense_shape", "DT_INT64"},
               {"a", "DT_INT32"},
               {"b", "DT_STRING"}});
  const std::string dtype = "tensor_dtype_value: DT_FLOAT";
  const std::string matrix = "tensor_shape_value { dim { size: -1 } dim { size: -1 } }";
  const std::string ragged =
      Cat("type_spec_value { type_spec_class: RAGGED_TENSOR_SPEC type_state { ",
          TupleText({matrix, dtype, "int64_value: 1", "tensor_dtype_value: DT_INT64"}), " } }");
  const std::string sparse =
      Cat("type_spec_value { type_spec_class: SPARSE_TENSOR_SPEC type_state { ",
          TupleText({matrix, dtype}), " } }");
  const std::string nest =
      TupleText({DictText({{"b", TensorText("DT_STRING", "")}, {"a", TensorText("DT_INT32", "")}}),
                 "int64_value: 7", "tensor_shape_value { dim { size: 3 } }", kNone});
  const std::string type =
      ExtensionText("shop.T.Spec", {{"rows", ragged}, {"entries", sparse}, {"nest", nest}});
  model.Field(ObjectGraph({.args = {"x"}}, {{"same", {type}, {}, type}}));
  Load(model);
  EXPECT_THAT(Declarations(),
              ElementsAre("shop.T(rows: ragged<rank=1> float32[...], entries: sparse "
                          "float32[...], nest: tuple(dict(a: int32[...], b: string[...]), 7, "
                          "list(3), None))"));
  const std::string written =
      "shop.T(rows: ragged float32[2, (?)], entries: sparse float32[1, 2], nest: "
      "tuple(dict(a: int32[], b: string[]), 7, list(3), None)) ";
  auto given = ParseValue(Cat(written,
                              "{rows: [[1.0, 2.0], []], entries: {indices: [[0, 1]], values: "
                              "[5.0], dense_shape: [1, 2]}, nest: [{a: 4, b: \"x\"}, 7, [3], "
                              "null]}"));
  ASSERT_TRUE(given.ok()) << given.status();
  EXPECT_EQ(CallAll({{*given}, {}}), ToString(*given));
}

// A field is a component everywhere if one type of the model has a tensor there.
TEST_F(ExtensionClassesTest, DeclaresFieldsThatMayBeTensorsAsComponents) {
  SavedModelText model;
  AddSum(model, "one", {"values"});
  AddSum(model, "two", {"values", "weights"});
  auto type = [](const std::string& weights, const std::string& more) {
    return ExtensionText("shop.T.Spec",
                         {{"values", kVector}, {"weights", weights}, {"more", more}});
  };
  model.Field(ObjectGraph({.args = {"x"}}, {{"one", {type(kNone, TupleText({}))}},
                                            {"two", {type(kVector, TupleText({}))}}}));
  Load(model);
  EXPECT_THAT(Declarations(), ElementsAre("shop.T<more>(values: float32[...], weights)"));
  const NamedValues statics = {{"more", TupleOf(std::vector<Value>{})}};
  EXPECT_EQ(CallAll({{Extension("shop.T", statics,
                                {{"values", Floats({1})}, {"weights", Value::None()}})},
                     {}}),
            "float32[1] [1.0]");
  EXPECT_EQ(
      CallAll({{Extension("shop.T", statics, {{"values", Floats({1})}, {"weights", Floats({3})}})},
               {}}),
      "float32[1] [4.0]");
}

// Of two classes with one name, the first is declared. Only functions that use the other one are
// not available. Types that no function uses are not declared.
TEST_F(ExtensionClassesTest, RejectsFunctionsWithAnotherClassOfTheSameName) {
  SavedModelText model;
  AddSum(model, "one", {"a"});
  AddSum(model, "two", {"b", "c"});
  model.Function("broken", {{"a", "DT_FLOAT"}}, {{"y", "DT_FLOAT"}}, {{"y", "n:y:0"}},
                 {SavedModelText::NodeText("n", "NoSuchOperator", {"a"})});
  auto function = [](std::string_view name) {
    return Cat("nodes { function { concrete_functions: '", name, "' function_spec { ",
               SpecificationText({.args = {"x"}}), "} } } ");
  };
  model.Field(ObjectGraph(
      {.args = {"x"}}, {{"one", {ExtensionText("shop.T.Spec", {{"a", kVector}})}}},
      "children { node_id: 2 local_name: 'g' } children { node_id: 3 local_name: 'h' }",
      Cat(function("two"), function("broken"),
          TraceText({"two", {ExtensionText("shop.T.Spec", {{"b", kVector}, {"c", kVector}})}}),
          TraceText({"broken", {ExtensionText("shop.Unused.Spec", {{"a", kVector}})}}))));
  Load(model);
  EXPECT_THAT(Declarations(), ElementsAre("shop.T(a: float32[...])"));
  EXPECT_EQ(CallAll({{Extension("shop.T", {}, {{"a", Floats({1})}})}, {}}), "float32[1] [1.0]");
  EXPECT_THAT(Unavailable("g"),
              HasSubstr("parameter `x`: extension type `shop.T`: expected the fields `a`, which an "
                        "earlier type of this name in the model has, found the fields `b`, `c`"));
  EXPECT_THAT(Unavailable("h"), HasSubstr("NoSuchOperator"));
}

// A type that is not valid makes its functions unavailable.
TEST_F(ExtensionClassesTest, RejectsInvalidTypes) {
  auto pairs = [](std::string_view name, const Texts& fields) {
    return Cat("type_spec_value { type_spec_class: EXTENSION_TYPE_SPEC type_spec_class_name: '",
               name, "' type_state { ", TupleText(fields), " } }");
  };
  auto field = [](std::string_view name, std::string_view value = kVector) {
    return TupleText({TextValue(name), std::string(value)});
  };
  std::string deep = kVector;
  for (int i = 0; i < 20; ++i) deep = TupleText({deep});
  Texts many;
  for (int i = 0; i < 4097; ++i) many.push_back(field(Cat("x", i)));
  struct Case {
    std::string type;
    std::string error;
  };
  const std::vector<Case> cases = {
      {pairs("a.B.Spec", {TupleText({TextValue("x")})}), "expected a name and a value as field 0"},
      {pairs("a.B.Spec", {TupleText({kVector, kVector})}),
       "expected a name and a value as field 0"},
      {pairs("a.B.Spec", {kVector}), "expected a name and a value as field 0"},
      {pairs("a.B.Spec", {field("x"), field("x")}), "duplicate field `x`"},
      {pairs("a.B.Spec", many), "fields exceed the limit of 4096"},
      {pairs("a.B.Spec", {field("no name")}), "name of field 0, found `no name`"},
      {pairs("a.B.Spec", {field("")}), "name of field 0, found ``"},
      {pairs("a.B.Spec", {field("__x")}), "name of field 0, found `__x`"},
      {pairs("a.B.Spec", {field("class")}), "name of field 0, found `class`"},
      {pairs("a.B.Spec", {field("x"), field("_tf_extension_type_is_packed", "bool_value: true")}),
       "values that are packed into one tensor"},
      {pairs("a.B.Spec", {field("x", "tensor_value { dtype: DT_FLOAT }")}),
       "extension type `a.B`: field `x`: unsupported tensor in a type"},
      {pairs("a.B.Spec", {field("x", "type_spec_value { type_spec_class: VARIABLE_SPEC }")}),
       "extension type `a.B`: field `x`: unsupported type `VARIABLE_SPEC`"},
      {pairs("a b.C.Spec", {field("x")}), "such as `project.Type.Spec`, found `a b.C.Spec`"},
      {pairs("", {field("x")}), "such as `project.Type.Spec`, found ``"},
      {pairs("a..B", {field("x")}), "found `a..B`"},
      {pairs("1a.B", {field("x")}), "found `1a.B`"},
      {pairs("def.B", {field("x")}), "found `def.B`"},
      {"type_spec_value { type_spec_class: EXTENSION_TYPE_SPEC type_spec_class_name: 'a.B' }",
       "expected a tuple of fields as the state"},
  };
  for (const Case& test : cases) {
    SCOPED_TRACE(test.type);
    SavedModelText model;
    AddSum(model, "one", {"x"});
    AddSum(model, "two", {"x"});
    model.Field(ObjectGraph(
        {.args = {"x"}}, {{"one", {test.type}}}, "children { node_id: 2 local_name: 'g' }",
        Cat("nodes { function { concrete_functions: 'two' function_spec { ",
            SpecificationText({.args = {"x"}}), "} } } ", TraceText({"two", {kVector}}))));
    Load(model);
    EXPECT_THAT(Unavailable("f"), HasSubstr(test.error));
    EXPECT_THAT(Declarations(), ElementsAre());
    EXPECT_EQ(Call("g", {{Floats({1})}, {}}), "float32[1] [1.0]");
  }
  // Other numbers of tensors than the function has.
  SavedModelText model;
  AddSum(model, "one", {"x"});
  model.Field(
      ObjectGraph({.args = {"x"}}, {{"one", {pairs("a.B.Spec", {field("x"), field("y")})}}}));
  TemporaryFolder folder;
  auto loaded = model.Load(folder.path());
  EXPECT_THAT(loaded.status().message(), HasSubstr("f: "));
  // Nests within the limit of messages are accepted.
  SavedModelText nested;
  AddSum(nested, "one", {"x"});
  nested.Field(ObjectGraph({.args = {"x"}}, {{"one", {pairs("a.B.Spec", {field("x", deep)})}}}));
  Load(nested);
  EXPECT_EQ(Declarations().size(), 1U);
}

// A type without fields is a class without members.
TEST_F(ExtensionClassesTest, DeclaresTypesWithoutFields) {
  SavedModelText model;
  AddIdentity(model, "same", {{"x", "DT_FLOAT"}});
  const std::string empty = ExtensionText("shop.Empty.Spec", {});
  model.Field(ObjectGraph({.args = {"e", "x"}},
                          {{"same", {empty, kVector}, {}, TupleText({empty, kVector})}}));
  Load(model);
  EXPECT_THAT(Declarations(), ElementsAre("shop.Empty()"));
  EXPECT_EQ(CallAll({{Extension("shop.Empty", {}, {}), Floats({1})}, {}}),
            "tuple(shop.Empty(), float32[1]) [{}, [1.0]]");
}

// Fields may have the names of members of a class in the model language.
TEST_F(ExtensionClassesTest, WritesFieldsWithTheNamesOfMembers) {
  SavedModelText model;
  AddSum(model, "one", {"invariant", "override", "batches", "static"});
  const std::string type = ExtensionText("shop.T.Spec", {{"invariant", kVector},
                                                         {"override", kVector},
                                                         {"batches", kVector},
                                                         {"static", kVector},
                                                         {"older", "int64_value: 1"},
                                                         {"conversion", "int64_value: 2"}});
  model.Field(ObjectGraph({.args = {"x"}}, {{"one", {type}}}));
  Load(model);
  auto integer = [](int64_t value) { return Value::OfLiteral(Literal::Int(value)); };
  EXPECT_EQ(CallAll({{Extension("shop.T", {{"older", integer(1)}, {"conversion", integer(2)}},
                                {{"invariant", Floats({1})},
                                 {"override", Floats({2})},
                                 {"batches", Floats({3})},
                                 {"static", Floats({4})}})},
                     {}}),
            "float32[1] [10.0]");
}

// A signature of version 1 may have composite inputs and outputs.
TEST_F(ExtensionClassesTest, ImportsCompositeTensorsOfSignatures) {
  SavedModelText model;
  auto info = [](const Texts& tensors) {
    std::string text =
        ExtensionText("shop.T.Spec", {{"unit", TextValue("kg")}, {"a", kVector}, {"b", kVector}});
    std::string out = "composite_tensor { type_spec";
    out += text.substr(std::string("type_spec_value").size());
    for (const std::string& tensor : tensors) {
      out += Cat(" components { name: '", tensor, ":0' dtype: DT_FLOAT }");
    }
    return Cat(out, " }");
  };
  model.Placeholder("a", "DT_FLOAT", {-1})
      .Placeholder("b", "DT_FLOAT", {-1})
      .Node("n", "Neg", {"a"})
      .Field(Cat("signature_def { key: 'f' value { inputs { key: 'x' value { ", info({"a", "b"}),
                 " } } outputs { key: 'y' value { ", info({"b", "n"}), " } } } }"));
  Load(model);
  EXPECT_THAT(Declarations(), ElementsAre("shop.T<unit>(a: float32[...], b: float32[...])"));
  EXPECT_EQ(CallAll({{Extension("shop.T", {{"unit", Text("kg")}},
                                {{"a", Floats({1})}, {"b", Floats({2})}})},
                     {}}),
            "dict(y: shop.T<unit=\"kg\">(a: float32[1], b: float32[1])) "
            "{y: {a: [2.0], b: [-1.0]}}");
}

}  // namespace
}  // namespace signet
