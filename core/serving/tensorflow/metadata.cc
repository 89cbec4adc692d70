#include "core/serving/tensorflow/metadata.h"

#include <algorithm>
#include <optional>

#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/text_format.h>
#include <google/protobuf/util/json_util.h>

#include "core/formats/tensorflow/tensorflow_dtype.h"
#include "core/serving/flat/flat_signature.h"
#include "core/serving/tensorflow/signatures.h"

namespace signet::tf {
namespace {

using ::tensorflow::SignatureDef;
using ::tensorflow::TensorInfo;
using ::tensorflow::serving::GetModelMetadataResponse;
using ::tensorflow::serving::ModelSpec;
using ::tensorflow::serving::SignatureDefMap;

constexpr char kSignatureDef[] = "signature_def";
constexpr int kDeepestSignature = 64;  // nested messages

TensorInfo InfoOf(const FlatTensor& tensor) {
  TensorInfo info;
  info.set_name(tensor.name);
  if (tensor.dtype) info.set_dtype(DataTypeOf(*tensor.dtype));
  auto& shape = *info.mutable_tensor_shape();
  shape.set_unknown_rank(!tensor.shape.has_rank());
  if (!tensor.shape.has_rank()) return info;
  for (int64_t size : tensor.shape.dims()) shape.add_dim()->set_size(size);
  return info;
}

// Without it, protobuf writes errors to the log.
class NoErrors : public google::protobuf::io::ErrorCollector {
 public:
  void AddError(int, google::protobuf::io::ColumnNumber, const std::string&) override {}
};

// Returns the signature from which a function was imported, as its model has it, or nothing.
std::optional<SignatureDef> SourceSignatureOf(const LoadedModel& model,
                                              const PolymorphicFunction& function) {
  const std::string* text = LookupSignatureMetadata(model, function, "signature_def");
  if (text == nullptr) return std::nullopt;
  NoErrors errors;
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&errors);
  parser.SetRecursionLimit(kDeepestSignature);
  SignatureDef out;
  if (!parser.ParseFromString(*text, &out)) return std::nullopt;
  return out;
}

SignatureDef SignatureOf(const LoadedModel& model, const PolymorphicFunction& function) {
  if (auto source = SourceSignatureOf(model, function)) return *std::move(source);
  SignatureDef out;
  const FlatSignature flat = FlatSignatureOf(function);
  for (const FlatParameter& parameter : flat.parameters) {
    for (const FlatTensor& tensor : parameter.tensors) {
      (*out.mutable_inputs())[tensor.name] = InfoOf(tensor);
    }
  }
  for (const FlatTensor& tensor : flat.results) {
    (*out.mutable_outputs())[tensor.name] = InfoOf(tensor);
  }
  out.set_method_name(MethodNameOf(model, function));
  return out;
}

ModelSpec SpecOf(const LoadedModel& model) {
  ModelSpec spec;
  spec.set_name(model.name());
  spec.mutable_version()->set_value(model.version());
  return spec;
}

std::string ToJson(const google::protobuf::Message& message) {
  google::protobuf::util::JsonPrintOptions options;
  options.preserve_proto_field_names = true;
  options.always_print_primitive_fields = true;
  std::string out;
  (void)google::protobuf::util::MessageToJsonString(message, &out, options);
  return out;
}

}  // namespace

SignatureDefMap SignaturesOf(const LoadedModel& model) {
  SignatureDefMap out;
  auto& signatures = *out.mutable_signature_def();
  // A SavedModel with signatures has no other signatures than these.
  auto is_imported = [&](const auto& function) {
    return LookupSignatureMetadata(model, *function, "signature") != nullptr;
  };
  const auto& functions = model.functions();
  const bool has_imported = std::any_of(functions.begin(), functions.end(), is_imported);
  for (const auto& function : functions) {
    if (IsInternal(function->def().name) || (has_imported && !is_imported(function))) continue;
    signatures[SignatureNameOf(model, *function)] = SignatureOf(model, *function);
  }
  const std::string name(kDefaultSignature);
  if (signatures.contains(name)) return out;
  if (auto function = FindFunction(model, "", Method::kPredict); function.ok()) {
    signatures[name] = SignatureOf(model, **function);
  }
  return out;
}

GetModelMetadataResponse MetadataOf(const LoadedModel& model) {
  GetModelMetadataResponse out;
  *out.mutable_model_spec() = SpecOf(model);
  (*out.mutable_metadata())[kSignatureDef].PackFrom(SignaturesOf(model));
  return out;
}

std::string MetadataToJson(const LoadedModel& model) {
  return Cat("{\"model_spec\":", ToJson(SpecOf(model)), ",\"metadata\":{\"", kSignatureDef,
             "\":", ToJson(SignaturesOf(model)), "}}\n");
}

}  // namespace signet::tf
