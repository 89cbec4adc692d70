// ProtoText: the source of a .proto file made into a serialized FileDescriptorSet, for tests.
//
// As much of the language as tests need: messages and enums, within one another too, labels, maps,
// groups, oneofs, extensions and [packed = ..]. Names of types are left to the descriptor pool.
// Aborts on anything else.

#pragma once

#include <cctype>
#include <string>
#include <string_view>
#include <vector>

#include <google/protobuf/descriptor.pb.h>

#include "signet/status.h"

namespace signet {

class ProtoText {
 public:
  explicit ProtoText(std::string_view source) { Split(source); }

  google::protobuf::FileDescriptorProto Read() {
    file_.set_name("test.proto");
    while (at_ < tokens_.size()) {
      std::string word = Next();
      if (word == "syntax") {
        Expect("=");
        std::string syntax = Next();
        is_proto3_ = syntax == "\"proto3\"";
        if (is_proto3_) file_.set_syntax("proto3");
        Expect(";");
      } else if (word == "package") {
        file_.set_package(Next());
        Expect(";");
      } else if (word == "message") {
        ReadMessage(*file_.add_message_type());
      } else if (word == "enum") {
        ReadEnum(*file_.add_enum_type());
      } else {
        SIGNET_CHECK(word == "extend");
        std::string extendee = Next();
        Expect("{");
        while (!Take("}")) {
          auto& field = *file_.add_extension();
          field.set_extendee(extendee);
          ReadField(field, nullptr, -1);
        }
      }
    }
    return file_;
  }

 private:
  using Field = google::protobuf::FieldDescriptorProto;
  using Message = google::protobuf::DescriptorProto;

  void Split(std::string_view source) {
    auto is_word = [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '"';
    };
    for (size_t i = 0; i < source.size();) {
      size_t begin = i;
      if (std::isspace(static_cast<unsigned char>(source[i])) != 0) {
        ++i;
        continue;
      }
      do {
        ++i;
      } while (is_word(source[begin]) && i < source.size() && is_word(source[i]));
      tokens_.emplace_back(source.substr(begin, i - begin));
    }
  }

  std::string Next() {
    SIGNET_CHECK(at_ < tokens_.size());
    return tokens_[at_++];
  }
  bool Take(std::string_view token) {
    bool is_next = at_ < tokens_.size() && tokens_[at_] == token;
    if (is_next) ++at_;
    return is_next;
  }
  void Expect(std::string_view token) { SIGNET_CHECK(Take(token)); }
  int Number() { return std::stoi(Next()); }

  void ReadMessage(Message& out) {
    out.set_name(Next());
    ReadBody(out);
  }

  void ReadBody(Message& out) {
    std::vector<Field*> optional;  // of proto3
    Expect("{");
    while (!Take("}")) {
      if (Take("message")) {
        ReadMessage(*out.add_nested_type());
      } else if (Take("enum")) {
        ReadEnum(*out.add_enum_type());
      } else if (Take("oneof")) {
        int index = out.oneof_decl_size();
        out.add_oneof_decl()->set_name(Next());
        Expect("{");
        while (!Take("}")) ReadField(*out.add_field(), &out, index);
      } else if (Take("extensions")) {
        auto& range = *out.add_extension_range();
        range.set_start(Number());
        Expect("to");
        range.set_end(Number() + 1);
        Expect(";");
      } else if (Take("map")) {
        ReadMap(out);
      } else {
        bool is_optional = is_proto3_ && tokens_[at_] == "optional";
        ReadField(*out.add_field(), &out, -1);
        if (is_optional) optional.push_back(out.mutable_field(out.field_size() - 1));
      }
    }
    for (Field* field : optional) {
      field->set_proto3_optional(true);
      field->set_oneof_index(out.oneof_decl_size());
      out.add_oneof_decl()->set_name("_" + field->name());
    }
  }

  void ReadEnum(google::protobuf::EnumDescriptorProto& out) {
    out.set_name(Next());
    Expect("{");
    while (!Take("}")) {
      auto& value = *out.add_value();
      value.set_name(Next());
      Expect("=");
      value.set_number(Number());
      Expect(";");
    }
  }

  // `message`: where a group's type goes.
  void ReadField(Field& out, Message* message, int oneof) {
    out.set_label(Field::LABEL_OPTIONAL);
    if (Take("required")) {
      out.set_label(Field::LABEL_REQUIRED);
    } else if (Take("repeated")) {
      out.set_label(Field::LABEL_REPEATED);
    } else {
      Take("optional");
    }
    if (oneof >= 0) out.set_oneof_index(oneof);
    if (Take("group")) {
      SIGNET_CHECK(message != nullptr);
      Message& type = *message->add_nested_type();
      type.set_name(Next());
      std::string name = type.name();
      for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      out.set_name(name);
      out.set_type(Field::TYPE_GROUP);
      out.set_type_name(type.name());
      Expect("=");
      out.set_number(Number());
      return ReadBody(type);
    }
    SetType(Next(), out);
    out.set_name(Next());
    Expect("=");
    out.set_number(Number());
    if (Take("[")) {
      Expect("packed");
      Expect("=");
      out.mutable_options()->set_packed(Next() == "true");
      Expect("]");
    }
    Expect(";");
  }

  void ReadMap(Message& message) {
    Message& entry = *message.add_nested_type();
    entry.mutable_options()->set_map_entry(true);
    Expect("<");
    for (int number : {1, 2}) {
      Field& field = *entry.add_field();
      field.set_name(number == 1 ? "key" : "value");
      field.set_number(number);
      field.set_label(Field::LABEL_OPTIONAL);
      SetType(Next(), field);
      Expect(number == 1 ? "," : ">");
    }
    Field& field = *message.add_field();
    field.set_name(Next());
    std::string camel = field.name() + "Entry";
    camel[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(camel[0])));
    entry.set_name(camel);
    field.set_type_name(camel);
    field.set_label(Field::LABEL_REPEATED);
    Expect("=");
    field.set_number(Number());
    Expect(";");
  }

  static void SetType(const std::string& name, Field& out) {
    std::string upper = "TYPE_";
    for (char c : name) {
      upper += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    }
    Field::Type type;
    if (Field::Type_Parse(upper, &type)) {
      out.set_type(type);
    } else {
      out.set_type_name(name);
    }
  }

  std::vector<std::string> tokens_;
  size_t at_ = 0;
  bool is_proto3_ = false;
  google::protobuf::FileDescriptorProto file_;
};

inline std::string DescriptorSetOf(std::string_view source) {
  google::protobuf::FileDescriptorSet set;
  *set.add_file() = ProtoText(source).Read();
  return set.SerializeAsString();
}

}  // namespace signet
