#include "core/model/call_arguments.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/formats/arrow/arrow.h"
#include "core/formats/json/json.h"
#include "core/formats/json/json_types.h"
#include "core/formats/protobuf/protobuf_rows.h"
#include "core/function/binding.h"
#include "core/types/extension_spec.h"
#include "core/types/sequence_spec.h"

namespace signet {
namespace {

// Where an argument goes: the parameter's name, as messages show it, its constraint, and its place
// among the arguments of the canonical call.
struct Place {
  std::string name;
  TypeSpec type;     // null: any
  size_t index = 0;  // not set for an entry of **kwargs
};

struct Places {
  std::vector<Place> positional;
  std::vector<Place> keyword;
};

// The type under which a text or a message is decoded: `any` says as little as no type.
TypeSpec DecodedType(const TypeSpec& constraint) {
  TypeSpec type = constraint;
  while (type && type.is(TypeKind::kAny)) {
    type = type.children().empty() ? TypeSpec() : type.children()[0];
  }
  return type;
}

Places PlacesOf(const FunctionType& type, const Binding& binding,
                const wire::CallRequest& request) {
  Places places;
  places.positional.resize(request.args.size());
  places.keyword.resize(request.kwargs.size());
  size_t next = 0;
  for (size_t i = 0; i < binding.parameters.size(); ++i) {
    const Parameter& parameter = type.parameters()[i];
    const BoundParameter& bound = binding.parameters[i];
    if (parameter.kind == ParameterKind::kVarPositional) {
      for (size_t k = 0; k < bound.count; ++k) {
        size_t index = bound.index + k;
        places.positional[index] = {PositionalName(type, index), {}, next++};
      }
      continue;
    }
    if (parameter.kind == ParameterKind::kVarKeyword) continue;
    Place place{parameter.name, DecodedType(parameter.type), next++};
    if (bound.source == BoundParameter::Source::kPositional) {
      places.positional[bound.index] = std::move(place);
    } else if (bound.source == BoundParameter::Source::kKeyword) {
      places.keyword[bound.index] = std::move(place);
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

// `form` with the components that the current version declares, if it states none; null if these
// are not known.
TypeSpec InFull(const TypeSpec& form, const ExtensionDeclaration& declaration) {
  const auto* extension = form.As<ExtensionSpec>();
  if (extension == nullptr || !form.children().empty()) return form;
  if (extension->name() != declaration.name) return {};
  bool is_older =
      std::any_of(declaration.older.begin(), declaration.older.end(), [&](const TypeSpec& older) {
        return older.As<ExtensionSpec>()->statics() == extension->statics();
      });
  bool is_known = std::all_of(declaration.components.begin(), declaration.components.end(),
                              [](const auto& component) { return bool{component.second}; });
  if (is_older || !is_known) return {};
  auto type = MakeExtensionType(declaration.name, extension->statics(), declaration.components);
  return type.ok() ? *std::move(type) : TypeSpec();
}

// The types that convert to `wanted`, an extension type that the model declares: the forms in which
// an encoded argument may come, in declared order. Empty for other types.
std::vector<TypeSpec> FormsOf(const TypeSpec& wanted, const ModelDef& model) {
  constexpr size_t kMaxForms = 16;
  std::vector<TypeSpec> forms;
  const auto* extension = wanted ? wanted.As<ExtensionSpec>() : nullptr;
  if (extension == nullptr) return forms;
  for (const ExtensionTypeDef& type : model.extension_types) {
    if (type.declaration.name != extension->name()) continue;
    for (const TypeSpec& older : type.declaration.older) forms.push_back(older);
    for (const ConversionDef& conversion : type.functions.conversions) {
      TypeSpec form = InFull(conversion.from, type.declaration);
      bool is_new = std::find(forms.begin(), forms.end(), form) == forms.end();
      if (form && is_new) forms.push_back(std::move(form));
    }
  }
  if (forms.size() > kMaxForms) forms.resize(kMaxForms);
  return forms;
}

bool IsNestOfValues(const TypeSpec& type) {
  return type && (IsSequence(type) || type.is(TypeKind::kDict) || type.is(TypeKind::kNamedTuple));
}

// Whether a value of `type` is a nest with values that may come in several types.
bool HasOpenParts(const TypeSpec& type, const ModelDef& model) {
  if (!IsNestOfValues(type)) return false;
  return std::any_of(type.children().begin(), type.children().end(), [&](const TypeSpec& child) {
    return child.is(TypeKind::kAny) || HasOpenParts(child, model) || !FormsOf(child, model).empty();
  });
}

// The type as which a JSON text is read where a value of `type` is wanted.
StatusOr<TypeSpec> JsonTypeOf(const wire::Argument& argument, const TypeSpec& type,
                              const ModelDef& model, const Limits& limits) {
  auto forms = [&](const TypeSpec& wanted) { return FormsOf(wanted, model); };
  static const TypeRegistry* const kNoTypes = new TypeRegistry;
  return TypeOfJson(argument.data.text(), type, *kNoTypes, forms, limits);
}

// Text and messages do not say their type: a text that does not read as the parameter's type is
// read as the first type that reads it of those that convert to it. Binding converts the value.
StatusOr<Value> DecodeAs(const wire::Argument& argument, const TypeSpec& type,
                         const ModelDef& model, const Limits& limits,
                         const std::vector<bool>& needs) {
  if (argument.format == v1::Encoded::JSON && HasOpenParts(type, model)) {
    SIGNET_RETURN_IF_ERROR(CheckPlaceOfData(argument));
    SIGNET_ASSIGN_OR_RETURN(TypeSpec found, JsonTypeOf(argument, type, model, limits));
    return DecodeFormat(argument, found, model, limits, {});
  }
  auto value = DecodeFormat(argument, type, model, limits, needs);
  if (value.ok() || absl::IsResourceExhausted(value.status()) || !needs.empty()) return value;
  for (const TypeSpec& form : FormsOf(type, model)) {
    auto read = DecodeFormat(argument, form, model, limits, {});
    if (read.ok() || absl::IsResourceExhausted(read.status())) return read;
  }
  return value;
}

// What threads decode on which a call must be short. A few bytes of rows without values, of
// dictionaries, or of fields that take their defaults may stand for many values; compute threads
// decode those.
constexpr int64_t kShortExpandedBytes = int64_t{256} << 10;
constexpr int64_t kShortElements = int64_t{64} << 10;
constexpr size_t kShortCells = size_t{512} << 10;  // bytes times components of the type

constexpr size_t kShortTypedBytes = size_t{16} << 10;  // of JSON that says its types

bool IsShort(const wire::Argument& argument, const TypeSpec& type) {
  size_t bytes = argument.data.size();
  for (const Buffer& row : argument.rows) bytes += row.size() + 1;
  return bytes * (type ? type.num_components() : 1) <= kShortCells;
}

StatusOr<Value> DecodeWithin(Deferral* deferral, const wire::Argument& argument,
                             const TypeSpec& type, const ModelDef& model, const Limits& limits,
                             const std::vector<bool>& needs) {
  if (deferral == nullptr || !deferral->must_be_short) {
    return DecodeAs(argument, type, model, limits, needs);
  }
  if (!IsShort(argument, type)) return deferral->Move();
  Limits tight = limits;
  tight.expanded_bytes = std::min(limits.expanded_bytes, kShortExpandedBytes);
  tight.tensor_elements = std::min(limits.tensor_elements, kShortElements);
  auto value = DecodeAs(argument, type, model, tight, needs);
  if (absl::IsResourceExhausted(value.status())) return deferral->Move();
  return value;
}

// Checks the rank of `type` and of the types within it. The reader of wire values checks it itself.
Status CheckRanks(const TypeSpec& type, const Limits& limits) {
  const PartialShape* shape = type.shape();
  if (shape != nullptr && shape->has_rank() && shape->rank() > limits.rank) {
    return InvalidArgument("rank ", shape->rank(), " exceeds the limit of ", limits.rank,
                           " (--max_rank)");
  }
  for (const TypeSpec& child : type.children()) {
    SIGNET_RETURN_IF_ERROR(CheckRanks(child, limits));
  }
  return absl::OkStatus();
}

StatusOr<Value> Decode(const wire::Argument& argument, const Place& place, const ModelDef& model,
                       const Limits& limits, Deferral* deferral = nullptr,
                       const std::vector<bool>& needs = {}) {
  if (!argument.format) return argument.value;
  auto value = DecodeWithin(deferral, argument, place.type, model, limits, needs);
  if (value.ok()) {
    Status ranks = CheckRanks(value->spec(), limits);
    if (ranks.ok()) return value;
    value = std::move(ranks);
  }
  return WithField(place.name,
                   At(Cat("argument `", Printable(place.name), "`"), std::move(value).status()));
}

bool IsEncoded(const wire::Argument& argument) { return argument.format.has_value(); }

bool AnyEncoded(const wire::CallRequest& request) {
  return std::any_of(request.args.begin(), request.args.end(), IsEncoded) ||
         std::any_of(request.kwargs.begin(), request.kwargs.end(),
                     [](const auto& named) { return IsEncoded(named.second); });
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
                   const Limits& given, Deferral* deferral) {
  static const TypeRegistry* const kNoTypes = new TypeRegistry;
  const TypeRegistry& types = model.types() != nullptr ? model.types()->registry() : *kNoTypes;
  const bool must_be_short = deferral != nullptr && deferral->must_be_short;
  auto decode = [&](const wire::Argument& argument, const Place& place) -> StatusOr<Value> {
    SIGNET_RETURN_IF_ERROR(CheckPlaceOfData(argument));
    std::string_view text = argument.data.text();
    if (must_be_short && text.size() > kShortTypedBytes) return deferral->Move();
    Limits limits = given;
    limits.reject_unknown_fields = argument.reject_unknown_fields;
    auto forms = [&](const TypeSpec& wanted) { return FormsOf(wanted, model.def()); };
    SIGNET_ASSIGN_OR_RETURN(TypeSpec type, TypeOfJson(text, place.type, types, forms, limits));
    SIGNET_ASSIGN_OR_RETURN(Value value, ValueFromJson(text, type, limits));
    SIGNET_RETURN_IF_ERROR(CheckRanks(value.spec(), limits));
    return value;
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

bool IsStopped(const RunControl& control) {
  return control.deferral != nullptr && control.deferral->is_stopped();
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

// Puts the values back from where ValuesOf took them.
void PutBack(CallArguments values, wire::CallRequest& request) {
  for (size_t i = 0; i < request.args.size(); ++i) {
    request.args[i].value = std::move(values.positional[i]);
  }
  for (size_t i = 0; i < request.kwargs.size(); ++i) {
    request.kwargs[i].first = std::move(values.keyword[i].first);
    request.kwargs[i].second.value = std::move(values.keyword[i].second);
  }
}

// Puts the values of all arguments in their places.
Status DecodeAll(const ModelDef& model, const Places& places, wire::CallRequest& request,
                 const Limits& limits, Deferral* deferral) {
  return ForEach(request, places, [&](wire::Argument& argument, const Place& place) -> Status {
    SIGNET_ASSIGN_OR_RETURN(argument.value, Decode(argument, place, model, limits, deferral));
    argument.format.reset();
    return absl::OkStatus();
  });
}

// Whether there may be less to decode of an argument than all of it. An argument that may come in
// another form is decoded as a whole.
bool HasParts(const wire::Argument& argument, const Place& place, const ModelDef& model) {
  return argument.format && place.type && place.type.num_components() > 1 &&
         FormsOf(place.type, model).empty() && !HasOpenParts(place.type, model);
}

// The call made ready with what it needs of its arguments; nothing where that is all of them, or
// not known.
StatusOr<std::optional<Function::Prepared>> PrepareInPart(
    const ModelDef& model, const Function& function, const Places& places,
    wire::CallRequest& request, const Limits& limits, const RunControl& control) {
  bool any_parts = false;
  SIGNET_RETURN_IF_ERROR(
      ForEach(request, places, [&](wire::Argument& argument, const Place& place) -> Status {
        any_parts |= HasParts(argument, place, model);
        return absl::OkStatus();
      }));
  if (!any_parts) return std::optional<Function::Prepared>();
  SIGNET_RETURN_IF_ERROR(
      ForEach(request, places, [&](wire::Argument& argument, const Place& place) -> Status {
        if (HasParts(argument, place, model)) {
          argument.value = Value::OfType(place.type);
        } else if (argument.format) {
          SIGNET_ASSIGN_OR_RETURN(argument.value,
                                  Decode(argument, place, model, limits, control.deferral));
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
  if (IsStopped(control)) return Unavailable("stopped");
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
        SIGNET_ASSIGN_OR_RETURN(Value value,
                                Decode(argument, place, model, limits, control.deferral,
                                       prepared->NeedsOf(place.index)));
        decoded.emplace_back(place.index, std::move(value));
        return absl::OkStatus();
      }));
  for (auto& [i, value] : decoded) prepared->arguments[i] = std::move(value);
  prepared = function.PrepareForParts(*std::move(prepared), control);
  if (IsStopped(control)) return Unavailable("stopped");
  return prepared;
}

Status CheckNoPlaceholders(const FunctionType& type, const wire::CallRequest& request) {
  auto refuse = [](std::string_view name) {
    return WithField(name,
                     InvalidArgument("argument `", Printable(name),
                                     "` is a type in place of a value; only Explain takes those"));
  };
  for (size_t i = 0; i < request.args.size(); ++i) {
    const wire::Argument& argument = request.args[i];
    if (!argument.format && argument.value.is_placeholder()) {
      return refuse(PositionalName(type, i));
    }
  }
  for (const auto& [name, argument] : request.kwargs) {
    if (!argument.format && argument.value.is_placeholder()) return refuse(name);
  }
  return absl::OkStatus();
}

}  // namespace

StatusOr<CallArguments> DecodeArguments(const Model& model, const Function& function,
                                        wire::CallRequest request, const Limits& limits,
                                        Deferral* deferral) {
  if (AnyEncoded(request)) {
    SIGNET_ASSIGN_OR_RETURN(Places places, FindPlaces(function, request));
    SIGNET_RETURN_IF_ERROR(DecodeTyped(model, places, request, limits, deferral));
    SIGNET_RETURN_IF_ERROR(DecodeAll(model.def(), places, request, limits, deferral));
  }
  return ValuesOf(std::move(request));
}

StatusOr<Function::Prepared> PrepareCall(const Model& model, const Function& function,
                                         wire::CallRequest&& request, const Limits& limits,
                                         const RunControl& control) {
  SIGNET_RETURN_IF_ERROR(CheckNoPlaceholders(function.def().type, request));
  if (AnyEncoded(request)) {
    SIGNET_ASSIGN_OR_RETURN(Places places, FindPlaces(function, request));
    SIGNET_RETURN_IF_ERROR(DecodeTyped(model, places, request, limits, control.deferral));
    SIGNET_ASSIGN_OR_RETURN(auto prepared,
                            PrepareInPart(model.def(), function, places, request, limits, control));
    if (prepared) {
      auto kept = std::make_shared<const wire::CallRequest>(std::move(request));
      prepared->prepare_all = [&model, &function, limits, places,
                               kept](const RunControl& later) -> StatusOr<Function::Prepared> {
        wire::CallRequest whole = *kept;
        SIGNET_RETURN_IF_ERROR(DecodeAll(model.def(), places, whole, limits, later.deferral));
        return function.Prepare(ValuesOf(std::move(whole)), later);
      };
      return *std::move(prepared);
    }
    SIGNET_RETURN_IF_ERROR(DecodeAll(model.def(), places, request, limits, control.deferral));
  }
  CallArguments arguments = ValuesOf(std::move(request));
  auto prepared = function.PrepareFrom(arguments, control);
  if (!prepared.ok() && IsStopped(control)) PutBack(std::move(arguments), request);
  return prepared;
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
