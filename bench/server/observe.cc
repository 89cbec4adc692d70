// Observe: the cost of observability, for an identity function that is called with 1 KiB over TCP,
// with 64 calls in flight.
//
//   metrics           a server with --http_listen, compared with generated code that echoes a
//                     message of the same size (callback API)
//   100 scrapes/s     the same server, while /metrics is read 100 times per second, compared with
//                     itself without scrapes
//   all outputs       a server with an access log, traces of all calls to a collector that does not
//                     exist, and captured requests, compared with the first server

#include <atomic>
#include <chrono>
#include <thread>

#include "bench/subjects.h"
#include "bench/support/identity_calls.h"
#include "bench/support/load.h"
#include "bench/support/servers.h"
#include "client/cli/top/http_get.h"

namespace signet {
namespace {

constexpr size_t kObservedBytes = size_t{1} << 10;
constexpr int kInFlight = 64;
constexpr double kLeastWithMetrics = 0.85;  // of the echo
constexpr double kLeastWithScrapes = 0.98;  // of the server without scrapes

// Reads /metrics 100 times per second while it exists.
class Scraper {
 public:
  explicit Scraper(std::string address)
      : address_(std::move(address)), thread_([this] { Run(); }) {}
  ~Scraper() {
    stop_ = true;
    thread_.join();
  }
  Scraper(const Scraper&) = delete;
  Scraper& operator=(const Scraper&) = delete;

 private:
  void Run() {
    auto next = std::chrono::steady_clock::now();
    while (!stop_) {
      SIGNET_CHECK(HttpGet(address_, "/metrics", {.timeout = std::chrono::seconds(10)}).ok());
      next += std::chrono::milliseconds(10);
      std::this_thread::sleep_until(next);
    }
  }

  const std::string address_;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

Status MeasureObserve(const BenchOptions& options, Report& report) {
  TemporaryFolder folder;
  folder.Write("models/bench/1/model.signet", kIdentityModel);
  folder.Write("all/placeholder", "");
  const auto models = folder.path() / "models";
  const std::string http = FreeAddress();
  SIGNET_ASSIGN_OR_RETURN(RunningServer echo, StartEcho(folder.path()));
  SIGNET_ASSIGN_OR_RETURN(RunningServer metrics,
                          StartSignet(models, folder.path(), {"--http_listen", http}));
  SIGNET_ASSIGN_OR_RETURN(
      RunningServer all,
      StartSignet(models, folder.path() / "all",
                  {"--access_log", (folder.path() / "access.log").string(), "--capture_requests",
                   (folder.path() / "calls.rec").string(), "--capture_bytes", "16MB",
                   "--otlp_endpoint", FreeAddress(), "--trace_sample", "1"}));
  LoadClient call(metrics.tcp, kCallMethod, CallOf(kObservedBytes));
  LoadClient call_all(all.tcp, kCallMethod, CallOf(kObservedBytes));
  LoadClient proto(echo.tcp, kProtoEchoMethod, EchoOf(kObservedBytes));
  SIGNET_RETURN_IF_ERROR(CheckCall(call, kObservedBytes));
  SIGNET_RETURN_IF_ERROR(CheckCall(call_all, kObservedBytes));
  SIGNET_RETURN_IF_ERROR(proto.CallOnce(10).status());
  SIGNET_RETURN_IF_ERROR(HttpGet(http, "/metrics", {.timeout = std::chrono::seconds(10)}).status());

  auto rate = [&](const LoadClient& client) {
    return client.CallsPerSecond(kInFlight, options.load_seconds);
  };
  auto add = [&](std::string name, const char* reference, Pair pair, std::optional<double> bar) {
    report.Add(Compared(Cat("observe: 1 KiB, TCP, ", name, ", ", kInFlight, " in flight"),
                        "calls/s", reference, pair, Better::kHigher, bar));
  };
  add("metrics", "generated gRPC echo",
      MedianPair(
          options, [&] { return rate(call); }, [&] { return rate(proto); }),
      kLeastWithMetrics);
  add("100 scrapes/s", "without scrapes",
      MedianPair(
          options,
          [&] {
            Scraper scraper(http);
            return rate(call);
          },
          [&] { return rate(call); }),
      kLeastWithScrapes);
  add("all outputs", "metrics only",
      MedianPair(
          options, [&] { return rate(call_all); }, [&] { return rate(call); }),
      {});
  return absl::OkStatus();
}

}  // namespace

void BenchObserve(const BenchOptions& options, Report& report) {
  Status measured = MeasureObserve(options, report);
  if (!measured.ok()) report.Skip("observe", MessageOf(measured));
}

}  // namespace signet
