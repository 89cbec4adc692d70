#include "client/cli/publish.h"

#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include "client/cli/settings_text.h"
#include "core/frontends/load_model.h"
#include "core/serving/repository/manifest.h"
#include "signet/notation.h"
#include "tensorflow/graph.pb.h"
#include "tests/support/temporary_folder.h"

namespace signet {
namespace {

constexpr char kModel[] = "def f(x):\n    return x\n";

TEST(PublishTest, CopiesEachVersionOnce) {
  TemporaryFolder folder;
  folder.Write("build/m/model.signet", kModel);
  folder.Write("build/m/assets/words.txt", "soup");
  folder.Write("build/m/.cache", "not published");
  std::filesystem::create_directory(folder.path() / "models");
  auto publish = [&](PublishOptions options = {}) {
    return PublishModel(folder.path() / "build/m", folder.path() / "models", options);
  };
  auto first = publish();
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_EQ(first->name, "m");
  EXPECT_EQ(first->version, 1);
  EXPECT_EQ(first->files, 2u);
  EXPECT_FALSE(first->was_published);
  EXPECT_TRUE(CheckManifest(SystemFiles(), folder.path() / "models/m/1").ok());
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "models/m/1/.cache"));
  EXPECT_TRUE(publish()->was_published);

  folder.Write("build/m/assets/words.txt", "bread");
  auto second = publish();
  ASSERT_TRUE(second.ok()) << second.status();
  EXPECT_EQ(second->version, 2);
  EXPECT_EQ(publish({.version = 1}).status().code(), absl::StatusCode::kAlreadyExists);
  EXPECT_TRUE(publish({.version = 2})->was_published);
  EXPECT_EQ(publish({.name = "n", .version = 7})->version, 7);
  EXPECT_EQ(publish({.name = "a/b"}).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(PublishTest, RejectsWhatAServerWouldReject) {
  TemporaryFolder folder;
  folder.Write("m/model.signet", "def f(");
  std::filesystem::create_directory(folder.path() / "models");
  EXPECT_FALSE(PublishModel(folder.path() / "m", folder.path() / "models", {}).ok());
  EXPECT_EQ(PublishModel(folder.path() / "m", folder.path() / "none", {}).status().code(),
            absl::StatusCode::kNotFound);
  EXPECT_EQ(PublishModel(folder.path() / "none", folder.path() / "models", {}).status().code(),
            absl::StatusCode::kNotFound);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path() / "models"));
}

TEST(PublishTest, DoesNotFollowLinksToOtherPlaces) {
  namespace fs = std::filesystem;
  TemporaryFolder folder;
  folder.Write("secret.txt", "secret");
  folder.Write("m/model.signet", kModel);
  folder.Write("m/words.txt", "soup");
  folder.Write("elsewhere/1/model.signet", kModel);
  fs::create_directory(folder.path() / "models");
  fs::create_symlink("words.txt", folder.path() / "m/same.txt");
  auto publish = [&] { return PublishModel(folder.path() / "m", folder.path() / "models", {}); };
  EXPECT_TRUE(publish().ok()) << publish().status();
  fs::create_symlink("../secret.txt", folder.path() / "m/data.txt");
  EXPECT_EQ(publish().status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_NE(publish().status().message().find("data.txt`: expected a file in the directory"),
            std::string::npos)
      << publish().status();
  fs::remove(folder.path() / "m/data.txt");
  fs::remove_all(folder.path() / "models/m");
  fs::create_directory_symlink("../elsewhere", folder.path() / "models/m");
  EXPECT_EQ(publish().status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_FALSE(fs::exists(folder.path() / "elsewhere/2"));
}

// A frozen graph of any name is published as frozen_graph.pb.
TEST(PublishTest, PublishesAFrozenGraph) {
  tensorflow::GraphDef graph;
  ASSERT_TRUE(google::protobuf::TextFormat::ParseFromString(R"(
    node { name: 'x' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT } } }
    node { name: 'y' op: 'Neg' input: 'x' attr { key: 'T' value { type: DT_FLOAT } } })",
                                                            &graph));
  TemporaryFolder folder;
  folder.Write("build/scores.pb", graph.SerializeAsString());
  folder.Write("build/broken.pb", "x");
  const std::filesystem::path models = folder.path() / "models";
  std::filesystem::create_directory(models);
  auto published = PublishModel(folder.path() / "build/scores.pb", models, {});
  ASSERT_TRUE(published.ok()) << published.status();
  EXPECT_EQ(published->name, "scores");
  EXPECT_EQ(published->version, 1);
  EXPECT_EQ(published->files, 1u);
  EXPECT_TRUE(CheckManifest(SystemFiles(), models / "scores/1").ok());
  auto model = LoadModel(models / "scores/1", "scores", 1, {});
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_TRUE((*model)->FindFunction("serving_default").ok());
  EXPECT_TRUE(PublishModel(folder.path() / "build/scores.pb", models, {})->was_published);
  // The directory of the version is published under the name of its model.
  auto again = PublishModel(models / "scores/1", models, {.version = 2});
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again->name, "scores");
  EXPECT_TRUE(std::filesystem::exists(models / "scores/2/frozen_graph.pb"));
  EXPECT_FALSE(PublishModel(folder.path() / "build/broken.pb", models, {}).ok());
}

