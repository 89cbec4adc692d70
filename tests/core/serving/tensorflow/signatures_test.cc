#include "core/serving/tensorflow/signatures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/model/native/build_model_def.h"
#include "core/model/source_names.h"
#include "core/serving/flat/flat_signature.h"
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
  ReadSourceNames(*def);
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
  EXPECT_EQ(LookupInput(function.def(), "x:in")->name, "x");
  EXPECT_EQ(LookupInput(function.def(), "x")->name, "x");
  EXPECT_EQ(LookupInput(function.def(), "other"), nullptr);
}

TEST(SignaturesTest, ChecksTheMethodOfImportedSignatures) {
  const auto model = Make({"c", "r", "p"}, {{"savedmodel.c.signature", "c"},
                                            {"savedmodel.c.method", "tensorflow/serving/classify"},
                                            {"savedmodel.r.method", "tensorflow/serving/regress"},
                                            {"savedmodel.p.method", "tensorflow/serving/predict"}});
  EXPECT_EQ(Found(*model, "c", Method::kClassify), "c");
  EXPECT_EQ(Found(*model, "c", Method::kPredict), "c");
  EXPECT_EQ(Found(*model, "c", Method::kRegress),
            "Expected regression signature method_name to be tensorflow/serving/regress. Was: "
            "tensorflow/serving/classify");
  EXPECT_THAT(Found(*model, "r", Method::kClassify), HasSubstr("Expected classification"));
  EXPECT_EQ(Found(*model, "p", Method::kClassify), "p");
  EXPECT_EQ(Found(*model, "p", Method::kRegress), "p");
}

TEST(SignaturesTest, ChecksInputs) {
  ModelBuilder builder;
  builder.AddFunction("f", "(x: float32[?], y: float32[?], k = 3)").Result("x");
  builder.AddFunction("g", "(x: ragged float32[?, (?)])").Result("x");
  auto def = BuildModelDef(builder);
  ASSERT_TRUE(def.ok());
  def->metadata = {{"savedmodel.f.input.y", "y:in"}};
  ReadSourceNames(*def);
  const auto model = std::make_shared<LoadedModel>("m", 1, *std::move(def), ModelOptions());
  auto check = [&](const char* function, const std::vector<std::string>& names) {
    const CalledFunction called{.model = model, .function = *model->FindFunction(function)};
    std::vector<NamedTensor> inputs;
    for (const std::string& name : names) inputs.push_back({.name = name, .tensor = Tensor()});
    return std::string(MessageOf(CheckInputs(called, inputs)));
  };
  EXPECT_EQ(check("f", {"x", "y:in"}), "");
  EXPECT_EQ(check("f", {"k", "y:in", "x"}), "");
  EXPECT_EQ(check("g", {"x.values"}), "");
  EXPECT_EQ(check("f", {"x"}),
            "input size does not match signature: 1!=2 len({x}) != len({x,y:in}). Sent extra: {}. "
            "Missing but required: {y:in}.");
  EXPECT_EQ(check("f", {"x", "y:in", "z"}),
            "input size does not match signature: 3!=2 len({x,y:in,z}) != len({x,y:in}). Sent "
            "extra: {z}. Missing but required: {}.");
  EXPECT_EQ(check("f", {"x", "z"}),
            "input tensor alias not found in signature: z. Inputs expected to be in the set "
            "{x,y:in}.");
}

TEST(SignaturesTest, ReportsUnknownSignatures) {
  const auto model = Make({"f", "g"});
  auto code = [&](Method method) { return FindFunction(*model, "h", method).status().code(); };
  EXPECT_EQ(code(Method::kPredict), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(code(Method::kClassify), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(Found(*model, "h"), HasSubstr("signatures `f`, `g`"));
  EXPECT_THAT(Found(*model, "h", Method::kRegress),
              HasSubstr("No signature was found with the name: h"));
}

TEST(SignaturesTest, TranslatesErrors) {
  const Status not_found = NotFound("model `m` not found");
  EXPECT_EQ(MessageOf(TranslateFindError({.model = "m"}, not_found)),
            "Servable not found for request: Latest(m); model `m` not found");
  EXPECT_EQ(MessageOf(TranslateFindError({.model = "m", .version = 3}, not_found)),
            "Servable not found for request: Specific(m, 3); model `m` not found");
  EXPECT_EQ(TranslateFindError({.model = "m", .label = "x"}, not_found).code(),
            absl::StatusCode::kInvalidArgument);
  const Status failed = TranslateFindError({.model = "m"}, FailedPrecondition("not loaded: why"));
  EXPECT_EQ(failed.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(MessageOf(failed), "Servable not found for request: Latest(m); not loaded: why");
  EXPECT_EQ(TranslateFindError({.model = "m"}, Unavailable("loading")).code(),
            absl::StatusCode::kUnavailable);
}

TEST(SignaturesTest, DescribesImportedSignatures) {
  const std::string source =
      "inputs { key: \"x:in\" value { name: \"x:0\" dtype: DT_FLOAT } } "
      "outputs { key: \"y\" value { name: \"y:0\" dtype: DT_FLOAT tensor_shape { dim { size: -1 } "
      "} "
      "} } method_name: \"tensorflow/serving/regress\"";
  const auto model = Make({"f", "g", "h"}, {{"savedmodel.f.signature", "f:s"},
                                            {"savedmodel.f.signature_def", source},
                                            {"savedmodel.h.signature", "serving_default"},
                                            {"savedmodel.h.signature_def", "inputs { no"}});
  const auto signatures = SignaturesOf(*model).signature_def();
  ASSERT_EQ(signatures.size(), 2U);
  const auto& f = signatures.at("f:s");
  EXPECT_EQ(f.inputs().at("x:in").name(), "x:0");
  EXPECT_EQ(f.outputs().at("y").tensor_shape().dim_size(), 1);
  EXPECT_EQ(f.method_name(), "tensorflow/serving/regress");
  EXPECT_TRUE(signatures.at("serving_default").inputs().contains("x"));
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
  EXPECT_THAT(json, HasSubstr("\"metadata\":{\"signature_def\":{\"signature_def\":{"));
}

}  // namespace
}  // namespace signet::tf
