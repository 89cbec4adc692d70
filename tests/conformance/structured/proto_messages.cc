#include "tests/conformance/structured/proto_messages.h"

#include <map>
#include <set>
#include <stdexcept>

#include <absl/strings/ascii.h>
#include <absl/strings/escaping.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/dynamic_message.h>

namespace signet::vectors {
namespace {

namespace pb = google::protobuf;
using Json = nlohmann::ordered_json;
using Field = pb::FieldDescriptorProto;

Field::Type TypeNamed(const std::string& name) {
  Field::Type type;
  std::string upper = absl::AsciiStrToUpper("TYPE_" + name);
  if (!Field::Type_Parse(upper, &type)) throw std::runtime_error("no type " + name);
  return type;
}

// Adds fields of one message, and the entries of its maps.
class MessageWriter {
 public:
  MessageWriter(const std::string& package, pb::DescriptorProto& out)
      : package_(package), out_(out) {}

  void Add(const Json& json, Field& field, bool is_extension) {
    std::string name = json.at("name");
    if (is_extension) name = name.substr(name.rfind('.') + 1, name.size() - name.rfind('.') - 2);
    field.set_name(name);
    field.set_number(json.at("number"));
    SetLabel(json.at("label"), field);
    if (json.contains("map")) return SetMap(json.at("map"), field);
    SetType(json, json.at("type"), field);
    if (json.value("packed", false)) field.mutable_options()->set_packed(true);
    if (json.contains("oneof")) field.set_oneof_index(OneofNamed(json.at("oneof")));
    if (json.value("proto3_optional", false)) optional_.push_back(&field);
  }

  // Oneofs that protoc makes for `optional` must follow the other ones.
  void Finish() {
    for (Field* field : optional_) {
      field->set_proto3_optional(true);
      field->set_oneof_index(OneofNamed("_" + field->name()));
    }
  }

 private:
  static void SetLabel(const std::string& label, Field& field) {
    field.set_label(label == "repeated"   ? Field::LABEL_REPEATED
                    : label == "required" ? Field::LABEL_REQUIRED
                                          : Field::LABEL_OPTIONAL);
  }

  void SetType(const Json& json, const std::string& type, Field& field) {
    field.set_type(TypeNamed(type));
    if (json.contains("message")) {
      field.set_type_name("." + package_ + "." + json.at("message").get<std::string>());
    } else if (json.contains("enum")) {
      field.set_type_name("." + package_ + "." + json.at("enum").get<std::string>());
    } else if (type == "enum") {
      field.set_type_name("." + package_ + ".AnyEnum");
    }
  }

  void SetMap(const Json& map, Field& field) {
    std::string name;
    bool starts_word = true;
    for (char c : field.name()) {
      if (c != '_') name += starts_word ? absl::ascii_toupper(static_cast<unsigned char>(c)) : c;
      starts_word = c == '_';
    }
    pb::DescriptorProto& entry = *out_.add_nested_type();
    entry.set_name(name + "Entry");
    entry.mutable_options()->set_map_entry(true);
    Field& key = *entry.add_field();
    key.set_name("key");
    key.set_number(1);
    key.set_label(Field::LABEL_OPTIONAL);
    key.set_type(TypeNamed(map.at("key")));
    Field& value = *entry.add_field();
    value.set_name("value");
    value.set_number(2);
    value.set_label(Field::LABEL_OPTIONAL);
    SetType(map, map.contains("message") ? "message" : map.at("value").get<std::string>(), value);
    field.set_type(Field::TYPE_MESSAGE);
    field.set_type_name("." + package_ + "." + out_.name() + "." + entry.name());
  }

  int OneofNamed(const std::string& name) {
    for (int i = 0; i < out_.oneof_decl_size(); ++i) {
      if (out_.oneof_decl(i).name() == name) return i;
    }
    out_.add_oneof_decl()->set_name(name);
    return out_.oneof_decl_size() - 1;
  }

