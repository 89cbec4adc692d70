#include "core/model/native/model_to_proto.h"

#include <set>
#include <string>
#include <vector>

#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>

#include "core/model/native/function_to_proto.h"

namespace signet {
namespace {

namespace pb = google::protobuf;

void AddFile(const pb::FileDescriptor& file, std::set<const pb::FileDescriptor*>& added,
             pb::FileDescriptorSet& out) {
  if (!added.insert(&file).second) return;
  for (int i = 0; i < file.dependency_count(); ++i) AddFile(*file.dependency(i), added, out);
  file.CopyTo(out.add_file());
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

v1::ExtensionType ExtensionTypeToProto(const ExtensionTypeDef& type) {
  const ExtensionDeclaration& declaration = type.declaration;
  v1::ExtensionType out;
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
  for (const TypeSpec& older : declaration.older) out.add_older()->set_text(older.ToString());
  AddFunctionsOf(type.functions, out);
  return out;
}

}  // namespace

// The files of all messages and of their extensions, each after the files that it imports.
std::string DescriptorSetOf(const ProtobufSchema& schema) {
  pb::FileDescriptorSet out;
  std::set<const pb::FileDescriptor*> added;
  for (const std::string& name : schema.message_names()) {
    const pb::Descriptor* message = schema.LookupMessage(name);
    if (message == nullptr) continue;
    AddFile(*message->file(), added, out);
    std::vector<const pb::FieldDescriptor*> extensions;
    message->file()->pool()->FindAllExtensions(message, &extensions);
    for (const pb::FieldDescriptor* extension : extensions) {
      AddFile(*extension->file(), added, out);
    }
  }
  return out.SerializeAsString();
}

StatusOr<WrittenModel> ModelToProto(const ModelDef& model) {
  WrittenModel out;
  out.captures = model.captures;
  out.proto.set_format_version(1);
  out.proto.set_doc(model.doc);
  out.proto.mutable_metadata()->insert(model.metadata.begin(), model.metadata.end());
  if (model.messages != nullptr) out.proto.set_descriptor_set(DescriptorSetOf(*model.messages));
  out.proto.mutable_message_fields()->insert(model.message_fields.begin(),
                                             model.message_fields.end());
  for (const ExtensionTypeDef& type : model.extension_types) {
    *out.proto.add_extension_types() = ExtensionTypeToProto(type);
  }
  for (const FunctionDef& def : model.functions) {
    auto function = FunctionToProto(def, out.captures);
    if (!function.ok()) {
      return At(Cat("function `", Printable(def.name), "`"), function.status());
    }
    auto batch = model.batches.find(def.name);
    if (batch != model.batches.end()) {
      function->mutable_batch()->mutable_parameters()->Assign(batch->second.begin(),
                                                              batch->second.end());
    }
    *out.proto.add_functions() = *std::move(function);
  }
  return out;
}

}  // namespace signet
