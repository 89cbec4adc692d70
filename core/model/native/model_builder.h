// ModelBuilder: writes models from a program.
//
//   ModelBuilder model("Scores documents");
//   model.AddFunction("score", "(x: float32[?, 4], /, *, scale: float32[] = 1.0) -> float32[?]")
//       .Node("sums", "reduce_sum", {"x"}, {{"axes", 1}})
//       .Node("y", "mul", {"sums", "scale"})
//       .Result("y");
//   model.AddCapture("weights", Tensor::Of<float>({4}, {1, 2, 3, 4}));
//   SIGNET_RETURN_IF_ERROR(model.Save("models/documents/1"));
//
// Mistakes are found by Build and Save, which check all that loading checks. References, attributes
// and layout: docs/reference/models.md. One thread.

#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/formats/common/limits.h"
#include "core/model/model_def.h"

namespace signet {

namespace v1 {
class Function;
class Model;
}  // namespace v1

// Attributes that are no plain values.
struct FromValue {
  std::string reference;  // to a value that is a literal when the function is specialised
};
struct NamedFunction {
  std::string name;  // of the same model
};
struct WrittenType {
  std::string text;  // `float32`, `float32[?, 3]`
};

// Attributes of a node: {{"axes", 1}, {"k", FromValue{"top_k"}}, {"names", Strings{"a", "b"}}}.
using Ints = std::vector<int64_t>;
using Floats = std::vector<double>;
using Strings = std::vector<std::string>;
using NodeAttribute = std::variant<bool, int64_t, double, std::string, Ints, Floats, Strings,
                                   FromValue, NamedFunction, WrittenType>;
using NodeAttributes = std::vector<std::pair<std::string, NodeAttribute>>;

// One function of a model being built; belongs to its builder.
class FunctionBuilder {
 public:
  FunctionBuilder& Doc(std::string_view text);
  FunctionBuilder& ParameterDoc(std::string_view parameter, std::string_view text);
  FunctionBuilder& Example(std::string_view arguments);
  FunctionBuilder& Node(std::string_view name, std::string_view op, const Strings& inputs,
                        const NodeAttributes& attributes = {});
  FunctionBuilder& Result(std::string_view reference);

 private:
  friend class ModelBuilder;
  explicit FunctionBuilder(v1::Function& function) : function_(function) {}

  v1::Function& function_;
};

class ModelBuilder {
 public:
  enum class Form : uint8_t { kText, kBinary };

  explicit ModelBuilder(std::string_view doc = "");
  ~ModelBuilder();

  // The reference stays good as long as the builder.
  FunctionBuilder& AddFunction(std::string_view name, std::string_view signature);
  // A second of a name replaces the first.
  ModelBuilder& AddCapture(std::string_view name, Value value);
  ModelBuilder& AddMetadata(std::string_view key, std::string_view value);
  ModelBuilder& AddExtensionType(const ExtensionTypeDef& type);
  // A serialised FileDescriptorSet: the message types of rows that callers may send.
  ModelBuilder& SetDescriptorSet(std::string_view bytes);
  // Gives `step`, as in Model.message_fields, a name in structures.
  ModelBuilder& AddMessageField(std::string_view step, std::string_view name);

  // INVALID_ARGUMENT or NOT_FOUND with the place, as loading refuses.
  StatusOr<ModelDef> Build(const Limits& limits = {}) const;

  // Makes `folder` hold this model: numeric tensors in captures.safetensors, other captures beside
  // the functions. Replaces a model that is there; other files stay.
  Status Save(const std::filesystem::path& folder, Form form = Form::kText) const;

 private:
  std::unique_ptr<v1::Model> proto_;  // without captures
  std::vector<std::unique_ptr<FunctionBuilder>> functions_;
  Captures captures_;
};

}  // namespace signet
