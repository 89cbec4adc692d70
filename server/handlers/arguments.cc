#include "server/handlers/arguments.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/formats/arrow.h"
#include "core/formats/json.h"
#include "core/formats/protobuf_rows.h"
#include "core/function/binding.h"

namespace signet {
namespace {

// Where an argument goes: the parameter's name, as messages show it, and its constraint.
struct Place {
  std::string name;
  TypeSpec type;  // null: any
};

struct Places {
  std::vector<Place> positional;
  std::vector<Place> keyword;
};

Places PlacesOf(const FunctionType& type, const Binding& binding,
                const wire::CallRequest& request) {
  Places places;
  places.positional.resize(request.args.size());
  places.keyword.resize(request.kwargs.size());
  for (size_t i = 0; i < binding.parameters.size(); ++i) {
    const Parameter& parameter = type.parameters()[i];
    const BoundParameter& bound = binding.parameters[i];
    if (parameter.kind == ParameterKind::kVarPositional) {
      for (size_t k = 0; k < bound.count; ++k) {
        size_t index = bound.index + k;
        places.positional[index] = {PositionalName(type, index), parameter.type};
      }
    } else if (bound.source == BoundParameter::Source::kPositional) {
      places.positional[bound.index] = {parameter.name, parameter.type};
    } else if (bound.source == BoundParameter::Source::kKeyword) {
      places.keyword[bound.index] = {parameter.name, parameter.type};
    }
  }
  for (size_t k : binding.extra_keywords) places.keyword[k] = {request.kwargs[k].first, {}};
  return places;
}

StatusOr<Places> FindPlaces(const Function& function, const wire::CallRequest& request) {
  const FunctionType& type = function.def().type;
  std::vector<std::string_view> keywords;
  keywords.reserve(request.kwargs.size());
  for (const auto& [name, argument] : request.kwargs) keywords.push_back(name);
  SIGNET_ASSIGN_OR_RETURN(Binding binding,
                          BindArguments(type, request.args.size(), keywords, function.signature()));
  return PlacesOf(type, binding, request);
}

StatusOr<Value> DecodeRows(const wire::Argument& argument, const TypeSpec& type,
                           const ModelDef& model, const Limits& limits) {
  if (model.messages == nullptr) {
    return FailedPrecondition(
        "protobuf rows need message types, of which the model has none (descriptors.pb); takes "
        "tensors, or JSON");
  }
  if (argument.message_type.empty()) {
    return InvalidArgument("protobuf rows without a message_type; message types: ",
                           ListNames(model.messages->message_names()));
  }
  std::vector<std::string_view> rows;
  rows.reserve(argument.rows.size());
  for (const Buffer& row : argument.rows) rows.push_back(row.text());
  ProtobufOptions options;
  options.names = model.message_fields;
  return ValueFromProtobufRows(rows, *model.messages, argument.message_type, type, limits, options);
}

StatusOr<Value> DecodeFormat(const wire::Argument& argument, const TypeSpec& type,
                             const ModelDef& model, const Limits& limits) {
  switch (*argument.format) {
    case v1::Encoded::JSON:
      return ValueFromJson(argument.data.text(), type, limits);
    case v1::Encoded::JSON_LINES:
      if (!type) {
        return InvalidArgument("JSON lines need a parameter with a type; this one takes anything");
      }
      return ValueFromJsonLines(argument.data.text(), type, limits);
    case v1::Encoded::PROTOBUF:
      return DecodeRows(argument, type, model, limits);
    case v1::Encoded::ARROW_IPC:
      return ValueFromArrow(argument.data, type, limits);
    default:
      return InvalidArgument("encoded in an unknown format; takes JSON, JSON_LINES, PROTOBUF or ARROW_IPC");
  }
}

StatusOr<Value> Decode(wire::Argument& argument, const Place& place, const ModelDef& model,
                       const Limits& limits) {
  if (!argument.format) return std::move(argument.value);
  auto value = DecodeFormat(argument, place.type, model, limits);
  if (value.ok()) return value;
  return WithField(place.name,
                   At(Cat("argument `", Printable(place.name), "`"), std::move(value).status()));
}

bool IsEncoded(const wire::Argument& argument) { return argument.format.has_value(); }

}  // namespace

StatusOr<CallArguments> DecodeArguments(const Model& model, const Function& function,
                                        wire::CallRequest request, const Limits& limits) {
  CallArguments out;
  out.positional.reserve(request.args.size());
  out.keyword.reserve(request.kwargs.size());
  bool any_encoded = std::any_of(request.args.begin(), request.args.end(), IsEncoded) ||
                     std::any_of(request.kwargs.begin(), request.kwargs.end(),
                                 [](const auto& named) { return IsEncoded(named.second); });
  if (!any_encoded) {
    for (auto& argument : request.args) out.positional.push_back(std::move(argument.value));
    for (auto& [name, argument] : request.kwargs) {
      out.keyword.emplace_back(std::move(name), std::move(argument.value));
    }
    return out;
  }
  SIGNET_ASSIGN_OR_RETURN(Places places, FindPlaces(function, request));
  for (size_t i = 0; i < request.args.size(); ++i) {
    SIGNET_ASSIGN_OR_RETURN(Value value,
                            Decode(request.args[i], places.positional[i], model.def(), limits));
    out.positional.push_back(std::move(value));
  }
  for (size_t i = 0; i < request.kwargs.size(); ++i) {
    auto& [name, argument] = request.kwargs[i];
    SIGNET_ASSIGN_OR_RETURN(Value value, Decode(argument, places.keyword[i], model.def(), limits));
    out.keyword.emplace_back(std::move(name), std::move(value));
  }
  return out;
}

Status CheckNoPlaceholders(const FunctionType& type, const CallArguments& arguments) {
  auto refuse = [](std::string_view name) {
    return WithField(name,
                     InvalidArgument("argument `", Printable(name),
                                     "` is a type in place of a value; only Explain takes those"));
  };
  for (size_t i = 0; i < arguments.positional.size(); ++i) {
    if (!arguments.positional[i].is_placeholder()) continue;
    return refuse(PositionalName(type, i));
  }
  for (const auto& [name, value] : arguments.keyword) {
    if (value.is_placeholder()) return refuse(name);
  }
  return absl::OkStatus();
}

std::string PositionalName(const FunctionType& type, size_t index) {
  for (size_t i = 0; i < type.parameters().size(); ++i) {
    const Parameter& parameter = type.parameters()[i];
    if (parameter.kind > ParameterKind::kVarPositional) break;
    if (parameter.kind == ParameterKind::kVarPositional) return Cat(parameter.name, "_", index - i);
    if (i == index) return parameter.name;
  }
  return Cat("args[", index, "]");
}

}  // namespace signet
