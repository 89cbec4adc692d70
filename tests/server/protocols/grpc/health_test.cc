#include "server/protocols/grpc/health.h"

#include <condition_variable>
#include <mutex>

#include <grpcpp/generic/generic_stub.h>

#include "tests/server/test_server.h"
#include "tests/support/temporary_folder.h"

namespace signet {
namespace {

TEST(HealthTest, ReportsTheServerAndItsModels) {
  TestServer test;
  ServiceClient client = test.MakeClient();
  EXPECT_EQ(*client.Health(), ServingState::kServing);
  EXPECT_EQ(*client.Health("math"), ServingState::kServing);
  EXPECT_EQ(client.Health("other").status().code(), absl::StatusCode::kNotFound);
}

TEST(HealthTest, FollowsTheRepository) {
  TestServer test;
  ModelBuilder model;
  model.AddFunction("same", "(x)").Result("x");
  auto def = BuildModelDef(model);
  ASSERT_TRUE(def.ok()) << def.status();
  test.server().repository().Add(
      std::make_shared<LoadedModel>("late", 1, *std::move(def), ModelOptions()));
  EXPECT_EQ(*test.MakeClient().Health("late"), ServingState::kServing);
}

ModelStatus StatusOf(std::string name, std::vector<VersionStatus::State> versions) {
  ModelStatus status;
  status.name = std::move(name);
  for (auto state : versions) {
    status.versions.push_back({static_cast<int64_t>(status.versions.size()) + 1, state, ""});
  }
  return status;
}

TEST(HealthTest, IsReadyWhenTheRequiredModelsAreLoaded) {
  constexpr auto kAvailable = VersionStatus::State::kAvailable;
  constexpr auto kFailed = VersionStatus::State::kFailed;
  const std::vector<ModelStatus> kNone;
  const std::vector<ModelStatus> kAllFailed = {StatusOf("a", {kFailed}),
                                               StatusOf("b", {kFailed, kFailed})};
  const std::vector<ModelStatus> kSomeFailed = {StatusOf("a", {kAvailable, kFailed}),
                                                StatusOf("b", {kFailed})};
  const std::vector<ModelStatus> kAllLoaded = {StatusOf("a", {kAvailable, kAvailable})};
  auto reason = [](const std::vector<ModelStatus>& models, ReadyPolicy policy) {
    return std::string(MessageOf(CheckReady(models, policy)));
  };
  for (ReadyPolicy policy : {ReadyPolicy::kAny, ReadyPolicy::kAll}) {
    EXPECT_EQ(reason(kNone, policy), "expected at least one model, found none");
    EXPECT_EQ(reason(kAllFailed, policy), "none of the 3 model versions could be loaded");
    EXPECT_EQ(reason(kAllLoaded, policy), "");
  }
  EXPECT_EQ(reason(kSomeFailed, ReadyPolicy::kAny), "");
  EXPECT_EQ(reason(kSomeFailed, ReadyPolicy::kAll),
            "2 of the 3 model versions could not be loaded: `a/2`, `b/1` (--ready=all)");
}

// Returns the health of a server that loads `models`, and of its call service.
std::pair<ServingState, ServingState> HealthWith(const std::filesystem::path& models,
                                                 ReadyPolicy ready) {
  EXPECT_EQ(ConfigureLog({.level = LogLevel::kOff}), absl::OkStatus());
  ServerOptions options;
  options.models = models;
  options.listen = "127.0.0.1:0";
  options.ready = ready;
  options.drain_seconds = 0;
  Server server(options);
  EXPECT_TRUE(server.LoadModels().ok());
  EXPECT_TRUE(server.Start().ok());
  ServiceClient client(Cat("127.0.0.1:", server.port()), std::chrono::seconds(60));
  return {*client.Health(), *client.Health("signet.v1.TensorService")};
}

TEST(HealthTest, DoesNotServeWithoutModels) {
  constexpr std::pair kReady(ServingState::kServing, ServingState::kServing);
  constexpr std::pair kNotReady(ServingState::kNotServing, ServingState::kServing);
  constexpr char kModel[] = "def f(x):\n    return x\n";
  TemporaryFolder folder;
  std::filesystem::create_directory(folder.path() / "empty");
  folder.Write("broken/a/1/model.signet", "nonsense");
  folder.Write("good/a/1/model.signet", kModel);
  folder.Write("mixed/a/1/model.signet", kModel);
  folder.Write("mixed/b/1/model.signet", "nonsense");
  const std::tuple<const char*, ReadyPolicy, std::pair<ServingState, ServingState>> kCases[] = {
      {"empty", ReadyPolicy::kAny, kNotReady},  {"broken", ReadyPolicy::kAny, kNotReady},
      {"good", ReadyPolicy::kAny, kReady},      {"good", ReadyPolicy::kAll, kReady},
      {"good/a", ReadyPolicy::kAny, kNotReady}, {"good/a/1", ReadyPolicy::kAny, kNotReady},
      {".", ReadyPolicy::kAny, kNotReady},      {"mixed", ReadyPolicy::kAny, kReady},
      {"mixed", ReadyPolicy::kAll, kNotReady},
  };
  for (const auto& [models, policy, expected] : kCases) {
    EXPECT_EQ(HealthWith(folder.path() / models, policy), expected) << models;
  }
}

// Receives the raw responses of grpc.health.v1.Health/Watch for the server.
class Watch final : public grpc::ClientBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer> {
 public:
  explicit Watch(std::shared_ptr<grpc::Channel> channel) : stub_(std::move(channel)) {
    stub_.PrepareBidiStreamingCall(&context_, "/grpc.health.v1.Health/Watch", {}, this);
    StartWriteLast(&request_, {});
    StartRead(&response_);
    StartCall();
  }

  void OnReadDone(bool ok) override {
    if (!ok) return;
    std::vector<grpc::Slice> slices;
    std::string bytes;
    EXPECT_TRUE(response_.Dump(&slices).ok());
    for (const auto& slice : slices) bytes.append(slice.begin(), slice.end());
    {
      std::lock_guard lock(mu_);
      states_.push_back(bytes.empty() ? 0 : bytes.back());
    }
    changed_.notify_all();
    StartRead(&response_);
  }
  void OnDone(const grpc::Status&) override {
    std::lock_guard lock(mu_);
    done_ = true;
    changed_.notify_all();
  }

  // Waits until `count` states have arrived or the watch has ended, and returns the states.
  std::vector<int> States(size_t count) {
    std::unique_lock lock(mu_);
    changed_.wait_for(lock, std::chrono::seconds(20),
                      [&] { return states_.size() >= count || done_; });
    return states_;
  }
  void WaitUntilDone() {
    std::unique_lock lock(mu_);
    changed_.wait(lock, [&] { return done_; });
  }

 private:
  grpc::GenericStub stub_;
  grpc::ClientContext context_;
  grpc::ByteBuffer request_{std::make_unique<grpc::Slice>().get(), 1};
  grpc::ByteBuffer response_;
  std::mutex mu_;
  std::condition_variable changed_;
  std::vector<int> states_;
  bool done_ = false;
};

TEST(HealthTest, NotifiesWatchersBeforeItStops) {
  TestServer test;
  Watch watch(test.MakeChannel());
  EXPECT_EQ(watch.States(1), (std::vector<int>{1}));
  auto start = std::chrono::steady_clock::now();
  test.server().Drain();  // does not wait for watchers
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
  EXPECT_EQ(watch.States(2), (std::vector<int>{1, 2}));
  watch.WaitUntilDone();
}

}  // namespace
}  // namespace signet
