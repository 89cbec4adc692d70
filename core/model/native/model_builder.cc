#include "signet/model_builder.h"

#include "core/model/native/build_model_def.h"
#include "core/model/native/loader.h"
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

void AddFunctionsOf(const ExtensionType& type, v1::ExtensionType& out) {
  for (const std::string& invariant : type.invariants) out.add_invariants(invariant);
  for (const ExtensionOverride& override : type.overrides) {
    v1::Override& made = *out.add_overrides();
    v1::Override::Family family = v1::Override::FAMILY_UNSPECIFIED;
    if (!override.op.empty()) {
      made.set_op(override.op);
    } else if (v1::Override::Family_Parse(override.family, &family)) {
      made.set_family(family);
    }
    made.set_function(override.function);
    for (const std::string& input : override.inputs) made.add_inputs(input);
  }
  for (const ExtensionConversion& conversion : type.conversions) {
    v1::Conversion& made = *out.add_conversions();
    made.mutable_from()->set_text(conversion.from);
    made.set_function(conversion.function);
  }
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

struct ModelBuilder::Contents {
  v1::Model proto;  // without captures
  std::vector<std::unique_ptr<FunctionBuilder>> functions;
  Captures captures;
};

ModelBuilder::ModelBuilder(std::string_view doc) : contents_(std::make_unique<Contents>()) {
  contents_->proto.set_format_version(1);
  contents_->proto.set_doc(std::string(doc));
}

ModelBuilder::~ModelBuilder() = default;

FunctionBuilder& ModelBuilder::AddFunction(std::string_view name, std::string_view signature) {
  v1::Function& function = *contents_->proto.add_functions();
  function.set_name(std::string(name));
  function.set_signature(std::string(signature));
  contents_->functions.push_back(std::unique_ptr<FunctionBuilder>(new FunctionBuilder(function)));
  return *contents_->functions.back();
}

ModelBuilder& ModelBuilder::AddCapture(std::string_view name, Value value) {
  contents_->captures.insert_or_assign(std::string(name), std::move(value));
  return *this;
}

ModelBuilder& ModelBuilder::AddMetadata(std::string_view key, std::string_view value) {
  (*contents_->proto.mutable_metadata())[std::string(key)] = std::string(value);
  return *this;
}

ModelBuilder& ModelBuilder::AddExtensionType(const ExtensionType& type) {
  v1::ExtensionType& out = *contents_->proto.add_extension_types();
  out.set_name(type.name);
  out.set_doc(type.doc);
  out.set_parent(type.parent);
  if (!type.batches) out.set_batching(v1::ExtensionType::NEVER);
  for (const std::string& name : type.statics) out.add_statics(name);
  for (const auto& [name, component] : type.components) {
    v1::NamedTypeSpec& named = *out.add_components();
    named.set_name(name);
    if (!component.empty()) named.mutable_type()->set_text(component);
  }
  for (const std::string& older : type.older) out.add_older()->set_text(older);
  AddFunctionsOf(type, out);
  return *this;
}

ModelBuilder& ModelBuilder::SetDescriptorSet(std::string_view bytes) {
  contents_->proto.set_descriptor_set(std::string(bytes));
  return *this;
}

ModelBuilder& ModelBuilder::AddMessageField(std::string_view step, std::string_view name) {
  (*contents_->proto.mutable_message_fields())[std::string(step)] = std::string(name);
  return *this;
}

StatusOr<ModelDef> BuildModelDef(const ModelBuilder& builder, const Limits& limits) {
  return ModelDefFromProto(builder.contents_->proto, builder.contents_->captures, limits);
}

Status ModelBuilder::Save(const fs::path& folder, Form form) const {
  SIGNET_RETURN_IF_ERROR(BuildModelDef(*this).status());
  return WriteNativeModel(folder, contents_->proto, contents_->captures, form == Form::kText);
}

}  // namespace signet
