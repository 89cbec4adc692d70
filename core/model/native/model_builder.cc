#include "core/model/native/model_builder.h"

#include "core/model/native/loader.h"
#include "core/model/native/model_to_proto.h"
#include "core/model/native/writer.h"
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
  *proto_->add_extension_types() = ExtensionTypeToProto(type);
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
  return WriteNativeModel(folder, *proto_, captures_, form == Form::kText);
}

}  // namespace signet
