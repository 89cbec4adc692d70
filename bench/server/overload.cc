// Overload: offers more calls than a server can run, and measures what it still does.
//
//   The functions run for about 5 milliseconds on a compute thread, of which the server has one, so
//   that the client has a processor of its own. The number of their nodes is measured first.
//   Requests are small, because otherwise the client would need the whole processor to send them.
//
//   goodput    answered calls per second at three times the capacity, compared with the capacity,
//              of a function whose work is known by the types of its arguments, and of a function
//              whose work follows from the value of its argument
//   latency    p99 of the answered calls, compared with p99 when the capacity is offered
//   memory     growth of the resident memory of the server during the overload
//   recovery   from the end of the overload until calls are as fast as before
//   priority   p99 of one caller with high priority while calls of low priority come at three times
//              the capacity, compared with p99 of the same caller alone

#include <algorithm>
#include <atomic>
#include <fstream>
#include <string_view>
#include <thread>
#include <unistd.h>

#include "bench/subjects.h"
#include "bench/support/load.h"
#include "bench/support/servers.h"
#include "signet/v1/service.pb.h"

namespace signet {
namespace {

constexpr const char* kSettings = "scheduling { priority: HIGH }\n";
constexpr int kFirstNodes = 50;
constexpr int kMostNodes = 2000;
constexpr double kCallMicroseconds = 5000;
constexpr int64_t kElements = 128;  // of the argument; the nodes compute on a square of these
constexpr const char* kByTypes = "work";
constexpr const char* kByValues = "work_of_size";
constexpr double kOverload = 3;
constexpr double kLeastGoodput = 0.95;
constexpr double kMostLatency = 2;
constexpr double kMostGrowthMegabytes = 64;
constexpr double kMostRecoverySeconds = 2;
constexpr double kMostPriorityLatency = 1.5;

// Returns a model with two functions of `nodes` nodes, which return one number.
std::string Model(int nodes) {
  std::string chain;
  for (int i = 1; i <= nodes; ++i) chain += Cat("    node", i, " = erf(node", i - 1, ")\n");
  chain += Cat("    return reduce_sum(node", nodes, ")\n");
  return Cat("def ", kByTypes, "(x: float32[?]):\n    node0 = expand_dims(x, axis=1) * x\n", chain,
             "\ndef ", kByValues,
             "(n: int64[]):\n    node0 = random_uniform(int64[] 7, stack(n, n))\n", chain);
}

std::string Request(const char* function) {
  v1::CallRequest request;
  request.mutable_model()->set_name("bench");
  request.set_function(function);
  v1::Tensor& tensor = *request.add_args()->mutable_tensor();
  if (function == std::string_view(kByValues)) {
    tensor.set_dtype(v1::DTYPE_INT64);
    tensor.set_data(&kElements, sizeof(kElements));
    return request.SerializeAsString();
  }
  tensor.set_dtype(v1::DTYPE_FLOAT32);
  tensor.add_shape(kElements);
  tensor.set_data(std::string(static_cast<size_t>(kElements) * sizeof(float), '\x3e'));
  return request.SerializeAsString();
}

// Records the largest resident memory of a process until it is destroyed.
class MemoryWatch {
 public:
  explicit MemoryWatch(pid_t process)
      : file_(Cat("/proc/", process, "/statm")),
        start_(Megabytes()),
        thread_([this] { Watch(); }) {}
  ~MemoryWatch() { Stop(); }

  // Returns the growth in megabytes.
  double Stop() {
    stop_ = true;
    if (thread_.joinable()) thread_.join();
    return most_ - start_;
  }

