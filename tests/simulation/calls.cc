#include "tests/simulation/calls.h"

#include <map>
#include <memory>
#include <utility>

#include "core/model/native/build_model_def.h"
#include "core/serving/admission/scheduler.h"
#include "core/serving/batching/batching.h"
#include "signet/cat.h"
#include "tests/simulation/world.h"

namespace signet {
namespace {

using std::chrono::milliseconds;

constexpr int kThreads = 2;
constexpr int64_t kMostCalls = 12;
constexpr int64_t kMostRows = 6;

std::shared_ptr<const LoadedModel> MakeModel() {
  ModelBuilder builder;
  builder.AddFunction("f", "(x: int64[?], by: int64[])")
      .Node("y", "add", {"x", "by"})
      .Result("y")
      .Batch({"x"});
  auto def = BuildModelDef(builder);
  SIGNET_CHECK(def.ok());
  return std::make_shared<LoadedModel>("m", 1, *std::move(def), ModelOptions());
}

// The same model for all simulations, which change nothing of it.
const std::shared_ptr<const LoadedModel>& TheModel() {
  static const std::shared_ptr<const LoadedModel> model = MakeModel();
  return model;
}

// "Every call is answered exactly once, at its deadline at the latest."
class CallsSimulation {
 public:
  CallsSimulation(uint64_t seed, Coverage& coverage) : world_(seed), coverage_(coverage) {
    v1::ModelSettings settings;
    if (world_.Below(3) == 0) {
      settings.mutable_scheduling()->set_max_concurrent_calls(1 + world_.Below(2));
    }
    scheduler_.Configure("m", settings);
    batcher_ = std::make_shared<Batcher>(
        function_, std::vector<bool>{true, false}, nullptr,
        BatchLimits{.max_rows = kMostRows, .max_delay = std::chrono::microseconds(2000)}, threads_,
        "m", 1);
  }

