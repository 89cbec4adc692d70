#include "core/model/call_arguments.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/formats/arrow.h"
#include "core/formats/json.h"
#include "core/formats/json_types.h"
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
                           const ModelDef& model, const Limits& limits,
                           const std::vector<bool>& needs) {
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
  return ValueFromProtobufRows(rows, *model.messages, argument.message_type, type, limits, options,
                               needs);
}

// Rejects what a format does not use: it would be lost without a word.
Status CheckPlaceOfData(const wire::Argument& argument) {
  const bool is_protobuf = *argument.format == v1::Encoded::PROTOBUF;
  if (is_protobuf && !argument.data.empty()) {
    return InvalidArgument("expected PROTOBUF messages in `rows`, one entry a message, found ",
                           argument.data.size(), " bytes in `data`");
  }
  if (!is_protobuf && !argument.rows.empty()) {
    return InvalidArgument("expected the text or stream in `data`, found ", argument.rows.size(),
                           argument.rows.size() == 1 ? " entry" : " entries",
                           " in `rows`, which only PROTOBUF uses");
  }
  return absl::OkStatus();
}

StatusOr<Value> DecodeFormat(const wire::Argument& argument, const TypeSpec& type,
                             const ModelDef& model, const Limits& given,
                             const std::vector<bool>& needs) {
  SIGNET_RETURN_IF_ERROR(CheckPlaceOfData(argument));
  Limits limits = given;
  limits.reject_unknown_fields = argument.reject_unknown_fields;
  switch (*argument.format) {
    case v1::Encoded::JSON:
      return ValueFromJson(argument.data.text(), type, limits, needs);
    case v1::Encoded::JSON_LINES:
      if (!type) {
        return InvalidArgument("JSON lines need a parameter with a type; this one takes anything");
      }
      return ValueFromJsonLines(argument.data.text(), type, limits, needs);
    case v1::Encoded::PROTOBUF:
      return DecodeRows(argument, type, model, limits, needs);
    case v1::Encoded::ARROW_IPC:
      return ValueFromArrow(argument.data, type, limits, needs);
    default:
      return InvalidArgument(
          "encoded in an unknown format; takes JSON, JSON_LINES, PROTOBUF or ARROW_IPC");
  }
}

StatusOr<Value> Decode(const wire::Argument& argument, const Place& place, const ModelDef& model,
                       const Limits& limits, const std::vector<bool>& needs = {}) {
  if (!argument.format) return argument.value;
  auto value = DecodeFormat(argument, place.type, model, limits, needs);
  if (value.ok()) return value;
  return WithField(place.name,
                   At(Cat("argument `", Printable(place.name), "`"), std::move(value).status()));
}

// Calls `visit` with each argument and its place, until it refuses.
template <class Visit>
Status ForEach(wire::CallRequest& request, const Places& places, Visit visit) {
  for (size_t i = 0; i < request.args.size(); ++i) {
    SIGNET_RETURN_IF_ERROR(visit(request.args[i], places.positional[i]));
  }
  for (size_t i = 0; i < request.kwargs.size(); ++i) {
    SIGNET_RETURN_IF_ERROR(visit(request.kwargs[i].second, places.keyword[i]));
  }
  return absl::OkStatus();
}

// Puts the values of JSON arguments that say their types in their places: the type of the parameter
// is not that of the value, which may still be converted.
Status DecodeTyped(const Model& model, const Places& places, wire::CallRequest& request,
                   const Limits& given) {
  static const TypeRegistry* const kNoTypes = new TypeRegistry;
  const TypeRegistry& types = model.types() != nullptr ? model.types()->registry() : *kNoTypes;
  auto decode = [&](wire::Argument& argument, const Place& place) -> StatusOr<Value> {
    SIGNET_RETURN_IF_ERROR(CheckPlaceOfData(argument));
    Limits limits = given;
    limits.reject_unknown_fields = argument.reject_unknown_fields;
    std::string_view text = argument.data.text();
    SIGNET_ASSIGN_OR_RETURN(TypeSpec type, TypeOfJson(text, place.type, types, limits));
    return ValueFromJson(text, type, limits);
  };
  return ForEach(request, places, [&](wire::Argument& argument, const Place& place) -> Status {
    bool is_typed = argument.format == v1::Encoded::JSON && MayHaveTypeKeys(argument.data.text());
    if (!is_typed) return absl::OkStatus();
    auto value = decode(argument, place);
    if (!value.ok()) {
      return WithField(
          place.name, At(Cat("argument `", Printable(place.name), "`"), std::move(value).status()));
    }
    argument.value = *std::move(value);
    argument.format.reset();
    return absl::OkStatus();
  });
}

bool IsEncoded(const wire::Argument& argument) { return argument.format.has_value(); }

bool AnyEncoded(const wire::CallRequest& request) {
  return std::any_of(request.args.begin(), request.args.end(), IsEncoded) ||
         std::any_of(request.kwargs.begin(), request.kwargs.end(),
                     [](const auto& named) { return IsEncoded(named.second); });
}

CallArguments ValuesOf(wire::CallRequest&& request) {
  CallArguments out;
  out.positional.reserve(request.args.size());
  out.keyword.reserve(request.kwargs.size());
  for (auto& argument : request.args) out.positional.push_back(std::move(argument.value));
  for (auto& [name, argument] : request.kwargs) {
    out.keyword.emplace_back(std::move(name), std::move(argument.value));
  }
  return out;
}

