#include "core/serving/call/encode.h"

#include <memory>
#include <string>
#include <utility>

#include "core/formats/arrow/arrow.h"
#include "core/formats/json/json.h"
#include "core/formats/protobuf/protobuf_writer.h"

namespace signet {
namespace {

std::vector<Buffer> OnePiece(std::string text) {
  auto owner = std::make_shared<const std::string>(std::move(text));
  auto bytes = std::as_bytes(std::span(*owner));
  return {Buffer::Borrow(bytes, std::move(owner))};
}

StatusOr<std::vector<Buffer>> EncodeRows(const Value& value, const ResultFormat& format,
                                         const ModelDef& model, const Limits& limits) {
  if (model.messages == nullptr) {
    return FailedPrecondition(
        "protobuf rows require message types, and the model has none (descriptors.pb)");
  }
  if (format.message_type.empty()) {
    return InvalidArgument("missing message_type of the protobuf rows; message types: ",
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

StatusOr<std::vector<Buffer>> Encode(const Value& value, const ResultFormat& format,
                                     const Limits& limits) {
  switch (*format.format) {
    case DataFormat::kJson: {
      SIGNET_ASSIGN_OR_RETURN(std::string text,
                              JsonFromValue(value, limits, {.columns = format.columns}));
      return OnePiece(std::move(text));
    }
    case DataFormat::kJsonLines: {
      SIGNET_ASSIGN_OR_RETURN(std::string lines, JsonLinesFromValue(value, limits));
      return OnePiece(std::move(lines));
    }
    case DataFormat::kArrow:
      return ArrowFromValue(value);
    case DataFormat::kExample:
      return Unimplemented("unsupported format of results: examples");
    case DataFormat::kProtobuf:
      break;  // its rows are written below
  }
  __builtin_unreachable();
}

}  // namespace

StatusOr<CallResult> EncodeResult(Value value, const ResultFormat& format, const ModelDef& model,
                                  const Limits& limits) {
  if (!format.format) {
    if (format.check_value != nullptr) {
      SIGNET_RETURN_IF_ERROR(At("the result", format.check_value(value.spec())));
    }
    return CallResult(std::move(value));
  }
  if (*format.format == DataFormat::kProtobuf) {
    auto rows = EncodeRows(value, format, model, limits);
    if (!rows.ok()) return At("the result", std::move(rows).status());
    return CallResult(EncodedResult{
        .format = *format.format, .rows = *std::move(rows), .message_type = format.message_type});
  }
  auto data = Encode(value, format, limits);
  if (!data.ok()) return At("the result", std::move(data).status());
  return CallResult(EncodedResult{*format.format, *std::move(data)});
}

}  // namespace signet
