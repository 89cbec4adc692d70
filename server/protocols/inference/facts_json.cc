#include "server/protocols/inference/facts_json.h"

#include <algorithm>
#include <utility>

namespace signet {
namespace {

using Json = nlohmann::ordered_json;

template <class Tensors>
Json JsonOfTensors(const Tensors& tensors) {
  Json out = Json::array();
  for (const auto& tensor : tensors) {
    out.push_back({{"name", tensor.name()},
                   {"datatype", tensor.datatype()},
                   {"shape", std::vector<int64_t>(tensor.shape().begin(), tensor.shape().end())}});
  }
  return out;
}

Json JsonOfDuration(const inference::StatisticDuration& duration) {
  return {{"count", duration.count()}, {"ns", duration.ns()}};
}

}  // namespace

Json JsonOf(const inference::ModelMetadataResponse& metadata) {
  Json properties = Json::object();
  for (const auto& [key, value] : std::map<std::string, std::string>(metadata.properties().begin(),
                                                                     metadata.properties().end())) {
    properties[key] = value;
  }
  return {{"name", metadata.name()},
          {"versions",
           std::vector<std::string>(metadata.versions().begin(), metadata.versions().end())},
          {"platform", metadata.platform()},
          {"inputs", JsonOfTensors(metadata.inputs())},
          {"outputs", JsonOfTensors(metadata.outputs())},
          {"properties", std::move(properties)}};
}

Json JsonOf(const inference::ModelConfigResponse& response) {
  const inference::ModelConfig& config = response.config();
  auto entry = [](const auto& tensor) -> Json {
    return {{"name", tensor.name()},
            {"data_type", inference::DataType_Name(tensor.data_type())},
            {"dims", std::vector<int64_t>(tensor.dims().begin(), tensor.dims().end())}};
  };
  Json inputs = Json::array();
  for (const auto& input : config.input()) {
    Json made = entry(input);
    made["format"] = inference::ModelInput::Format_Name(input.format());
    made["optional"] = input.optional();
    inputs.push_back(std::move(made));
  }
  Json outputs = Json::array();
  for (const auto& output : config.output()) outputs.push_back(entry(output));
  Json parameters = Json::object();
  for (const auto& [key, value] : config.parameters()) {
    parameters[key] = {{"string_value", value.string_value()}};
  }
  return {{"name", config.name()},
          {"platform", config.platform()},
          {"backend", config.backend()},
          {"max_batch_size", config.max_batch_size()},
          {"input", std::move(inputs)},
          {"output", std::move(outputs)},
          {"parameters", std::move(parameters)},
          {"model_transaction_policy", {{"decoupled", false}}}};
}

Json JsonOf(const inference::ModelStatisticsResponse& statistics) {
  Json models = Json::array();
  for (const inference::ModelStatistics& model : statistics.model_stats()) {
    const inference::InferStatistics& stats = model.inference_stats();
    models.push_back({{"name", model.name()},
                      {"version", model.version()},
                      {"last_inference", model.last_inference()},
                      {"inference_count", model.inference_count()},
                      {"execution_count", model.execution_count()},
                      {"inference_stats",
                       {{"success", JsonOfDuration(stats.success())},
                        {"fail", JsonOfDuration(stats.fail())},
                        {"queue", JsonOfDuration(stats.queue())},
                        {"compute_input", JsonOfDuration(stats.compute_input())},
                        {"compute_infer", JsonOfDuration(stats.compute_infer())},
                        {"compute_output", JsonOfDuration(stats.compute_output())},
                        {"cache_hit", JsonOfDuration(stats.cache_hit())},
                        {"cache_miss", JsonOfDuration(stats.cache_miss())}}},
                      {"batch_stats", Json::array()},
                      {"memory_usage", Json::array()},
                      {"response_stats", Json::object()}});
  }
  return {{"model_stats", std::move(models)}};
}

Json JsonOf(const inference::RepositoryIndexResponse& index) {
  Json out = Json::array();
  for (const auto& model : index.models()) {
    Json entry = {{"name", model.name()}, {"version", model.version()}, {"state", model.state()}};
    entry["reason"] = model.reason();  // some clients require it
    out.push_back(std::move(entry));
  }
  return out;
}

Json JsonOf(const LogSettingsMap& settings) {
  Json out = Json::object();
  for (const auto& [name, value] : settings) {
    std::visit([&, &name = name](const auto& setting) { out[name] = setting; }, value);
  }
  return out;
}

Json JsonOf(const TraceSettingsMap& settings) {
  Json out = Json::object();
  for (const auto& [name, values] : settings) {
    out[name] = name == "trace_level" ? Json(values) : Json(values[0]);
  }
  return out;
}

StatusOr<LogSettingsMap> WantedLogSettings(const Json& body) {
  LogSettingsMap out;
  for (const auto& [name, value] : body.items()) {
    if (value.is_null()) continue;
    if (value.is_boolean()) {
      out[name] = value.get<bool>();
    } else if (value.is_string()) {
      out[name] = value.get<std::string>();
    } else if (value.is_number_unsigned() && value.get<uint64_t>() <= UINT32_MAX) {
      out[name] = value.get<uint32_t>();
    } else {
      return InvalidArgument("log setting `", Printable(name),
                             "`: expected true, false, a string, or a whole number of 32 bits");
    }
  }
  return out;
}

StatusOr<TraceSettingsMap> WantedTraceSettings(const Json& body) {
  TraceSettingsMap out;
  for (const auto& [name, value] : body.items()) {
    std::vector<std::string>& texts = out[name];
    if (value.is_null()) continue;
    if (value.is_string()) {
      texts.push_back(value.get<std::string>());
      continue;
    }
    const bool has_texts =
        value.is_array() &&
        std::all_of(value.begin(), value.end(), [](auto& text) { return text.is_string(); });
    if (!has_texts) {
      return InvalidArgument("trace setting `", Printable(name),
                             "`: expected a string or a list of strings");
    }
    for (const Json& text : value) texts.push_back(text.get<std::string>());
  }
  return out;
}

}  // namespace signet
