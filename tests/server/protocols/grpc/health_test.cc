#include "server/protocols/grpc/health.h"

#include <condition_variable>
#include <future>
#include <mutex>
#include <random>

#include <grpcpp/generic/generic_stub.h>

#include "client/cli/top/http_get.h"
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
  // Waits until `state` is the last state that has arrived. Returns false if it does not arrive.
  bool WaitForLast(int state) {
    std::unique_lock lock(mu_);
    return changed_.wait_for(lock, std::chrono::seconds(20),
                             [&] { return !states_.empty() && states_.back() == state; });
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

// A server whose directory of models changes, and the states that its protocols report.
class HealthHistory {
 public:
  HealthHistory(ReadyPolicy ready, unsigned seed) : random_(seed) {
    for (const char* model : kModels) WriteModel(model, /*is_good=*/true);
    EXPECT_EQ(ConfigureLog({.level = LogLevel::kOff}), absl::OkStatus());
    ServerOptions options;
    options.models = folder_.path();
    options.listen = "127.0.0.1:0";
    options.poll_seconds = 0;
    options.ready = ready;
    options.drain_seconds = 0;
    options.observability.http_listen = "127.0.0.1:0";
    server_ = std::make_unique<Server>(std::move(options));
    EXPECT_TRUE(server_->LoadModels().ok());
    EXPECT_TRUE(server_->Start().ok());
    channel_ = OpenChannel(Cat("127.0.0.1:", server_->port()));
    watch_ = std::make_unique<Watch>(channel_);
  }
  ~HealthHistory() {
    server_->Drain();
    watch_->WaitUntilDone();
  }

  // Makes a random change and returns its name.
  std::string Change() {
    const std::string model = kModels[random_() % std::size(kModels)];
    Repository& repository = server_->repository();
    switch (random_() % 4) {
      case 0:
        EXPECT_TRUE(repository.Unload(model, std::nullopt).ok());
        return Cat("unload ", model);
      case 1:
        WriteModel(model, /*is_good=*/false);
        Load(model);
        return Cat("break and load ", model);
      case 2:
        WriteModel(model, /*is_good=*/true);
        Load(model);
        return Cat("repair and load ", model);
      default:
        Load(model);
        return Cat("load ", model);
    }
  }

  void CheckThatAllAgree(const std::string& change) {
    ServiceClient client(Cat("127.0.0.1:", server_->port()), std::chrono::seconds(60));
    bool is_any_served = false;
    for (const std::string model : kModels) {
      const bool is_served = server_->repository().Find(model).ok();
      is_any_served = is_any_served || is_served;
      EXPECT_EQ(*client.Health(model) == ServingState::kServing, is_served) << change;
      EXPECT_EQ(Answers(Cat("/v2/models/", model, "/ready")), is_served) << change;
    }
    EXPECT_EQ(*client.Health() == ServingState::kServing, is_any_served) << change;
    EXPECT_TRUE(watch_->WaitForLast(is_any_served ? 1 : 2)) << change;
    EXPECT_EQ(Answers("/readyz"), is_any_served) << change;
    EXPECT_EQ(Answers("/v2/health/ready"), is_any_served) << change;
    auto stub = inference::GRPCInferenceService::NewStub(channel_);
    grpc::ClientContext context;
    inference::ServerReadyResponse ready;
    EXPECT_TRUE(stub->ServerReady(&context, {}, &ready).ok());
    EXPECT_EQ(ready.ready(), is_any_served) << change;
  }

 private:
  static constexpr const char* kModels[] = {"a", "b"};

  void WriteModel(const std::string& model, bool is_good) {
    folder_.Write(model + "/1/model.signet",
                  Cat("# ", ++writes_, "\n", is_good ? "def f(x):\n    return x\n" : "def f("));
  }
  void Load(const std::string& model) {
    std::promise<void> done;
    server_->repository().Load(model, 1, [&](const Status&) { done.set_value(); });
    done.get_future().wait();
  }
  bool Answers(const std::string& path) const {
    return HttpGet(Cat("127.0.0.1:", server_->http_port()), path,
                   {.timeout = std::chrono::seconds(60)})
        .ok();
  }

  std::mt19937 random_;
  TemporaryFolder folder_;
  int writes_ = 0;
  std::unique_ptr<Server> server_;
  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<Watch> watch_;
};

TEST(HealthTest, AllProtocolsAgreeInRandomHistories) {
  for (ReadyPolicy ready : {ReadyPolicy::kAny, ReadyPolicy::kAll}) {
    HealthHistory history(ready, /*seed=*/11);
    history.CheckThatAllAgree("start");
    for (int step = 0; step < 25 && !testing::Test::HasFailure(); ++step) {
      const std::string change = history.Change();
      history.CheckThatAllAgree(Cat("step ", step, ": ", change));
    }
  }
}

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
