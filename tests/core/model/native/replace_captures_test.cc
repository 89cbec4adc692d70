#include "core/model/native/replace_captures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/formats/safetensors/safetensors.h"
#include "core/frontends/load_model.h"
#include "core/model/function_captures.h"
#include "tests/support/native_model.h"
#include "tests/support/temporary_folder.h"

namespace signet {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::string_view kModel = R"model(
  format_version: 1
  functions {
    name: "score"
    signature: "(x: float32[?, 2])"
    nodes { name: "product" op: "matmul" inputs: "x" inputs: "weights" }
    nodes { name: "sum" op: "add" inputs: "product" inputs: "bias" }
    result: "sum"
  }
  functions {
    name: "folded"
    signature: "(x: float32[?, 2])"
    nodes { name: "twice" op: "add" inputs: "weights" inputs: "weights" }
    nodes { name: "product" op: "matmul" inputs: "x" inputs: "twice" }
    result: "product"
  }
  functions {
    name: "plain"
    signature: "(x: float32[?, 2])"
    nodes { name: "y" op: "neg" inputs: "x" }
    result: "y"
  }
  functions {
    name: "outer"
    signature: "(x: float32[?, 2])"
    nodes {
      name: "y"
      op: "call"
      inputs: "x"
      attributes { key: "function" value { function: "score" } }
    }
    result: "y"
  }
)model";

class ReplaceCapturesTest : public testing::Test {
 protected:
  ReplaceCapturesTest() {
    folder_.Write("m/1/model.pb", BinaryModel(kModel));
    Save("captures.safetensors", 1, {1, 1});
    auto model = LoadModel(version(), "m", 1, ModelOptions());
    EXPECT_TRUE(model.ok()) << model.status();
    model_ = *model;
  }

  std::filesystem::path version() const { return folder_.path() / "m" / "1"; }

  void Save(const char* name, float weight, std::vector<float> bias) {
    const float weights[] = {weight, 0, 0, weight};
    Status saved =
        WriteSafetensors(version() / name,
                         {{"bias", Tensor::Of<float>({2}, std::span<const float>(bias))},
                          {"weights", Tensor::Of<float>({2, 2}, std::span<const float>(weights))}});
    EXPECT_TRUE(saved.ok()) << saved;
  }

  void Save(const NamedTensors& tensors) {
    Status saved = WriteSafetensors(version() / "new.safetensors", tensors);
    EXPECT_TRUE(saved.ok()) << saved;
  }

  StatusOr<ReplacedCaptures> Replace() const {
    return ReplaceCaptures(model_, version() / "new.safetensors");
  }

  static Tensor Call(const LoadedModel& model, const char* function, float a, float b) {
    auto result =
        (*model.FindFunction(function))->Call({{Tensor::Of<float>({1, 2}, {a, b})}, {}}, {});
    EXPECT_TRUE(result.ok()) << result.status();
    return result.ok() ? result->tensor() : Tensor();
  }

  static uint64_t Specializations(const LoadedModel& model) {
    uint64_t count = 0;
    for (const auto& function : model.functions()) {
      count += function->cache_stats().specializations;
    }
    return count;
  }

  TemporaryFolder folder_;
  std::shared_ptr<const LoadedModel> model_;
};

TEST_F(ReplaceCapturesTest, KeepsConcreteFunctionsUnlessACaptureWasFolded) {
  EXPECT_TRUE(SameTensor(Call(*model_, "score", 1, 2), Tensor::Of<float>({1, 2}, {2, 3})));
  EXPECT_TRUE(SameTensor(Call(*model_, "plain", 1, 2), Tensor::Of<float>({1, 2}, {-1, -2})));
  EXPECT_EQ(Specializations(*model_), 2U);
  Save("new.safetensors", 10, {5, 6});
  auto replaced = Replace();
  ASSERT_TRUE(replaced.ok()) << replaced.status();
  EXPECT_EQ(replaced->functions.kept, 1U);
  EXPECT_EQ(replaced->functions.rebuilt, 1U);
  EXPECT_EQ(replaced->functions.specialized, 0U);
  const LoadedModel& model = *replaced->model;
  EXPECT_TRUE(SameTensor(Call(model, "score", 1, 2), Tensor::Of<float>({1, 2}, {15, 26})));
  EXPECT_TRUE(SameTensor(Call(model, "plain", 1, 2), Tensor::Of<float>({1, 2}, {-1, -2})));
  EXPECT_EQ(Specializations(model), 2U);
  // The old model is unchanged.
  EXPECT_TRUE(SameTensor(Call(*model_, "score", 1, 2), Tensor::Of<float>({1, 2}, {2, 3})));
  // Statistics continue: two calls were hits after the first ones.
  EXPECT_EQ((*model.FindFunction("score"))->cache_stats().hits, 1U);
}

