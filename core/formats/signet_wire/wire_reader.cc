// WireReader: parses calls from received bytes. If several fields of a oneof, or several copies of
// a singular message, are present, the last one is used.

#include <optional>

#include "core/formats/signet_wire/wire.h"
#include "core/formats/signet_wire/wire_type_reader.h"
#include "core/formats/signet_wire/wire_value_reader.h"
#include "signet/v1/service.pb.h"

namespace signet::wire {
namespace {

using enum WireType;

// Adds the place of the argument to the error.
Status AtArgument(ValueReader& reader, const ArgumentPlace& place, Status status) {
  status = reader.Under(place.argument, std::move(status));
  status = At(Cat("argument `", Printable(reader.where()), "`"), std::move(status));
  return place.function.empty() ? status : At(place.function, std::move(status));
}

Status ReadModelSpec(WireSource& source, WireCursor cursor, CallRequest& out) {
  while (uint32_t tag = cursor.NextTag()) {
    switch (tag) {
      case WireTag(v1::ModelSpec::kNameFieldNumber, kBytes):
        out.model = cursor.Text();
        break;
      case WireTag(v1::ModelSpec::kVersionFieldNumber, kVarint):
        out.version = cursor.Int64();
        out.label.clear();
        break;
      case WireTag(v1::ModelSpec::kLabelFieldNumber, kBytes):
        out.label = cursor.Text();
        out.version.reset();
        break;
      default:
        cursor.Skip(tag);
    }
  }
  return source.status();
}

StatusOr<ResultFormat> ReadResultFormat(WireSource& source, WireCursor cursor) {
  ResultFormat out;
  uint64_t format = 0;
  while (uint32_t tag = cursor.NextTag()) {
    switch (tag) {
      case WireTag(v1::ResultFormat::kFormatFieldNumber, kVarint):
        format = cursor.Varint();
        break;
      case WireTag(v1::ResultFormat::kColumnsFieldNumber, kVarint):
        out.columns = cursor.Varint() != 0;
        break;
      case WireTag(v1::ResultFormat::kMessageTypeFieldNumber, kBytes):
        out.message_type = cursor.Text();
        break;
      default:
        cursor.Skip(tag);
    }
  }
  SIGNET_RETURN_IF_ERROR(source.status());
  if (format != 0) {
    auto known = DataFormatFromNumber(format);
    if (!known.ok()) return At("result_format", std::move(known).status());
    out.format = *known;
  }
  return out;
}

// Reads the argument for which `call` has just received an empty value.
Status ReadArgument(ValueReader& reader, WireCursor cursor, bool is_keyword, CallRequest& call) {
  auto& [positional, keyword] = call.arguments;
  Value& value = is_keyword ? keyword.back().second : positional.back();
  std::optional<EncodedArgument> encoded;
  SIGNET_RETURN_IF_ERROR(reader.ReadArgument(cursor, value, encoded));
  if (!encoded) return absl::OkStatus();
  encoded->is_keyword = is_keyword;
  encoded->index = (is_keyword ? keyword.size() : positional.size()) - 1;
  call.encoded.push_back(*std::move(encoded));
  return absl::OkStatus();
}

StatusOr<CallRequest> ReadCall(WireSource& source, WireCursor cursor, ArgumentPlaces places) {
  CallRequest call;
  ValueReader reader(source);
  using P = v1::CallRequest;
  while (uint32_t tag = cursor.NextTag()) {
    switch (tag) {
      case WireTag(P::kModelFieldNumber, kBytes):
        SIGNET_RETURN_IF_ERROR(ReadModelSpec(source, cursor.Enter(), call));
        break;
      case WireTag(P::kFunctionFieldNumber, kBytes):
        call.function = cursor.Text();
        break;
      case WireTag(P::kArgsFieldNumber, kBytes): {
        call.arguments.positional.emplace_back();
        Status status = ReadArgument(reader, cursor.Enter(), /*is_keyword=*/false, call);
        if (!status.ok()) return AtArgument(reader, places(call, nullptr), std::move(status));
        break;
      }
      case WireTag(P::kKwargsFieldNumber, kBytes): {
        SIGNET_ASSIGN_OR_RETURN(NamedEntry entry, ReadNamed(source, cursor.Enter()));
        const std::string& name =
            call.arguments.keyword.emplace_back(std::move(entry.name), Value()).first;
        Status status = entry.content
                            ? ReadArgument(reader, *entry.content, /*is_keyword=*/true, call)
                            : InvalidArgument("no value");
        if (!status.ok()) return AtArgument(reader, places(call, &name), std::move(status));
        break;
      }
      case WireTag(P::kResultFormatFieldNumber, kBytes): {
        SIGNET_ASSIGN_OR_RETURN(call.result_format, ReadResultFormat(source, cursor.Enter()));
        break;
      }
      default:
        cursor.Skip(tag);
    }
  }
  SIGNET_RETURN_IF_ERROR(source.status());
  call.result_format.check_value = CheckMessageDepth;
  return call;
}

}  // namespace

ArgumentPlace PlaceInCall(const CallRequest& read, const std::string* keyword) {
  return {.argument = keyword != nullptr ? *keyword
                                         : Cat("args[", read.arguments.positional.size() - 1, "]")};
}

StatusOr<CallRequest> ParseCallRequest(const Message& message, const Limits& limits,
                                       ArgumentPlaces places) {
  WireSource source(message, limits);
  return ReadCall(source, WireCursor(source), places);
}

StatusOr<StreamRequest> ParseStreamRequest(const Message& message, const Limits& limits,
                                           ArgumentPlaces places) {
  WireSource source(message, limits);
  WireCursor cursor(source);
  std::optional<WireCursor> call;
  StreamRequest request;
  while (uint32_t tag = cursor.NextTag()) {
    switch (tag) {
      case WireTag(v1::CallStreamRequest::kIdFieldNumber, kVarint):
        request.id = cursor.Varint();
        break;
      case WireTag(v1::CallStreamRequest::kCallFieldNumber, kBytes):
        call = cursor.Enter();
        break;
      default:
        cursor.Skip(tag);
    }
  }
  SIGNET_RETURN_IF_ERROR(source.status());
  if (call) request.call = ReadCall(source, *call, places);
  return request;
}

namespace {

// Returns the name of the model of a CallRequest.
std::string ReadModelName(WireCursor cursor) {
  while (uint32_t tag = cursor.NextTag()) {
    if (tag != WireTag(v1::CallRequest::kModelFieldNumber, kBytes)) {
      cursor.Skip(tag);
      continue;
    }
    WireCursor model = cursor.Enter();
    while (uint32_t inner = model.NextTag()) {
      if (inner == WireTag(v1::ModelSpec::kNameFieldNumber, kBytes)) return model.Text();
      model.Skip(inner);
    }
  }
  return "";
}

}  // namespace

RequestHead ParseCallHead(const Message& message, const Limits& limits) {
  WireSource source(message, limits);
  return {.model = ReadModelName(WireCursor(source))};
}

RequestHead ParseStreamHead(const Message& message, const Limits& limits) {
  WireSource source(message, limits);
  WireCursor cursor(source);
  RequestHead head;
  while (uint32_t tag = cursor.NextTag()) {
    switch (tag) {
      case WireTag(v1::CallStreamRequest::kIdFieldNumber, kVarint):
        head.id = cursor.Varint();
        break;
      case WireTag(v1::CallStreamRequest::kCallFieldNumber, kBytes):
        head.model = ReadModelName(cursor.Enter());
        break;
      default:
        cursor.Skip(tag);
    }
  }
  return head;
}

StatusOr<Value> ParseValue(const Message& message, const Limits& limits) {
  WireSource source(message, limits);
  ValueReader reader(source);
  auto value = reader.Read(WireCursor(source), 1);
  if (value.ok() || reader.where().empty()) return value;
  return At(Cat("`", Printable(reader.where()), "`"), value.status());
}

StatusOr<Value> ParseValue(std::string_view bytes, const Limits& limits) {
  return ParseValue(Message{{std::as_bytes(std::span(bytes))}, nullptr}, limits);
}

StatusOr<Value> ValueFromProto(const v1::Value& proto, const Limits& limits) {
  return ParseValue(proto.SerializeAsString(), limits);
}

}  // namespace signet::wire
