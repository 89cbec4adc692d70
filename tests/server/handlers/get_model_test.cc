#include "server/handlers/get_model.h"

#include <gmock/gmock.h>

#include "tests/server/test_server.h"

namespace signet {
namespace {

TEST(GetModelTest, TellsFunctionsVersionsLabelsAndLimits) {
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

TEST(GetModelTest, RefusesUnknownNames) {
  TestServer test;
  EXPECT_EQ(test.MakeClient().GetModel({.name = "none"}).status().code(),
            absl::StatusCode::kNotFound);
}

// Strings of tensors and attributes are bytes of any kind; descriptions of models are text.
TEST(GetModelTest, DescribesBytesThatAreNotUtf8) {
  ModelBuilder model("A model");
  model.AddFunction("f", R"((x = "caf\xe9"))").Node("y", "string_concat", {"x", "x"}).Result("y");
  auto def = model.Build();
  ASSERT_TRUE(def.ok()) << def.status();
  TestServer test;
  test.server().repository().Add(std::make_shared<Model>("m", 1, *std::move(def), ModelOptions()));
  auto found = test.MakeClient().GetModel({.name = "m"});
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_THAT(found->functions(0).signature(), testing::HasSubstr("\\xe9"));
  auto explanation = test.MakeClient().Explain({.model = {.name = "m"}, .function = "f"});
  EXPECT_TRUE(explanation.ok()) << explanation.status();
}

}  // namespace
}  // namespace signet
