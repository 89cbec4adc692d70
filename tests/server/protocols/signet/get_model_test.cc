#include "server/protocols/signet/get_model.h"

#include <gmock/gmock.h>

#include "core/formats/signet_wire/wire.h"
#include "core/frontends/load_model.h"
#include "core/values/builders/value_notation.h"
#include "signet/tensor_spec.h"
#include "tests/server/test_server.h"

namespace signet {
namespace {

TEST(GetModelTest, ReturnsFunctionsVersionsLabelsAndLimits) {
  TestServer test;
  test.server().repository().Add(MathModel(4));
  ASSERT_TRUE(test.server().repository().SetLabel("math", "stable", 1).ok());
  auto model = test.MakeClient().GetModel({.name = "math", .label = "stable"});
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_EQ(model->version(), 1);
  EXPECT_EQ(model->doc(), "Arithmetic\nFor tests.");
  EXPECT_EQ(model->versions_size(), 2);
  EXPECT_EQ(model->labels().at("stable"), 1);
  EXPECT_EQ(model->limits().rank(), Limits().rank);
  ASSERT_EQ(model->functions_size(), 5);
  const v1::FunctionInfo* affine = nullptr;
  for (const auto& function : model->functions()) {
    if (function.name() == "affine") affine = &function;
  }
  ASSERT_NE(affine, nullptr);
  EXPECT_EQ(affine->signature(),
            "affine(x: float32[?], /, *, scale: float32[] = 0.5) -> float32[?]");
  EXPECT_EQ(affine->examples(0), "'[1, 2]' scale=3");
  EXPECT_EQ(affine->parameter_docs().at("scale"), "what to multiply by");
}

TEST(GetModelTest, StatesDefaultsAndExtensionTypes) {
  TestServer test;
  auto versions = LoadModel("tests/models/versions/1", "versions", 1, ModelOptions());
  ASSERT_TRUE(versions.ok()) << versions.status();
  test.server().repository().Add(*versions);
  auto model = test.MakeClient().GetModel({.name = "versions"});
  ASSERT_TRUE(model.ok()) << model.status();
  ASSERT_EQ(model->extension_types_size(), 1);
  const v1::ExtensionTypeInfo& type = model->extension_types(0);
  EXPECT_EQ(type.name(), "app.Rows");
  EXPECT_EQ(type.statics(0), "version");
  ASSERT_EQ(type.components_size(), 2);
  EXPECT_EQ(type.components(1).name(), "limits");
  EXPECT_EQ(*wire::TypeFromProto(type.components(1).type(), Limits()),
            TensorType(DType::kInt64, {kUnknownDim}));
  ASSERT_EQ(type.older_size(), 2);
  ASSERT_EQ(type.convertible_from_size(), 5);
  for (const auto& function : model->functions()) {
    if (function.name() != "limits") continue;
    auto value = wire::ValueFromProto(function.defaults().at("x"), Limits());
    ASSERT_TRUE(value.ok()) << value.status();
    EXPECT_EQ(ToString(*value),
              "app.Rows<version=3>(starts: int64[2], limits: int64[2]) "
              "{starts: [0, 2], limits: [2, 3]}");
  }
}

TEST(GetModelTest, RejectsUnknownNames) {
  TestServer test;
  EXPECT_EQ(test.MakeClient().GetModel({.name = "none"}).status().code(),
            absl::StatusCode::kNotFound);
}

// Strings of tensors and attributes may be any bytes. Descriptions of models are text.
TEST(GetModelTest, DescribesBytesThatAreNotUtf8) {
  ModelBuilder model("A model");
  model.AddFunction("f", R"((x = "caf\xe9"))").Node("y", "string_concat", {"x", "x"}).Result("y");
  auto def = BuildModelDef(model);
  ASSERT_TRUE(def.ok()) << def.status();
  TestServer test;
  test.server().repository().Add(
      std::make_shared<LoadedModel>("m", 1, *std::move(def), ModelOptions()));
  auto found = test.MakeClient().GetModel({.name = "m"});
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_THAT(found->functions(0).signature(), testing::HasSubstr("\\xe9"));
  auto explanation = test.MakeClient().Explain({.model = {.name = "m"}, .function = "f"});
  EXPECT_TRUE(explanation.ok()) << explanation.status();
}

}  // namespace
}  // namespace signet
