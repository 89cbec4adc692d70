// A Repository whose directory changes while it is watched.

#include <future>
#include <sys/stat.h>

#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include "core/serving/repository/manifest.h"
#include "core/serving/repository/repository.h"
#include "tensorflow/graph.pb.h"
#include "tests/core/serving/repository/model_texts.h"
#include "tests/support/temporary_folder.h"

namespace signet {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;
using testing::StartsWith;
using State = VersionStatus::State;

constexpr milliseconds kPoll(20);
constexpr milliseconds kLong(60'000);

RepositoryOptions WithPolicy(std::string_view policy) {
  RepositoryOptions options;
  auto parsed = ParseVersionPolicy(policy);
  SIGNET_CHECK(parsed.ok());
  *options.flags.mutable_version_policy() = *parsed;
  return options;
}

class LiveRepositoryTest : public testing::Test {
 protected:
  void Start(RepositoryOptions options = {}, milliseconds poll = kPoll) {
    repository_ = std::make_unique<Repository>(std::move(options));
    ASSERT_TRUE(repository_->Open({{.folder = root_.path()}}).ok());
    repository_->Watch(poll);
  }

  // Writes a version at once, as `signet publish` does.
  void Publish(const std::string& folder, const std::string& text) const {
    root_.Write(".new/model.signet", text);
    auto manifest = MakeManifest(SystemFiles(), root_.path() / ".new");
    ASSERT_TRUE(manifest.ok()) << manifest.status();
    root_.Write(".new/manifest.json", *ManifestToJson(*manifest));
    std::filesystem::create_directories((root_.path() / folder).parent_path());
    std::filesystem::rename(root_.path() / ".new", root_.path() / folder);
  }

  bool WaitForState(int64_t version, State state) const {
    return WaitFor([&] { return IsInState(*repository_, "m", version, state); });
  }
  bool WaitUntilGone(int64_t version) const {
    return WaitFor([&] { return !VersionOf(*repository_, "m", version).has_value(); });
  }
  int64_t Answer(std::optional<int64_t> version = std::nullopt, std::string_view label = "") const {
    auto model = repository_->Find("m", version, label);
    if (!model.ok()) return -1;
    return CallF(**model).value_or(-2);
  }
  std::string Reason(int64_t version) const {
    auto status = VersionOf(*repository_, "m", version);
    return status ? status->reason : "not listed";
  }

  TemporaryFolder root_;
  std::unique_ptr<Repository> repository_;
};

TEST_F(LiveRepositoryTest, LoadsANewVersionAndUnloadsARemovedOne) {
  root_.Write("m/1/model.signet", ModelThatAdds(1));
  Start();
  EXPECT_EQ(Answer(), 1);
  root_.Write("m/2/model.signet", ModelThatAdds(2));
  ASSERT_TRUE(WaitForState(2, State::kAvailable));
  EXPECT_EQ(Answer(), 2);
  EXPECT_EQ(Answer(1), 1);
  std::filesystem::remove_all(root_.path() / "m/2");
  ASSERT_TRUE(WaitUntilGone(2));
  EXPECT_EQ(Answer(), 1);
  std::filesystem::remove_all(root_.path() / "m");
  ASSERT_TRUE(WaitFor([&] { return repository_->List().empty(); }));
  EXPECT_EQ(repository_->Find("m").status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(repository_->memory_bytes(), 0);
}

TEST_F(LiveRepositoryTest, ReplacesAVersionWhoseFilesChange) {
  root_.Write("m/1/model.signet", ModelThatAdds(1));
  Start();
  for (int i = 2; i < 6; ++i) {
    root_.Write("m/1/model.signet", ModelThatAdds(i));
    ASSERT_TRUE(WaitFor([&] { return Answer(1) == i; })) << i;
  }
  ASSERT_TRUE(repository_->WaitUntilSettled(kLong));
  EXPECT_EQ(repository_->List()[0].versions.size(), 1u);
}

TEST_F(LiveRepositoryTest, KeepsTheOldVersionIfTheNewOneFailsAndTriesAgainWhenItsFilesChange) {
  root_.Write("m/1/model.signet", ModelThatAdds(1));
  Start(WithPolicy("newest:1"));
  root_.Write("m/2/model.signet", "def f(x:");
  ASSERT_TRUE(WaitForState(2, State::kFailed));
  EXPECT_THAT(Reason(2), StartsWith("m/2: model.signet:1:"));
  EXPECT_EQ(Answer(), 1);
  root_.Write("m/2/model.signet", ModelThatAdds(2));
  ASSERT_TRUE(WaitForState(2, State::kAvailable));
  EXPECT_EQ(Answer(), 2);
  EXPECT_TRUE(WaitForState(1, State::kNotLoaded));  // only then is the old one unloaded
}

TEST_F(LiveRepositoryTest, KeepsAVersionWhoseChangedFilesFailAndReportsThem) {
  root_.Write("m/1/model.signet", ModelThatAdds(1));
  Start();
  root_.Write("m/1/model.signet", "?");
  ASSERT_TRUE(WaitFor([&] { return !Reason(1).empty(); }));
  EXPECT_THAT(Reason(1), HasSubstr("model.signet"));
  EXPECT_TRUE(IsInState(*repository_, "m", 1, State::kAvailable));
  EXPECT_EQ(Answer(), 1);
}

// Fault 50.
TEST_F(LiveRepositoryTest, DoesNotLoadAFolderThatChangesWithEachPoll) {
  root_.Write("m/1/model.signet", ModelThatAdds(1));
  Start({}, milliseconds(400));
  std::string text = ModelThatAdds(2);
  for (size_t i = 0; i < text.size(); ++i) {
    root_.Write("m/2/model.signet", text.substr(0, i));
    auto version = VersionOf(*repository_, "m", 2);
    if (version) {
      EXPECT_EQ(version->state, State::kLoading) << version->reason;
    }
    std::this_thread::sleep_for(milliseconds(10));
  }
  root_.Write("m/2/model.signet", text);
  ASSERT_TRUE(WaitForState(2, State::kAvailable));
  EXPECT_EQ(Answer(), 2);
}

TEST_F(LiveRepositoryTest, DoesNotLoadAFolderThatDoesNotMatchItsManifest) {
  Publish("m/1", ModelThatAdds(1));
  Start();
  EXPECT_EQ(Answer(), 1);
  Publish(".copy", ModelThatAdds(2));
  root_.Write("m/2/manifest.json", ReadWholeFile(root_.path() / ".copy/manifest.json"));
  ASSERT_TRUE(WaitForState(2, State::kFailed));
  EXPECT_EQ(Reason(2), "manifest.json: `model.signet`: file not found");
  std::string text = ModelThatAdds(2);
  root_.Write("m/2/model.signet", text.substr(0, text.size() - 1) + "#");
  ASSERT_TRUE(WaitFor([&] { return Reason(2).find("SHA-256") != std::string::npos; }));
  root_.Write("m/2/model.signet", text);
  ASSERT_TRUE(WaitForState(2, State::kAvailable));
}

TEST_F(LiveRepositoryTest, LoadsACompleteManifestAtTheNextPoll) {
  root_.Write("m/1/model.signet", ModelThatAdds(1));
  Start({}, milliseconds(0));  // no polls
  Publish("m/2", ModelThatAdds(2));
  ASSERT_TRUE(Rescan(*repository_).ok());
  ASSERT_TRUE(repository_->WaitUntilSettled(kLong));
  EXPECT_EQ(Answer(), 2);
}

TEST_F(LiveRepositoryTest, AppliesVersionPolicies) {
  for (int i = 1; i <= 4; ++i) root_.Write(Cat("m/", i, "/model.signet"), ModelThatAdds(i));
  root_.Write("m/4/model.signet", "broken");
  Start(WithPolicy("newest:2"));
  // The newest two that can be loaded.
  EXPECT_TRUE(IsInState(*repository_, "m", 4, State::kFailed));
  EXPECT_EQ(Answer(3), 3);
  EXPECT_EQ(Answer(2), 2);
  EXPECT_EQ(Answer(1), -1);
  EXPECT_EQ(MessageOf(repository_->Find("m", 1).status()),
            "model `m`: version 1 is not loaded: not selected by the version policy `newest:2`");
  EXPECT_EQ(repository_->Find("m", 1).status().code(), absl::StatusCode::kNotFound);
  root_.Write("m/settings.textproto", "version_policy { listed { versions: [1, 3] } }");
  ASSERT_TRUE(WaitForState(1, State::kAvailable));
  ASSERT_TRUE(WaitForState(2, State::kNotLoaded));
  EXPECT_EQ(Answer(3), 3);
  root_.Write("m/settings.textproto", "version_policy { all {} }");
  ASSERT_TRUE(WaitForState(2, State::kAvailable));
}

TEST_F(LiveRepositoryTest, MovesLabelsOfTheSettingsWhenTheirVersionIsLoaded) {
  root_.Write("m/1/model.signet", ModelThatAdds(1));
  root_.Write("m/settings.textproto",
              "version_policy { newest { count: 1 } } labels { key: 'stable' value: 1 }");
  Start();
  EXPECT_EQ(Answer(std::nullopt, "stable"), 1);
  root_.Write("m/2/model.signet", ModelThatAdds(2));
  ASSERT_TRUE(WaitForState(2, State::kAvailable));
  EXPECT_EQ(Answer(std::nullopt, "stable"), 1);  // its label keeps version 1
  root_.Write("m/settings.textproto",
              "version_policy { newest { count: 1 } } labels { key: 'stable' value: 3 }");
  ASSERT_TRUE(WaitFor(
      [&] { return repository_->StatusOf("m")->settings->origins.contains("labels.stable"); }));
  EXPECT_EQ(Answer(std::nullopt, "stable"), 1);  // version 3 does not exist
  root_.Write("m/3/model.signet", ModelThatAdds(3));
  ASSERT_TRUE(WaitFor([&] { return Answer(std::nullopt, "stable") == 3; }));
  ASSERT_TRUE(WaitForState(1, State::kNotLoaded));
  // The label of an administrator remains until the file moves the label.
  root_.Write("m/4/model.signet", ModelThatAdds(4));
  ASSERT_TRUE(WaitForState(4, State::kAvailable));
  ASSERT_TRUE(repository_->SetLabel("m", "stable", 4).ok());
  EXPECT_EQ(Answer(std::nullopt, "stable"), 4);
  ASSERT_TRUE(repository_->RemoveLabel("m", "stable").ok());
  ASSERT_TRUE(repository_->RemoveLabel("m", "stable").ok());
  EXPECT_EQ(Answer(std::nullopt, "stable"), -1);
}

// Fault 54.
TEST_F(LiveRepositoryTest, ReportsUnloadingUntilTheLastCallHasEnded) {
  root_.Write("m/1/model.signet", ModelThatAdds(1));
  root_.Write("m/2/model.signet", ModelThatAdds(2));
  Start();
  auto held = *repository_->Find("m", 2);
  std::weak_ptr<const LoadedModel> watched = held;
  int64_t before = repository_->memory_bytes();
  ASSERT_TRUE(repository_->Unload("m", 2).ok());
  ASSERT_TRUE(repository_->Unload("m", 2).ok());
  EXPECT_TRUE(IsInState(*repository_, "m", 2, State::kUnloading));
  EXPECT_EQ(repository_->Find("m", 2).status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(Answer(), 1);
  EXPECT_EQ(*CallF(*held), 2);
  EXPECT_EQ(repository_->memory_bytes(), before);
  held.reset();
  ASSERT_TRUE(WaitForState(2, State::kNotLoaded));
  EXPECT_TRUE(WaitFor([&] { return watched.expired(); }));
  EXPECT_LT(repository_->memory_bytes(), before);
  EXPECT_EQ(Reason(2), "unloaded by an administrator");
  // It stays unloaded until it is requested.
  ASSERT_TRUE(Rescan(*repository_).ok());
  EXPECT_TRUE(IsInState(*repository_, "m", 2, State::kNotLoaded));
  std::promise<Status> loaded;
  repository_->Load("m", 2, [&](Status status) { loaded.set_value(std::move(status)); });
  EXPECT_TRUE(loaded.get_future().get().ok());
  EXPECT_EQ(Answer(), 2);
}

TEST_F(LiveRepositoryTest, PerformsRequestsOfAdministratorsAndDryRuns) {
  root_.Write("m/1/model.signet", ModelThatAdds(1));
  root_.Write("m/2/model.signet", ModelThatAdds(2));
  Start(WithPolicy("newest:1"));
  auto load = [&](int64_t version, bool dry_run) {
    std::promise<Status> done;
    repository_->Load(
        "m", version, [&](Status status) { done.set_value(std::move(status)); }, dry_run);
    return done.get_future().get();
  };
  EXPECT_TRUE(load(1, /*dry_run=*/true).ok());
  EXPECT_EQ(Answer(1), -1);
  EXPECT_TRUE(load(1, /*dry_run=*/false).ok());
  EXPECT_TRUE(load(1, /*dry_run=*/false).ok());
  EXPECT_EQ(Answer(1), 1);
  EXPECT_EQ(load(7, false).code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(repository_->SetLabel("m", "canary", 7).code(),
            absl::StatusCode::kFailedPrecondition);  // fault 55
  EXPECT_TRUE(repository_->SetLabel("m", "canary", 1, /*dry_run=*/true).ok());
  EXPECT_TRUE(repository_->StatusOf("m")->labels.empty());
  EXPECT_TRUE(repository_->Unload("m", std::nullopt, /*dry_run=*/true).ok());
  EXPECT_EQ(Answer(), 2);

  auto before = *repository_->Find("m", 1);
  std::promise<Status> again;
  repository_->Reload("m", 1, [&](Status status) { again.set_value(std::move(status)); });
  EXPECT_TRUE(again.get_future().get().ok());
  EXPECT_NE(*repository_->Find("m", 1), before);

  auto current = *repository_->Find("m", 1);
  EXPECT_TRUE(repository_->Replace(current, before).ok());
  EXPECT_EQ(*repository_->Find("m", 1), before);
  EXPECT_EQ(repository_->Replace(current, before).code(), absl::StatusCode::kAborted);
  EXPECT_EQ(repository_->Unload("q", std::nullopt).code(), absl::StatusCode::kNotFound);
}

TEST_F(LiveRepositoryTest, LoadsWhatThePolicySelectsAfterUnload) {
  for (int i = 1; i <= 4; ++i) root_.Write(Cat("m/", i, "/model.signet"), ModelThatAdds(i));
  Start(WithPolicy("newest:2"));
  auto load = [&](std::string_view model) {
    std::promise<Status> done;
    repository_->LoadSelected(model, [&](Status status) { done.set_value(std::move(status)); });
    return done.get_future().get();
  };
  EXPECT_TRUE(load("m").ok());
  ASSERT_TRUE(repository_->Unload("m", std::nullopt).ok());
  EXPECT_EQ(Answer(4), -1);
  EXPECT_TRUE(load("m").ok());
  EXPECT_EQ(Answer(4), 4);
  EXPECT_EQ(Answer(3), 3);
  EXPECT_EQ(Answer(2), -1);
  EXPECT_EQ(load("q").code(), absl::StatusCode::kNotFound);

  // The newest version that can be loaded is served, although the call has an error.
  ASSERT_TRUE(repository_->Unload("m", std::nullopt).ok());
  root_.Write("m/4/model.signet", "broken");
  EXPECT_EQ(load("m").code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(Answer(4), -1);
  ASSERT_TRUE(WaitForState(2, State::kAvailable));

  root_.Write("m/settings.textproto", "version_policy { listed { versions: 9 } }");
  EXPECT_TRUE(WaitFor([&] {
    return MessageOf(load("m")) ==
           "model `m`: the version policy `listed:9` selects none of the versions 1, 2, 3, 4";
  }));
}

// Fault 58.
TEST_F(LiveRepositoryTest, RejectsAModelThatExceedsTheMemory) {
  root_.Write("m/1/model.signet", ModelThatAdds(1));
  RepositoryOptions options;
  options.memory_bytes = 256 << 10;
  Start(std::move(options));
  root_.Write("m/2/model.signet", ModelThatAdds(2));
  root_.Write("m/2/large.bin", std::string(300 << 10, 'x'));
  ASSERT_TRUE(WaitForState(2, State::kFailed));
  EXPECT_THAT(Reason(2), StartsWith("the model requires about "));
  EXPECT_THAT(Reason(2), HasSubstr("are free (--model_memory_bytes)"));
  EXPECT_EQ(Answer(), 1);
  std::filesystem::remove(root_.path() / "m/2/large.bin");
  ASSERT_TRUE(WaitForState(2, State::kAvailable));
}

TEST_F(LiveRepositoryTest, RejectsWrongSettingsAndKeepsTheLastGoodOnes) {
  root_.Write("m/1/model.signet", ModelThatAdds(1));
  root_.Write("m/settings.textproto", "version_polcy { all {} }");
  Start();
  EXPECT_TRUE(IsInState(*repository_, "m", 1, State::kFailed));
  EXPECT_THAT(Reason(1), HasSubstr("settings.textproto: line 1, column 1"));
  EXPECT_THAT(Reason(1), HasSubstr("version_polcy"));
  root_.Write("m/settings.textproto", "limits { max_call_bytes: 1000000 }");
  ASSERT_TRUE(WaitForState(1, State::kAvailable));
  EXPECT_EQ(repository_->FindServed("m")->settings->settings.limits().max_call_bytes(), 1000000);
  root_.Write("m/settings.textproto", "limits { max_call_bytes: -1 }");
  ASSERT_TRUE(WaitFor([&] { return !repository_->StatusOf("m")->settings_error.empty(); }));
  EXPECT_EQ(repository_->StatusOf("m")->settings_error,
            "settings.textproto: limits: max_call_bytes: expected at least 0, found -1");
  EXPECT_EQ(repository_->FindServed("m")->settings->settings.limits().max_call_bytes(), 1000000);
  std::filesystem::remove(root_.path() / "m/settings.textproto");
  ASSERT_TRUE(WaitFor([&] { return repository_->StatusOf("m")->settings_error.empty(); }));
  EXPECT_GT(repository_->FindServed("m")->settings->settings.limits().max_call_bytes(), 1000000);
}

TEST_F(LiveRepositoryTest, DoesNotServeANewModelWithWrongSettings) {
  Start();
  const char* const kSettings[] = {
      "limits { max_call_byte: 1000 }", "limits { max_call_bytes: -1 }",
      "warm_up { requests_file: '../../secret' }", "version_policy { listed { versions: 'one' } }",
      "labels { key: 'a b' value: 1 }"};
  for (size_t i = 0; i < std::size(kSettings); ++i) {
    const std::string name = Cat("wrong", i);
    root_.Write(Cat(".", name, "/1/model.signet"), ModelThatAdds(1));
    root_.Write(Cat(".", name, "/settings.textproto"), kSettings[i]);
    std::filesystem::rename(root_.path() / Cat(".", name), root_.path() / name);
    ASSERT_TRUE(WaitFor([&] { return IsInState(*repository_, name, 1, State::kFailed); }))
        << kSettings[i];
    EXPECT_THAT(VersionOf(*repository_, name, 1)->reason, StartsWith("settings.textproto: "));
    EXPECT_EQ(repository_->Find(name).status().code(), absl::StatusCode::kFailedPrecondition);
  }
  // Neither a link out of the directory, nor a link to nothing, nor a FIFO are settings.
  root_.Write(".secret", "");
  for (const std::string kind : {"../.secret", "nothing", "FIFO"}) {
    std::filesystem::create_directories(root_.path() / ".linked/1");
    root_.Write(".linked/1/model.signet", ModelThatAdds(1));
    const auto settings = root_.path() / ".linked/settings.textproto";
    if (kind == "FIFO") {
      ASSERT_EQ(::mkfifo(settings.c_str(), 0600), 0);
    } else {
      std::filesystem::create_symlink(kind, settings);
    }
    std::filesystem::rename(root_.path() / ".linked", root_.path() / "linked");
    ASSERT_TRUE(WaitFor([&] { return IsInState(*repository_, "linked", 1, State::kFailed); }))
        << kind;
    std::filesystem::remove_all(root_.path() / "linked");
    ASSERT_TRUE(WaitFor([&] { return !repository_->StatusOf("linked"); }));
  }
  // A new model replaces a removed one of this name, with its settings.
  std::filesystem::remove_all(root_.path() / "wrong0");
  ASSERT_TRUE(WaitFor([&] { return !repository_->StatusOf("wrong0"); }));
  root_.Write("wrong0/1/model.signet", ModelThatAdds(2));
  ASSERT_TRUE(WaitFor([&] { return repository_->Find("wrong0").ok(); }));
  // A model that is served keeps its settings.
  root_.Write("wrong0/settings.textproto", kSettings[0]);
  ASSERT_TRUE(WaitFor([&] { return !repository_->StatusOf("wrong0")->settings_error.empty(); }));
  EXPECT_TRUE(repository_->Find("wrong0").ok());
}

// The server does not examine its directories by itself.
TEST_F(LiveRepositoryTest, ALoadExaminesTheDirectoryOfTheModel) {
  root_.Write("m/1/model.signet", ModelThatAdds(1));
  Start({}, milliseconds(0));
  auto load = [&](std::string_view model, std::optional<int64_t> version = std::nullopt) {
    std::promise<Status> done;
    const bool has_changed = repository_->Load(
        model, version, [&](Status status) { done.set_value(std::move(status)); });
    const Status loaded = done.get_future().get();
    return loaded.ok() ? Cat(has_changed ? "changed" : "unchanged")
                       : std::string(MessageOf(loaded));
  };
  EXPECT_EQ(load("m"), "unchanged");
  root_.Write("m/1/model.signet", ModelThatAdds(10));
  EXPECT_EQ(load("m"), "changed");
  EXPECT_EQ(Answer(), 10);
  root_.Write("m/2/model.signet", ModelThatAdds(2));
  EXPECT_EQ(load("m"), "changed");
  EXPECT_EQ(Answer(), 2);
  ASSERT_TRUE(repository_->Unload("m", 2).ok());
  root_.Write("m/2/model.signet", ModelThatAdds(20));
  EXPECT_EQ(load("m", 2), "changed");
  EXPECT_EQ(Answer(), 20);
  root_.Write("m/2/model.signet", "def f(");
  EXPECT_THAT(load("m", 2), HasSubstr("model.signet:1:"));
  EXPECT_THAT(load("m", 2), HasSubstr("model.signet:1:")) << "it is tried again";
  EXPECT_EQ(Answer(), 20);
  EXPECT_THAT(Reason(2), StartsWith("the earlier content is served: "));
  std::filesystem::remove_all(root_.path() / "m/2");
  EXPECT_THAT(load("m", 2), HasSubstr("version 2 not found"));
  EXPECT_EQ(Answer(), 10);

  EXPECT_THAT(load("n"), HasSubstr("model `n` not found"));
  EXPECT_THAT(load("../m"), HasSubstr("not found"));
  bool would_change = false;
  auto preview = [&](std::optional<int64_t> version) {
    Status out;
    would_change = repository_->Load(
        "n", version, [&](Status status) { out = std::move(status); }, /*dry_run=*/true);
    return out;
  };
  EXPECT_EQ(preview(std::nullopt).code(), absl::StatusCode::kNotFound);
  root_.Write("n/1/model.signet",
              "import \"part/1\" as part\n\ndef f(x: int64[]):\n"
              "    return part.f(x)\n");
  root_.Write("part/1/model.signet", ModelThatAdds(7));
  EXPECT_TRUE(preview(1).ok());
  EXPECT_TRUE(would_change);
  EXPECT_EQ(preview(2).code(), absl::StatusCode::kNotFound);
  EXPECT_FALSE(repository_->StatusOf("n").has_value()) << "a dry run changes nothing";
  EXPECT_EQ(load("n"), "changed");
  EXPECT_EQ(CallF(**repository_->Find("n")).value_or(-1), 7) << "with the model that it imports";
  EXPECT_TRUE(preview(1).ok());
  EXPECT_FALSE(would_change);
  root_.Write("part/1/model.signet", ModelThatAdds(8));
  std::promise<Status> selected;
  repository_->LoadSelected("n", [&](Status status) { selected.set_value(std::move(status)); });
  EXPECT_TRUE(selected.get_future().get().ok());
  ASSERT_TRUE(WaitFor([&] { return CallF(**repository_->Find("n")).value_or(-1) == 8; }));
}

TEST_F(LiveRepositoryTest, RequestedScansFindWhatChanged) {
  root_.Write("m/1/model.signet", ModelThatAdds(1));
  Start({}, milliseconds(0));
  root_.Write("m/2/model.signet", ModelThatAdds(2));
  repository_->Rescan();
  ASSERT_TRUE(WaitForState(2, State::kAvailable));
}

// A rollback: calls are answered by the removed version until an older one is loaded.
TEST_F(LiveRepositoryTest, ServesARemovedVersionUntilTheOlderOneIsLoaded) {
  root_.Write("m/1/model.signet", "broken");
  root_.Write("m/2/model.signet", ModelThatAdds(2));
  root_.Write("m/3/model.signet", ModelThatAdds(3));
  std::atomic<bool> may_load{true};
  RepositoryOptions options = WithPolicy("newest:1");
  options.warm_up = [&](const auto&, const auto&, const auto&, const auto&) {
    while (!may_load) std::this_thread::sleep_for(milliseconds(1));
    return absl::OkStatus();
  };
  Start(std::move(options));
  EXPECT_EQ(Answer(), 3);
  ASSERT_TRUE(repository_->SetLabel("m", "stable", 3).ok());
  may_load = false;
  std::filesystem::remove_all(root_.path() / "m/3");
  ASSERT_TRUE(WaitForState(2, State::kLoading));
  ASSERT_TRUE(WaitFor([&] { return !Reason(3).empty(); }));
  EXPECT_EQ(Reason(3), "its directory was removed; it is served until version 2 is available");
  EXPECT_EQ(Answer(), 3);
  EXPECT_EQ(Answer(std::nullopt, "stable"), 3);
  may_load = true;
  ASSERT_TRUE(WaitUntilGone(3));
  EXPECT_EQ(Answer(), 2);
  EXPECT_EQ(Answer(std::nullopt, "stable"), -1);
  // The oldest version cannot be loaded, so that the removed one remains.
  std::filesystem::remove_all(root_.path() / "m/2");
  ASSERT_TRUE(WaitForState(1, State::kFailed));
  EXPECT_EQ(Answer(), 2);
  ASSERT_TRUE(repository_->WaitUntilSettled(kLong));
  EXPECT_EQ(Answer(), 2);
  root_.Write("m/1/model.signet", ModelThatAdds(1));
  ASSERT_TRUE(WaitUntilGone(2));
  EXPECT_EQ(Answer(), 1);
  // A model without versions is not served.
  std::filesystem::remove_all(root_.path() / "m/1");
  ASSERT_TRUE(WaitUntilGone(1));
}

TEST_F(LiveRepositoryTest, FollowsALinkToTheDirectoryOfModels) {
  namespace fs = std::filesystem;
  for (int i = 1; i <= 2; ++i) {
    root_.Write(Cat("revision", i, "/m/1/model.signet"), ModelThatAdds(i));
    root_.Write(Cat("revision", i, "/other/", i, "/model.signet"), ModelThatAdds(i));
  }
  const fs::path link = root_.path() / "current";
  fs::create_directory_symlink("revision1", link);
  repository_ = std::make_unique<Repository>(RepositoryOptions());
  std::mutex mu;
  std::vector<std::string> reasons;
  repository_->OnEvent([&](const RepositoryEvent& event) {
    std::lock_guard lock(mu);
    if (event.kind == RepositoryEvent::Kind::kScanFailed) reasons.push_back(event.reason);
  });
  ASSERT_TRUE(repository_->Open({{.folder = link}, {.name = "named", .folder = link / "m"}}).ok());
  repository_->Watch(kPoll);
  EXPECT_EQ(Answer(), 1);
  fs::create_directory_symlink("revision2", root_.path() / "next");
  fs::rename(root_.path() / "next", link);
  ASSERT_TRUE(WaitFor([&] { return Answer() == 2; }));
  ASSERT_TRUE(WaitFor([&] { return CallF(**repository_->Find("named")).value_or(-1) == 2; }));
  ASSERT_TRUE(WaitFor([&] { return !VersionOf(*repository_, "other", 1); }));
  EXPECT_EQ(CallF(**repository_->Find("other")).value_or(-1), 2);
  fs::remove_all(root_.path() / "revision1");
  root_.Write("revision2/m/1/model.signet", ModelThatAdds(3));
  ASSERT_TRUE(WaitFor([&] { return Answer() == 3; }));
  repository_->StopWatching();
  EXPECT_THAT(reasons, testing::IsEmpty());
}

TEST_F(LiveRepositoryTest, ReportsAModelThatExistsInTwoDirectories) {
  root_.Write("m/1/model.signet", ModelThatAdds(1));
  TemporaryFolder other;
  other.Write("m/2/model.signet", ModelThatAdds(2));
  repository_ = std::make_unique<Repository>(RepositoryOptions());
  ASSERT_TRUE(repository_->Open({{.folder = root_.path()}, {.folder = other.path()}}).ok());
  EXPECT_EQ(Answer(), 1);
  EXPECT_THAT(repository_->Skipped(),
              testing::ElementsAre(HasSubstr("model `m` exists in two directories; the one in `")));
}

TEST_F(LiveRepositoryTest, LoadsAFrozenGraphAgainWhenItsOutputsChange) {
  tensorflow::GraphDef graph;
  ASSERT_TRUE(google::protobuf::TextFormat::ParseFromString(
      "node { name: 'x' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT } } } "
      "node { name: 'a' op: 'Neg' input: 'x' } node { name: 'b' op: 'Abs' input: 'x' }",
      &graph));
  root_.Write("m/1/frozen_graph.pb", graph.SerializeAsString());
  root_.Write("m/settings.textproto", "frozen_graph { outputs { key: 'first' value: 'a:0' } }");
  Start();
  auto has_output = [&](const std::string& key) {
    auto model = repository_->Find("m", 1);
    if (!model.ok()) return false;
    const auto& metadata = (*model)->def().metadata;
    auto signature = metadata.find("savedmodel.serving_default.signature_def");
    return signature != metadata.end() &&
           signature->second.find(Cat("key: \"", key, "\"")) != std::string::npos;
  };
  EXPECT_TRUE(has_output("first"));
  EXPECT_TRUE(repository_->StatusOf("m")->settings->origins.contains("frozen_graph.outputs.first"));
  root_.Write("m/settings.textproto", "frozen_graph { outputs { key: 'second' value: 'b:0' } }");
  ASSERT_TRUE(WaitFor([&] { return has_output("second"); }));
  EXPECT_FALSE(has_output("first"));
}

// Fault 57.
TEST_F(LiveRepositoryTest, DoesNotPublishAVersionWhoseWarmUpFails) {
  root_.Write("m/1/model.signet", ModelThatAdds(1));
  RepositoryOptions options;
  options.warm_up = [](const std::shared_ptr<const LoadedModel>& model, const auto&, const auto&,
                       const auto&) -> Status {
    if (*CallF(*model) != 13) return absl::OkStatus();
    return InvalidArgument("request 1: unlucky");
  };
  Start(std::move(options));
  root_.Write("m/2/model.signet", ModelThatAdds(13));
  ASSERT_TRUE(WaitForState(2, State::kFailed));
  EXPECT_EQ(Reason(2), "warm-up: request 1: unlucky");
  EXPECT_EQ(Answer(), 1);
}

TEST_F(LiveRepositoryTest, ServesOneModelOfADirectoryUnderAName) {
  root_.Write("a/1/model.signet", ModelThatAdds(1));
  root_.Write("elsewhere/3/model.signet", ModelThatAdds(3));
  TemporaryFolder other;
  other.Write("b/1/model.signet", ModelThatAdds(4));
  repository_ = std::make_unique<Repository>(RepositoryOptions());
  ASSERT_TRUE(repository_
                  ->Open({{.folder = other.path()},
                          {.name = "m", .folder = root_.path() / "elsewhere"},
                          {.name = "n", .folder = root_.path() / "a"}})
                  .ok());
  EXPECT_EQ(Answer(3), 3);
  EXPECT_TRUE(repository_->Find("n", 1).ok());
  EXPECT_TRUE(repository_->Find("b", 1).ok());
  repository_->Watch(kPoll);
  root_.Write("elsewhere/4/model.signet", ModelThatAdds(4));
  ASSERT_TRUE(WaitForState(4, State::kAvailable));
  EXPECT_EQ(Repository(RepositoryOptions())
                .Open({{.name = "m", .folder = root_.path() / "missing"}})
                .code(),
            absl::StatusCode::kNotFound);
}

TEST_F(LiveRepositoryTest, ReportsEvents) {
  root_.Write("m/1/model.signet", ModelThatAdds(1));
  repository_ = std::make_unique<Repository>(RepositoryOptions());
  std::mutex mu;
  std::vector<std::string> events;
  repository_->OnEvent([&](const RepositoryEvent& event) {
    std::lock_guard lock(mu);
    events.push_back(Cat(static_cast<int>(event.kind), " ", event.model, "/", event.version));
  });
  ASSERT_TRUE(repository_->Open({{.folder = root_.path()}}).ok());
  repository_->Watch(kPoll);
  std::filesystem::remove_all(root_.path() / "m/1");
  ASSERT_TRUE(WaitUntilGone(1));
  repository_->StopWatching();
  EXPECT_THAT(events, testing::ElementsAre("0 m/1", "2 m/1", "3 m/1"));
}

class OnDemandTest : public LiveRepositoryTest {
 protected:
  void StartOnDemand(int64_t memory_bytes, int models) {
    for (int i = 0; i < models; ++i) {
      root_.Write(Cat("m", i, "/1/model.signet"), ModelThatAdds(i));
    }
    RepositoryOptions options;
    options.flags.set_load(v1::ModelSettings::ON_DEMAND);
    options.memory_bytes = memory_bytes;
    Start(std::move(options));
  }

  StatusOr<int64_t> CallOnDemand(const std::string& name) const {
    for (int attempt = 0; attempt < 100; ++attempt) {
      auto model = repository_->Find(name);
      if (model.ok()) return CallF(**model);
      if (ReasonOf(model.status()) != "LOADED_ON_DEMAND") return model.status();
      std::promise<Status> loaded;
      repository_->LoadOnDemand(name, std::nullopt, "",
                                [&](Status status) { loaded.set_value(std::move(status)); });
      SIGNET_RETURN_IF_ERROR(loaded.get_future().get());
    }
    return Internal("never loaded");
  }
};

TEST_F(OnDemandTest, LoadsAtTheFirstCallAndUnloadsTheLeastRecentlyUsed) {
  constexpr int kModels = 30;
  StartOnDemand(300 << 10, kModels);
  EXPECT_EQ(repository_->memory_bytes(), 0);
  EXPECT_EQ(repository_->List().size(), static_cast<size_t>(kModels));
  EXPECT_EQ(repository_->List()[0].versions[0].reason, "loaded at the first call");
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < kModels; ++i) {
      auto answer = CallOnDemand(Cat("m", i));
      ASSERT_TRUE(answer.ok()) << answer.status();
      ASSERT_EQ(*answer, i);
      ASSERT_EQ(*CallOnDemand("m0"), 0);  // always recently used
      ASSERT_TRUE(IsInState(*repository_, "m0", 1, State::kAvailable));
      ASSERT_LE(repository_->memory_bytes(), 300 << 10);
    }
  }
  EXPECT_TRUE(IsInState(*repository_, "m1", 1, State::kNotLoaded));
}

TEST_F(OnDemandTest, KeepsLoadedVersionsOfOneModel) {
  root_.Write("m/1/model.signet", ModelThatAdds(1));
  root_.Write("m/2/model.signet", ModelThatAdds(2));
  root_.Write("m/settings.textproto", "load: ON_DEMAND");
  Start();
  EXPECT_EQ(CallOnDemand("m").value_or(-1), 2);
  EXPECT_TRUE(IsInState(*repository_, "m", 1, State::kNotLoaded));
  std::promise<Status> loaded;
  repository_->LoadOnDemand("m", 1, "",
                            [&](Status status) { loaded.set_value(std::move(status)); });
  ASSERT_TRUE(loaded.get_future().get().ok());
  ASSERT_TRUE(repository_->SetLabel("m", "stable", 1).ok());
  EXPECT_TRUE(IsInState(*repository_, "m", 1, State::kAvailable));
  EXPECT_TRUE(IsInState(*repository_, "m", 2, State::kAvailable));
  // While a version is in memory, a newer one is loaded without a call.
  root_.Write("m/3/model.signet", ModelThatAdds(3));
  ASSERT_TRUE(WaitForState(3, State::kAvailable));
  EXPECT_EQ(Answer(), 3);
}

TEST_F(OnDemandTest, ReportsAFailureToTheCallAndTriesAgainLater) {
  StartOnDemand(0, 1);
  root_.Write("m0/1/model.signet", "broken, and longer than before");
  ASSERT_TRUE(Rescan(*repository_).ok());
  auto answer = CallOnDemand("m0");
  ASSERT_FALSE(answer.ok());
  EXPECT_THAT(std::string(MessageOf(answer.status())), HasSubstr("m0/1: model.signet:1:"));
  root_.Write("m0/1/model.signet", ModelThatAdds(5));
  ASSERT_TRUE(WaitFor([&] { return CallOnDemand("m0").value_or(-1) == 5; }));
}

TEST_F(OnDemandTest, LoadsOnceForManyCalls) {
  std::atomic<int> loads{0};
  root_.Write("m/1/model.signet", ModelThatAdds(1));
  RepositoryOptions options;
  options.flags.set_load(v1::ModelSettings::ON_DEMAND);
  options.warm_up = [&](const auto&, const auto&, const auto&, const auto&) {
    ++loads;
    return absl::OkStatus();
  };
  Start(std::move(options));
  std::vector<std::thread> callers;
  for (int i = 0; i < 8; ++i) {
    callers.emplace_back([&] { EXPECT_EQ(CallOnDemand("m").value_or(-1), 1); });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(loads.load(), 1);
}

}  // namespace
}  // namespace signet
