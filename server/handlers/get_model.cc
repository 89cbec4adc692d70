#include "server/handlers/get_model.h"

#include "core/formats/wire.h"
#include "core/function/signature.h"
#include "server/handlers/published_limits.h"

namespace signet {
namespace {

StatusOr<std::shared_ptr<const Model>> FindModel(const Repository& repository,
                                                 const v1::ModelSpec& spec) {
  std::optional<int64_t> version;
  if (spec.has_version()) version = spec.version();
  return repository.Find(spec.name(), version, spec.label());
}

v1::FunctionInfo FunctionInfoOf(const Function& function) {
  const FunctionDef& def = function.def();
  v1::FunctionInfo out;
  out.set_name(def.name);
  out.set_doc(def.doc);
  FunctionType type = def.type.WithOutput(function.output());
  out.set_signature(FormatSignature(def.name, type, def.defaults, def.dimension_names));
  *out.mutable_type() = wire::FunctionTypeToProto(type);
  for (const auto& [name, doc] : def.parameter_docs) (*out.mutable_parameter_docs())[name] = doc;
  for (const std::string& example : def.examples) out.add_examples(example);
  out.set_num_concrete_functions(static_cast<int64_t>(function.cache_stats().targets));
  return out;
}

}  // namespace

StatusOr<v1::GetModelResponse> GetModel(const Serving& serving,
                                        const v1::GetModelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(auto model, FindModel(serving.repository, request.model()));
  v1::GetModelResponse response;
  response.set_name(model->name());
  response.set_version(model->version());
  response.set_doc(model->def().doc);
  for (const auto& function : model->functions()) {
    if (IsInternal(function->def().name)) continue;
    *response.add_functions() = FunctionInfoOf(*function);
  }
  for (const ModelStatus& status : serving.repository.List()) {
    if (status.name != model->name()) continue;
    for (const VersionStatus& version : status.versions) {
      if (version.state == VersionStatus::State::kAvailable) {
        response.add_versions(version.version);
      }
    }
    for (const auto& [label, version] : status.labels)
      (*response.mutable_labels())[label] = version;
  }
  for (const auto& [key, value] : model->def().metadata)
    (*response.mutable_metadata())[key] = value;
  *response.mutable_limits() = PublishedLimits(serving);
  return response;
}

}  // namespace signet