// Puts the values of all arguments in their places.
Status DecodeAll(const ModelDef& model, const Places& places, wire::CallRequest& request,
                 const Limits& limits) {
  return ForEach(request, places, [&](wire::Argument& argument, const Place& place) -> Status {
    SIGNET_ASSIGN_OR_RETURN(argument.value, Decode(argument, place, model, limits));
    return absl::OkStatus();
  });
}

// Whether there may be less to decode of an argument than all of it.
bool HasParts(const wire::Argument& argument, const Place& place) {
  return argument.format && place.type && place.type.num_components() > 1;
}

size_t ArgumentNamed(const Function::Prepared& prepared, std::string_view name) {
  const auto& parameters = prepared.function->type.parameters();
  auto found = std::find_if(parameters.begin(), parameters.end(),
                            [&](const Parameter& parameter) { return parameter.name == name; });
  return static_cast<size_t>(found - parameters.begin());
}

// The call made ready with what it needs of its arguments; nothing where that is all of them, or
// not known.
StatusOr<std::optional<Function::Prepared>> PrepareInPart(
    const ModelDef& model, const Function& function, const Places& places,
    wire::CallRequest& request, const Limits& limits, const RunControl& control) {
  bool any_parts = false;
  SIGNET_RETURN_IF_ERROR(
      ForEach(request, places, [&](wire::Argument& argument, const Place& place) -> Status {
        any_parts |= HasParts(argument, place);
        return absl::OkStatus();
      }));
  if (!any_parts) return std::optional<Function::Prepared>();
  SIGNET_RETURN_IF_ERROR(
      ForEach(request, places, [&](wire::Argument& argument, const Place& place) -> Status {
        if (HasParts(argument, place)) {
          argument.value = Value::OfType(place.type);
        } else if (argument.format) {
          SIGNET_ASSIGN_OR_RETURN(argument.value, Decode(argument, place, model, limits));
          argument.format.reset();
        }
        return absl::OkStatus();
      }));
  CallArguments stand_ins;
  for (const auto& argument : request.args) stand_ins.positional.push_back(argument.value);
  for (const auto& [name, argument] : request.kwargs) {
    stand_ins.keyword.emplace_back(name, argument.value);
  }
  std::optional<Function::Prepared> prepared =
      function.PrepareForTypes(std::move(stand_ins), control);
  if (!prepared) return prepared;
  bool any_unneeded = false;
  for (size_t i = 0; i < prepared->arguments.size(); ++i) {
    if (!prepared->arguments[i].is_placeholder()) continue;
    std::vector<bool> needs = prepared->NeedsOf(i);
    any_unneeded |= std::find(needs.begin(), needs.end(), false) != needs.end();
  }
  if (!any_unneeded) return std::optional<Function::Prepared>();
  std::vector<std::pair<size_t, Value>> decoded;
  SIGNET_RETURN_IF_ERROR(
      ForEach(request, places, [&](wire::Argument& argument, const Place& place) -> Status {
        if (!argument.format) return absl::OkStatus();
        size_t i = ArgumentNamed(*prepared, place.name);
        SIGNET_ASSIGN_OR_RETURN(Value value,
                                Decode(argument, place, model, limits, prepared->NeedsOf(i)));
        decoded.emplace_back(i, std::move(value));
        return absl::OkStatus();
      }));
  for (auto& [i, value] : decoded) prepared->arguments[i] = std::move(value);
  return prepared;
}

Status CheckNoPlaceholders(const FunctionType& type, const wire::CallRequest& request) {
  auto refuse = [](std::string_view name) {
    return WithField(name,
                     InvalidArgument("argument `", Printable(name),
                                     "` is a type in place of a value; only Explain takes those"));
  };
  for (size_t i = 0; i < request.args.size(); ++i) {
    if (request.args[i].value.is_placeholder()) return refuse(PositionalName(type, i));
  }
  for (const auto& [name, argument] : request.kwargs) {
    if (argument.value.is_placeholder()) return refuse(name);
  }
  return absl::OkStatus();
}

}  // namespace

StatusOr<CallArguments> DecodeArguments(const Model& model, const Function& function,
                                        wire::CallRequest request, const Limits& limits) {
  if (AnyEncoded(request)) {
    SIGNET_ASSIGN_OR_RETURN(Places places, FindPlaces(function, request));
    SIGNET_RETURN_IF_ERROR(DecodeTyped(model, places, request, limits));
    SIGNET_RETURN_IF_ERROR(DecodeAll(model.def(), places, request, limits));
  }
  return ValuesOf(std::move(request));
}

StatusOr<Function::Prepared> PrepareCall(const Model& model, const Function& function,
                                         wire::CallRequest request, const Limits& limits,
                                         const RunControl& control) {
  SIGNET_RETURN_IF_ERROR(CheckNoPlaceholders(function.def().type, request));
  if (AnyEncoded(request)) {
    SIGNET_ASSIGN_OR_RETURN(Places places, FindPlaces(function, request));
    SIGNET_RETURN_IF_ERROR(DecodeTyped(model, places, request, limits));
    SIGNET_ASSIGN_OR_RETURN(auto prepared,
                            PrepareInPart(model.def(), function, places, request, limits, control));
    if (prepared) return *std::move(prepared);
    SIGNET_RETURN_IF_ERROR(DecodeAll(model.def(), places, request, limits));
  }
  return function.Prepare(ValuesOf(std::move(request)), control);
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
