#include "signet/model.h"

#include <atomic>
#include <chrono>
#include <filesystem>
#include <optional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "signet/model_builder.h"
#include "signet/notation.h"
#include "tests/support/temporary_folder.h"

namespace signet {
namespace {

using testing::HasSubstr;

// A model whose function returns `number`.
void SaveNumber(const std::filesystem::path& folder, int64_t number) {
  ModelBuilder builder;
  builder.AddCapture("number", Tensor::Scalar(number));
  builder.AddFunction("get", "()").Result("number");
  Status saved = builder.Save(folder);
  ASSERT_TRUE(saved.ok()) << saved;
}

StatusOr<Model> Doubling() {
  ModelBuilder builder("Doubles");
  builder.AddMetadata("author", "a test");
  builder.AddFunction("double", "(x: float32[?])").Node("y", "add", {"x", "x"}).Result("y");
  builder.AddFunction("_hidden", "(x)").Result("x");
  return builder.Build({.name = "doubling"});
}

TEST(ModelTest, LoadsTheNewestVersionOfADirectory) {
  TemporaryFolder folder;
  const auto root = folder.path() / "numbers";
  for (int64_t version : {2, 10, 9}) SaveNumber(root / std::to_string(version), version);
  std::filesystem::create_directories(root / "011");
  for (const auto& path : {root, root / ""}) {
    auto model = Model::Load(path);
    ASSERT_TRUE(model.ok()) << model.status();
    EXPECT_EQ(model->name(), "numbers");
    EXPECT_EQ(model->version(), 10);
    EXPECT_EQ(ToString(*model->FindFunction()->Call({})), "int64[] 10");
  }
  auto older = Model::Load(root / "9", {.name = "other"});
  ASSERT_TRUE(older.ok()) << older.status();
  EXPECT_EQ(older->name(), "other");
  EXPECT_EQ(older->version(), 9);
}

TEST(ModelTest, LoadsAnOnnxFile) {
  auto model = Model::Load("examples/models/weather/model.onnx");
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_EQ(model->name(), "model");
  EXPECT_FALSE(model->functions().empty());
}

TEST(ModelTest, ReportsWhatIsWrongWithAPath) {
  TemporaryFolder folder;
  const auto missing = Model::Load(folder.path() / "nothing").status();
  EXPECT_EQ(missing.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(missing.message()), HasSubstr("no such folder"));
  SaveNumber(folder.path() / "m", 1);
  EXPECT_TRUE(Model::Load(folder.path() / "m" / "model.signet").ok());
  folder.Write("text.txt", "no model");
  const auto file = Model::Load(folder.path() / "text.txt").status();
  EXPECT_EQ(file.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(file.message()), HasSubstr("a file ending in .onnx"));
}

TEST(ModelTest, HasFunctionsThatCallersMayUse) {
  auto model = Doubling();
  ASSERT_TRUE(model.ok()) << model.status();
  ASSERT_EQ(model->functions().size(), 1u);
  EXPECT_EQ(model->functions()[0].name(), "double");
  EXPECT_EQ(model->doc(), "Doubles");
  EXPECT_EQ(model->metadata().at("author"), "a test");
  EXPECT_THAT(model->Describe(), HasSubstr("double(x: float32[?])"));
  Status missing = model->FindFunction("none").status();
  EXPECT_EQ(missing.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(missing.message()), HasSubstr("double"));
}

TEST(ModelTest, LivesAsLongAsAFunction) {
  std::optional<Function> function;
  {
    auto model = Doubling();
    ASSERT_TRUE(model.ok()) << model.status();
    function = *model->FindFunction();
  }
  auto result = function->Call({Tensor::Of<float>({2}, {1, 2})});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(ToString(*result), "float32[2] [2.0, 4.0]");
}

TEST(ModelTest, BuildReportsTheNode) {
  ModelBuilder builder;
  builder.AddFunction("f", "(x: float32[?])").Node("y", "string_length", {"x"}).Result("y");
  Status status = builder.Build().status();
  EXPECT_FALSE(status.ok());
  EXPECT_THAT(std::string(status.message()), HasSubstr("function `f`"));
  EXPECT_THAT(std::string(status.message()), HasSubstr("`y`"));
}

TEST(FunctionTest, ErrorsNameThePlaceAndTheArgument) {
  auto function = *Doubling()->FindFunction();
  Status missing = function.Call({}).status();
  EXPECT_EQ(missing.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(ReasonOf(missing), "MISSING_REQUIRED");
  EXPECT_EQ(FieldOf(missing), "x");
  EXPECT_THAT(std::string(missing.message()), HasSubstr("doubling/1.double: "));
  Status wrong = function.ParseArgument("x", R"(["a"])").status();
  EXPECT_THAT(std::string(wrong.message()), HasSubstr("doubling/1.double: argument `x`: "));
  Status unknown = function.ParseArgument("y", "1").status();
  EXPECT_EQ(unknown.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(unknown.message()), HasSubstr("parameters: `x`"));
}

TEST(FunctionTest, SpecializesBeforeTheFirstCall) {
  const Value x = Tensor::Of<float>({3}, {1, 2, 3});
  auto unprepared = *Doubling()->FindFunction();
  EXPECT_EQ(unprepared.Explain({x}).outcome, Explanation::Outcome::kSpecialized);
  auto function = *Doubling()->FindFunction();
  ASSERT_TRUE(function.Specialize({Value::OfType(*ParseTypeSpec("float32[3]"))}).ok());
  EXPECT_NE(function.Explain({x}).outcome, Explanation::Outcome::kSpecialized);
}

TEST(FunctionTest, FindsTheConcreteFunctionOfTypes) {
  auto function = *Doubling()->FindFunction();
  auto found = function.FindConcrete({Value::OfType(*ParseTypeSpec("float32[2]"))});
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(found->type().ToString(), "(x: float32[?])");
  EXPECT_EQ(found->output().ToString(), "float32[?]");
  auto result = found->Call({Tensor::Of<float>({2}, {1, 2})});
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->tensor().elements<float>()[1], 4);
  const Status wrong = found->Call({Tensor::Of<int32_t>({2}, {1, 2})}).status();
  EXPECT_THAT(std::string(wrong.message()), HasSubstr("doubling/1.double: argument `x`: "));
  EXPECT_FALSE(function.FindConcrete({Value::OfType(*ParseTypeSpec("string[2]"))}).ok());
}

TEST(FunctionTest, StopsAtTheDeadlineAndWhenCancelled) {
  auto function = *Doubling()->FindFunction();
  const std::vector<Value> arguments = {Tensor::Of<float>({2}, {1, 2})};
  CallOptions late{.deadline = std::chrono::steady_clock::now() - std::chrono::seconds(1)};
  EXPECT_EQ(function.Call(arguments, {}, late).status().code(),
            absl::StatusCode::kDeadlineExceeded);
  std::atomic<bool> cancelled = true;
  EXPECT_EQ(function.Call(arguments, {}, {.cancelled = &cancelled}).status().code(),
            absl::StatusCode::kCancelled);
  EXPECT_TRUE(function.Call(arguments, {}, {.use_threads = false}).ok());
}

}  // namespace
}  // namespace signet
