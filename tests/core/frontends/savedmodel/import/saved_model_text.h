// SavedModelText: writes small SavedModels as text, loads them, and calls them.
//
//   SavedModelText model;
//   model.Float("x", {-1}).Node("y", "Neg", {"x"}).Signature({{"x", "DT_FLOAT"}}, {"y"});
//   model.Call({Tensor::Scalar(1.0F)})   =>   "dict(y: float32[]) {y: -1.0}"
//
// For tests. Errors are returned as text that begins with "error: ".

#pragma once

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "core/frontends/load_model.h"
#include "signet/notation.h"
#include "tests/support/temporary_folder.h"

namespace signet {

// `attr { key: 'T' value { type: DT_FLOAT } } `
inline std::string AttributeText(std::string_view name, std::string_view value) {
  return Cat("attr { key: '", name, "' value { ", value, " } } ");
}

class SavedModelText {
 public:
  using Names = std::vector<std::string>;

  static std::string NodeText(std::string_view name, std::string_view op, const Names& inputs,
                              std::string_view attributes = "") {
    std::string out = Cat("name: '", name, "' op: '", op, "' ");
    for (const std::string& input : inputs) out += Cat("input: '", input, "' ");
    return Cat(out, attributes);
  }
  // A constant. `values` is a field such as `int_val: 3`, which fills the shape.
  static std::string ConstantText(std::string_view name, std::string_view dtype,
                                  std::initializer_list<int64_t> shape, std::string_view values,
                                  const Names& control = {}) {
    std::string dims;
    for (int64_t size : shape) dims += Cat("dim { size: ", size, " } ");
    return NodeText(name, "Const", control,
                    AttributeText("dtype", Cat("type: ", dtype)) +
                        AttributeText("value", Cat("tensor { dtype: ", dtype, " tensor_shape { ",
                                                   dims, "} ", values, " }")));
  }

  SavedModelText& Node(std::string_view name, std::string_view op, const Names& inputs,
                       std::string_view attributes = "") {
    graph_ += Cat("node { ", NodeText(name, op, inputs, attributes), "} ");
    return *this;
  }
  SavedModelText& Constant(std::string_view name, std::string_view dtype,
                           std::initializer_list<int64_t> shape, std::string_view values,
                           const Names& control = {}) {
    graph_ += Cat("node { ", ConstantText(name, dtype, shape, values, control), "} ");
    return *this;
  }
  SavedModelText& Placeholder(std::string_view name, std::string_view dtype,
                              std::initializer_list<int64_t> shape) {
    std::string dims;
    for (int64_t size : shape) dims += Cat("dim { size: ", size, " } ");
    return Node(name, "Placeholder", {},
                AttributeText("dtype", Cat("type: ", dtype)) +
                    AttributeText("shape", Cat("shape { ", dims, "}")));
  }
  // Adds a function of the library. `nodes` are texts of NodeText.
  SavedModelText& Function(std::string_view name,
                           const std::vector<std::pair<std::string, std::string>>& inputs,
                           const std::vector<std::pair<std::string, std::string>>& outputs,
                           const std::vector<std::pair<std::string, std::string>>& results,
                           const Names& nodes) {
    library_ += Cat("function { signature { name: '", name, "' ");
    for (const auto& [key, dtype] : inputs) {
      library_ += Cat("input_arg { name: '", key, "' type: ", dtype, " } ");
    }
    for (const auto& [key, dtype] : outputs) {
      library_ += Cat("output_arg { name: '", key, "' type: ", dtype, " } ");
    }
    library_ += "} ";
    for (const std::string& node : nodes) library_ += Cat("node_def { ", node, "} ");
    for (const auto& [key, value] : results) {
      library_ += Cat("ret { key: '", key, "' value: '", value, "' } ");
    }
    library_ += "} ";
    return *this;
  }
  // Adds other fields of the MetaGraphDef.
  SavedModelText& Field(std::string_view text) {
    fields_ += Cat(text, " ");
    return *this;
  }
  SavedModelText& Signature(const std::vector<std::pair<std::string, std::string>>& inputs,
                            const Names& outputs) {
    fields_ += "signature_def { key: 'serving_default' value { ";
    for (const auto& [name, dtype] : inputs) {
      fields_ += Cat("inputs { key: '", name, "' value { name: '", name, ":0' dtype: ", dtype,
                     " tensor_shape { unknown_rank: true } } } ");
    }
    for (const std::string& name : outputs) {
      fields_ += Cat("outputs { key: '", name, "' value { name: '", name,
                     ":0' tensor_shape { unknown_rank: true } } } ");
    }
    fields_ += "} } ";
    return *this;
  }

  std::string Text() const {
    return Cat("saved_model_schema_version: 1 meta_graphs { meta_info_def { tags: 'serve' } ",
               "graph_def { versions { producer: 1000 } ", graph_, "library { ", library_, "} } ",
               fields_, "}");
  }

  StatusOr<std::shared_ptr<const LoadedModel>> Load(const std::filesystem::path& folder) const {
    std::ofstream(folder / "saved_model.pbtxt") << Text();
    return LoadModel(folder, "m", 1, {});
  }

  // Calls the function with the arguments, sorted by the names of the inputs.
  std::string Call(std::vector<std::pair<std::string, Value>> arguments) const {
    return CallIn(TemporaryFolder(), std::move(arguments));
  }
  // Does the same with a folder that may have other files of the SavedModel.
  std::string CallIn(const TemporaryFolder& folder,
                     std::vector<std::pair<std::string, Value>> arguments) const {
    auto loaded = Load(folder.path());
    if (!loaded.ok()) return Cat("error: ", MessageOf(loaded.status()));
    auto function = (*loaded)->FindFunction("serving_default");
    if (!function.ok()) return Cat("error: ", MessageOf(function.status()));
    auto result = (*function)->Call({{}, {arguments.begin(), arguments.end()}}, {});
    return result.ok() ? ToString(*result) : Cat("error: ", MessageOf(result.status()));
  }

 private:
  std::string graph_;
  std::string library_;
  std::string fields_;
};

}  // namespace signet
