#include "server/health.h"

#include <condition_variable>
#include <mutex>

#include <grpcpp/generic/generic_stub.h>

#include "tests/server/test_server.h"

namespace signet {
namespace {

TEST(HealthTest, KnowsTheServerAndItsModels) {
  TestServer test;
  Client client = test.MakeClient();
  EXPECT_EQ(*client.Health(), ServingState::kServing);
  EXPECT_EQ(*client.Health("math"), ServingState::kServing);
  EXPECT_EQ(client.Health("other").status().code(), absl::StatusCode::kNotFound);
}

TEST(HealthTest, FollowsTheRepository) {
  TestServer test;
  ModelBuilder model;
  model.AddFunction("same", "(x)").Result("x");
  auto def = model.Build();
  ASSERT_TRUE(def.ok()) << def.status();
  test.server().repository().Add(
      std::make_shared<Model>("late", 1, *std::move(def), ModelOptions()));
  EXPECT_EQ(*test.MakeClient().Health("late"), ServingState::kServing);
}

// A raw Watch: the answers of grpc.health.v1.Health/Watch for the server.
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

  // The states seen, once there are `count` or the watch is over.
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

TEST(HealthTest, TellsWatchersBeforeItStops) {
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
