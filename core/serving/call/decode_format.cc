#include "core/serving/call/decode_format.h"

#include <string_view>

#include "core/formats/arrow/arrow.h"
#include "core/formats/json/json.h"
#include "core/formats/protobuf/protobuf_rows.h"
#include "core/formats/tensorflow/example_rows.h"

namespace signet {
namespace {

StatusOr<Value> DecodeRows(const EncodedArgument& argument, const TypeSpec& type,
                           const ModelDef& model, const Limits& limits,
                           const std::vector<bool>& needs) {
  if (model.messages == nullptr) {
    return FailedPrecondition(
        "protobuf rows require message types, and the model has none (descriptors.pb); send "
        "tensors "
        "or JSON");
  }
  if (argument.message_type.empty()) {
    return InvalidArgument("missing message_type of the protobuf rows; message types: ",
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

}  // namespace

Status CheckDataField(const EncodedArgument& argument) {
  if (argument.format == DataFormat::kExample) return absl::OkStatus();  // only the server makes it
  const bool is_protobuf = argument.format == DataFormat::kProtobuf;
  if (is_protobuf && !argument.data.empty()) {
    return InvalidArgument("expected PROTOBUF messages in `rows`, one entry per message, found ",
                           argument.data.size(), " bytes in `data`");
  }
  if (!is_protobuf && !argument.rows.empty()) {
    return InvalidArgument("expected the text or stream in `data`, found ", argument.rows.size(),
                           argument.rows.size() == 1 ? " entry" : " entries",
                           " in `rows`, which only PROTOBUF uses");
  }
  return absl::OkStatus();
}

StatusOr<Value> DecodeUnderType(const EncodedArgument& argument, const TypeSpec& type,
                                const ModelDef& model, const Limits& given,
                                const std::vector<bool>& needs) {
  SIGNET_RETURN_IF_ERROR(CheckDataField(argument));
  Limits limits = given;
  limits.reject_unknown_fields = argument.reject_unknown_fields;
  switch (argument.format) {
    case DataFormat::kJson:
      return ValueFromJson(argument.data.text(), type, limits, needs);
    case DataFormat::kJsonLines:
      if (!type) {
        return InvalidArgument(
            "JSON lines require a parameter with a type, and this parameter accepts any type");
      }
      return ValueFromJsonLines(argument.data.text(), type, limits, needs);
    case DataFormat::kProtobuf:
      return DecodeRows(argument, type, model, limits, needs);
    case DataFormat::kArrow:
      return ValueFromArrow(argument.data, type, limits, needs);
    case DataFormat::kExample:
      return tf::ValueFromExamples(argument.rows, argument.data, type, limits);
  }
  __builtin_unreachable();
}

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

}  // namespace signet