  const std::string& package_;
  pb::DescriptorProto& out_;
  std::vector<Field*> optional_;
};

void AddEnum(const std::string& name, const Json& values, pb::FileDescriptorProto& file) {
  pb::EnumDescriptorProto& type = *file.add_enum_type();
  type.set_name(name);
  for (const auto& [value_name, number] : values.items()) {
    auto& value = *type.add_value();
    value.set_name(value_name);
    value.set_number(number);
  }
}

std::string TextOf(const Json& json) {
  if (json.is_string()) return json;
  std::string bytes;
  std::string base64 = json.at("b64");
  if (!absl::Base64Unescape(base64, &bytes)) throw std::runtime_error("not base64: " + base64);
  return bytes;
}

Status FillMessage(const Json& json, const ProtobufSchema& schema, pb::Message& out);

Status SetField(const Json& json, const pb::FieldDescriptor& field, const ProtobufSchema& schema,
                pb::Message& out) {
  const pb::Reflection& reflection = *out.GetReflection();
  bool adds = field.is_repeated();
  auto put = [&](auto set, auto add, auto value) {
    adds ? (reflection.*add)(&out, &field, value) : (reflection.*set)(&out, &field, value);
    return absl::OkStatus();
  };
  using R = pb::Reflection;
  switch (field.cpp_type()) {
    case pb::FieldDescriptor::CPPTYPE_INT32:
      return put(&R::SetInt32, &R::AddInt32, json.get<int32_t>());
    case pb::FieldDescriptor::CPPTYPE_INT64:
      return put(&R::SetInt64, &R::AddInt64, json.get<int64_t>());
    case pb::FieldDescriptor::CPPTYPE_UINT32:
      return put(&R::SetUInt32, &R::AddUInt32, json.get<uint32_t>());
    case pb::FieldDescriptor::CPPTYPE_UINT64:
      return put(&R::SetUInt64, &R::AddUInt64, json.get<uint64_t>());
    case pb::FieldDescriptor::CPPTYPE_FLOAT:
      return put(&R::SetFloat, &R::AddFloat, json.get<float>());
    case pb::FieldDescriptor::CPPTYPE_DOUBLE:
      return put(&R::SetDouble, &R::AddDouble, json.get<double>());
    case pb::FieldDescriptor::CPPTYPE_BOOL:
      return put(&R::SetBool, &R::AddBool, json.get<bool>());
    case pb::FieldDescriptor::CPPTYPE_ENUM:
      return put(&R::SetEnumValue, &R::AddEnumValue, json.get<int>());
    case pb::FieldDescriptor::CPPTYPE_STRING:
      return put(&R::SetString, &R::AddString, TextOf(json));
    case pb::FieldDescriptor::CPPTYPE_MESSAGE:
      return FillMessage(
          json, schema,
          *(adds ? reflection.AddMessage(&out, &field) : reflection.MutableMessage(&out, &field)));
  }
  throw std::runtime_error("no such type");
}

Status FillMessage(const Json& json, const ProtobufSchema& schema, pb::Message& out) {
  const pb::Descriptor& type = *out.GetDescriptor();
  std::set<const pb::OneofDescriptor*> oneofs;
  for (const auto& [name, content] : json.items()) {
    const pb::FieldDescriptor* field = name[0] == '('
                                           ? schema.LookupExtension(name.substr(1, name.size() - 2))
                                           : type.FindFieldByName(name);
    if (field == nullptr) return InvalidArgument("unknown field ", name);
    const auto* oneof = field->real_containing_oneof();
    if (oneof != nullptr && !oneofs.insert(oneof).second) {
      return InvalidArgument("two members of oneof ", oneof->name());
    }
    if (field->is_map()) {
      for (const Json& entry : content) {
        Json object = {{"key", entry.at(0)}, {"value", entry.at(1)}};
        pb::Message* added = out.GetReflection()->AddMessage(&out, field);
        SIGNET_RETURN_IF_ERROR(FillMessage(object, schema, *added));
      }
    } else if (field->is_repeated()) {
      for (const Json& element : content) {
        SIGNET_RETURN_IF_ERROR(SetField(element, *field, schema, out));
      }
    } else {
      SIGNET_RETURN_IF_ERROR(SetField(content, *field, schema, out));
    }
  }
  return absl::OkStatus();
}

}  // namespace

std::string DescriptorSetOf(const Json& schema) {
  pb::FileDescriptorSet set;
  pb::FileDescriptorProto& file = *set.add_file();
  file.set_name("vectors.proto");
  file.set_package(schema.at("package"));
  std::string syntax = schema.at("syntax");
  if (syntax != "proto2") file.set_syntax(syntax);
  if (schema.contains("enums")) {
    for (const auto& [name, values] : schema.at("enums").items()) AddEnum(name, values, file);
  }
  AddEnum("AnyEnum", {{"ANY_ZERO", 0}}, file);
  for (const auto& [name, message] : schema.at("messages").items()) {
    pb::DescriptorProto& out = *file.add_message_type();
    out.set_name(name);
    MessageWriter writer(file.package(), out);
    for (const Json& field : message.at("fields")) writer.Add(field, *out.add_field(), false);
    writer.Finish();
    if (!message.contains("extensions")) continue;
    auto& range = *out.add_extension_range();
    range.set_start(1000);
    range.set_end(1 << 29);
    for (const Json& extension : message.at("extensions")) {
      Field& field = *file.add_extension();
      writer.Add(extension, field, true);
      field.set_extendee("." + file.package() + "." + name);
    }
  }
  return set.SerializeAsString();
}

StatusOr<std::vector<std::string>> RowsOf(const Json& inputs, const ProtobufSchema& schema,
                                          const std::string& message_type) {
  std::vector<std::string> rows;
  if (inputs.contains("messages_hex")) {
    for (const std::string row : inputs.at("messages_hex")) {
      rows.push_back(absl::HexStringToBytes(row));
    }
    return rows;
  }
  SIGNET_ASSIGN_OR_RETURN(const auto* type, schema.FindMessage(message_type));
  pb::DynamicMessageFactory factory;
  for (const Json& json : inputs.at("messages")) {
    std::unique_ptr<pb::Message> message(factory.GetPrototype(type)->New());
    SIGNET_RETURN_IF_ERROR(FillMessage(json, schema, *message));
    rows.push_back(message->SerializePartialAsString());
  }
  return rows;
}

}  // namespace signet::vectors
