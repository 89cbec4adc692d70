#include "core/serving/call/decode.h"

#include <algorithm>
#include <utility>

#include "core/formats/json/json.h"
#include "core/formats/json/json_types.h"
#include "core/serving/call/accepted_forms.h"
#include "core/serving/call/decode_format.h"

namespace signet {
namespace {

// The limits for data that a thread for short work only may decode. A few bytes of empty rows, of
// dictionaries, or of fields with default values may expand to many values, which compute threads
// decode.
constexpr int64_t kShortExpandedBytes = int64_t{256} << 10;
constexpr int64_t kShortElements = int64_t{64} << 10;
constexpr size_t kShortCells = size_t{512} << 10;      // bytes times components of the type
constexpr size_t kShortTypedBytes = size_t{16} << 10;  // of JSON that states its types

Status AtBoundArgument(const BoundArgument& argument, Status status) {
  return WithField(argument.name,
                   At(Cat("argument `", Printable(argument.name), "`"), std::move(status)));
}

bool IsShort(const EncodedArgument& argument, const TypeSpec& type) {
  size_t bytes = argument.data.size();
  for (const Buffer& row : argument.rows) bytes += row.size() + 1;
  return bytes * (type ? type.num_components() : 1) <= kShortCells;
}

const TypeRegistry& NoTypes() {
  static const TypeRegistry* const none = new TypeRegistry;
  return *none;
}

// Returns the type of the value of a JSON text: `wanted`, or the type that the text states or shows
// if `wanted` is open.
StatusOr<TypeSpec> JsonTypeOf(const EncodedArgument& argument, const TypeSpec& wanted,
                              const TypeRegistry& types, const ModelDef& model,
                              const Limits& limits) {
  auto forms = [&](const TypeSpec& type) { return AcceptedForms(type, model); };
  return TypeOfJson(argument.data.text(), wanted, types, forms, limits);
}

// Decodes under the type of the parameter, or else under the first accepted form.
StatusOr<Value> DecodeInAnyForm(const BoundArgument& argument, const ModelDef& model,
                                const Limits& limits, const std::vector<bool>& needs) {
  const auto& [encoded, type] = std::tie(argument.encoded, argument.type);
  if (encoded.format == DataFormat::kJson && HasOpenParts(type, model)) {
    SIGNET_RETURN_IF_ERROR(CheckDataField(encoded));
    SIGNET_ASSIGN_OR_RETURN(TypeSpec found, JsonTypeOf(encoded, type, NoTypes(), model, limits));
    return DecodeUnderType(encoded, found, model, limits);
  }
  auto value = DecodeUnderType(encoded, type, model, limits, needs);
  if (value.ok() || absl::IsResourceExhausted(value.status()) || !needs.empty()) return value;
  for (const TypeSpec& form : AcceptedForms(type, model)) {
    auto read = DecodeUnderType(encoded, form, model, limits);
    if (read.ok() || absl::IsResourceExhausted(read.status())) return read;
  }
  return value;
}

// Decodes like DecodeInAnyForm, or stops the call if that may take long on this thread.
StatusOr<Value> DecodeOrMove(const BoundArgument& argument, const ModelDef& model,
                             const Limits& limits, Deferral* deferral,
                             const std::vector<bool>& needs) {
  if (deferral == nullptr || !deferral->must_be_short) {
    return DecodeInAnyForm(argument, model, limits, needs);
  }
  if (!IsShort(argument.encoded, argument.type)) return deferral->Move();
  Limits tight = limits;
  tight.expanded_bytes = std::min(limits.expanded_bytes, kShortExpandedBytes);
  tight.tensor_elements = std::min(limits.tensor_elements, kShortElements);
  auto value = DecodeInAnyForm(argument, model, tight, needs);
  if (absl::IsResourceExhausted(value.status())) return deferral->Move();
  return value;
}

StatusOr<Value> DecodeTypedJson(const BoundArgument& argument, const LoadedModel& model,
                                const Limits& given, Deferral* deferral) {
  SIGNET_RETURN_IF_ERROR(CheckDataField(argument.encoded));
  const bool must_be_short = deferral != nullptr && deferral->must_be_short;
  std::string_view text = argument.encoded.data.text();
  if (must_be_short && text.size() > kShortTypedBytes) return deferral->Move();
  Limits limits = given;
  limits.reject_unknown_fields = argument.encoded.reject_unknown_fields;
  const TypeRegistry& types = model.types() != nullptr ? model.types()->registry() : NoTypes();
  SIGNET_ASSIGN_OR_RETURN(TypeSpec type,
                          JsonTypeOf(argument.encoded, argument.type, types, model.def(), limits));
  SIGNET_ASSIGN_OR_RETURN(Value value, ValueFromJson(text, type, limits));
  SIGNET_RETURN_IF_ERROR(CheckRanks(value.spec(), limits));
  return value;
}

// Returns true if the argument is JSON that states its type.
bool StatesItsType(BoundArgument& argument) {
  if (argument.encoded.format != DataFormat::kJson || argument.has_no_type_keys) return false;
  argument.has_no_type_keys = !MayHaveTypeKeys(argument.encoded.data.text());
  return !argument.has_no_type_keys;
}

}  // namespace

Value& ValueOf(CallArguments& arguments, const BoundArgument& argument) {
  const size_t index = argument.encoded.index;
  return argument.encoded.is_keyword ? arguments.keyword[index].second
                                     : arguments.positional[index];
}

void SetDecoded(BoundCall& call, BoundArgument& argument, Value value) {
  ValueOf(call.arguments, argument) = std::move(value);
  argument.is_decoded = true;
}

StatusOr<Value> DecodeArgument(const BoundCall& call, const BoundArgument& argument,
                               const Limits& limits, Deferral* deferral,
                               const std::vector<bool>& needs) {
  auto value = DecodeOrMove(argument, call.called.model->def(), limits, deferral, needs);
  if (value.ok()) {
    Status ranks = CheckRanks(value->spec(), limits);
    if (ranks.ok()) return value;
    value = std::move(ranks);
  }
  return AtBoundArgument(argument, std::move(value).status());
}

Status DecodeTypedArguments(BoundCall& call, const Limits& limits, Deferral* deferral) {
  for (BoundArgument& argument : call.encoded) {
    if (argument.is_decoded || !StatesItsType(argument)) continue;
    auto value = DecodeTypedJson(argument, *call.called.model, limits, deferral);
    if (!value.ok()) return AtBoundArgument(argument, std::move(value).status());
    SetDecoded(call, argument, *std::move(value));
  }
  return absl::OkStatus();
}

Status DecodeArguments(BoundCall& call, const Limits& limits, Deferral* deferral) {
  SIGNET_RETURN_IF_ERROR(DecodeTypedArguments(call, limits, deferral));
  for (BoundArgument& argument : call.encoded) {
    if (argument.is_decoded) continue;
    SIGNET_ASSIGN_OR_RETURN(Value value, DecodeArgument(call, argument, limits, deferral));
    SetDecoded(call, argument, std::move(value));
  }
  return absl::OkStatus();
}

}  // namespace signet
