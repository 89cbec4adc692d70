// Checks which calls leave the network thread, and that waiting calls do not block other calls.

#include "server/call/attempts.h"

#include <future>
#include <thread>

#include <gmock/gmock.h>

#include "core/frontends/load_model.h"
#include "core/model/loaded_model.h"
#include "core/types/notation/notation.h"
#include "signet/literal_spec.h"
#include "tests/core/formats/arrow/arrow_maker.h"
#include "tests/server/test_server.h"

namespace signet {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// A real server, and the number of its calls that continued on a compute thread.
class AttemptsTest : public testing::Test {
 protected:
  explicit AttemptsTest(ServerOptions options = {}) : test_(std::move(options)) {}

  uint64_t CountMoves(const CallSpec& call) {
    uint64_t before = test_.server().stats().queued_calls;
    auto answer = client_.Call(call);
    EXPECT_TRUE(answer.ok()) << answer.status();
    return test_.server().stats().queued_calls - before;
  }

  TestServer test_;
  ServiceClient client_ = test_.MakeClient();
};

Value Count(int64_t n) { return Tensor::Scalar(n); }

TEST_F(AttemptsTest, MakesFunctionsOnOtherThreads) {
  EXPECT_EQ(CountMoves(MathCall("affine", {FloatsOf({1, 2})})), 1u);
  EXPECT_EQ(CountMoves(MathCall("affine", {FloatsOf({3, 4})})), 0u);
  EXPECT_EQ(CountMoves(MathCall("affine", {FloatsOf({3, 4, 5})})), 1u);
  EXPECT_EQ(CountMoves(MathCall("affine", {Json{"[1, 2]"}})), 0u);
}

TEST_F(AttemptsTest, ExplainsOnOtherThreads) {
  for (uint64_t i = 1; i <= 2; ++i) {
    auto explanation = client_.Explain(MathCall("affine", {FloatsOf({1, 2})}));
    ASSERT_TRUE(explanation.ok()) << explanation.status();
    EXPECT_EQ(test_.server().stats().queued_calls, i);
  }
}

TEST_F(AttemptsTest, MovesCallsWhoseSizesComeFromValues) {
  CountMoves(MathCall("count", {Count(3)}));
  EXPECT_EQ(CountMoves(MathCall("count", {Count(100)})), 0u);
  CallSpec large = MathCall("count", {Count(1'000'000)});
  EXPECT_EQ(CountMoves(large), 1u);
  auto answer = client_.Call(large);
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(answer->result.tensor().num_elements(), 1'000'000);
  EXPECT_EQ(CountMoves(MathCall("count", {Count(100)})), 0u);
}

// The runs move by themselves at first. Later, calls of this size do not begin on a network thread.
TEST_F(AttemptsTest, LearnsTheCostOfCallsWhoseSizesComeFromValues) {
  for (int i = 0; i < 3; ++i) {
    CountMoves(MathCall("count", {Count(1'000'000)}));
    CountMoves(MathCall("count", {Count(100)}));
  }
  auto model = test_.server().repository().Find("math");
  ASSERT_TRUE(model.ok()) << model.status();
  const auto functions = (*(*model)->FindFunction("count"))->CachedFunctions();
  ASSERT_EQ(functions.size(), 1u);
  const MeasuredCost& cost = functions[0].function->measured_cost();
  EXPECT_TRUE(cost.IsLong(MeasuredCost::ClassOf(std::vector<Value>{Count(1'000'000)})));
  EXPECT_FALSE(cost.IsLong(MeasuredCost::ClassOf(std::vector<Value>{Count(100)})));
}

TEST_F(AttemptsTest, MovesRequestsWithManyBytes) {
  Value many = Tensor::Of<float>({1 << 17}, std::vector<float>(1 << 17, 0.5f));
  CountMoves(MathCall("identity", {many}));
  EXPECT_EQ(CountMoves(MathCall("identity", {many})), 1u);
  EXPECT_EQ(CountMoves(MathCall("identity", {FloatsOf({1})})), 1u);  // a new type
  EXPECT_EQ(CountMoves(MathCall("identity", {FloatsOf({1})})), 0u);
}

TEST_F(AttemptsTest, MovesRequestsThatExpandWhenTheyAreDecoded) {
  ModelBuilder builder;
  builder.AddFunction("lists", "(x: float32[?, (?)])").Result("x");
  auto def = BuildModelDef(builder);
  ASSERT_TRUE(def.ok()) << def.status();
  test_.server().repository().Add(
      std::make_shared<LoadedModel>("m", 1, *std::move(def), ModelOptions()));
  auto nulls = [](int64_t rows) {
    ArrowMaker maker({{.name = "x", .type = arrow::kNull, .nullable = true}});
    maker.AddBatch(rows, {{rows, rows}}, {});
    v1::Encoded encoded;
    encoded.set_format(v1::Encoded::ARROW_IPC);
    encoded.set_data(maker.text());
    CallSpec call;
    call.model.name = "m";
    call.function = "lists";
    call.args = {encoded};
    return call;
  };
  CountMoves(nulls(10));
  EXPECT_EQ(CountMoves(nulls(10)), 0u);
  CountMoves(nulls(1'000'000));
  EXPECT_EQ(CountMoves(nulls(1'000'000)), 1u);
  EXPECT_EQ(CountMoves(nulls(10)), 0u);
}

// The number of samples is a tensor, so no type contains it.
TEST_F(AttemptsTest, MovesLargeSamplesOfTheExampleModel) {
  auto model = LoadModel("examples/models/distribution/1", "distribution", 1, ModelOptions());
  ASSERT_TRUE(model.ok()) << model.status();
  test_.server().repository().Add(*model);
  auto type = ParseTypeSpec("dist.Normal(loc: float32[1], scale: float32[1])");
  ASSERT_TRUE(type.ok()) << type.status();
  auto normal = MakeValue(*type, {FloatsOf({0}).tensor(), FloatsOf({1}).tensor()});
  ASSERT_TRUE(normal.ok()) << normal.status();
  auto sample = [&](int64_t n) {
    CallSpec call;
    call.model.name = "distribution";
    call.function = "sample";
    call.args = {*normal, Count(7), Count(n)};
    return call;
  };
  CountMoves(sample(3));
  EXPECT_EQ(CountMoves(sample(4)), 0u);
  EXPECT_EQ(CountMoves(sample(2'000'000)), 1u);
}

class FewThreadsTest : public AttemptsTest {
 protected:
  static ServerOptions OneThread() {
    ServerOptions options;
    options.compute_threads = 1;
    return options;
  }
  FewThreadsTest() : AttemptsTest(OneThread()) {}
};

TEST_F(FewThreadsTest, AnswersSmallCallsAndHealthWhileLargeCallsRun) {
  CountMoves(MathCall("affine", {FloatsOf({1, 2})}));
  grpc::ClientContext contexts[3];
  std::vector<std::future<grpc::Status>> large;
  for (grpc::ClientContext& context : contexts) {
    large.push_back(std::async(std::launch::async, [&] {
      v1::CallResponse response;
      return test_.MakeStub()->Call(&context, RequestOf(MathCall("slow", {ManyFloats()})),
                                    &response);
    }));
  }
  while (test_.server().stats().queued_calls < 4) std::this_thread::yield();
  EXPECT_EQ(CountMoves(MathCall("affine", {FloatsOf({5, 6})})), 0u);
  EXPECT_EQ(CountMoves(MathCall("affine", {FloatsOf({5, 6, 7})})), 1u);  // a new type
  EXPECT_TRUE(client_.Explain(MathCall("affine", {FloatsOf({8})})).ok());
  EXPECT_TRUE(client_.ListModels().ok());
  EXPECT_GE(test_.server().stats().in_flight, 1);
  for (grpc::ClientContext& context : contexts) context.TryCancel();
  for (auto& call : large) call.get();
}

// Work that needs a function that takes long to make.
class SlowlyMade {
 public:
  using Outcome = Status;
  SlowlyMade(FunctionCache& cache, FunctionCache::Factory factory)
      : cache_(&cache), factory_(std::move(factory)) {}

