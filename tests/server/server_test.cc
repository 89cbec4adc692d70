#include "server/server.h"

#include <chrono>
#include <future>
#include <mutex>
#include <set>
#include <thread>

#include <gmock/gmock.h>

#include "core/formats/json/json.h"
#include "tests/server/test_server.h"

namespace signet {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;
using testing::HasSubstr;

bool WaitFor(const std::function<bool()>& condition, seconds longest = seconds(20)) {
  auto end = steady_clock::now() + longest;
  while (!condition()) {
    if (steady_clock::now() > end) return false;
    std::this_thread::sleep_for(milliseconds(2));
  }
  return true;
}

TEST(ServerTest, ReturnsTheVersionThatRan) {
  TestServer test;
  test.server().repository().Add(MathModel(2));
  ServiceClient client = test.MakeClient();
  auto answer = client.Call(MathCall("affine", {FloatsOf({1, 2, 5})}));
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(ValueToJson(answer->result), "[0.5,1.0,2.5]");
  EXPECT_EQ(answer->model_version, 2);
}

TEST(ServerTest, DecodesJsonUnderTheParametersType) {
  TestServer test;
  ServiceClient client = test.MakeClient();
  CallSpec call = MathCall("score", {Json{R"({"ids": [7, 8], "title": "soup"})"}});
  auto answer = client.Call(call);
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(answer->result.spec().ToString(), "int64[2]");

  call = MathCall("affine", {Json{"[1, 2]"}});
  call.kwargs.emplace_back("scale", Json{"3"});
  answer = client.Call(call);
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(ValueToJson(answer->result), "[3.0,6.0]");
}

TEST(ServerTest, PassesLargeValuesUnchanged) {
  TestServer test;
  ServiceClient client = test.MakeClient();
  std::vector<float> elements(3'000'000);
  for (size_t i = 0; i < elements.size(); ++i) elements[i] = static_cast<float>(i);
  Value value = Tensor::Of<float>({1000, 3000}, elements);
  auto answer = client.Call(MathCall("identity", {value}));
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_TRUE(SameValue(answer->result, value));
}

struct Rejection {
  const char* function;
  std::vector<ClientArgument> args;
  std::vector<std::pair<std::string, ClientArgument>> kwargs;
  absl::StatusCode code;
  const char* reason;
  const char* field;
  const char* message;
};

TEST(ServerTest, RejectsWithPathReasonAndField) {
  using Code = absl::StatusCode;
  const Rejection kRejections[] = {
      {"none", {}, {}, Code::kNotFound, "NOT_FOUND", "", "`affine`"},
      {"affine", {}, {}, Code::kInvalidArgument, "MISSING_REQUIRED", "x", "math/1.affine: "},
      {"affine",
       {FloatsOf({1}), FloatsOf({2})},
       {},
       Code::kInvalidArgument,
       "TOO_MANY_POSITIONAL",
       "",
       "in `affine(x: float32[?], /, *, scale: float32[] = 0.5) -> float32[?]`"},
      {"affine",
       {FloatsOf({1})},
       {{"scala", Json{"1"}}},
       Code::kInvalidArgument,
       "UNEXPECTED_KEYWORD",
       "scala",
       "`scale`"},
      {"affine", {Json{"[1, \"a\"]"}}, {}, Code::kInvalidArgument, "", "x", "argument `x`"},
      {"affine", {Json{"[1, "}}, {}, Code::kInvalidArgument, "", "x", "argument `x`"},
      {"affine",
       {Value::OfType(FloatsOf({1}).spec())},
       {},
       Code::kInvalidArgument,
       "",
       "x",
       "only Explain"},
  };
  TestServer test;
  ServiceClient client = test.MakeClient();
  for (const Rejection& row : kRejections) {
    SCOPED_TRACE(row.message);
    CallSpec call = MathCall(row.function, row.args);
    call.kwargs = row.kwargs;
    Status status = client.Call(call).status();
    EXPECT_EQ(status.code(), row.code) << status;
    EXPECT_THAT(std::string(MessageOf(status)), HasSubstr(row.message));
    if (*row.reason != '\0') {
      EXPECT_EQ(ReasonOf(status), row.reason);
    }
    EXPECT_EQ(FieldOf(status).substr(0, FieldOf(status).find_first_of(".[")), row.field) << status;
  }
}

// Without the cut, the message would exceed the metadata that a client accepts.
TEST(ServerTest, CutsLongErrorMessages) {
  std::string signature = "(x";
  for (int i = 0; i < 1000; ++i) signature += Cat(", p", i, ": float32[?]");
  ModelBuilder model;
  model.AddFunction("wide", signature + ")").Result("x");
  auto def = BuildModelDef(model);
  ASSERT_TRUE(def.ok()) << def.status();
  TestServer test;
  test.server().repository().Add(
      std::make_shared<LoadedModel>("wide", 1, *std::move(def), ModelOptions()));
  CallSpec call = MathCall("wide");
  call.model.name = "wide";
  Status status = test.MakeClient().Call(call).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
  EXPECT_EQ(FieldOf(status), "x");
  std::string message(MessageOf(status));
  EXPECT_THAT(message, HasSubstr("no argument for `x`, in `wide(x, p0, p1, "));
  EXPECT_LT(message.size(), 1000U) << message;
}

TEST(ServerTest, RejectsUnknownModelsVersionsAndLabels) {
  TestServer test;
  ServiceClient client = test.MakeClient();
  for (const char* name : {"nothing", "math/7", "math:stable", "../math", "math\x01\xff"}) {
    SCOPED_TRACE(name);
    CallSpec call = MathCall("identity", {FloatsOf({1})});
    auto model = ParseModelName(name);
    if (!model.ok()) model = ModelName{.name = "../math"};
    call.model = *model;
    if (std::string(name).back() == '\xff') call.model.name = "m\xc3\xa9\x01";
    Status status = client.Call(call).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kNotFound) << status;
    EXPECT_EQ(MessageOf(status).find('\x01'), std::string_view::npos);
  }
}

