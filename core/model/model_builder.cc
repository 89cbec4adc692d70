#include "core/model/model_builder.h"

#include <algorithm>
#include <fstream>

#include "core/formats/safetensors.h"
#include "core/formats/wire.h"
#include "core/model/native/loader.h"
#include "core/model/native/model_files.h"
#include "core/model/native/model_text.h"
#include "core/types/dtype.h"
#include "signet/v1/model.pb.h"

namespace signet {
namespace {

namespace fs = std::filesystem;

template <class... Visitors>
struct Overloaded : Visitors... {
  using Visitors::operator()...;
};
template <class... Visitors>
Overloaded(Visitors...) -> Overloaded<Visitors...>;  // Clang 14 does not find it by itself

template <class Items, class Out>
void AddAll(const Items& items, Out* out) {
  for (const auto& item : items) out->add_values(item);
}

v1::Attribute AttributeToProto(const NodeAttribute& attribute) {
  v1::Attribute out;
  std::visit(Overloaded{
                 [&](bool value) { out.set_bool_(value); },
                 [&](int64_t value) { out.set_int_(value); },
                 [&](double value) { out.set_float_(value); },
                 [&](const std::string& value) { out.set_string(value); },
                 [&](const Ints& values) { AddAll(values, out.mutable_ints()); },
                 [&](const Floats& values) { AddAll(values, out.mutable_floats()); },
                 [&](const Strings& values) { AddAll(values, out.mutable_strings()); },
                 [&](const FromValue& value) { out.set_from(value.reference); },
                 [&](const NamedFunction& value) { out.set_function(value.name); },
                 [&](const WrittenType& value) { out.set_type(value.text); },
             },
             attribute);
  return out;
}

// Whether captures.safetensors can hold `value`.
bool IsNumericTensor(const Value& value) {
  if (!value.spec().is(TypeKind::kTensor)) return false;
  DType dtype = value.tensor().dtype();
  return dtype != DType::kString && !IsComplex(dtype);
}

// As wire::ValueToProto; a string tensor's elements stand one by one, so that they can be read.
v1::Value CaptureToProto(const Value& value) {
  if (!value.spec().is(TypeKind::kTensor) || !value.tensor().is_string()) {
    return wire::ValueToProto(value);
  }
  v1::Value out;
  const Tensor& tensor = value.tensor();
  out.mutable_tensor()->set_dtype(v1::DTYPE_STRING);
  for (int64_t dim : tensor.shape().dims()) out.mutable_tensor()->add_shape(dim);
  for (int64_t i = 0; i < tensor.num_elements(); ++i) {
    out.mutable_tensor()->add_strings(std::string(tensor.string_at(i)));
  }
  return out;
}

void AddFunctionsOf(const ExtensionFunctions& functions, v1::ExtensionType& out) {
  for (const std::string& invariant : functions.invariants) out.add_invariants(invariant);
  for (const OverrideDef& override : functions.overrides) {
    v1::Override& made = *out.add_overrides();
    v1::Override::Family family = v1::Override::FAMILY_UNSPECIFIED;
    if (!override.op.empty()) {
      made.set_op(override.op);
    } else if (v1::Override::Family_Parse(std::string(NameOf(override.family)), &family)) {
      made.set_family(family);
    }
    made.set_function(override.function);
    for (const std::string& input : override.inputs) made.add_inputs(input);
  }
  for (const ConversionDef& conversion : functions.conversions) {
    v1::Conversion& made = *out.add_conversions();
    made.mutable_from()->set_text(conversion.from.ToString());
    made.set_function(conversion.function);
  }
}

Status WriteFile(const fs::path& path, const std::string& bytes) {
  fs::path temporary = path;
  temporary += ".tmp";
  std::ofstream file(temporary, std::ios::binary | std::ios::trunc);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  std::error_code error;
  if (file.good()) {
    fs::rename(temporary, path, error);
    if (!error) return absl::OkStatus();
  }
  fs::remove(temporary, error);
  return FailedPrecondition(path.filename().native(), ": it cannot be written");
}

}  // namespace

FunctionBuilder& FunctionBuilder::Doc(std::string_view text) {
  function_.set_doc(std::string(text));
  return *this;
}

FunctionBuilder& FunctionBuilder::ParameterDoc(std::string_view parameter, std::string_view text) {
  (*function_.mutable_parameter_docs())[std::string(parameter)] = std::string(text);
  return *this;
}

FunctionBuilder& FunctionBuilder::Example(std::string_view arguments) {
  function_.add_examples(std::string(arguments));
  return *this;
}

FunctionBuilder& FunctionBuilder::Node(std::string_view name, std::string_view op,
                                       const Strings& inputs, const NodeAttributes& attributes) {
  v1::Node& node = *function_.add_nodes();
  node.set_name(std::string(name));
  node.set_op(std::string(op));
  for (const std::string& input : inputs) node.add_inputs(input);
  for (const auto& [key, value] : attributes) {
    (*node.mutable_attributes())[key] = AttributeToProto(value);
  }
  return *this;
}

FunctionBuilder& FunctionBuilder::Result(std::string_view reference) {
  function_.set_result(std::string(reference));
  return *this;
}

ModelBuilder::ModelBuilder(std::string_view doc) : proto_(std::make_unique<v1::Model>()) {
  proto_->set_format_version(1);
  proto_->set_doc(std::string(doc));
}

ModelBuilder::~ModelBuilder() = default;

FunctionBuilder& ModelBuilder::AddFunction(std::string_view name, std::string_view signature) {
  v1::Function& function = *proto_->add_functions();
  function.set_name(std::string(name));
  function.set_signature(std::string(signature));
  functions_.push_back(std::unique_ptr<FunctionBuilder>(new FunctionBuilder(function)));
  return *functions_.back();
}

ModelBuilder& ModelBuilder::AddCapture(std::string_view name, Value value) {
  captures_.insert_or_assign(std::string(name), std::move(value));
  return *this;
}

ModelBuilder& ModelBuilder::AddMetadata(std::string_view key, std::string_view value) {
  (*proto_->mutable_metadata())[std::string(key)] = std::string(value);
  return *this;
}

ModelBuilder& ModelBuilder::AddExtensionType(const ExtensionTypeDef& type) {
  const ExtensionDeclaration& declaration = type.declaration;
  v1::ExtensionType& out = *proto_->add_extension_types();
  out.set_name(declaration.name);
  out.set_doc(type.doc);
  out.set_parent(declaration.parent);
  if (!declaration.batches) out.set_batching(v1::ExtensionType::NEVER);
  for (const std::string& attribute : declaration.attributes) out.add_statics(attribute);
  for (const auto& [name, component] : declaration.components) {
    v1::NamedTypeSpec& named = *out.add_components();
    named.set_name(name);
    if (component) named.mutable_type()->set_text(component.ToString());
    for (const auto& [templated, written] : declaration.templates) {
      if (templated == name) named.mutable_type()->set_text(written.text());
    }
  }
  AddFunctionsOf(type.functions, out);
  return *this;
}

ModelBuilder& ModelBuilder::SetDescriptorSet(std::string_view bytes) {
  proto_->set_descriptor_set(std::string(bytes));
  return *this;
}

ModelBuilder& ModelBuilder::AddMessageField(std::string_view step, std::string_view name) {
  (*proto_->mutable_message_fields())[std::string(step)] = std::string(name);
  return *this;
}

StatusOr<ModelDef> ModelBuilder::Build(const Limits& limits) const {
  return ModelDefFromProto(*proto_, captures_, limits);
}

Status ModelBuilder::Save(const fs::path& folder, Form form) const {
  SIGNET_RETURN_IF_ERROR(Build().status());
  v1::Model proto = *proto_;
  NamedTensors tensors;
  for (const auto& [name, value] : captures_) {
    if (IsNumericTensor(value)) {
      tensors.emplace_back(name, value.tensor());
    } else {
      (*proto.mutable_captures())[name] = CaptureToProto(value);
    }
  }
  std::sort(tensors.begin(), tensors.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return FailedPrecondition("the folder cannot be made");
  bool is_text = form == Form::kText;
  fs::remove(folder / (is_text ? kBinaryFile : kTextFile), error);
  if (tensors.empty()) {
    fs::remove(folder / kCapturesFile, error);
  } else {
    SIGNET_RETURN_IF_ERROR(At(kCapturesFile, WriteSafetensors(folder / kCapturesFile, tensors)));
  }
  if (is_text) return WriteFile(folder / kTextFile, ModelToText(proto));
  return WriteFile(folder / kBinaryFile, proto.SerializeAsString());
}

}  // namespace signet