  Status Attempt(const RunControl& control) {
    FunctionType type = *FunctionType::Make(
        {{"x", ParameterKind::kPositionalOnly, false, LiteralType(Literal::Int(1))}});
    return cache_->FindOrMake(type, factory_, "", control.deferral).status();
  }
  static Status Fail(Status status) { return status; }

 private:
  FunctionCache* cache_;
  FunctionCache::Factory factory_;
};

struct Made {
  int made = 0;
  std::vector<Status> outcomes;
};

// Returns the outcomes of `calls` calls that need the same function.
Made MakeSlowly(int calls, const Status& result) {
  ServerContext server({}, {}, /*compute_threads=*/2);
  FunctionCache cache({});
  std::promise<void> may_end;
  auto end = may_end.get_future().share();
  std::atomic<int> made = 0;
  auto factory = [&](const FunctionType& type) -> StatusOr<FunctionCache::Target> {
    ++made;
    end.wait();
    if (!result.ok()) return result;
    return std::make_shared<const DispatchTarget>(type);
  };
  std::vector<std::promise<Status>> outcomes(static_cast<size_t>(calls));
  for (auto& outcome : outcomes) {
    RunWork(server, SlowlyMade(cache, factory), RunControl(), ThreadKind::kNetwork,
            [&](const Status& status) { outcome.set_value(status); });
  }
  // All other calls wait without a thread, so a thread is free while the function is made.
  while (server.waiting_calls != static_cast<size_t>(calls) - 1) std::this_thread::yield();
  std::promise<void> ran;
  server.makers.Schedule([&] { ran.set_value(); });
  EXPECT_EQ(ran.get_future().wait_for(seconds(60)), std::future_status::ready);
  may_end.set_value();
  Made out;
  for (auto& outcome : outcomes) out.outcomes.push_back(outcome.get_future().get());
  out.made = made;
  EXPECT_EQ(server.waiting_calls, 0u);
  return out;
}

TEST(AttemptsWaitTest, WaitingCallsOccupyNoThread) {
  Made made = MakeSlowly(20, absl::OkStatus());
  EXPECT_EQ(made.made, 1);
  for (const Status& status : made.outcomes) EXPECT_TRUE(status.ok()) << status;
}

TEST(AttemptsWaitTest, WaitingCallsShareTheError) {
  Made made = MakeSlowly(20, InvalidArgument("no"));
  EXPECT_EQ(made.made, 1);
  for (const Status& status : made.outcomes) EXPECT_EQ(MessageOf(status), "no");
}

// Calls that wait for a maker thread, and calls that wait for a function that another call makes.
TEST(AttemptsWaitTest, WaitingCallsAreAnsweredAtTheirDeadlines) {
  ServerContext server({}, {}, /*compute_threads=*/1);
  FunctionCache cache({});
  std::promise<void> may_end;
  auto end = may_end.get_future().share();
  std::atomic<bool> is_making = false;
  auto factory = [&](const FunctionType& type) -> StatusOr<FunctionCache::Target> {
    is_making = true;
    end.wait();
    return std::make_shared<const DispatchTarget>(type);
  };
  std::vector<std::promise<Status>> outcomes(4);
  auto run = [&](size_t i, const RunControl& control) {
    RunWork(server, SlowlyMade(cache, factory), control, ThreadKind::kNetwork,
            [&, i](const Status& status) { outcomes[i].set_value(status); });
  };
  run(0, {});
  while (!is_making) std::this_thread::yield();
  const RunControl soon{.deadline = std::chrono::steady_clock::now() + milliseconds(50)};
  run(1, soon);
  EXPECT_EQ(outcomes[1].get_future().get().code(), absl::StatusCode::kDeadlineExceeded);
  run(2, {});
  server.makers.Schedule([end] { end.wait(); });  // both maker threads are busy
  while (server.waiting_calls < 2 || server.makers.queued() > 0) std::this_thread::yield();
  run(3, soon);
  EXPECT_EQ(outcomes[3].get_future().get().code(), absl::StatusCode::kDeadlineExceeded);
  may_end.set_value();
  EXPECT_TRUE(outcomes[0].get_future().get().ok());
  EXPECT_TRUE(outcomes[2].get_future().get().ok());
}

TEST(AttemptsWaitTest, WaitingCallsCountAsQueued) {
  TransportLimits limits;
  limits.queued_calls = 5;
  ServerContext server({}, limits, 1);
  server.waiting_calls = 4;
  EXPECT_TRUE(CheckQueue(server).ok());
  server.waiting_calls = 5;
  EXPECT_EQ(ReasonOf(CheckQueue(server)), "QUEUE_FULL");
}

}  // namespace
}  // namespace signet