TEST(ServerTest, RejectsUnknownFormats) {
  TestServer test;
  v1::CallRequest request = RequestOf(MathCall("affine", {Json{"x"}}));
  request.mutable_args(0)->mutable_encoded()->set_format(static_cast<v1::Encoded::Format>(77));
  grpc::ClientContext context;
  v1::CallResponse response;
  grpc::Status status = test.MakeStub()->Call(&context, request, &response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(status.error_message(),
              HasSubstr("expected a format from JSON (1) to ARROW_IPC (4), found 77"));
}

TEST(ServerTest, RejectsLargeMessagesAndRemainsUsable) {
  ServerOptions options;
  options.limits.message_bytes = 1 << 20;
  TestServer test(options);
  ServiceClient client = test.MakeClient();
  Status status = client.Call(MathCall("identity", {ManyFloats()})).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted) << status;
  EXPECT_TRUE(client.Call(MathCall("identity", {FloatsOf({1})})).ok());
  auto model = client.GetModel({.name = "math"});
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_EQ(model->limits().message_bytes(), 1 << 20);
}

TEST(ServerTest, RejectsCallsThatNeedTooMuchMemory) {
  TestServer test;
  ServiceClient client = test.MakeClient();
  for (const char* count : {"10000000000", "2000000000"}) {
    Status as_literal = client.Call(MathCall("count", {Json{count}})).status();
    EXPECT_EQ(as_literal.code(), absl::StatusCode::kResourceExhausted) << as_literal;
    int64_t number = std::stoll(count);
    Status as_tensor = client.Call(MathCall("count", {Value(Tensor::Scalar(number))})).status();
    EXPECT_EQ(as_tensor.code(), absl::StatusCode::kResourceExhausted) << as_tensor;
    EXPECT_THAT(std::string(MessageOf(as_tensor)), HasSubstr("math/1.count: `range`"));
  }
  Status beyond = client.Call(MathCall("count", {Json{"2000000000"}})).status();
  EXPECT_EQ(MessageOf(beyond),
            "math/1.count: `range`: 8000000000 bytes, with 0 held already; a call may hold "
            "2147483648 at once (--max_call_bytes)");
  EXPECT_TRUE(client.Call(MathCall("count", {Json{"3"}})).ok());
}

TEST(ServerTest, RequestsThatClientsDoNotRepeatCallsBeyondALimit) {
  TestServer test;
  grpc::ClientContext context;
  v1::CallResponse response;
  grpc::Status status = test.MakeStub()->Call(
      &context, RequestOf(MathCall("count", {Json{"2000000000"}})), &response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED) << status.error_message();
  const auto& trailing = context.GetServerTrailingMetadata();
  const auto pushback = trailing.find("grpc-retry-pushback-ms");
  ASSERT_NE(pushback, trailing.end());
  EXPECT_EQ(std::string(pushback->second.data(), pushback->second.size()), "-1");
}

TEST(ServerTest, RejectsMetadataBeyondTheLimit) {
  TestServer test;
  grpc::ClientContext context;
  context.AddMetadata("x-large", std::string(64 << 10, 'a'));
  v1::ListModelsResponse response;
  grpc::Status status = test.MakeStub()->ListModels(&context, {}, &response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED) << status.error_message();
  // gRPC may close that connection.
  EXPECT_TRUE(WaitFor([&] { return test.MakeClient().ListModels().ok(); }));
}