  std::string Run() {
    const int rounds = 5 + world_.Below(20);
    for (int i = 0; i < rounds; ++i) {
      for (int k = world_.Below(5); k >= 0; --k) Start();  // together
      if (world_.Below(3) == 0) CancelOne();
      const int tasks = world_.Below(4);
      for (int k = 0; k < tasks && world_.RunOne(); ++k) Check();
      if (world_.Below(3) == 0) world_.PassFor(milliseconds(world_.Below(30)), [this] { Check(); });
      Check();
    }
    world_.PassFor(milliseconds(60'000), [this] { Check(); });
    for (const auto& [id, call] : calls_) {
      if (call->answers != 1) Violate(Cat("call ", id, " was answered ", call->answers, " times"));
    }
    if (scheduler_.queued() != 0) Violate(Cat("after quiet, ", scheduler_.queued(), " calls wait"));
    return violation_;
  }

 private:
  struct Call {
    int id = 0;
    std::optional<Timers::Clock::time_point> deadline;
    std::atomic<bool> cancelled = false;
    std::vector<int64_t> expected;
    int answers = 0;
    bool is_running = false;  // alone; a run observes its deadline itself
    std::optional<PreparedCall> prepared;
  };

  void Violate(const std::string& how) {
    if (violation_.empty()) violation_ = how;
  }
  void Check() {
    // Batches are tasks that continue, which are never rejected.
    if (scheduler_.queued() > static_cast<size_t>(kMostCalls + kThreads)) {
      Violate(Cat(scheduler_.queued(), " calls wait"));
    }
    for (const auto& [id, call] : calls_) {
      if (call->answers == 0 && !call->is_running && call->deadline &&
          *call->deadline < world_.timers().Now()) {
        Violate(Cat("call ", id, " is not answered at its deadline"));
      }
    }
  }

  void Start() {
    auto call = std::make_shared<Call>();
    call->id = static_cast<int>(calls_.size());
    calls_[call->id] = call;
    if (world_.Below(2) == 0) {
      call->deadline = world_.timers().Now() + milliseconds(1 + world_.Below(60));
    }
    std::vector<int64_t> x;
    const int64_t by = world_.Below(2);
    for (int i = 1 + world_.Below(3); i > 0; --i) {
      x.push_back(world_.Below(1000));
      call->expected.push_back(x.back() + by);
    }
    CallArguments arguments;
    arguments.positional.emplace_back(Tensor::Of<int64_t>({static_cast<int64_t>(x.size())}, x));
    arguments.positional.emplace_back(Tensor::Scalar(by));
    auto prepared = function_.Prepare(std::move(arguments), {});
    SIGNET_CHECK(prepared.ok());
    call->prepared = *std::move(prepared);
    Task task{.model = "m",
              .priority = static_cast<Priority>(world_.Below(kNumPriorities)),
              .bytes = 100,
              .deadline = call->deadline,
              .cancelled = &call->cancelled,
              .run = [this, call] { Execute(call); },
              .reject = [this, call](const Status& status) { Answer(*call, status); }};
    const Status accepted = scheduler_.Submit(task);
    if (!accepted.ok()) Answer(*call, accepted);
  }

  // As a compute thread does: alone, or in a batch. A thread that runs a call is occupied while the
  // rest of the world goes on.
  void Execute(const std::shared_ptr<Call>& call) {
    const RunControl control{.deadline = call->deadline, .cancelled = &call->cancelled};
    const Batcher::Turn turn = batcher_->TryStart();
    if (turn) {
      call->is_running = true;
      world_.PassFor(milliseconds(world_.Below(20)), [this] { Check(); });
      return Answer(*call, call->prepared->Run({}));
    }
    auto waiting = batcher_->MakeWaiting(*call->prepared, control);
    if (waiting == nullptr) return Answer(*call, call->prepared->Run({}));
    WaitingCall* raw = waiting.get();
    batcher_->Add(std::move(waiting), [this, call, raw] { Answer(*call, *raw->result); });
  }

  void CancelOne() {
    const auto found = calls_.find(world_.Below(static_cast<int>(calls_.size())));
    if (found == calls_.end() || found->second->answers > 0) return;
    found->second->cancelled = true;
    scheduler_.Cancel(&found->second->cancelled);
  }

  void Answer(Call& call, const StatusOr<Value>& answer) {
    ++call.answers;
    coverage_.Add(Cat("answer: ", std::string(absl::StatusCodeToString(answer.status().code()))));
    if (!answer.ok()) return;
    const auto found = answer->tensor().elements<int64_t>();
    if (!std::equal(found.begin(), found.end(), call.expected.begin(), call.expected.end())) {
      Violate(Cat("call ", call.id, " has the answer of another call"));
    }
  }

  World world_;
  Coverage& coverage_;
  std::map<int, std::shared_ptr<Call>> calls_;
  const PolymorphicFunction& function_ = *TheModel()->functions()[0];
  Scheduler scheduler_{{.threads = kThreads, .max_calls = kMostCalls},
                       world_.timers(),
                       [this](auto task) { world_.Post(std::move(task)); },
                       [this](auto task) { world_.Post(std::move(task)); }};
  BatchThreads threads_{
      .schedule =
          [this](auto run) {
            Task task{.continues = true, .run = std::move(run)};
            (void)scheduler_.Submit(task);
          },
      .num_threads = kThreads,
      .timers = &world_.timers(),
      .record =
          [this](std::string_view, int64_t, std::string_view, size_t calls, size_t rows) {
            coverage_.Add(Cat("batch of ", calls));
            if (rows > static_cast<size_t>(kMostRows)) Violate(Cat("a batch of ", rows, " rows"));
          }};
  std::shared_ptr<Batcher> batcher_;
  std::string violation_;
};

}  // namespace

std::string SimulateCalls(uint64_t seed, Coverage& coverage) {
  CallsSimulation simulation(seed, coverage);
  return simulation.Run();
}

}  // namespace signet
