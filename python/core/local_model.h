// LocalModel: a model in the process, called with the messages that a server receives. Thread-safe;
// immutable.

#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "core/formats/signet_wire/wire.h"
#include "core/model/loaded_model.h"
#include "core/model/tracing/imported_functions.h"
#include "core/model/tracing/trace_library.h"
#include "signet/v1/service.pb.h"

namespace signet {

class LocalModel {
 public:
  // Loads the directory of a version, or a file model.onnx.
  static StatusOr<LocalModel> Load(const std::filesystem::path& path, std::string name);
  static StatusOr<LocalModel> Make(const TraceLibrary& library, ModelTexts texts, std::string name);

  // Returns a CallResponse for the bytes of a CallRequest. The model that the request names does
  // not matter. `seconds` is the time limit; 0 for none. The call ends when `cancelled` is set.
  StatusOr<wire::Pieces> Call(const wire::Message& request, double seconds,
                              const std::atomic<bool>& cancelled) const;
  v1::GetModelResponse Describe() const;
  StatusOr<v1::ExplainResponse> Explain(const wire::Message& request) const;
  const Captures& captures() const { return model_->def().captures; }
  // Returns the functions for use in a trace, with `prefix` before their names.
  StatusOr<std::vector<std::shared_ptr<const TracedFunction>>> Functions(
      std::string_view prefix) const {
    return ImportFunctions(model_->def(), prefix);
  }
  // Returns the text of model.signet.
  StatusOr<std::string> Text() const;
  // Writes model.signet, or model.pb, and captures.safetensors.
  Status Save(const std::filesystem::path& folder, bool binary) const;

 private:
  explicit LocalModel(std::shared_ptr<const LoadedModel> model) : model_(std::move(model)) {}
  StatusOr<CallRequest> Read(const wire::Message& message) const;

  std::shared_ptr<const LoadedModel> model_;
};

}  // namespace signet
