#include "server/protocols/inference/model_facts.h"

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

#include "core/formats/inference/infer_message.h"
#include "core/model/source_names.h"
#include "core/serving/flat/flat_signature.h"
#include "server/protocols/inference/infer_call.h"
#include "signet/record_spec.h"
#include "signet/structured_spec.h"

namespace signet {
namespace {

constexpr char kPlatform[] = "signet";

struct Described {
  std::shared_ptr<const LoadedModel> model;
  const PolymorphicFunction* function = nullptr;
};

StatusOr<Described> Find(const ServerContext& server, const std::string& name,
                         const std::string& version) {
  SIGNET_ASSIGN_OR_RETURN(InferTarget target, ParseInferTarget(name, version));
  Described out;
  SIGNET_ASSIGN_OR_RETURN(out.model, server.repository.Find(target.model, target.version));
  SIGNET_ASSIGN_OR_RETURN(out.function, target.function.empty()
                                            ? FindDefaultFunction(*out.model)
                                            : out.model->FindFunction(target.function));
  return out;
}

std::vector<int64_t> DimsOf(const FlatTensor& tensor) {
  if (!tensor.shape.has_rank()) return {kUnknownDim};
  const auto dims = tensor.shape.dims();
  std::vector<int64_t> out(dims.begin(), dims.end());
  if (tensor.dtype && IsComplex(*tensor.dtype)) out.push_back(2);
  return out;
}

// A parameter of any type has no datatype; the properties say so.
std::string_view DatatypeOfAny(const FlatTensor& tensor) {
  return tensor.dtype ? DatatypeOf(*tensor.dtype) : "BYTES";
}

// A tensor as clients see it, and whether it may be left out.
struct Input {
  FlatTensor tensor;
  bool is_optional = false;
};

std::vector<Input> InputsOf(const FlatSignature& signature) {
  std::vector<Input> out;
  for (const FlatParameter& parameter : signature.parameters) {
    if (parameter.is_variadic || parameter.is_weight) continue;
    for (const FlatTensor& tensor : parameter.tensors) {
      out.push_back({tensor, parameter.is_optional});
    }
    if (!parameter.tensors.empty()) continue;
    out.push_back(
        {{.name = parameter.name, .dtype = DType::kString, .shape = PartialShape{kUnknownDim}},
         parameter.is_optional});
  }
  return out;
}

// Returns the labels of the classes that the fields of records are, in their order, as JSON. Empty
// if the fields have the names of their classes.
std::string LabelsOf(const FunctionDef& def, const TypeSpec& type, const std::string& key) {
  const auto* records = type.As<StructuredSpec>();
  if (records == nullptr) return {};
  auto labels = nlohmann::json::array();
  bool is_different = false;
  for (size_t i = 0; i < records->field_names().size(); ++i) {
    const std::string& field = records->field_names()[type.rep().WrittenChild(i)];
    auto label = def.source_results.find(Cat(key, ".", field));
    is_different |= label != def.source_results.end();
    labels.push_back(label == def.source_results.end() ? field : label->second);
  }
  if (!is_different) return {};
  return labels.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void AddLabels(const PolymorphicFunction& function,
               google::protobuf::Map<std::string, std::string>& properties) {
  const FunctionDef& def = function.def();
  const TypeSpec& result = function.output();
  if (def.source_results.empty() || !result) return;
  auto add = [&](const std::string& name, std::string labels) {
    if (!labels.empty()) properties[Cat("labels.", name)] = std::move(labels);
  };
  if (const auto* dict = result.As<DictSpec>()) {
    for (size_t i = 0; i < dict->keys().size(); ++i) {
      const std::string& key = dict->keys()[i];
      add(SourceNameOfResult(def, key), LabelsOf(def, result.children()[i], key));
    }
  } else if (result.is(TypeKind::kStructured)) {
    add(SourceNameOfResult(def, ""), LabelsOf(def, result, ""));
  }
}

// States what the tensors do not show: the signature, and the types of structured parameters.
void AddProperties(const Described& found, const FlatSignature& signature,
                   google::protobuf::Map<std::string, std::string>& properties) {
  properties["signature"] = found.function->signature();
  if (!found.function->def().doc.empty()) properties["doc"] = found.function->def().doc;
  std::vector<std::string> optional;
  for (const FlatParameter& parameter : signature.parameters) {
    if (parameter.is_weight) continue;
    if (parameter.is_optional) optional.push_back(parameter.name);
    if (parameter.is_tensor() && parameter.type) continue;
    std::string text = parameter.type ? parameter.type.ToString() : "any type";
    if (parameter.is_variadic) {
      text = "any number of further inputs";
    } else if (parameter.type && !parameter.tensors.empty()) {
      text += "; pass its components, or one BYTES tensor with JSON";
    } else if (parameter.type) {
      text += "; pass one BYTES tensor with JSON";
    }
    properties[Cat("inputs.", parameter.name)] = std::move(text);
  }
  if (!optional.empty()) properties["optional_inputs"] = Join(optional, ", ");
  if (signature.results.empty()) properties["outputs"] = "known when the function is called";
  AddLabels(*found.function, properties);
  std::vector<std::string> functions;
  for (const auto& function : found.model->functions()) {
    if (IsInternal(function->def().name)) continue;
    functions.push_back(SourceNameOf(found.model->def(), function->def()));
  }
  if (functions.size() > 1) properties["functions"] = Join(functions, ", ");
}

inference::DataType DataTypeOf(const FlatTensor& tensor) {
  const std::string name(DatatypeOfAny(tensor));
  inference::DataType type = inference::TYPE_STRING;
  if (name != "BYTES") inference::DataType_Parse("TYPE_" + name, &type);
  return type;
}

// Returns the format of a batch of images of 1 or 3 channels, or none.
inference::ModelInput::Format FormatOf(const FlatTensor& tensor) {
  constexpr int kImageRank = 4;
  if (!tensor.shape.has_rank() || tensor.shape.rank() != kImageRank) {
    return inference::ModelInput::FORMAT_NONE;
  }
  auto has_channels = [&](int axis) {
    return tensor.shape.dim(axis) == 1 || tensor.shape.dim(axis) == 3;
  };
  if (has_channels(1)) return inference::ModelInput::FORMAT_NCHW;
  return has_channels(3) ? inference::ModelInput::FORMAT_NHWC : inference::ModelInput::FORMAT_NONE;
}

std::string_view StateOf(const VersionStatus& version) {
  using State = VersionStatus::State;
  switch (version.state) {
    case State::kAvailable:
      return "READY";
    case State::kLoading:
      return "LOADING";
    case State::kUnloading:
      return "UNLOADING";
    case State::kNotLoaded:
      return version.is_on_demand ? "READY" : "UNAVAILABLE";
    case State::kFailed:
      return "UNAVAILABLE";
  }
  __builtin_unreachable();
}

void SetDuration(uint64_t count, uint64_t nanoseconds, inference::StatisticDuration& out) {
  out.set_count(count);
  out.set_ns(nanoseconds);
}

inference::InferStatistics InferStatisticsOf(const VersionCounters<uint64_t>& counters) {
  inference::InferStatistics out;
  const uint64_t good = counters.successes;
  auto time = [&](Stage stage) { return counters.stages[static_cast<size_t>(stage)]; };
  SetDuration(good, counters.success_time, *out.mutable_success());
  SetDuration(counters.failures, counters.failure_time, *out.mutable_fail());
  SetDuration(good, time(Stage::kQueue), *out.mutable_queue());
  SetDuration(good, time(Stage::kDecode) + time(Stage::kBind) + time(Stage::kDispatch),
              *out.mutable_compute_input());
  SetDuration(good, time(Stage::kRun) + time(Stage::kBatch), *out.mutable_compute_infer());
  SetDuration(good, time(Stage::kEncode), *out.mutable_compute_output());
  return out;
}

// Adds the counters of a function to `sum`.
void AddCounters(const VersionCounters<uint64_t>& counters, VersionCounters<uint64_t>& sum) {
  sum.successes += counters.successes;
  sum.success_time += counters.success_time;
  sum.failures += counters.failures;
  sum.failure_time += counters.failure_time;
  for (size_t i = 0; i < sum.stages.size(); ++i) sum.stages[i] += counters.stages[i];
  sum.batches += counters.batches;
  sum.batch_calls += counters.batch_calls;
  sum.last_call = std::max(sum.last_call, counters.last_call);
}

}  // namespace

inference::ServerMetadataResponse ServerFacts(const InferenceOptions& options) {
  inference::ServerMetadataResponse out;
  out.set_name("signet");
  out.set_version(options.version);
  for (const char* extension :
       {"binary_tensor_data", "classification", "generate", "logging", "model_configuration",
        "model_repository", "parameters", "schedule_policy", "statistics", "trace"}) {
    out.add_extensions(extension);
  }
  if (options.shared_memory != nullptr) out.add_extensions("system_shared_memory");
  return out;
}

Status CheckModelReady(const ServerContext& server, const std::string& name,
                       const std::string& version) {
  SIGNET_ASSIGN_OR_RETURN(const InferTarget target, ParseInferTarget(name, version));
  // A model is ready although its calls must name a function.
  Status found = target.function.empty()
                     ? server.repository.Find(target.model, target.version).status()
                     : Find(server, name, version).status();
  // Such a model is loaded at its first call.
  return ReasonOf(found) == "LOADED_ON_DEMAND" ? absl::OkStatus() : found;
}

Status CheckModelReady(const ServerContext& server, const Access& access, const std::string& name,
                       const std::string& version) {
  SIGNET_ASSIGN_OR_RETURN(const InferTarget target, ParseInferTarget(name, version));
  SIGNET_RETURN_IF_ERROR(access.Check(Rpc::kHealth, target.model));
  return CheckModelReady(server, name, version);
}

Status CheckModelOfSettings(const ServerContext& server, const Access& access,
                            const std::string& name) {
  if (name.empty()) return absl::OkStatus();
  const Status found = InferErrorOf(CheckModelReady(server, access, name, ""), name, "");
  if (!absl::IsNotFound(found)) return found;
  // Clients compare this sentence, which has another form than that of calls.
  return NotFound("Request for unknown model : ", Printable(name), "; ", MessageOf(found));
}

StatusOr<inference::ModelMetadataResponse> MetadataOf(const ServerContext& server,
                                                      const std::string& name,
                                                      const std::string& version) {
  SIGNET_ASSIGN_OR_RETURN(Described found, Find(server, name, version));
  inference::ModelMetadataResponse out;
  out.set_name(name);
  if (auto status = server.repository.StatusOf(found.model->name())) {
    for (const VersionStatus& known : status->versions) {
      if (known.is_servable()) out.add_versions(Cat(known.version));
    }
  }
  out.set_platform(kPlatform);
  const FlatSignature signature = FlatSignatureOf(*found.function);
  auto add = [](const FlatTensor& tensor, auto& made) {
    made.set_name(tensor.name);
    made.set_datatype(std::string(DatatypeOfAny(tensor)));
    for (int64_t dim : DimsOf(tensor)) made.add_shape(dim);
  };
  for (const Input& input : InputsOf(signature)) add(input.tensor, *out.add_inputs());
  for (const FlatTensor& result : signature.results) add(result, *out.add_outputs());
  AddProperties(found, signature, *out.mutable_properties());
  return out;
}

StatusOr<inference::ModelConfigResponse> ConfigOf(const ServerContext& server,
                                                  const std::string& name,
                                                  const std::string& version) {
  SIGNET_ASSIGN_OR_RETURN(Described found, Find(server, name, version));
  inference::ModelConfigResponse response;
  inference::ModelConfig& out = *response.mutable_config();
  out.set_name(name);
  out.set_platform(kPlatform);
  out.set_backend(kPlatform);
  const FlatSignature signature = FlatSignatureOf(*found.function);
  for (const Input& input : InputsOf(signature)) {
    auto& made = *out.add_input();
    made.set_name(input.tensor.name);
    made.set_data_type(DataTypeOf(input.tensor));
    for (int64_t dim : DimsOf(input.tensor)) made.add_dims(dim);
    made.set_format(FormatOf(input.tensor));
    made.set_optional(input.is_optional);
  }
  for (const FlatTensor& result : signature.results) {
    auto& made = *out.add_output();
    made.set_name(result.name);
    made.set_data_type(DataTypeOf(result));
    for (int64_t dim : DimsOf(result)) made.add_dims(dim);
  }
  google::protobuf::Map<std::string, std::string> properties;
  AddProperties(found, signature, properties);
  for (const auto& [key, value] : properties) {
    (*out.mutable_parameters())[key].set_string_value(value);
  }
  return response;
}

StatusOr<inference::ModelStatisticsResponse> StatisticsOf(const ServerContext& server,
                                                          const Access& access,
                                                          const std::string& name,
                                                          const std::string& version) {
  inference::ModelStatisticsResponse out;
  SIGNET_ASSIGN_OR_RETURN(InferTarget target, ParseInferTarget(name, version));
  if (!name.empty()) {
    SIGNET_RETURN_IF_ERROR(access.Check(Rpc::kGetModel, target.model));
    SIGNET_RETURN_IF_ERROR(InferErrorOf(CheckModelReady(server, name, version), name, version));
    const auto found = Find(server, name, version);
    // Calls are counted by the name of the function in the model.
    if (found.ok() && !target.function.empty()) target.function = found->function->def().name;
  }
  const std::vector<const CallSeries*> series = server.observer.metrics().AllSeries();
  for (const ModelStatus& status : server.repository.List()) {
    if (!name.empty() && status.name != target.model) continue;
    if (!access.Permits(Rpc::kGetModel, status.name)) continue;
    for (const VersionStatus& known : status.versions) {
      if (!known.is_servable()) continue;
      if (target.version && *target.version != known.version) continue;
      VersionCounters<uint64_t> sum;
      for (const CallSeries* one : series) {
        const bool is_meant = one->model() == status.name &&
                              (target.function.empty() || one->function() == target.function);
        if (is_meant) AddCounters(one->SumOf(known.version), sum);
      }
      auto& made = *out.add_model_stats();
      made.set_name(name.empty() ? status.name : name);
      made.set_version(Cat(known.version));
      made.set_last_inference(sum.last_call);
      made.set_inference_count(sum.successes);
      made.set_execution_count(sum.successes - std::min(sum.successes, sum.batch_calls) +
                               sum.batches);
      *made.mutable_inference_stats() = InferStatisticsOf(sum);
    }
  }
  return out;
}

inference::RepositoryIndexResponse IndexOf(const ServerContext& server, const Access& access,
                                           bool only_ready) {
  inference::RepositoryIndexResponse out;
  for (const ModelStatus& status : server.repository.List()) {
    if (!access.Permits(Rpc::kListModels, status.name)) continue;
    for (const VersionStatus& version : status.versions) {
      if (only_ready && !version.is_servable()) continue;
      auto& model = *out.add_models();
      model.set_name(status.name);
      model.set_version(Cat(version.version));
      model.set_state(std::string(StateOf(version)));
      model.set_reason(version.state == VersionStatus::State::kAvailable ? "" : version.reason);
    }
  }
  return out;
}

}  // namespace signet
