#include "server/protocols/tensorflow/serving_call.h"

#include "core/formats/tensorflow/proto_pieces.h"

namespace signet::tf {
namespace {

using ::tensorflow::serving::ModelSpec;
using wire::WireCursor;
using wire::WireTag;
using wire::WireType;

int64_t ReadInt64Value(WireCursor cursor) {
  int64_t value = 0;
  while (uint32_t tag = cursor.NextTag()) {
    if (tag == WireTag(google::protobuf::Int64Value::kValueFieldNumber, WireType::kVarint)) {
      value = cursor.Int64();
    } else {
      cursor.Skip(tag);
    }
  }
  return value;
}

}  // namespace

Target TargetOf(const ModelSpec& spec) {
  Target target{
      .model = spec.name(), .label = spec.version_label(), .signature = spec.signature_name()};
  if (spec.has_version()) target.version = spec.version().value();
  return target;
}

StatusOr<Target> ReadModelSpec(wire::WireSource& source, WireCursor cursor) {
  Target target;
  while (uint32_t tag = cursor.NextTag()) {
    switch (tag) {
      case WireTag(ModelSpec::kNameFieldNumber, WireType::kBytes):
        target.model = cursor.Text();
        break;
      case WireTag(ModelSpec::kVersionFieldNumber, WireType::kBytes):
        target.version = ReadInt64Value(cursor.Enter());
        target.label.clear();
        break;
      case WireTag(ModelSpec::kVersionLabelFieldNumber, WireType::kBytes):
        target.label = cursor.Text();
        target.version.reset();
        break;
      case WireTag(ModelSpec::kSignatureNameFieldNumber, WireType::kBytes):
        target.signature = cursor.Text();
        break;
      default:
        cursor.Skip(tag);
    }
  }
  SIGNET_RETURN_IF_ERROR(At("model_spec", source.status()));
  return target;
}

std::string WriteModelSpec(const Target& target, const CalledFunction& called) {
  std::string version;
  AppendVarintField(version, google::protobuf::Int64Value::kValueFieldNumber,
                    static_cast<uint64_t>(called.model->version()));
  std::string out;
  AppendBytesField(out, ModelSpec::kNameFieldNumber, called.model->name());
  AppendBytesField(out, ModelSpec::kVersionFieldNumber, version);
  AppendBytesField(out, ModelSpec::kSignatureNameFieldNumber, SignatureNameOf(target));
  return out;
}

}  // namespace signet::tf
