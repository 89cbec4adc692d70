// ObjectGraphText: writes object graphs of small SavedModels as text, with functions and their
// traces.
//
//   AddSum(model, "one", {"x"});
//   model.Field(ObjectGraph({.args = {"x"}}, {{"one", {kVector}}}));
//
// For tests.

#pragma once

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/core/frontends/savedmodel/import/saved_model_text.h"

namespace signet {

using Texts = std::vector<std::string>;

// --- values of signatures -----------------------------------------------------------------------

inline constexpr char kNone[] = "none_value { }";
inline constexpr char kVector[] =
    "tensor_spec_value { shape { dim { size: -1 } } dtype: DT_FLOAT }";

inline std::string TextValue(std::string_view text) { return Cat("string_value: '", text, "'"); }

inline std::string Sequence(std::string_view kind, const Texts& values) {
  std::string out = Cat(kind, " { ");
  for (const std::string& value : values) out += Cat("values { ", value, " } ");
  return Cat(out, "}");
}

inline std::string TupleText(const Texts& values) { return Sequence("tuple_value", values); }

inline std::string DictText(const std::vector<std::pair<std::string, std::string>>& fields) {
  std::string out = "dict_value { ";
  for (const auto& [key, value] : fields) {
    out += Cat("fields { key: '", key, "' value { ", value, " } } ");
  }
  return Cat(out, "}");
}

// An extension type with these fields, each a type or a plain value.
inline std::string ExtensionText(std::string_view name,
                                 const std::vector<std::pair<std::string, std::string>>& fields) {
  Texts pairs;
  for (const auto& [field, value] : fields) pairs.push_back(TupleText({TextValue(field), value}));
  return Cat("type_spec_value { type_spec_class: EXTENSION_TYPE_SPEC type_spec_class_name: '", name,
             "' type_state { ", TupleText(pairs), " } }");
}

struct ArgSpec {
  Texts args = {};
  std::string varargs = {};
  std::string varkw = {};
  Texts defaults = {};
  Texts keyword_only = {};
  std::vector<std::pair<std::string, std::string>> keyword_defaults = {};
  Texts input_signature = {};
};

inline std::string SpecificationText(const ArgSpec& spec) {
  auto names = [](const Texts& texts) {
    Texts values;
    for (const std::string& text : texts) values.push_back(TextValue(text));
    return Sequence("list_value", values);
  };
  std::string out = "fullargspec { named_tuple_value { name: 'FullArgSpec' ";
  auto add = [&](std::string_view key, const std::string& value) {
    out += Cat("values { key: '", key, "' value { ", value, " } } ");
  };
  add("args", names(spec.args));
  add("varargs", spec.varargs.empty() ? kNone : TextValue(spec.varargs));
  add("varkw", spec.varkw.empty() ? kNone : TextValue(spec.varkw));
  add("defaults", spec.defaults.empty() ? kNone : TupleText(spec.defaults));
  add("kwonlyargs", names(spec.keyword_only));
  add("kwonlydefaults", spec.keyword_defaults.empty() ? kNone : DictText(spec.keyword_defaults));
  add("annotations", DictText({}));
  out += "} } ";
  if (!spec.input_signature.empty()) {
    out += Cat("input_signature { ", TupleText(spec.input_signature), " } ");
  }
  return out;
}

// A trace of a function: the name of its function of the library, the types of its arguments, and
// the objects that are bound.
struct Trace {
  std::string name;
  Texts positional = {};
  std::vector<std::pair<std::string, std::string>> keywords = {};
  std::string output = kVector;
  std::vector<int> bound = {};
};

inline std::string TraceText(const Trace& trace) {
  std::string bound;
  for (int object : trace.bound) bound += Cat("bound_inputs: ", object, " ");
  return Cat("concrete_functions { key: '", trace.name, "' value { ", bound,
             "canonicalized_input_signature { ",
             TupleText({TupleText(trace.positional), DictText(trace.keywords)}),
             " } output_signature { ", trace.output, " } } } ");
}

// An object graph whose root has the function `f`, and other objects after it.
inline std::string ObjectGraph(const ArgSpec& spec, const std::vector<Trace>& traces,
                               std::string_view more_children = "",
                               std::string_view more_objects = "") {
  std::string names;
  std::string texts;
  for (const Trace& trace : traces) {
    names += Cat("concrete_functions: '", trace.name, "' ");
    texts += TraceText(trace);
  }
  return Cat("object_graph_def { nodes { children { node_id: 1 local_name: 'f' } ", more_children,
             " user_object { identifier: '_generic_user_object' } } nodes { function { ", names,
             "function_spec { ", SpecificationText(spec), "} } } ", more_objects, texts, "}");
}

// Adds a function of the library that returns the sum of its arguments.
inline void AddSum(SavedModelText& model, const std::string& name, const Texts& arguments) {
  std::vector<std::pair<std::string, std::string>> inputs;
  inputs.reserve(arguments.size());
  for (const std::string& argument : arguments) inputs.emplace_back(argument, "DT_FLOAT");
  model.Function(name, inputs, {{"sum", "DT_FLOAT"}}, {{"sum", "add:sum:0"}},
                 {SavedModelText::NodeText("add", "AddN", arguments)});
}

// Adds a function of the library that returns its arguments.
inline void AddIdentity(SavedModelText& model, const std::string& name,
                        const std::vector<std::pair<std::string, std::string>>& inputs) {
  std::vector<std::pair<std::string, std::string>> outputs;
  std::vector<std::pair<std::string, std::string>> results;
  for (const auto& [input, dtype] : inputs) {
    outputs.emplace_back(Cat("out_", input), dtype);
    results.emplace_back(Cat("out_", input), input);
  }
  model.Function(name, inputs, outputs, results, {});
}

inline std::string TensorText(std::string_view dtype, std::string_view dims) {
  return Cat("tensor_spec_value { shape { ", dims, " } dtype: ", dtype, " }");
}

// --- calls --------------------------------------------------------------------------------------

inline Value Floats(std::initializer_list<float> values) {
  return Value(Tensor::Of<float>({static_cast<int64_t>(values.size())}, values));
}
inline Value True() { return Value::OfLiteral(Literal::Bool(true)); }

// Loads a model and calls its functions.
class ObjectGraphTest : public testing::Test {
 protected:
  void Load(const SavedModelText& model) {
    auto loaded = model.Load(folder_.path());
    ASSERT_TRUE(loaded.ok()) << loaded.status();
    model_ = *std::move(loaded);
  }

  std::string Signature(std::string_view name) const {
    auto function = model_->FindFunction(name);
    return function.ok() ? (*function)->signature() : std::string(MessageOf(function.status()));
  }

  std::string Call(std::string_view name, const CallArguments& arguments) const {
    auto function = model_->FindFunction(name);
    if (!function.ok()) return Cat("error: ", MessageOf(function.status()));
    auto result = (*function)->Call(arguments, {});
    return result.ok() ? ToString(*result) : Cat("error: ", MessageOf(result.status()));
  }

  TemporaryFolder folder_;
  std::shared_ptr<const LoadedModel> model_;
};

}  // namespace signet
