#include "core/serving/repository/repository.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/model/native/build_model_def.h"
#include "tests/support/temporary_folder.h"

namespace signet {
namespace {

using testing::ElementsAre;
using testing::StartsWith;

constexpr char kGood[] = "def f(x):\n    return x\n";
constexpr char kBroken[] = "def f(x):\n    return y\n";

std::shared_ptr<const LoadedModel> MakeModel(std::string name, int64_t version) {
  ModelBuilder builder;
  builder.AddFunction("f", "(x)").Result("x");
  auto def = BuildModelDef(builder);
  SIGNET_CHECK(def.ok());
  return std::make_shared<const LoadedModel>(std::move(name), version, *std::move(def),
                                             ModelOptions());
}

std::string Rejection(const StatusOr<std::shared_ptr<const LoadedModel>>& model) {
  return std::string(MessageOf(model.status()));
}

class RepositoryTest : public testing::Test {
 protected:
  RepositoryTest() {
    root_.Write("m/1/model.signet", kGood);
    root_.Write("m/2/model.signet", kGood);
    root_.Write("m/10/model.signet", kBroken);
    root_.Write("n/1/model.signet", kBroken);
    EXPECT_TRUE(repository_.LoadAll(root_.path()).ok());
  }

  TemporaryFolder root_;
  Repository repository_{ModelOptions()};
};

TEST_F(RepositoryTest, ReturnsTheNewestAvailableVersion) {
  auto model = repository_.Find("m");
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_EQ((*model)->version(), 2);
  EXPECT_EQ((*model)->name(), "m");
  EXPECT_EQ((*repository_.Find("m", 1))->version(), 1);
}

TEST_F(RepositoryTest, KeepsAFailedVersionNextToGoodOnes) {
  auto models = repository_.List();
  ASSERT_EQ(models.size(), 2u);
  ASSERT_EQ(models[0].versions.size(), 3u);
  EXPECT_EQ(models[0].versions[1].state, VersionStatus::State::kAvailable);
  EXPECT_EQ(models[0].versions[2].version, 10);
  EXPECT_EQ(models[0].versions[2].state, VersionStatus::State::kFailed);
  EXPECT_THAT(models[0].versions[2].reason,
              StartsWith("m/10: model.signet:2:12: name `y` not found"));
}

TEST_F(RepositoryTest, DoesNotShowWhereTheServerKeepsItsModels) {
  root_.Write("broken_text/1/model.signet", "def f(");
  root_.Write("broken_binary/1/model.pb", "x");
  root_.Write("broken_captures/1/model.signet", kGood);
  root_.Write("broken_captures/1/captures.safetensors", "x");
  root_.Write("broken_descriptors/1/model.signet", kGood);
  root_.Write("broken_descriptors/1/descriptors.pb", "x");
  root_.Write("broken_onnx/model.onnx", "x");
  root_.Write("two_forms/1/model.signet", kGood);
  root_.Write("two_forms/1/model.onnx", "x");
  root_.Write("empty/1/readme.md", "x");
  std::filesystem::create_symlink("/nowhere", root_.path() / "empty/2");
  std::filesystem::create_directory(root_.path() / "empty/3");
  std::filesystem::create_symlink("/etc", root_.path() / "empty/3/model.pb");
  Repository repository{ModelOptions()};
  ASSERT_TRUE(repository.LoadAll(root_.path()).ok());
  int failed = 0;
  for (const ModelStatus& model : repository.List()) {
    for (const VersionStatus& version : model.versions) {
      if (version.state != VersionStatus::State::kFailed) continue;
      ++failed;
      EXPECT_THAT(version.reason,
                  testing::Not(testing::HasSubstr(root_.path().filename().string())));
      EXPECT_THAT(version.reason,
                  testing::Not(testing::HasSubstr(root_.path().parent_path().string() + "/")));
    }
  }
  EXPECT_GE(failed, 9);
}

TEST_F(RepositoryTest, ListsWhatExists) {
  EXPECT_EQ(Rejection(repository_.Find("q")), "model `q` not found; models: `m`, `n`");
  EXPECT_EQ(Rejection(repository_.Find("")), "missing name of a model; models: `m`, `n`");
  EXPECT_EQ(Rejection(repository_.Find("m", 7)),
            "model `m`: version 7 not found; loaded versions: 1, 2");
  EXPECT_EQ(Rejection(repository_.Find("m", std::nullopt, "stable")),
            "model `m`: label `stable` not found; labels: none");
  EXPECT_THAT(Rejection(repository_.Find("m", 10)),
              StartsWith("model `m`: version 10 is not loaded: "));
  EXPECT_THAT(Rejection(repository_.Find("n")), StartsWith("model `n`: version 1 is not loaded: "));
  EXPECT_EQ(repository_.Find("m", 10).status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(repository_.Find("m", 7).status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(repository_.Find("m", 1, "stable").status().code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(RepositoryTest, NamesTheNearestModelAndFunction) {
  root_.Write("recipes/1/model.signet", "def score(x):\n    return x\n");
  Repository repository{ModelOptions()};
  ASSERT_TRUE(repository.LoadAll(root_.path()).ok());
  EXPECT_EQ(Rejection(repository.Find("recipe")),
            "model `recipe` not found; the nearest is `recipes`; models: `m`, `n`, `recipes`");
  auto model = repository.Find("recipes");
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_EQ(
      MessageOf((*model)->FindFunction("scor").status()),
      "model `recipes`: function `scor` not found; the nearest is `score`; functions: `score`");
}

TEST_F(RepositoryTest, FindsByLabelAndMovesIt) {
  ASSERT_TRUE(repository_.SetLabel("m", "stable", 1).ok());
  EXPECT_EQ((*repository_.Find("m", std::nullopt, "stable"))->version(), 1);
  ASSERT_TRUE(repository_.SetLabel("m", "stable", 2).ok());
  EXPECT_EQ((*repository_.Find("m", std::nullopt, "stable"))->version(), 2);
  EXPECT_EQ(repository_.List()[0].labels.at("stable"), 2);
}

TEST_F(RepositoryTest, RejectsALabelForAnUnavailableVersion) {
  Status status = repository_.SetLabel("m", "stable", 10);
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(MessageOf(status),
            "model `m`: label `stable`: version 10 is not available; available versions: 1, 2");
  EXPECT_EQ(repository_.SetLabel("q", "stable", 1).code(), absl::StatusCode::kNotFound);
}

TEST_F(RepositoryTest, KeepsAVersionThatCannotBeReloaded) {
  root_.Write("m/2/model.signet", kBroken);
  auto before = repository_.Find("m", 2);
  ASSERT_TRUE(repository_.LoadAll(root_.path()).ok());
  auto after = repository_.Find("m", 2);
  ASSERT_TRUE(after.ok()) << after.status();
  EXPECT_EQ(*before, *after);
}

TEST_F(RepositoryTest, LoadsARepairedVersion) {
  root_.Write("m/10/model.signet", kGood);
  ASSERT_TRUE(repository_.LoadAll(root_.path()).ok());
  EXPECT_EQ((*repository_.Find("m"))->version(), 10);
}

TEST(RepositoryOfProgramTest, AcceptsModelsOfTheProgramAndReportsThem) {
  Repository repository{ModelOptions()};
  std::vector<std::string> changed;
  repository.OnChange([&](const std::string& name) {
    changed.push_back(name);
    EXPECT_TRUE(repository.Find(name).ok());  // no lock is held
  });
  repository.Add(MakeModel("made", 3));
  ASSERT_TRUE(repository.SetLabel("made", "stable", 3).ok());
  EXPECT_THAT(changed, ElementsAre("made", "made"));
  EXPECT_EQ((*repository.Find("made"))->version(), 3);
}

TEST(RepositoryOfProgramTest, KeepsAModelAliveWhileItIsHeld) {
  auto repository = std::make_unique<Repository>(ModelOptions());
  repository->Add(MakeModel("made", 1));
  auto held = *repository->Find("made");
  repository->Add(MakeModel("made", 1));
  EXPECT_NE(held, *repository->Find("made"));
  repository.reset();
  EXPECT_EQ(held->functions().size(), 1u);
}

TEST(ModelTest, FindsFunctions) {
  auto one = MakeModel("m", 1);
  EXPECT_TRUE(one->FindFunction("").ok());
  EXPECT_TRUE(one->FindFunction("f").ok());
  EXPECT_EQ(MessageOf(one->FindFunction("g").status()),
            "model `m`: function `g` not found; functions: `f`");
  EXPECT_EQ(one->Lookup("g"), nullptr);
  EXPECT_EQ(one->Lookup("f"), &one->def().functions[0]);
}

TEST(ModelTest, KeepsInternalFunctionsFromCallers) {
  ModelBuilder builder;
  builder.AddFunction("_body", "(x)").Result("x");
  builder.AddFunction("f", "(x)")
      .Node("y", "call", {"x"}, {{"function", NamedFunction{"_body"}}})
      .Result("y");
  auto def = BuildModelDef(builder);
  ASSERT_TRUE(def.ok()) << def.status();
  LoadedModel model("m", 1, *std::move(def), {});
  auto only = model.FindFunction("");
  ASSERT_TRUE(only.ok()) << only.status();
  EXPECT_EQ((*only)->def().name, "f");
  EXPECT_EQ(MessageOf(model.FindFunction("g").status()),
            "model `m`: function `g` not found; functions: `f`");
}

}  // namespace
}  // namespace signet