TEST_F(ReplaceCapturesTest, SpecializesAgainWhereACaptureWasFolded) {
  EXPECT_TRUE(SameTensor(Call(*model_, "folded", 1, 2), Tensor::Of<float>({1, 2}, {2, 4})));
  Save("new.safetensors", 10, {5, 6});
  auto replaced = Replace();
  ASSERT_TRUE(replaced.ok()) << replaced.status();
  EXPECT_EQ(replaced->functions.specialized, 1U);
  EXPECT_EQ(Specializations(*replaced->model), 2U);
  EXPECT_TRUE(
      SameTensor(Call(*replaced->model, "folded", 1, 2), Tensor::Of<float>({1, 2}, {20, 40})));
  EXPECT_EQ(Specializations(*replaced->model), 2U);
}

TEST_F(ReplaceCapturesTest, KeepsFunctionsThatShareAPlan) {
  // Many sizes make one wider function, whose plan the later ones share.
  auto call = [](const LoadedModel& model, int64_t rows) {
    std::vector<float> x(static_cast<size_t>(2 * rows), 1);
    auto result = (*model.FindFunction("score"))
                      ->Call({{Tensor::Of<float>({rows, 2}, std::span<const float>(x))}, {}}, {});
    ASSERT_TRUE(result.ok()) << result.status();
  };
  for (int64_t rows = 1; rows <= 20; ++rows) call(*model_, rows);
  const FunctionCacheStats before = (*model_->FindFunction("score"))->cache_stats();
  EXPECT_GT(before.adaptations, 0U);
  Save("new.safetensors", 10, {5, 6});
  auto replaced = Replace();
  ASSERT_TRUE(replaced.ok()) << replaced.status();
  for (int64_t rows = 1; rows <= 20; ++rows) call(*replaced->model, rows);
  const FunctionCacheStats after = (*replaced->model->FindFunction("score"))->cache_stats();
  EXPECT_EQ(after.specializations, before.specializations);
  EXPECT_EQ(after.adaptations, before.adaptations);
  EXPECT_EQ(after.targets, before.targets);
}

TEST_F(ReplaceCapturesTest, OutlivesTheOldModelAndCanBeRepeated) {
  Call(*model_, "score", 1, 2);
  for (int i = 0; i < 5; ++i) {
    Save("new.safetensors", static_cast<float>(i), {0, 0});
    auto replaced = Replace();
    ASSERT_TRUE(replaced.ok()) << replaced.status();
    model_ = replaced->model;
    const auto w = static_cast<float>(i);
    EXPECT_TRUE(SameTensor(Call(*model_, "score", 1, 2), Tensor::Of<float>({1, 2}, {w, 2 * w})));
  }
  EXPECT_EQ(Specializations(*model_), 1U);
}

TEST_F(ReplaceCapturesTest, ReturnsTheSameModelForTheSameBytes) {
  Save("new.safetensors", 1, {1, 1});
  auto replaced = Replace();
  ASSERT_TRUE(replaced.ok()) << replaced.status();
  EXPECT_FALSE(replaced->changed);
  EXPECT_EQ(replaced->model, model_);
  EXPECT_EQ(*CheckCaptures(*model_, version() / "new.safetensors"), false);
  Save("new.safetensors", 2, {1, 1});
  EXPECT_EQ(*CheckCaptures(*model_, version() / "new.safetensors"), true);
}

TEST_F(ReplaceCapturesTest, FindsAFileThatWasOverwrittenInPlace) {
  EXPECT_TRUE(SameTensor(Call(*model_, "score", 1, 2), Tensor::Of<float>({1, 2}, {2, 3})));
  Save("new.safetensors", 10, {5, 6});
  const std::string bytes = ReadWholeFile(version() / "new.safetensors");
  const auto file = version() / "captures.safetensors";
  folder_.Write("m/1/captures.safetensors", bytes);  // the same inode
  std::filesystem::last_write_time(
      file, std::filesystem::last_write_time(file) + std::chrono::seconds(1));
  auto replaced = ReplaceCaptures(model_, file);
  ASSERT_TRUE(replaced.ok()) << replaced.status();
  EXPECT_TRUE(replaced->changed);
  EXPECT_TRUE(
      SameTensor(Call(*replaced->model, "score", 1, 2), Tensor::Of<float>({1, 2}, {15, 26})));
}

