#include "core/serving/call/warm_up.h"

#include <chrono>
#include <utility>

#include <google/protobuf/io/zero_copy_stream_impl.h>
#include <google/protobuf/util/delimited_message_util.h>

#include "core/formats/signet_wire/wire.h"
#include "core/serving/call/execute.h"
#include "core/serving/examples/example_files.h"
#include "signet/v1/recorded.pb.h"

namespace signet {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kCallTime(60);
constexpr uintmax_t kMaxFileBytes = uintmax_t{1} << 30;

Buffer BufferOf(std::string text) {
  auto owner = std::make_shared<const std::string>(std::move(text));
  return Buffer::Borrow(std::as_bytes(std::span(*owner)), owner);
}

Status RunCall(const std::shared_ptr<const LoadedModel>& model, CallRequest request,
               const Limits& limits, const std::atomic<bool>& cancelled) {
  if (cancelled.load()) return Cancelled("the server is stopping");
  SIGNET_ASSIGN_OR_RETURN(const PolymorphicFunction* function,
                          model->FindFunction(request.function));
  SIGNET_ASSIGN_OR_RETURN(BoundCall bound, BindToFunction({model, function}, std::move(request)));
  RunControl control{.deadline = std::chrono::steady_clock::now() + kCallTime,
                     .cancelled = &cancelled};
  return CallExecution(std::move(bound), limits).Attempt(control).status();
}

Status RunExamples(const std::shared_ptr<const LoadedModel>& model, const fs::path& folder,
                   const Limits& limits, const std::atomic<bool>& cancelled) {
  bool has_file = true;
  auto read = [&](const std::string& path) {
    auto text = ReadFileIn(folder, path, kMaxFileBytes);
    has_file = has_file && text.ok();
    return text;
  };
  for (const auto& function : model->functions()) {
    const FunctionDef& def = function->def();
    if (IsInternal(def.name)) continue;
    for (const std::string& example : def.examples) {
      has_file = true;
      auto request = ParseExample(model->name(), def.name, example, read);
      if (!has_file) continue;  // a file of the client
      Status status =
          request.ok() ? RunCall(model, *std::move(request), limits, cancelled) : request.status();
      SIGNET_RETURN_IF_ERROR(
          At(Cat("function `", def.name, "`: example `", Printable(example), "`"), status));
    }
  }
  return absl::OkStatus();
}

Status RunRecordedCalls(const std::shared_ptr<const LoadedModel>& model, const fs::path& folder,
                        const std::string& name, const Limits& limits,
                        const std::atomic<bool>& cancelled) {
  SIGNET_ASSIGN_OR_RETURN(std::string bytes, ReadFileIn(folder, name, kMaxFileBytes));
  google::protobuf::io::ArrayInputStream stream(bytes.data(), static_cast<int>(bytes.size()));
  for (int number = 1;; ++number) {
    std::string where = Cat("`", Printable(name), "`: request ", number);
    v1::RecordedCall call;
    bool is_end = false;
    if (!google::protobuf::util::ParseDelimitedFromZeroCopyStream(&call, &stream, &is_end)) {
      if (is_end) return absl::OkStatus();
      return At(where, FailedPrecondition("expected a message signet.v1.RecordedCall after its "
                                          "size, found bytes that do not parse"));
    }
    if (call.code() != 0) continue;  // a call that failed when it was recorded
    std::string serialized = call.request().SerializeAsString();
    auto owner = std::make_shared<const std::string>(std::move(serialized));
    wire::Message message{{std::as_bytes(std::span(*owner))}, owner};
    auto request = wire::ParseCallRequest(message, limits);
    Status status = request.status();
    if (request.ok()) {
      if (!request->model.empty() && request->model != model->name()) continue;
      status = RunCall(model, *std::move(request), limits, cancelled);
    }
    SIGNET_RETURN_IF_ERROR(At(where, status));
  }
}

}  // namespace

StatusOr<CallRequest> ParseExample(const std::string& model, const std::string& function,
                                   const std::string& example, const ReadText& read) {
  SIGNET_ASSIGN_OR_RETURN(std::vector<std::string> words, SplitWords(example));
  SIGNET_ASSIGN_OR_RETURN(std::vector<ArgumentWord> arguments, ParseArgumentWords(words, read));
  CallRequest request;
  request.model = model;
  request.function = function;
  request.result_format.format = DataFormat::kJson;
  for (ArgumentWord& argument : arguments) {
    const bool is_keyword = argument.name.has_value();
    auto* json = std::get_if<JsonWord>(&argument.value);
    if (json != nullptr) {
      EncodedArgument& encoded = request.encoded.emplace_back();
      encoded.is_keyword = is_keyword;
      encoded.index =
          is_keyword ? request.arguments.keyword.size() : request.arguments.positional.size();
      encoded.data = BufferOf(std::move(json->text));
    }
    Value value = json != nullptr ? Value() : std::get<Value>(std::move(argument.value));
    if (is_keyword) {
      request.arguments.keyword.emplace_back(*argument.name, std::move(value));
    } else {
      request.arguments.positional.push_back(std::move(value));
    }
  }
  return request;
}

Status WarmUpModel(const std::shared_ptr<const LoadedModel>& model, const fs::path& folder,
                   const v1::WarmUp& settings, const Limits& limits,
                   const std::atomic<bool>& cancelled) {
  bool runs_examples = !settings.has_examples() || settings.examples();
  if (runs_examples) SIGNET_RETURN_IF_ERROR(RunExamples(model, folder, limits, cancelled));
  if (settings.requests_file().empty()) return absl::OkStatus();
  return RunRecordedCalls(model, folder, settings.requests_file(), limits, cancelled);
}

decltype(RepositoryOptions::warm_up) WarmUpWith(const Limits& limits) {
  return [limits](const std::shared_ptr<const LoadedModel>& model, const fs::path& folder,
                  const v1::ModelSettings& settings, const std::atomic<bool>& cancelled) {
    Limits stricter = StricterLimits(limits, settings.limits());
    return WarmUpModel(model, folder, settings.warm_up(), stricter, cancelled);
  };
}

}  // namespace signet
