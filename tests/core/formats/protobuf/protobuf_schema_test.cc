#include "core/formats/protobuf/protobuf_schema.h"

#include <gtest/gtest.h>

#include "tests/core/formats/protobuf/proto_text.h"

namespace signet {
namespace {

using google::protobuf::FileDescriptorSet;

TEST(ProtobufSchemaTest, FindsMessages) {
  auto schema = ProtobufSchema::Parse(DescriptorSetOf(R"(
    syntax = "proto2";
    package shop;
    message Recipe { message Step {} map<string, Step> steps = 1; extensions 100 to 200; }
    extend Recipe { optional int32 stars = 100; }
  )"));
  ASSERT_TRUE(schema.ok()) << schema.status();
  EXPECT_EQ((*schema)->message_names(),
            (std::vector<std::string>{"shop.Recipe", "shop.Recipe.Step"}));
  EXPECT_TRUE((*schema)->FindMessage("shop.Recipe.Step").ok());
  EXPECT_NE((*schema)->LookupExtension("shop.stars"), nullptr);
  Status status = (*schema)->FindMessage("Recipe").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(MessageOf(status),
            "no message type `Recipe`; message types: `shop.Recipe`, `shop.Recipe.Step`");
}

TEST(ProtobufSchemaTest, TakesFilesInAnyOrder) {
  FileDescriptorSet set;
  set.add_file()->set_name("b.proto");
  set.mutable_file(0)->add_dependency("a.proto");
  auto* field = set.mutable_file(0)->add_message_type();
  field->set_name("B");
  auto* use = field->add_field();
  use->set_name("a");
  use->set_number(1);
  use->set_label(google::protobuf::FieldDescriptorProto::LABEL_OPTIONAL);
  use->set_type_name(".A");
  set.add_file()->set_name("a.proto");
  set.mutable_file(1)->add_message_type()->set_name("A");
  auto schema = ProtobufSchema::Parse(set.SerializeAsString());
  ASSERT_TRUE(schema.ok()) << schema.status();
  EXPECT_EQ((*schema)->message_names(), (std::vector<std::string>{"A", "B"}));
}

TEST(ProtobufSchemaTest, Rejects) {
  auto rejection = [](const FileDescriptorSet& set) {
    Status status = ProtobufSchema::Parse(set.SerializeAsString()).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    return std::string(MessageOf(status));
  };
  EXPECT_EQ(MessageOf(ProtobufSchema::Parse("\x0a\x05").status()),
            "expected a serialized google.protobuf.FileDescriptorSet, found bytes that do not "
            "parse; it may be truncated");

  FileDescriptorSet missing;
  missing.add_file()->set_name("a.proto");
  missing.mutable_file(0)->add_dependency("b.proto");
  EXPECT_EQ(rejection(missing),
            "file `a.proto`: imported file `b.proto` not found; protoc --include_imports "
            "adds it");

  FileDescriptorSet cycle = missing;
  cycle.add_file()->set_name("b.proto");
  cycle.mutable_file(1)->add_dependency("a.proto");
  EXPECT_EQ(rejection(cycle), "file `a.proto`: the file imports itself");

  FileDescriptorSet twice;
  twice.add_file()->set_name("a.proto");
  twice.add_file()->set_name("a.proto");
  EXPECT_EQ(rejection(twice), "duplicate file name");

  FileDescriptorSet broken;
  broken.add_file()->set_name("a.proto");
  auto* field = broken.mutable_file(0)->add_message_type();
  field->set_name("A");
  field->add_field()->set_name("x");
  EXPECT_NE(rejection(broken).find("file `a.proto`: `A"), std::string::npos) << rejection(broken);
}

}  // namespace
}  // namespace signet