TEST_F(ReplaceCapturesTest, RejectsOtherNamesAndTypes) {
  const Tensor bias = Tensor::Of<float>({2}, {1, 1});
  const Tensor weights = Tensor::Of<float>({2, 2}, {1, 1, 1, 1});
  struct Case {
    NamedTensors tensors;
    const char* error;
  };
  const Case cases[] = {
      {{{"bias", Tensor::Of<float>({3}, {1, 1, 1})}, {"weights", weights}},
       "m/1: captures.safetensors: capture `bias`: expected `float32[2]`, found `float32[3]`"},
      {{{"bias", Tensor::Of<double>({2}, {1, 1})}, {"weights", weights}},
       "capture `bias`: expected `float32[2]`, found `float64[2]`"},
      {{{"weights", weights}},
       "capture `bias`: expected `float32[2]`, found no capture of this name"},
      {{{"bias", bias}, {"extra", bias}, {"weights", weights}},
       "capture `extra` not found in the model; captures: `bias`, `weights`"},
  };
  for (const Case& c : cases) {
    Save(c.tensors);
    EXPECT_THAT(std::string(Replace().status().message()), HasSubstr(c.error));
    EXPECT_FALSE(CheckCaptures(*model_, version() / "new.safetensors").ok());
  }
}

TEST_F(ReplaceCapturesTest, RejectsFilesThatAreNotSafetensors) {
  folder_.Write("m/1/new.safetensors", "not a header");
  EXPECT_EQ(Replace().status().code(), absl::StatusCode::kInvalidArgument);
  std::filesystem::remove(version() / "new.safetensors");
  EXPECT_EQ(Replace().status().code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(ReplaceCapturesTest, RejectsADefinitionThatChanged) {
  Save("new.safetensors", 10, {5, 6});
  std::string changed(kModel);
  changed.replace(changed.find("\"neg\""), 5, "\"abs\"");
  folder_.Write("m/1/model.pb", BinaryModel(changed));
  const Status status = Replace().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()), HasSubstr("the definition of the model changed"));
}

TEST_F(ReplaceCapturesTest, ReplacesCapturesOfTheModelLanguage) {
  folder_.Write("m/2/model.signet",
                "capture bias: float32[2]\n"
                "capture unit = 2.0\n"
                "\n"
                "\n"
                "def score(x: float32[?, 2]):\n"
                "    return matmul(x, weights) + bias * unit\n");
  std::filesystem::copy(version() / "captures.safetensors",
                        folder_.path() / "m/2/captures.safetensors");
  auto model = LoadModel(folder_.path() / "m/2", "m", 2, ModelOptions());
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_TRUE(SameTensor(Call(**model, "score", 1, 2), Tensor::Of<float>({1, 2}, {3, 4})));
  Save("new.safetensors", 10, {5, 6});
  auto replaced = ReplaceCaptures(*model, version() / "new.safetensors");
  ASSERT_TRUE(replaced.ok()) << replaced.status();
  EXPECT_TRUE(
      SameTensor(Call(*replaced->model, "score", 1, 2), Tensor::Of<float>({1, 2}, {20, 32})));
  folder_.Write("m/2/model.signet", "def score(x):\n    return matmul(x, weights) + bias\n");
  EXPECT_EQ(ReplaceCaptures(*model, version() / "new.safetensors").status().code(),
            absl::StatusCode::kFailedPrecondition);
}

TEST_F(ReplaceCapturesTest, ListsTheCapturesOfFunctions) {
  auto names = [&](size_t i) {
    std::vector<std::string> out;
    for (const Capture& capture : CapturesOf(model_->def(), model_->def().functions[i])) {
      out.push_back(Cat(capture.name, ": ", capture.type));
    }
    return out;
  };
  EXPECT_THAT(names(0), ElementsAre("bias: float32[2]", "weights: float32[2, 2]"));
  EXPECT_THAT(names(1), ElementsAre("weights: float32[2, 2]"));
  EXPECT_THAT(names(2), ElementsAre());
  EXPECT_THAT(names(3), ElementsAre("bias: float32[2]", "weights: float32[2, 2]"));
}

}  // namespace
}  // namespace signet