 private:
  double Megabytes() const {
    std::ifstream in(file_);
    double size = 0;
    double resident = 0;
    in >> size >> resident;
    return resident * static_cast<double>(sysconf(_SC_PAGESIZE)) / 1e6;
  }
  void Watch() {
    while (!stop_) {
      most_ = std::max(most_, Megabytes());
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  }

  const std::string file_;
  const double start_;
  double most_ = start_;  // used by the thread until Stop
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

// Returns the seconds until ten calls in a row take at most twice `quiet_us`.
double SecondsUntilQuiet(const LoadClient& client, double quiet_us) {
  const double start = WallNanoseconds();
  for (int quiet = 0; quiet < 10 && WallNanoseconds() < start + 30e9;) {
    OfferedLoad one = client.CallInTurn(0);
    const bool is_quiet = one.answered == 1 && one.latencies_us.front() <= 2 * quiet_us;
    quiet = is_quiet ? quiet + 1 : 0;
  }
  return (WallNanoseconds() - start) / 1e9;
}

Status CheckOutcome(const char* what, const OfferedLoad& load) {
  if (load.failed == 0 && load.answered > 0) return absl::OkStatus();
  return Internal(what, ": ", load.answered, " calls were answered, and ", load.failed,
                  " failed with another error than RESOURCE_EXHAUSTED");
}

StatusOr<RunningServer> StartServer(const TemporaryFolder& folder, int nodes) {
  folder.Write("models/bench/1/model.signet", Model(nodes));
  folder.Write("models/bench/settings.textproto", kSettings);
  return StartSignet(folder.path() / "models", folder.path(), {"--compute_threads", "1"});
}

// Returns the number of nodes with which a call takes about kCallMicroseconds.
StatusOr<int> NodesForCallTime(const std::string& request) {
  TemporaryFolder folder;
  SIGNET_ASSIGN_OR_RETURN(RunningServer server, StartServer(folder, kFirstNodes));
  LoadClient client(server.tcp, kCallMethod, request);
  SIGNET_RETURN_IF_ERROR(client.CallOnce(10).status());
  const double call_us = 1e6 / client.CallsPerSecond(8, 1);
  const double nodes = kFirstNodes * kCallMicroseconds / call_us;
  return static_cast<int>(std::clamp(nodes, 1.0, static_cast<double>(kMostNodes)));
}

void AddGoodput(const char* kind, const OfferedLoad& over, double peak, Report& report) {
  const double goodput = static_cast<double>(over.answered) / over.seconds;
  report.Add(Compared(Cat("overload: goodput at 3 times the capacity, work known by ", kind),
                      "calls/s", "capacity", {goodput, peak}, Better::kHigher, kLeastGoodput));
}

Status MeasureWorkByValues(const RunningServer& server, double seconds, double overload_seconds,
                           Report& report) {
  LoadClient client(server.tcp, kCallMethod, Request(kByValues));
  SIGNET_RETURN_IF_ERROR(client.CallOnce(10).status());
  const double peak = client.CallsPerSecond(8, seconds);
  OfferedLoad over = client.Offer(kOverload * peak, overload_seconds);
  SIGNET_RETURN_IF_ERROR(CheckOutcome("overload by values", over));
  AddGoodput("values", over, peak, report);
  return absl::OkStatus();
}

Status Measure(const BenchOptions& options, Report& report) {
  const double seconds = options.quick ? 2 : 20;
  const double overload_seconds = options.quick ? 3 : 60;
  const std::string request = Request(kByTypes);
  SIGNET_ASSIGN_OR_RETURN(const int nodes, NodesForCallTime(request));
  TemporaryFolder folder;
  SIGNET_ASSIGN_OR_RETURN(RunningServer server, StartServer(folder, nodes));
  LoadClient client(server.tcp, kCallMethod, request);
  SIGNET_RETURN_IF_ERROR(client.CallOnce(10).status());

  OfferedLoad alone = client.CallInTurn(seconds / 4);
  SIGNET_RETURN_IF_ERROR(CheckOutcome("one caller", alone));
  const double peak = client.CallsPerSecond(8, seconds);
  OfferedLoad full = client.Offer(peak, overload_seconds / 2);
  SIGNET_RETURN_IF_ERROR(CheckOutcome("at capacity", full));

  MemoryWatch memory(server.child.process());
  OfferedLoad over = client.Offer(kOverload * peak, overload_seconds);
  const double recovery = SecondsUntilQuiet(client, alone.Percentile(0.5));
  const double growth = memory.Stop();
  SIGNET_RETURN_IF_ERROR(CheckOutcome("overload", over));
  AddGoodput("types", over, peak, report);
  SIGNET_RETURN_IF_ERROR(MeasureWorkByValues(server, seconds, overload_seconds, report));
  report.Add(Compared("overload: p99 at 3 times the capacity", "us", "p99 at the capacity",
                      {over.Percentile(0.99), full.Percentile(0.99)}, Better::kLower,
                      kMostLatency));
  report.Add({.name = "overload: growth of memory",
              .value = growth,
              .unit = "MB",
              .bar = kMostGrowthMegabytes});
  report.Add(
      {.name = "overload: recovery", .value = recovery, .unit = "s", .bar = kMostRecoverySeconds});

  LoadClient flood(server.tcp, kCallMethod, request);
  SIGNET_RETURN_IF_ERROR(flood.CallOnce(10).status());
  OfferedLoad quiet = client.CallInTurn(seconds, "high");
  OfferedLoad low;
  std::thread flooding([&] { low = flood.Offer(kOverload * peak, seconds + 1, "low"); });
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  OfferedLoad high = client.CallInTurn(seconds, "high");
  flooding.join();
  SIGNET_RETURN_IF_ERROR(CheckOutcome("low priority", low));
  SIGNET_RETURN_IF_ERROR(CheckOutcome("high priority", high));
  if (high.rejected > 0) return Internal(high.rejected, " calls of high priority were rejected");
  report.Add(Compared("overload: p99 of high priority under a flood of low priority", "us",
                      "p99 without the flood", {high.Percentile(0.99), quiet.Percentile(0.99)},
                      Better::kLower, kMostPriorityLatency));
  return absl::OkStatus();
}

}  // namespace

void BenchOverload(const BenchOptions& options, Report& report) {
  Status measured = Measure(options, report);
  if (!measured.ok()) report.Skip("overload", MessageOf(measured));
}

}  // namespace signet