TEST(ServerTest, RejectsCallsWhenTheQueueIsFull) {
  ServerOptions options;
  options.compute_threads = 1;
  options.transport.queued_calls = 1;
  TestServer test(options);
  std::vector<std::future<Status>> calls;
  for (int i = 0; i < 6; ++i) {
    calls.push_back(std::async(std::launch::async, [&] {
      return ServiceClient(test.address(), seconds(2))
          .Call(MathCall("slow", {ManyFloats()}))
          .status();
    }));
  }
  int rejected = 0;
  for (auto& call : calls) rejected += ReasonOf(call.get()) == "QUEUE_FULL";
  EXPECT_GE(rejected, 1);
  EXPECT_TRUE(WaitFor([&] { return test.server().stats().in_flight == 0; }));
}

TEST(ServerTest, StopsWorkWhenTheDeadlinePasses) {
  TestServer test;
  ServiceClient client(test.address(), milliseconds(300));
  Status status = client.Call(MathCall("slow", {ManyFloats()})).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kDeadlineExceeded) << status;
  EXPECT_TRUE(WaitFor([&] { return test.server().stats().in_flight == 0; }));
}

TEST(ServerTest, StopsWorkWhenTheClientCancels) {
  TestServer test;
  auto stub = test.MakeStub();
  grpc::ClientContext context;
  v1::CallRequest request = RequestOf(MathCall("slow", {ManyFloats()}));
  auto call = std::async(std::launch::async, [&] {
    v1::CallResponse response;
    return stub->Call(&context, request, &response);
  });
  ASSERT_TRUE(WaitFor([&] { return test.server().stats().in_flight == 1; }));
  context.TryCancel();
  EXPECT_EQ(call.get().error_code(), grpc::StatusCode::CANCELLED);
  EXPECT_TRUE(WaitFor([&] { return test.server().stats().in_flight == 0; }));
}

TEST(ServerTest, FinishesCallsInFlightWhenDraining) {
  ServerOptions options;
  options.drain_seconds = 600;  // the call ends long before
  TestServer test(options);
  auto call = std::async(std::launch::async, [&] {
    return ServiceClient(test.address(), seconds(600))
        .Call(MathCall("slow", {ManyFloats()}))
        .status();
  });
  ASSERT_TRUE(WaitFor([&] { return test.server().stats().queued_calls == 1; }));
  ServiceClient other = test.MakeClient();
  EXPECT_TRUE(other.ListModels().ok());
  test.server().Drain();
  Status status = call.get();
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_EQ(other.ListModels().status().code(), absl::StatusCode::kUnavailable);
}

// Clients continue to make calls while the server drains.
TEST(ServerTest, FailsNewCallsOnlyWithUnavailableWhenDraining) {
  TestServer test;
  std::atomic<bool> stop = false;
  std::atomic<int> answered = 0;
  std::mutex mu;
  std::set<grpc::StatusCode> codes;
  std::vector<std::thread> callers;
  for (int i = 0; i < 8; ++i) {
    callers.emplace_back([&, i] {
      auto stub = v1::TensorService::NewStub(OpenChannel(test.address(), i % 4));
      v1::CallRequest request = RequestOf(MathCall("identity", {FloatsOf({1})}));
      while (!stop) {
        grpc::ClientContext context;
        v1::CallResponse response;
        grpc::Status status = stub->Call(&context, request, &response);
        answered += status.ok();
        std::lock_guard lock(mu);
        codes.insert(status.error_code());
      }
    });
  }
  ASSERT_TRUE(WaitFor([&] { return answered > 100; }));
  test.server().Drain();
  stop = true;
  for (std::thread& caller : callers) caller.join();
  EXPECT_THAT(codes, testing::ElementsAre(grpc::StatusCode::OK, grpc::StatusCode::UNAVAILABLE));
}

TEST(ServerTest, CancelsCallsThatOutlastTheDrain) {
  ServerOptions options;
  options.drain_seconds = 0;
  TestServer test(options);
  auto call = std::async(std::launch::async, [&] {
    return test.MakeClient().Call(MathCall("slow", {ManyFloats()})).status();
  });
  ASSERT_TRUE(WaitFor([&] { return test.server().stats().queued_calls == 1; }));
  test.server().Drain();
  Status status = call.get();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable) << status;
}

TEST(ServerTest, RejectsAPortInUse) {
  TestServer test;
  ServerOptions options;
  options.listen = test.address();
  Server second(options);
  Status status = second.Start();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(MessageOf(status)), HasSubstr("cannot listen on"));
}

TEST(ServerTest, RejectsAMissingDirectory) {
  ServerOptions options;
  options.models = "/nonexistent";
  Server server(options);
  Status status = server.LoadModels();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound) << status;
}

TEST(ServerTest, ListensOnAUnixSocketToo) {
  ServerOptions options;
  options.unix_socket = Cat(testing::TempDir(), "signet_server_test_", getpid(), ".sock");
  TestServer test(options);
  EXPECT_TRUE(ServiceClient("unix:" + options.unix_socket).ListModels().ok());
}

}  // namespace
}  // namespace signet