// The names of inputs and outputs, with which the graph was checked, are published with it.
TEST(PublishTest, PublishesTheNamesOfAFrozenGraph) {
  tensorflow::GraphDef graph;
  ASSERT_TRUE(google::protobuf::TextFormat::ParseFromString(R"(
    node { name: 'x' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT } } }
    node { name: 'y' op: 'Neg' input: 'x' attr { key: 'T' value { type: DT_FLOAT } } }
    node { name: 'odd' op: 'NoSuchOperator' input: 'y' })",
                                                            &graph));
  TemporaryFolder folder;
  folder.Write("build/scores.pb", graph.SerializeAsString());
  auto name_output = [&](std::string_view key) {
    folder.Write("build/settings.textproto",
                 Cat("frozen_graph { outputs { key: '", key, "' value: 'y:0' } }"));
  };
  name_output("score");
  const std::filesystem::path models = folder.path() / "models";
  std::filesystem::create_directory(models);
  auto publish = [&](const std::filesystem::path& source) {
    return PublishModel(source, models, {.name = "scores"});
  };
  auto result = [&](int64_t version) {
    auto model = LoadModel(models / "scores" / Cat(version), "scores", version, {});
    if (!model.ok()) return model.status().ToString();
    auto function = (*model)->FindFunction("serving_default");
    if (!function.ok()) return function.status().ToString();
    auto value = (*function)->Call({{Value(Tensor::Scalar(1.0F))}, {}}, {});
    return value.ok() ? ToString(*value) : value.status().ToString();
  };
  auto published = publish(folder.path() / "build/scores.pb");
  ASSERT_TRUE(published.ok()) << published.status();
  EXPECT_EQ(result(1), "dict(score: float32[]) {score: -1.0}");
  EXPECT_TRUE(publish(folder.path() / "build/scores.pb")->was_published);
  // Other names are another version.
  name_output("result");
  EXPECT_EQ(publish(folder.path() / "build/scores.pb")->version, 2);
  EXPECT_EQ(result(2), "dict(result: float32[]) {result: -1.0}");
  // The settings may be next to the directory of a version. The published model may have its own.
  folder.Write("build/scores/1/frozen_graph.pb", graph.SerializeAsString());
  folder.Write("build/scores/settings.textproto",
               "frozen_graph { outputs { key: 'last' value: 'y:0' } }");
  EXPECT_EQ(publish(folder.path() / "build/scores/1")->version, 3);
  EXPECT_EQ(result(3), "dict(last: float32[]) {last: -1.0}");
  folder.Write("models/scores/settings.textproto",
               "frozen_graph { outputs { key: 'last' value: 'y:0' } }");
  EXPECT_EQ(PublishModel(folder.path() / "build/scores/1", models, {.version = 4})->version, 4);
  EXPECT_FALSE(std::filesystem::exists(models / "scores/4/settings.textproto"));
  EXPECT_EQ(result(4), "dict(last: float32[]) {last: -1.0}");
}

TEST(SettingsTextTest, ShowsValuesAndOrigins) {
  v1::GetModelResponse model;
  v1::ModelSettings& settings = *model.mutable_settings();
  settings.mutable_version_policy()->mutable_newest()->set_count(2);
  (*settings.mutable_labels())["stable"] = 3;
  settings.set_load(v1::ModelSettings::ON_DEMAND);
  settings.mutable_limits()->set_max_loop_steps(7);
  (*settings.mutable_batching()->mutable_functions())["f"].add_parameters("rows");
  EXPECT_EQ(SettingText(settings, "version_policy"), "newest:2");
  EXPECT_EQ(SettingText(settings, "labels.stable"), "3");
  EXPECT_EQ(SettingText(settings, "load"), "ON_DEMAND");
  EXPECT_EQ(SettingText(settings, "limits.max_loop_steps"), "7");
  EXPECT_EQ(SettingText(settings, "batching.functions.f"), "rows");
  EXPECT_EQ(SettingText(settings, "warm_up.requests_file"), "none");
  EXPECT_EQ(SettingText(settings, "nothing.at_all"), "");
  (*model.mutable_setting_origins())["load"] = v1::FILE;
  EXPECT_EQ(RenderSettings(model),
            "SETTING  VALUE      ORIGIN\n"
            "load     ON_DEMAND  file\n");
}

}  // namespace
}  // namespace signet
