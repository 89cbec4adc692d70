#include "python/core/local_model.h"

#include "core/api/model_options.h"
#include "core/api/shared_threads.h"
#include "core/describe/explanation_message.h"
#include "core/describe/model_message.h"
#include "core/frontends/load_model.h"
#include "core/model/language/model_folder.h"
#include "core/model/language/model_printer.h"
#include "core/model/native/writer.h"
#include "core/serving/call/execute.h"

namespace signet {

StatusOr<LocalModel> LocalModel::Load(const std::filesystem::path& path, std::string name) {
  SIGNET_ASSIGN_OR_RETURN(auto model,
                          LoadModel(path, std::move(name), 1, ModelOptionsOf(LoadOptions())));
  return LocalModel(std::move(model));
}

StatusOr<LocalModel> LocalModel::Make(const TraceLibrary& library, ModelTexts texts,
                                      std::string name) {
  SIGNET_ASSIGN_OR_RETURN(ModelDef def, library.MakeModel(std::move(texts)));
  auto model = std::make_shared<LoadedModel>(std::move(name), 1, std::move(def),
                                             ModelOptionsOf(LoadOptions()));
  SIGNET_RETURN_IF_ERROR(model->CheckBodies());
  return LocalModel(std::move(model));
}

StatusOr<CallRequest> LocalModel::Read(const wire::Message& message) const {
  auto place = [&](const CallRequest& read, const std::string* keyword) {
    wire::ArgumentPlace out = wire::PlaceInCall(read, keyword);
    auto function = model_->FindFunction(read.function);
    if (!function.ok()) return out;
    out.function = CalledFunction{model_, *function}.path();
    if (keyword == nullptr) {
      out.argument = PositionalName((*function)->def().type, read.arguments.positional.size() - 1);
    }
    return out;
  };
  return wire::ParseCallRequest(message, model_->options().limits, place);
}

StatusOr<wire::Pieces> LocalModel::Call(const wire::Message& request, double seconds,
                                        const std::atomic<bool>& cancelled) const {
  SIGNET_ASSIGN_OR_RETURN(CallRequest read, Read(request));
  CalledFunction called{model_};
  SIGNET_ASSIGN_OR_RETURN(called.function, model_->FindFunction(read.function));
  SIGNET_ASSIGN_OR_RETURN(BoundCall call, BindCall(std::move(called), std::move(read)));
  RunControl control;
  control.cancelled = &cancelled;
  control.parallel = SharedThreads();
  if (seconds > 0) {
    control.deadline = std::chrono::steady_clock::now() +
                       std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                           std::chrono::duration<double>(seconds));
  }
  CallExecution execution(std::move(call), model_->options().limits);
  SIGNET_ASSIGN_OR_RETURN(CallOutput output, execution.Attempt(control));
  return wire::WriteCallResponse(output.result, output.model_version);
}

v1::GetModelResponse LocalModel::Describe() const {
  v1::GetModelResponse out = ModelToMessage(*model_);
  out.add_versions(model_->version());
  return out;
}

StatusOr<v1::ExplainResponse> LocalModel::Explain(const wire::Message& request) const {
  SIGNET_ASSIGN_OR_RETURN(CallRequest read, Read(request));
  CalledFunction called{model_};
  SIGNET_ASSIGN_OR_RETURN(called.function, model_->FindFunction(read.function));
  StatusOr<BoundCall> call = BindToFunction(called, std::move(read));
  return ExplainToMessage(called, call, model_->options().limits, {});
}

StatusOr<std::string> LocalModel::Text() const {
  SIGNET_ASSIGN_OR_RETURN(PrintedModel printed, PrintModel(model_->def()));
  return std::move(printed.text);
}

Status LocalModel::Save(const std::filesystem::path& folder, bool binary) const {
  if (binary) return WriteNativeModel(folder, model_->def(), Limits());
  return WriteLanguageModel(folder, model_->def());
}

}  // namespace signet
