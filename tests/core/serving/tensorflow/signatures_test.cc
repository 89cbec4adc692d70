#include "core/serving/tensorflow/signatures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/model/native/build_model_def.h"
#include "core/serving/tensorflow/metadata.h"
#include "signet/model_builder.h"

namespace signet::tf {
namespace {

using ::testing::HasSubstr;

std::shared_ptr<const LoadedModel> Make(const std::vector<std::string>& functions,
                                        std::map<std::string, std::string> metadata = {}) {
  ModelBuilder builder;
  for (const std::string& name : functions) {
    builder.AddFunction(name, "(x: float32[?])").Result("x");
  }
  auto def = BuildModelDef(builder);
  SIGNET_CHECK(def.ok());
  def->metadata = std::move(metadata);
  return std::make_shared<LoadedModel>("m", 7, *std::move(def), ModelOptions());
}

std::string Found(const LoadedModel& model, std::string_view signature,
                  Method method = Method::kPredict) {
  auto found = FindFunction(model, signature, method);
  return found.ok() ? (*found)->def().name : std::string(MessageOf(found.status()));
}

TEST(SignaturesTest, FindsTheDefault) {
  EXPECT_EQ(Found(*Make({"f"}), ""), "f");
  EXPECT_EQ(Found(*Make({"f"}), "serving_default"), "f");
  EXPECT_EQ(Found(*Make({"f", "serving_default"}), ""), "serving_default");
  EXPECT_EQ(Found(*Make({"f", "main"}), ""), "main");
  const auto model = Make({"predict", "classify", "regress"});
  EXPECT_EQ(Found(*model, ""), "predict");
  EXPECT_EQ(Found(*model, "", Method::kClassify), "classify");
  EXPECT_EQ(Found(*model, "", Method::kRegress), "regress");
  EXPECT_THAT(Found(*Make({"f", "g"}), ""),
              HasSubstr("Serving signature name: \"serving_default\" not found in signature def"));
}

TEST(SignaturesTest, FindsImportedSignatures) {
  const auto model =
      Make({"tensorflow_serving_regress", "f"},
           {{"savedmodel.tensorflow_serving_regress.signature", "tensorflow/serving/regress"},
            {"savedmodel.tensorflow_serving_regress.input.x", "x:in"},
            {"savedmodel.f.signature", "serving_default"}});
  EXPECT_EQ(Found(*model, "tensorflow/serving/regress"), "tensorflow_serving_regress");
  EXPECT_EQ(Found(*model, "tensorflow_serving_regress"), "tensorflow_serving_regress");
  EXPECT_EQ(Found(*model, ""), "f");
  const PolymorphicFunction& function = **model->FindFunction("tensorflow_serving_regress");
  EXPECT_EQ(ParameterOfKey(*model, function, "x:in"), "x");
  EXPECT_EQ(ParameterOfKey(*model, function, "other"), "other");
  EXPECT_EQ(InputKeyOf(*model, function, "x"), "x:in");
}

TEST(SignaturesTest, ReportsUnknownSignatures) {
  const auto model = Make({"f", "g"});
  auto code = [&](Method method) { return FindFunction(*model, "h", method).status().code(); };
  EXPECT_EQ(code(Method::kPredict), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(code(Method::kClassify), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(Found(*model, "h"), HasSubstr("signatures `f`, `g`"));
}

TEST(SignaturesTest, TranslatesErrors) {
  const Status not_found = NotFound("model `m` not found");
  EXPECT_EQ(MessageOf(TranslateFindError({.model = "m"}, not_found)),
            "Servable not found for request: Latest(m); model `m` not found");
  EXPECT_EQ(MessageOf(TranslateFindError({.model = "m", .version = 3}, not_found)),
            "Servable not found for request: Specific(m, 3); model `m` not found");
  EXPECT_EQ(TranslateFindError({.model = "m", .label = "x"}, not_found).code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(SignaturesTest, DescribesSignatures) {
  const auto signatures = SignaturesOf(*Make({"f"})).signature_def();
  ASSERT_EQ(signatures.size(), 2U);
  ASSERT_TRUE(signatures.contains("serving_default"));
  const auto& signature = signatures.at("f");
  EXPECT_EQ(signature.method_name(), "tensorflow/serving/predict");
  const auto& x = signature.inputs().at("x");
  EXPECT_EQ(x.dtype(), ::tensorflow::DT_FLOAT);
  ASSERT_EQ(x.tensor_shape().dim_size(), 1);
  EXPECT_EQ(x.tensor_shape().dim(0).size(), -1);
  const std::string json = MetadataToJson(*Make({"f"}));
  EXPECT_THAT(json, HasSubstr("\"version\":\"7\""));
  EXPECT_THAT(json, HasSubstr("\"signature_def\": {\"signature_def\":{"));
}

}  // namespace
}  // namespace signet::tf
