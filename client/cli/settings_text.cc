#include "client/cli/settings_text.h"

#include <algorithm>
#include <map>
#include <vector>

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include "client/cli/table.h"
#include "core/serving/repository/model_settings.h"

namespace signet {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

std::string OriginText(v1::SettingOrigin origin) {
  switch (origin) {
    case v1::FLAG:
      return "flag";
    case v1::FILE:
      return "file";
    case v1::ADMIN:
      return "admin";
    default:
      return "default";
  }
}

std::string ScalarText(const Message& message, const FieldDescriptor& field) {
  const auto& reflection = *message.GetReflection();
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_BOOL:
      return reflection.GetBool(message, &field) ? "true" : "false";
    case FieldDescriptor::CPPTYPE_INT32:
      return Cat(reflection.GetInt32(message, &field));
    case FieldDescriptor::CPPTYPE_INT64:
      return Cat(reflection.GetInt64(message, &field));
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return Cat(reflection.GetDouble(message, &field));
    case FieldDescriptor::CPPTYPE_ENUM:
      return reflection.GetEnum(message, &field)->name();
    case FieldDescriptor::CPPTYPE_STRING: {
      std::string text = reflection.GetString(message, &field);
      return text.empty() ? "none" : text;
    }
    default:
      return "";
  }
}

}  // namespace

std::string SettingText(const v1::ModelSettings& settings, const std::string& path) {
  if (path == "version_policy") return FormatVersionPolicy(settings.version_policy());
  size_t point = path.find('.');
  std::string first = path.substr(0, point);
  std::string rest = point == path.npos ? "" : path.substr(point + 1);
  if (first == "labels") {
    auto label = settings.labels().find(rest);
    return label == settings.labels().end() ? "" : Cat(label->second);
  }
  constexpr std::string_view kFunctions = "functions.";
  if (first == "batching" && rest.starts_with(kFunctions)) {
    auto batched = settings.batching().functions().find(rest.substr(kFunctions.size()));
    if (batched == settings.batching().functions().end()) return "";
    const auto& parameters = batched->second.parameters();
    return Join(std::vector<std::string>(parameters.begin(), parameters.end()), ", ");
  }
  for (bool is_input : {true, false}) {
    const std::string_view kind = is_input ? "inputs." : "outputs.";
    if (first != "frozen_graph" || !rest.starts_with(kind)) continue;
    const auto& tensors =
        is_input ? settings.frozen_graph().inputs() : settings.frozen_graph().outputs();
    auto tensor = tensors.find(rest.substr(kind.size()));
    return tensor == tensors.end() ? "" : tensor->second;
  }
  const Message* message = &settings;
  const FieldDescriptor* field = message->GetDescriptor()->FindFieldByName(first);
  if (field != nullptr && !rest.empty() && field->message_type() != nullptr) {
    message = &message->GetReflection()->GetMessage(*message, field);
    field = message->GetDescriptor()->FindFieldByName(rest);
  }
  if (field == nullptr || field->is_repeated()) return "";
  return ScalarText(*message, *field);
}

std::string RenderSettings(const v1::GetModelResponse& model) {
  std::map<std::string, v1::SettingOrigin> sorted(model.setting_origins().begin(),
                                                  model.setting_origins().end());
  std::vector<std::vector<std::string>> rows = {{"SETTING", "VALUE", "ORIGIN"}};
  for (const auto& [path, origin] : sorted) {
    std::string value = SettingText(model.settings(), path);
    bool is_adaptive = value == "0" && path == "scheduling.max_concurrent_calls";
    bool is_inherited = value == "0" && path.starts_with("scheduling.max_queued");
    rows.push_back({path,
                    is_adaptive    ? "adaptive"
                    : is_inherited ? "of the server"
                                   : value,
                    OriginText(origin)});
  }
  return rows.size() > 1 ? AlignColumns(rows) : "";
}

}  // namespace signet
