#include "server/call/result.h"

#include <memory>
#include <string>
#include <utility>

#include "core/formats/arrow/arrow.h"
#include "core/formats/json/json.h"
#include "core/formats/protobuf/protobuf_writer.h"

namespace signet {
namespace {

wire::Pieces OnePiece(std::string text) {
  auto owner = std::make_shared<const std::string>(std::move(text));
  auto bytes = std::as_bytes(std::span(*owner));
  return {Buffer::Borrow(bytes, std::move(owner))};
}

StatusOr<std::vector<Buffer>> EncodeRows(const Value& value, const wire::ResultFormat& format,
                                         const ModelDef& model, const Limits& limits) {
  if (model.messages == nullptr) {
    return FailedPrecondition(
        "protobuf rows need message types, of which the model has none (descriptors.pb)");
  }
  if (format.message_type.empty()) {
    return InvalidArgument("protobuf rows without a message_type; message types: ",
                           ListNames(model.messages->message_names()));
  }
  ProtobufOptions options;
  options.names = model.message_fields;
  SIGNET_ASSIGN_OR_RETURN(
      std::vector<std::string> rows,
      ProtobufRowsFromValue(value, *model.messages, format.message_type, limits, options));
  std::vector<Buffer> out;
  for (std::string& row : rows) {
    for (Buffer& piece : OnePiece(std::move(row))) out.push_back(std::move(piece));
  }
  return out;
}

StatusOr<wire::Pieces> Encode(const Value& value, const wire::ResultFormat& format,
                              const Limits& limits) {
  switch (*format.format) {
    case v1::Encoded::JSON: {
      SIGNET_ASSIGN_OR_RETURN(std::string text,
                              JsonFromValue(value, limits, {.columns = format.columns}));
      return OnePiece(std::move(text));
    }
    case v1::Encoded::JSON_LINES: {
      SIGNET_ASSIGN_OR_RETURN(std::string lines, JsonLinesFromValue(value, limits));
      return OnePiece(std::move(lines));
    }
    case v1::Encoded::ARROW_IPC:
      return ArrowFromValue(value);
    default:
      return InvalidArgument("an unknown format; takes JSON, JSON_LINES, PROTOBUF or ARROW_IPC");
  }
}

}  // namespace

StatusOr<wire::Result> EncodeResult(Value value, const wire::ResultFormat& format,
                                    const ModelDef& model, const Limits& limits) {
  if (!format.format) {
    SIGNET_RETURN_IF_ERROR(At("the result", wire::CheckMessageDepth(value.spec())));
    return wire::Result(std::move(value));
  }
  if (*format.format == v1::Encoded::PROTOBUF) {
    auto rows = EncodeRows(value, format, model, limits);
    if (!rows.ok()) return At("the result", std::move(rows).status());
    return wire::Result(wire::EncodedResult{
        .format = *format.format, .rows = *std::move(rows), .message_type = format.message_type});
  }
  auto data = Encode(value, format, limits);
  if (!data.ok()) return At("the result", std::move(data).status());
  return wire::Result(wire::EncodedResult{*format.format, *std::move(data)});
}

}  // namespace signet
