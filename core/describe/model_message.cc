#include "core/describe/model_message.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/wire_format_lite.h>

#include "core/formats/signet_wire/wire.h"
#include "core/function/signature.h"
#include "core/model/function_captures.h"

namespace signet {
namespace {

constexpr size_t kMaxDefaultBytes = size_t{64} << 10;    // of one default value
constexpr size_t kMaxAllDefaultBytes = size_t{1} << 20;  // of all default values of a model

size_t BytesOf(const Value& value) {
  size_t bytes = 0;
  for (const Tensor& tensor : value.components()) bytes += tensor.num_bytes();
  return bytes;
}

v1::ExtensionTypeInfo ExtensionTypeInfoOf(const ExtensionTypeDef& type) {
  const ExtensionDeclaration& declaration = type.declaration;
  v1::ExtensionTypeInfo out;
  out.set_name(declaration.name);
  out.set_doc(type.doc);
  for (const std::string& name : declaration.attributes) out.add_statics(name);
  for (const auto& [name, constraint] : declaration.components) {
    v1::NamedTypeSpec& component = *out.add_components();
    component.set_name(name);
    if (constraint) *component.mutable_type() = wire::TypeToProto(constraint);
    for (const auto& [templated, written] : declaration.templates) {
      if (templated == name) component.mutable_type()->set_text(written.text());
    }
  }
  out.set_parent(declaration.parent);
  for (const TypeSpec& older : declaration.older) *out.add_older() = wire::TypeToProto(older);
  for (const ConversionDef& conversion : type.functions.conversions) {
    *out.add_convertible_from() = wire::TypeToProto(conversion.from);
  }
  return out;
}

v1::FunctionInfo FunctionInfoOf(const ModelDef& model, const PolymorphicFunction& function,
                                size_t& default_bytes) {
  const FunctionDef& def = function.def();
  v1::FunctionInfo out;
  out.set_name(def.name);
  out.set_doc(def.doc);
  FunctionType type = def.type.WithOutput(function.output());
  out.set_signature(FormatSignature(def.name, type, def.defaults, def.dimension_names));
  *out.mutable_type() = wire::FunctionTypeToProto(
      FunctionType::MakeUnchecked(type.parameters(), CapturesOf(model, def), type.output()));
  for (const Parameter& parameter : def.type.parameters()) {
    auto value = def.defaults.find(parameter.name);
    if (value == def.defaults.end()) continue;
    if (BytesOf(value->second) > kMaxDefaultBytes) continue;
    v1::Value written = wire::ValueToProto(value->second);
    size_t bytes = written.ByteSizeLong();
    if (bytes > kMaxDefaultBytes || default_bytes + bytes > kMaxAllDefaultBytes) continue;
    default_bytes += bytes;
    (*out.mutable_defaults())[parameter.name] = std::move(written);
  }
  for (const auto& [name, doc] : def.parameter_docs) (*out.mutable_parameter_docs())[name] = doc;
  for (const std::string& example : def.examples) out.add_examples(example);
  auto batch = model.batches.find(def.name);
  if (batch != model.batches.end()) {
    out.mutable_batch_parameters()->Assign(batch->second.begin(), batch->second.end());
  }
  return out;
}

int64_t CountConcreteFunctions(const PolymorphicFunction& function) {
  return static_cast<int64_t>(function.cache_stats().targets);
}

// Returns what ModelToMessage returns, without the functions.
v1::GetModelResponse HeadOf(const LoadedModel& model) {
  v1::GetModelResponse out;
  out.set_name(model.name());
  out.set_version(model.version());
  out.set_doc(model.def().doc);
  for (const ExtensionTypeDef& type : model.def().extension_types) {
    *out.add_extension_types() = ExtensionTypeInfoOf(type);
  }
  for (const auto& [key, value] : model.def().metadata) (*out.mutable_metadata())[key] = value;
  return out;
}

// Calls `add` with the function and its description, in the order of the message.
template <class Add>
void ForEachFunction(const LoadedModel& model, Add add) {
  size_t default_bytes = 0;
  for (const auto& function : model.functions()) {
    if (IsInternal(function->def().name)) continue;
    add(*function, FunctionInfoOf(model.def(), *function, default_bytes));
  }
}

}  // namespace

v1::GetModelResponse ModelToMessage(const LoadedModel& model) {
  v1::GetModelResponse out = HeadOf(model);
  ForEachFunction(model, [&](const PolymorphicFunction& function, v1::FunctionInfo info) {
    info.set_num_concrete_functions(CountConcreteFunctions(function));
    *out.add_functions() = std::move(info);
  });
  return out;
}

v1::FunctionInfo FunctionToMessage(const LoadedModel& model, const PolymorphicFunction& function) {
  size_t default_bytes = 0;
  v1::FunctionInfo info = FunctionInfoOf(model.def(), function, default_bytes);
  info.set_num_concrete_functions(CountConcreteFunctions(function));
  return info;
}

SerializedModel SerializeModel(const LoadedModel& model) {
  SerializedModel out;
  HeadOf(model).AppendToString(&out.text);
  out.ends.push_back(out.text.size());
  ForEachFunction(model, [&](const PolymorphicFunction&, const v1::FunctionInfo& info) {
    info.AppendToString(&out.text);
    out.ends.push_back(out.text.size());
  });
  return out;
}

std::string JoinModel(const LoadedModel& model, std::string_view text,
                      std::span<const size_t> ends) {
  using google::protobuf::internal::WireFormatLite;
  std::string out;
  {
    google::protobuf::io::StringOutputStream stream(&out);
    google::protobuf::io::CodedOutputStream coded(&stream);
    coded.WriteRaw(text.data(), static_cast<int>(ends[0]));
    size_t part = 0;
    for (const auto& function : model.functions()) {
      if (IsInternal(function->def().name)) continue;
      const size_t begin = ends[part++];
      v1::FunctionInfo count;  // merged with the description of the function
      count.set_num_concrete_functions(CountConcreteFunctions(*function));
      const size_t size = ends[part] - begin + count.ByteSizeLong();
      WireFormatLite::WriteTag(v1::GetModelResponse::kFunctionsFieldNumber,
                               WireFormatLite::WIRETYPE_LENGTH_DELIMITED, &coded);
      coded.WriteVarint32(static_cast<uint32_t>(size));
      coded.WriteRaw(text.data() + begin, static_cast<int>(ends[part] - begin));
      count.SerializeToCodedStream(&coded);
    }
  }
  return out;
}

}  // namespace signet
