// Models that import versions of other models.

#include <array>
#include <future>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/formats/safetensors/safetensors.h"
#include "core/frontends/load_model.h"
#include "core/serving/repository/repository.h"
#include "tests/core/serving/repository/model_texts.h"
#include "tests/support/temporary_folder.h"

namespace signet {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;
using State = VersionStatus::State;

constexpr milliseconds kPoll(20);
constexpr milliseconds kLong(60'000);

// Returns the text of a model whose `f(x)` is 10 times that of the imported model.
std::string Importer(std::string_view reference) {
  return Cat("import \"", reference,
             "\" as part\n\ndef f(x: int64[]):\n    return 10 * part.f(x)\n");
}

class ImportsTest : public testing::Test {
 protected:
  void Start() {
    ASSERT_TRUE(repository_.Open({{.folder = root_.path()}}).ok());
    repository_.Watch(kPoll);
  }
  int64_t Answer(std::string_view model = "main") const {
    auto found = repository_.Find(model);
    return found.ok() ? CallF(**found).value_or(-2) : -1;
  }
  bool WaitForAnswer(int64_t answer) const {
    return WaitFor([&] { return Answer() == answer; });
  }
  std::string Reason() const {
    auto status = VersionOf(repository_, "main", 1);
    return status ? status->reason : "not listed";
  }

  TemporaryFolder root_;
  Repository repository_{ModelOptions()};
};

TEST_F(ImportsTest, CallsAVersionOfAnotherModel) {
  root_.Write("part/1/model.signet", ModelThatAdds(1));
  root_.Write("part/2/model.signet", ModelThatAdds(2));
  root_.Write("main/1/model.signet", Importer("part/1"));
  Start();
  EXPECT_EQ(Answer(), 10);
  auto model = repository_.Find("main");
  ASSERT_TRUE(model.ok());
  EXPECT_THAT(std::string(MessageOf((*model)->FindFunction("part.f").status())),
              testing::EndsWith("functions: `f`"));
}

TEST_F(ImportsTest, FollowsALabel) {
  root_.Write("part/1/model.signet", ModelThatAdds(1));
  root_.Write("part/2/model.signet", ModelThatAdds(2));
  root_.Write("part/settings.textproto", "labels { key: \"stable\" value: 1 }");
  root_.Write("main/1/model.signet", Importer("part:stable"));
  Start();
  EXPECT_EQ(Answer(), 10);
  ASSERT_TRUE(repository_.SetLabel("part", "stable", 2).ok());
  EXPECT_TRUE(WaitForAnswer(20));
  root_.Write("part/settings.textproto", "labels { key: \"stable\" value: 2 }");
  root_.Write("part/3/model.signet", ModelThatAdds(3));
  ASSERT_TRUE(WaitFor([&] { return IsInState(repository_, "part", 3, State::kAvailable); }));
  EXPECT_EQ(Answer(), 20);
  root_.Write("part/settings.textproto", "labels { key: \"stable\" value: 3 }");
  EXPECT_TRUE(WaitForAnswer(30));
}

TEST_F(ImportsTest, IsLoadedAgainWhenAnImportedModelChanges) {
  root_.Write("part/1/model.signet", ModelThatAdds(1));
  root_.Write("middle/1/model.signet", Importer("part/1"));
  root_.Write("main/1/model.signet", Importer("middle/1"));
  Start();
  EXPECT_EQ(Answer(), 100);
  root_.Write("middle/1/model.signet", Importer("part/2"));
  auto reason = [&] { return VersionOf(repository_, "middle", 1)->reason; };
  ASSERT_TRUE(WaitFor([&] { return !reason().empty(); }));
  EXPECT_THAT(reason(), testing::StartsWith("the earlier content is served: "));
  EXPECT_THAT(reason(), HasSubstr("model `part`: version 2 not found"));
  EXPECT_EQ(Answer("middle"), 10);  // the old one serves until a load succeeds
  EXPECT_EQ(Answer(), 100);
  // While the imported version has earlier content, it is not imported again.
  root_.Write("main/1/model.signet", Cat("# changed\n", Importer("middle/1")));
  ASSERT_TRUE(WaitFor([&] { return !Reason().empty(); }));
  EXPECT_THAT(Reason(), HasSubstr("model `middle`: version 1, which this version imports: "));
  EXPECT_EQ(Answer(), 100);
  root_.Write("part/2/model.signet", ModelThatAdds(2));
  EXPECT_TRUE(WaitForAnswer(200));
  root_.Write("part/2/model.signet", ModelThatAdds(3));
  EXPECT_TRUE(WaitForAnswer(300));
  EXPECT_EQ(Reason(), "");
}

TEST_F(ImportsTest, RejectsCyclesAndOtherImports) {
  root_.Write("one/1/model.signet", Importer("main/1"));
  root_.Write("main/1/model.signet", Importer("one/1"));
  Start();
  EXPECT_THAT(Reason(), HasSubstr("models import one another in a cycle"));
  for (const auto& [reference, reason] : {std::pair("gone/1", "model `gone` not found"),
                                          {"part:stable", "model `part` not found"},
                                          {"part", "expected the name of a file .onnx next to"},
                                          {"part/0", "expected the name of a file .onnx next to"},
                                          {"../part/1", "expected the name of a file .onnx"}}) {
    root_.Write("main/1/model.signet", Importer(reference));
    EXPECT_TRUE(WaitFor([&, text = reason] { return Reason().find(text) != std::string::npos; }))
        << reference << Reason();
  }
}

TEST_F(ImportsTest, IsLoadedAgainAfterAnyChangeOfItsImports) {
  root_.Write("part/1/model.signet", ModelThatAdds(1));
  root_.Write("main/1/model.signet", Importer("part/1"));
  Start();
  auto before = repository_.Find("main");
  root_.Write("part/1/notes.txt", "a file that no model reads");
  ASSERT_TRUE(WaitFor([&] { return *repository_.Find("main") != *before; }));
  EXPECT_EQ(Answer(), 10);
}

TEST_F(ImportsTest, RandomHistoriesEndAsAFreshServerBegins) {
  std::mt19937 random(7);
  root_.Write("part/1/model.signet", ModelThatAdds(1));
  root_.Write("main/1/model.signet", Importer("part/1"));
  Start();
  for (int step = 0; step < 40; ++step) {
    const int version = static_cast<int>(random() % 3) + 1;
    const std::string folder = Cat("part/", version);
    switch (random() % 5) {
      case 0:
        root_.Write(folder + "/model.signet", ModelThatAdds(static_cast<int>(random() % 9) + 1));
        break;
      case 1:
        std::filesystem::remove_all(root_.path() / folder);
        break;
      case 2:
        root_.Write("part/settings.textproto",
                    Cat("labels { key: \"stable\" value: ", version, " }"));
        break;
      case 3:
        root_.Write("main/1/model.signet", Importer("part:stable"));
        break;
      default:
        root_.Write("main/1/model.signet", Importer(folder));
    }
    if (step % 4 != 3) continue;
    Repository fresh{ModelOptions()};
    ASSERT_TRUE(fresh.Open({{.folder = root_.path()}}).ok());
    auto expected = fresh.Find("main");
    if (!expected.ok()) continue;  // then a server keeps what it has
    const int64_t answer = CallF(**expected).value_or(-2);
    EXPECT_TRUE(WaitForAnswer(answer)) << step << ": " << Answer() << " " << Reason();
  }
  ASSERT_TRUE(repository_.WaitUntilSettled(kLong));
}

constexpr char kRate[] = "capture w: int64[]\n\ndef f(x: int64[]):\n    return x + w\n";

void SaveRate(const std::filesystem::path& path, int64_t w) {
  const Status saved = WriteSafetensors(path, {{"w", Tensor::Scalar(w)}});
  ASSERT_TRUE(saved.ok()) << saved;
}

// `main` imports `middle`, which imports `rate`, whose captures are replaced.
class ImportedCapturesTest : public testing::Test {
 protected:
  void Start(RepositoryOptions options = {}) {
    root_.Write("rate/1/model.signet", kRate);
    SaveRate(root_.path() / "rate/1/captures.safetensors", 1);
    root_.Write("middle/1/model.signet", Importer("rate/1"));
    root_.Write("main/1/model.signet", Importer("middle/1"));
    repository_ = std::make_unique<Repository>(std::move(options));
    ASSERT_TRUE(repository_->Open({{.folder = root_.path()}}).ok());
    repository_->Watch(kPoll);
  }
  Status Replace(int64_t w) {
    SaveRate(root_.path() / ".new", w);
    return ReplaceCapturesOf(*repository_, *repository_->Find("rate"), root_.path() / ".new")
        .status();
  }
  int64_t Answer(std::string_view model) const {
    auto found = repository_->Find(model);
    return found.ok() ? CallF(**found).value_or(-2) : -1;
  }
  Status Await(const std::function<void(std::function<void(Status)>)>& start) {
    std::promise<Status> done;
    start([&](Status status) { done.set_value(std::move(status)); });
    return done.get_future().get();
  }
  bool AllHave(int64_t w) const {
    return Answer("rate") == w && Answer("middle") == 10 * w && Answer("main") == 100 * w;
  }

  TemporaryFolder root_;
  std::unique_ptr<Repository> repository_;
};

TEST_F(ImportedCapturesTest, ReachImportingModelsAtTheSameMoment) {
  Start();
  EXPECT_TRUE(AllHave(1));
  ASSERT_TRUE(Replace(2).ok());
  EXPECT_TRUE(AllHave(2));
  ASSERT_TRUE(repository_->WaitUntilSettled(kLong));
  EXPECT_TRUE(AllHave(2));
  // A model that is loaded later imports the captures that are served, too.
  root_.Write("late/1/model.signet", Importer("rate/1"));
  ASSERT_TRUE(WaitFor([&] { return Answer("late") == 20; }));
  ASSERT_TRUE(Await([&](auto done) { repository_->Reload("main", 1, std::move(done)); }).ok());
  EXPECT_TRUE(AllHave(2));
  ASSERT_TRUE(Replace(3).ok());
  EXPECT_EQ(Answer("late"), 30);
  // When the version is unloaded, its files are imported, and it is loaded from them.
  ASSERT_TRUE(repository_->Unload("rate", 1).ok());
  EXPECT_TRUE(WaitFor([&] { return Answer("main") == 100 && Answer("late") == 10; }));
  ASSERT_TRUE(Await([&](auto done) { repository_->Load("rate", 1, std::move(done)); }).ok());
  EXPECT_TRUE(AllHave(1));
  // A new file replaces what was replaced in memory.
  ASSERT_TRUE(Replace(4).ok());
  SaveRate(root_.path() / "rate/1/captures.safetensors", 5);
  EXPECT_TRUE(WaitFor([&] { return AllHave(5); }));
  // The bytes that are served already change nothing.
  ASSERT_TRUE(Replace(6).ok());
  const auto main = *repository_->Find("main");
  std::filesystem::rename(root_.path() / ".new", root_.path() / "rate/1/captures.safetensors");
  ASSERT_TRUE(Await([&](auto done) { repository_->Load("rate", 1, std::move(done)); }).ok());
  ASSERT_TRUE(repository_->WaitUntilSettled(kLong));
  EXPECT_TRUE(AllHave(6));
  EXPECT_EQ(*repository_->Find("main"), main);
}

TEST_F(ImportedCapturesTest, AreRejectedIfAnImportingModelRejectsThem) {
  RepositoryOptions options;
  options.warm_up = [](const std::shared_ptr<const LoadedModel>& model, const auto&, const auto&,
                       const auto&) -> Status {
    if (model->name() != "main" || *CallF(*model) != 1300) return absl::OkStatus();
    return InvalidArgument("unlucky");
  };
  Start(std::move(options));
  EXPECT_EQ(MessageOf(Replace(13)),
            "model `main`: version 1, which imports this version: warm-up: unlucky");
  EXPECT_TRUE(AllHave(1));
  EXPECT_TRUE(Replace(14).ok());
  EXPECT_TRUE(AllHave(14));
}

TEST_F(ImportedCapturesTest, NeverDifferInRandomHistories) {
  Start();
  std::mt19937 random(5);
  for (int step = 0; step < 60; ++step) {
    const auto w = static_cast<int64_t>(random() % 50 + 1);
    const std::string model = std::array{"rate", "middle", "main"}[random() % 3];
    switch (random() % 6) {
      case 0:
        SaveRate(root_.path() / "rate/1/captures.safetensors", w);
        break;
      case 1:
        EXPECT_TRUE(repository_->Unload(model, std::nullopt).ok());
        break;
      case 2:
        Await([&](auto done) { repository_->Load(model, 1, std::move(done)); }).IgnoreError();
        break;
      case 3:
        Await([&](auto done) { repository_->Reload(model, 1, std::move(done)); }).IgnoreError();
        break;
      default:
        if (Answer("rate") < 0) break;
        if (Status replaced = Replace(w); !replaced.ok()) {
          // An importing version, or the files of one, changed meanwhile.
          EXPECT_TRUE(replaced.code() == absl::StatusCode::kAborted ||
                      replaced.code() == absl::StatusCode::kNotFound ||
                      replaced.code() == absl::StatusCode::kFailedPrecondition)
              << replaced;
        }
    }
    if (step % 5 != 4) continue;
    auto agree = [&] {
      const int64_t rate = Answer("rate");
      for (const auto& [name, factor] : {std::pair("middle", 10), {"main", 100}}) {
        const int64_t answer = Answer(name);
        if (rate >= 0 && answer >= 0 && answer != rate * factor) return false;
      }
      return true;
    };
    EXPECT_TRUE(WaitFor(agree)) << step << ": " << Answer("rate") << " " << Answer("middle") << " "
                                << Answer("main");
  }
}

TEST(ImportsWithoutAServerTest, FindsModelsNextToTheModel) {
  TemporaryFolder root;
  root.Write("part/1/model.signet", ModelThatAdds(1));
  root.Write("main/1/model.signet", Importer("part/1"));
  auto model = LoadModel(root.path() / "main/1", "main", 1, {});
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_EQ(CallF(**model).value_or(-1), 10);
  root.Write("main/1/model.signet", Importer("part/2"));
  EXPECT_THAT(std::string(MessageOf(LoadModelDef(root.path() / "main/1", {}).status())),
              HasSubstr("model.signet:1:8: part/2: no such directory next to"));
  root.Write("main/1/model.signet", Importer("part:stable"));
  EXPECT_THAT(std::string(MessageOf(LoadModelDef(root.path() / "main/1", {}).status())),
              HasSubstr("labels belong to a server"));
  std::string many;
  for (int i = 0; i < 65; ++i) many += Cat("import \"part/1\" as part", i, "\n");
  root.Write("main/1/model.signet", many + "\ndef f(x):\n    return x\n");
  EXPECT_THAT(std::string(MessageOf(LoadModelDef(root.path() / "main/1", {}).status())),
              HasSubstr("import more than 64 other models"));
}

}  // namespace
}  // namespace signet
