#include <gtest/gtest.h>

#include "core/frontends/inspect_model.h"
#include "core/frontends/load_model.h"
#include "core/model/native/model_files.h"
#include "signet/model_builder.h"
#include "tests/core/formats/protobuf/proto_text.h"
#include "tests/support/native_model.h"
#include "tests/support/temporary_folder.h"

namespace signet {
namespace {

constexpr char kModel[] =
    "format_version: 1 functions { name: \"f\" signature: \"(x)\" result: \"x\" }";

std::string Dish() {
  return DescriptorSetOf(
      "syntax = \"proto3\"; package shop; message Dish { map<string, int32> labels = 1; }");
}

TEST(MessageTypesTest, AreReadFromAFileBesideTheModel) {
  TemporaryFolder folder;
  folder.Write(
      "1/model.pb",
      BinaryModel(Cat(kModel, " message_fields { key: \"labels[color]\" value: \"color\" }")));
  folder.Write("1/descriptors.pb", Dish());
  auto model = LoadModelDef(folder.path() / "1", Limits());
  ASSERT_TRUE(model.ok()) << model.status();
  ASSERT_NE(model->messages, nullptr);
  EXPECT_NE(model->messages->LookupMessage("shop.Dish"), nullptr);
  EXPECT_EQ(model->message_fields.at("labels[color]"), "color");
  auto text = InspectModel(folder.path() / "1");
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_NE(text->find("message types\n  shop.Dish\n"), std::string::npos) << *text;
}

TEST(MessageTypesTest, AreSavedWithTheModel) {
  TemporaryFolder folder;
  ModelBuilder builder;
  builder.AddFunction("f", "(x)").Result("x");
  builder.SetDescriptorSet(Dish()).AddMessageField("labels[a]", "a");
  for (auto form : {ModelBuilder::Form::kText, ModelBuilder::Form::kBinary}) {
    Status saved = builder.Save(folder.path() / "1", form);
    ASSERT_TRUE(saved.ok()) << saved;
    auto model = LoadModelDef(folder.path() / "1", Limits());
    ASSERT_TRUE(model.ok()) << model.status();
    EXPECT_NE(model->messages->LookupMessage("shop.Dish"), nullptr);
    EXPECT_EQ(model->message_fields.size(), 1u);
  }
}

TEST(MessageTypesTest, RejectsMalformedInput) {
  struct Case {
    const char* text;
    std::string descriptors;
    const char* rejection;
  };
  const Case cases[] = {
      {"", "\x0a\x05", "descriptor_set: expected a serialized google.protobuf.FileDescriptorSet"},
      {"descriptor_set: \"\\n\\000\"", Dish(),
       "descriptor_set and descriptors.pb are mutually exclusive"},
      {"message_fields { key: \"a[1]\" value: \"a\" }", "",
       "message_fields: `a[1]`: missing descriptor_set, which message_fields requires"},
      {"message_fields { key: \"a[1\" value: \"a\" }", Dish(),
       "message_fields: `a[1`: expected a step `name`, `name[key]`, "},
      {"message_fields { key: \"a[1]\" value: \"_a\" }", Dish(),
       "message_fields: `a[1]`: expected a name of a letter, then letters, digits, or `_`, found "
       "`_a`"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.rejection);
    TemporaryFolder folder;
    folder.Write("1/model.pb", BinaryModel(Cat(kModel, " ", c.text)));
    if (!c.descriptors.empty()) folder.Write("1/descriptors.pb", c.descriptors);
    Status status = LoadModelDef(folder.path() / "1", Limits()).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
    EXPECT_NE(MessageOf(status).find(c.rejection), std::string_view::npos) << status;
  }
}

}  // namespace
}  // namespace signet
