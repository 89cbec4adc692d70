// Client against servers that stop, reject calls, and send wrong responses.

#include "signet/client.h"

#include <map>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "client/lib/channel.h"
#include "client/lib/credentials.h"
#include "signet/notation.h"
#include "signet/typed_function.h"
#include "tests/client/lib/fake_server.h"

namespace signet {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;
using testing::HasSubstr;

RemoteCall CallWith(Value argument) {
  RemoteCall out{.model = {.name = "m"}, .function = "f"};
  out.args.emplace_back(std::move(argument));
  return out;
}

TEST(ClientTest, RepeatsCallsThatAServerRejects) {
  FakeServer server;
  std::atomic<int> failures = 2;
  server.on_call = [&](grpc::ServerContext&, const v1::CallRequest& request,
                       v1::CallResponse& response) {
    if (failures-- > 0) return grpc::Status(grpc::StatusCode::UNAVAILABLE, "stopping");
    *response.mutable_result() = request.args(0);
    return grpc::Status::OK;
  };
  Client client(server.address());
  EXPECT_EQ(*client.CallAs<int>(CallWith(ToValue(7))), 7);
  EXPECT_EQ(server.calls(), 3);

  failures = 1;
  Client once(server.address(), {.max_attempts = 1});
  EXPECT_EQ(once.Call(CallWith(ToValue(7))).status().code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(server.calls(), 4);

  failures = 100;
  Status status = client.Call(CallWith(ToValue(7))).status();
  EXPECT_EQ(MessageOf(status), "stopping");
  EXPECT_EQ(server.calls(), 8);
}

TEST(ClientTest, WaitsAsLongAsAServerRequests) {
  FakeServer server;
  std::atomic<int> failures = 1;
  std::string pushback = "300";
  server.on_call = [&](grpc::ServerContext& context, const v1::CallRequest& request,
                       v1::CallResponse& response) {
    if (failures-- > 0) {
      context.AddTrailingMetadata("grpc-retry-pushback-ms", pushback);
      return grpc::Status(grpc::StatusCode::RESOURCE_EXHAUSTED, "the queue is full");
    }
    *response.mutable_result() = request.args(0);
    return grpc::Status::OK;
  };
  Client client(server.address());
  const auto start = steady_clock::now();
  EXPECT_TRUE(client.Call(CallWith(ToValue(7))).ok());
  EXPECT_GE(steady_clock::now() - start, milliseconds(290));
  EXPECT_EQ(server.calls(), 2);

  failures = 1;
  pushback = "-1";  // do not repeat the call
  EXPECT_EQ(client.Call(CallWith(ToValue(7))).status().code(),
            absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(server.calls(), 3);
}

TEST(ClientTest, RepeatsNoCallThatIsWrong) {
  FakeServer server;
  server.on_call = [](grpc::ServerContext&, const v1::CallRequest&, v1::CallResponse&) {
    return grpc::Status(grpc::StatusCode::INVALID_ARGUMENT, "wrong");
  };
  Client client(server.address());
  EXPECT_EQ(MessageOf(client.Call(CallWith(ToValue(7))).status()), "wrong");
  EXPECT_EQ(server.calls(), 1);
}

TEST(ClientTest, RepeatsLargeRequests) {
  FakeServer server;
  std::atomic<int> failures = 1;
  server.on_call = [&](grpc::ServerContext&, const v1::CallRequest& request,
                       v1::CallResponse& response) {
    if (failures-- > 0) return grpc::Status(grpc::StatusCode::UNAVAILABLE, "stopping");
    response.mutable_result()->mutable_literal()->set_int_(
        static_cast<int64_t>(request.args(0).tensor().data().size()));
    return grpc::Status::OK;
  };
  Client client(server.address());
  const Value large = ToValue(std::vector<float>(500'000, 1.0f));  // of 2 MB
  EXPECT_EQ(*client.CallAs<int64_t>(CallWith(large)), 2'000'000);
  EXPECT_EQ(server.calls(), 2);
}

TEST(ClientTest, ReportsResponsesThatItCannotRead) {
  FakeServer server;
  v1::Value result;
  server.on_call = [&](grpc::ServerContext&, const v1::CallRequest&, v1::CallResponse& response) {
    *response.mutable_result() = result;
    return grpc::Status::OK;
  };
  Client client(server.address());
  auto expect = [&](std::string_view message) {
    Status status = client.Call(CallWith(ToValue(7))).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
    EXPECT_EQ(ReasonOf(status), kBadResponse);
    EXPECT_THAT(std::string(MessageOf(status)), HasSubstr(std::string(message)));
    EXPECT_EQ(client.CallAsync(CallWith(ToValue(7))).get().status(), status);
    RemoteStream stream = client.OpenStream();
    EXPECT_TRUE(stream.Send(CallWith(ToValue(7))).ok());
    EXPECT_EQ(stream.Next().status(), status);
  };
  expect("the response of the server: ");  // no value
  result.mutable_tensor()->set_dtype(v1::DTYPE_FLOAT32);
  result.mutable_tensor()->add_shape(1'000'000'000'000);
  expect("the response of the server: ");  // bytes are missing
  result.mutable_ragged()->mutable_values()->set_dtype(v1::DTYPE_FLOAT32);
  result.mutable_ragged()->mutable_values()->add_shape(0);
  result.mutable_ragged()->add_row_splits()->set_dtype(v1::DTYPE_INT64);
  expect("the response of the server: ");  // no row splits
  Status status = client.CallForJson(CallWith(ToValue(7))).status();
  EXPECT_EQ(ReasonOf(status), kBadResponse);
  EXPECT_EQ(MessageOf(status),
            "the response of the server: expected the format of the call, found a value");
}

// A server whose calls wait until they are canceled.
void LetCallsWait(FakeServer& server) {
  server.on_call = [](grpc::ServerContext& context, const v1::CallRequest&, v1::CallResponse&) {
    while (!context.IsCancelled()) std::this_thread::sleep_for(milliseconds(5));
    return grpc::Status::CANCELLED;
  };
}

TEST(ClientTest, CancelsCalls) {
  FakeServer server;
  LetCallsWait(server);
  Client client(server.address());
  RemoteCall call = CallWith(ToValue(7));
  std::stop_source stop;
  call.stop = stop.get_token();
  auto later = client.CallAsync(call);
  std::thread canceler([&] {
    while (server.calls() < 2) std::this_thread::sleep_for(milliseconds(5));
    stop.request_stop();
  });
  EXPECT_EQ(client.Call(call).status().code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(later.get().status().code(), absl::StatusCode::kCancelled);
  canceler.join();
  // A call that is canceled before it is sent.
  EXPECT_EQ(client.Call(call).status().code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(client.CallAsync(call).get().status().code(), absl::StatusCode::kCancelled);
}

TEST(ClientTest, EndsItsCallsWhenItIsDestroyed) {
  FakeServer server;
  LetCallsWait(server);
  std::atomic<int> canceled = 0;
  {
    Client client(server.address());
    for (int i = 0; i < 20; ++i) {
      client.CallAsync(CallWith(ToValue(i)), [&](const StatusOr<Value>& result) {
        if (result.status().code() == absl::StatusCode::kCancelled) ++canceled;
      });
    }
  }
  EXPECT_EQ(canceled, 20);
}

TEST(ClientTest, EndsCallsAtTheirDeadlines) {
  FakeServer server;
  LetCallsWait(server);
  Client client(server.address(), {.timeout = milliseconds(100)});
  EXPECT_EQ(client.Call(CallWith(ToValue(7))).status().code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_EQ(client.CallAsync(CallWith(ToValue(7))).get().status().code(),
            absl::StatusCode::kDeadlineExceeded);
  RemoteStream stream = client.OpenStream();
  EXPECT_TRUE(stream.Send(CallWith(ToValue(7))).ok());
  EXPECT_EQ(stream.Next().status().code(), absl::StatusCode::kDeadlineExceeded);
}

TEST(ClientTest, SurvivesARestartOfTheServer) {
  auto server = std::make_unique<FakeServer>();
  const int port = server->port();
  Client client(server->address());
  RemoteStream stream = client.OpenStream();
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(stream.Send(CallWith(ToValue(i))).ok());
  EXPECT_EQ(*ValueAs<int>(*stream.Next()), 0);
  EXPECT_EQ(*client.CallAs<int>(CallWith(ToValue(5))), 5);
  server.reset();
  Status down = client.Call(CallWith(ToValue(5))).status();
  EXPECT_EQ(down.code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(ReasonOf(down), kNotConnected);

  server = std::make_unique<FakeServer>(port);
  for (int i = 3; i < 6; ++i) EXPECT_TRUE(stream.Send(CallWith(ToValue(i))).ok());
  for (int i = 1; i < 6; ++i) {
    auto result = stream.Next();
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_EQ(*ValueAs<int>(*result), i);
  }
  EXPECT_EQ(stream.pending(), 0u);
  EXPECT_TRUE(client.Call(CallWith(ToValue(5))).ok());
}

TEST(ClientTest, SpreadsCallsOverHealthyServers) {
  FakeServer a;
  FakeServer b;
  Client client(Cat(a.address(), ",", b.address()));
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(client.Call(CallWith(ToValue(i))).ok());
  EXPECT_GT(a.calls(), 20);
  EXPECT_GT(b.calls(), 20);

  a.SetServing(false);
  std::this_thread::sleep_for(milliseconds(300));  // until the client has received the state
  const int before = a.calls();
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(client.Call(CallWith(ToValue(i))).ok());
  EXPECT_EQ(a.calls(), before);

  a.SetServing(true);
  std::this_thread::sleep_for(milliseconds(300));
  b.Stop();
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(client.Call(CallWith(ToValue(i))).ok());
  EXPECT_GT(a.calls(), before);

  a.Stop();
  Status status = client.Call(CallWith(ToValue(0))).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(ReasonOf(status), kNotConnected);
}

TEST(ClientTest, CallsTypedFunctions) {
  FakeServer server;
  Client client(server.address());
  TypedFunction<std::vector<float>(std::vector<float>)> echo(
      client, {.model = {.name = "m"}, .function = "f"});
  EXPECT_EQ(*echo({1, 2}), (std::vector<float>{1, 2}));
  EXPECT_EQ(*echo.Async({3}).get(), std::vector<float>{3});
  std::promise<StatusOr<std::vector<float>>> promise;
  echo.Async({4}, [&](StatusOr<std::vector<float>> result) { promise.set_value(result); });
  EXPECT_EQ(*promise.get_future().get(), std::vector<float>{4});
  TypedFunction<double(float)> wrong(client, {.model = {.name = "m"}});
  Status status = wrong(1).status();
  EXPECT_EQ(ReasonOf(status), "TYPE_MISMATCH");
  EXPECT_EQ(MessageOf(status), "expected `float64[]`, found `float32[]`");
}

TEST(ClientTest, RejectsWrongOptions) {
  auto error_of = [](const std::string& address, const ClientOptions& options) {
    Status status = Client(address, options).ListModels().status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    return std::string(MessageOf(status));
  };
  EXPECT_EQ(error_of("a:1", {.max_attempts = 0}), "max_attempts: expected 1 to 5, found 0");
  EXPECT_EQ(error_of("a:1", {.max_attempts = 6}), "max_attempts: expected 1 to 5, found 6");
  EXPECT_EQ(error_of("127.0.0.1:1,b", {}), "address: expected HOST:PORT in a list, found `b`");
  EXPECT_EQ(error_of("127.0.0.1:1,127.0.0.2:1", {.tls = true}),
            "server_name: expected the name in the certificates of the servers, because the "
            "address lists several hosts: `127.0.0.1:1,127.0.0.2:1`");
  EXPECT_THAT(error_of("127.0.0.1:1,10.0.0.1:1", {.token = "t"}), HasSubstr("without TLS"));
  EXPECT_THAT(error_of("ipv4:127.0.0.1:1,10.0.0.1:1", {.token = "t"}), HasSubstr("without TLS"));
  EXPECT_THAT(error_of("127.example.com:1", {.token = "t"}), HasSubstr("without TLS"));
  EXPECT_TRUE(IsLocalAddress("127.0.0.1:1,[::1]:2,localhost:3"));
}

TEST(ClientTest, WritesServiceConfigs) {
  EXPECT_EQ(ServiceConfigOf("a:1", {.max_attempts = 1}), "");
  EXPECT_EQ(
      ServiceConfigOf("a:1,b:1", {.max_attempts = 1}),
      R"({"loadBalancingConfig":[{"round_robin":{}}],"healthCheckConfig":{"serviceName":""}})");
  EXPECT_EQ(ServiceConfigOf("dns:///a:1", {.max_attempts = 1, .round_robin = true}),
            ServiceConfigOf("a:1,b:1", {.max_attempts = 1}));
  const std::string config = ServiceConfigOf("a:1", {});
  EXPECT_THAT(config, HasSubstr(R"({"service":"signet.v1.TensorService","method":"Call"})"));
  for (const char* method : {"CallStream", "Load", "Unload", "Reload", "SetLabel", "Drain"}) {
    EXPECT_THAT(config, testing::Not(HasSubstr(Cat("\"", method, "\""))));
  }
}

}  // namespace
}  // namespace signet
