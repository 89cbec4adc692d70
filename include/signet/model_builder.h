// ModelBuilder: builds a model from a program, in memory or as files.
//
//   signet::ModelBuilder builder("Scores documents");
//   builder.AddCapture("weights", signet::Tensor::Of<float>({4}, {1, 2, 3, 4}));
//   builder.AddFunction("score", "(x: float32[?, 4], /, *, scale: float32[] = 1.0) -> float32[?]")
//       .Node("weighted", "mul", {"x", "weights"})
//       .Node("sums", "reduce_sum", {"weighted"}, {{"axes", 1}})
//       .Node("y", "mul", {"sums", "scale"})
//       .Result("y");
//   auto model = builder.Build();                   // a signet::Model, or what is wrong with it
//   auto saved = builder.Save("models/documents/1");  // for signet-server
//
// Build and Save check all that loading checks, and their errors name the function and the node.
// References, attributes, and the files are described in docs/reference/models.md. Not thread-safe.

#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "signet/extension_type.h"
#include "signet/model.h"
#include "signet/status.h"
#include "signet/value.h"

namespace signet {

struct ModelDef;

// Attributes that are not plain values.
struct FromValue {
  std::string reference;  // to a value that is a literal when the function is specialized
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

// One function of a model that is being built. Its builder owns it.
class FunctionBuilder {
 public:
  FunctionBuilder& Doc(std::string_view text);
  FunctionBuilder& ParameterDoc(std::string_view parameter, std::string_view text);
  FunctionBuilder& Example(std::string_view arguments);
  // Names the parameters that contain rows, so that servers may join calls
  // (docs/guide/batching.md).
  FunctionBuilder& Batch(const Strings& parameters);
  // Adds a node that calls an op. Each input is a reference: to a parameter, a capture, or another
  // node, to a field (`x.title`) or to an output (`best:1`) of it, or a value such as `2.0`.
  FunctionBuilder& Node(std::string_view name, std::string_view op, const Strings& inputs,
                        const NodeAttributes& attributes = {});
  FunctionBuilder& Result(std::string_view reference);

 private:
  struct Contents;
  friend class ModelBuilder;
  explicit FunctionBuilder(Contents& contents) : contents_(contents) {}

  Contents& contents_;
};

class ModelBuilder {
 public:
  enum class Form : uint8_t { kText, kBinary };

  explicit ModelBuilder(std::string_view doc = "");
  ~ModelBuilder();

  // Adds a function with a signature in the notation. The reference is valid as long as the
  // builder.
  FunctionBuilder& AddFunction(std::string_view name, std::string_view signature);
  // Adds a value that functions refer to by name. A second one of the same name replaces the first.
  ModelBuilder& AddCapture(std::string_view name, Value value);
  ModelBuilder& AddMetadata(std::string_view key, std::string_view value);
  ModelBuilder& AddExtensionType(const ExtensionType& type);
  // Sets a serialized FileDescriptorSet: the message types of rows that callers may send.
  ModelBuilder& SetDescriptorSet(std::string_view bytes);
  // Adds an entry to Model.message_fields: the name of a step of a message in structures.
  ModelBuilder& AddMessageField(std::string_view step, std::string_view name);

  // Returns the model. Errors are INVALID_ARGUMENT, NOT_FOUND, or FAILED_PRECONDITION, with the
  // place.
  StatusOr<Model> Build(const LoadOptions& options = {}) const;

  // Writes the model to `folder`: numeric tensors to captures.safetensors, everything else to
  // model.signet or model.pb. Replaces a model that exists there, and keeps other files.
  Status Save(const std::filesystem::path& folder, Form form = Form::kText) const;

 private:
  struct Contents;
  friend StatusOr<ModelDef> BuildModelDef(const ModelBuilder& builder);

  std::unique_ptr<Contents> contents_;
};

}  // namespace signet
