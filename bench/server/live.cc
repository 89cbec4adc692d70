// Live: models that are replaced, loaded next to others, and loaded on demand while clients call.
//
//   replacements   versions of a model are replaced under 64 clients: the calls that fail, and the
//                  resident memory at the end, compared with the memory after a tenth of them
//   p99            of a small model while a model of 100 MB is loaded over and over, compared with
//                  the same calls when nothing is loaded
//   on demand      the first calls of 10,000 small models, of which a part fits into the memory

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>
#include <unistd.h>
#include <vector>

#include "bench/subjects.h"
#include "bench/support/load.h"
#include "bench/support/servers.h"
#include "core/formats/safetensors/safetensors.h"
#include "signet/v1/service.pb.h"

namespace signet {
namespace {

namespace fs = std::filesystem;
using std::chrono::steady_clock;

constexpr int kClients = 64;
constexpr double kPatience = 60;  // seconds for one call
constexpr double kMostGrowth = 1.05;
constexpr double kMostTail = 1.3;  // p99 while a model is loaded / quiet
constexpr double kMostFirstCallMilliseconds = 50;
constexpr int64_t kLargeRows = 5000;          // of a square matrix of float32: 100 MB
constexpr int64_t kOnDemandBytes = 64 << 20;  // for 10,000 models

std::string ModelThatAdds(int added) {
  return Cat("def f(x: float32[?]):\n    return x + ", added, ".0\n");
}

std::string CallOfModel(const std::string& model) {
  v1::CallRequest request;
  request.mutable_model()->set_name(model);
  request.set_function("f");
  v1::Tensor& tensor = *request.add_args()->mutable_tensor();
  tensor.set_dtype(v1::DTYPE_FLOAT32);
  tensor.add_shape(4);
  tensor.set_data(std::string(16, '\0'));
  return request.SerializeAsString();
}

int64_t ResidentBytes(pid_t process) {
  int64_t pages = 0;
  std::ifstream(Cat("/proc/", process, "/statm")) >> pages >> pages;
  return pages * ::sysconf(_SC_PAGESIZE);
}

// Makes a version appear at once.
void Publish(const TemporaryFolder& folder, const std::string& model, int64_t version,
             const std::string& text) {
  folder.Write("models/.new/model.signet", text);
  fs::create_directories(folder.path() / "models" / model);
  fs::rename(folder.path() / "models/.new", folder.path() / "models" / model / Cat(version));
}

// Returns the version that answers, or 0 if the call fails.
int64_t VersionOf(const LoadClient& client) {
  auto bytes = client.CallOnce(kPatience);
  v1::CallResponse response;
  return bytes.ok() && response.ParseFromString(*bytes) ? response.model_version() : 0;
}

Status MeasureReplacements(const BenchOptions& options, Report& report) {
  const int count = options.quick ? 20 : 1000;
  TemporaryFolder folder;
  Publish(folder, "m", 1, ModelThatAdds(1));
  SIGNET_ASSIGN_OR_RETURN(RunningServer server,
                          StartSignet(folder.path() / "models", folder.path(),
                                      {"--poll_seconds", "0.02", "--version_policy", "newest:1"}));
  LoadClient observer(server.tcp, kCallMethod, CallOfModel("m"));
  if (VersionOf(observer) != 1) return Unavailable("the first version does not answer");
  std::atomic<bool> is_done{false};
  std::atomic<int64_t> failed{0};
  std::vector<std::thread> clients;
  for (int i = 0; i < kClients; ++i) {
    clients.emplace_back([&] {
      LoadClient client(server.tcp, kCallMethod, CallOfModel("m"));
      while (!is_done) {
        if (VersionOf(client) == 0) ++failed;
      }
    });
  }
  int64_t before = 0;
  bool is_stuck = false;
  for (int version = 2; version <= count + 1 && !is_stuck; ++version) {
    Publish(folder, "m", version, ModelThatAdds(version));
    auto end = steady_clock::now() + std::chrono::minutes(1);
    while (VersionOf(observer) != version && !is_stuck) is_stuck = steady_clock::now() > end;
    fs::remove_all(folder.path() / "models/m" / Cat(version - 1));
    if (version == count / 10 + 1) before = ResidentBytes(server.child.process());
  }
  is_done = true;
  for (std::thread& client : clients) client.join();
  if (is_stuck) return Unavailable("a version was not loaded within a minute");
  report.Add({.name = Cat("live: failed calls of 64 clients over ", count, " replacements"),
              .value = static_cast<double>(failed.load()),
              .unit = "calls",
              .bar = 0});
  Pair memory{static_cast<double>(ResidentBytes(server.child.process())) / (1 << 20),
              static_cast<double>(before) / (1 << 20)};
  report.Add(Compared(Cat("live: memory after ", count, " replacements"), "MiB",
                      "after a tenth of them", memory, Better::kLower, kMostGrowth));
  return absl::OkStatus();
}

// Returns the 99th percentile of the latency of single calls, in microseconds.
double TailLatency(const LoadClient& client, double seconds) {
  std::vector<double> times;
  auto end = steady_clock::now() + std::chrono::duration<double>(seconds);
  while (steady_clock::now() < end) {
    double begin = WallNanoseconds();
    SIGNET_CHECK(client.CallOnce(kPatience).ok());
    times.push_back((WallNanoseconds() - begin) / 1000);
  }
  auto place = times.begin() + static_cast<ptrdiff_t>(times.size() * 99 / 100);
  std::nth_element(times.begin(), place, times.end());
  return *place;
}

Status MeasureTail(const BenchOptions& options, Report& report) {
  TemporaryFolder folder;
  const int64_t rows = options.quick ? 500 : kLargeRows;
  Publish(folder, "a", 1, ModelThatAdds(1));
  fs::create_directories(folder.path() / "models/b");
  SIGNET_ASSIGN_OR_RETURN(Tensor weights, Tensor::Allocate(DType::kFloat32, {rows, rows}));
  std::fill_n(weights.mutable_elements<float>(), rows * rows, 0.5f);
  const fs::path captures = folder.path() / "captures.safetensors";
  SIGNET_RETURN_IF_ERROR(WriteSafetensors(captures, {{"w", weights}}));
  const std::string text = Cat("def f(x: float32[?, ", rows, "]):\n    return x @ w\n");
  SIGNET_ASSIGN_OR_RETURN(RunningServer server,
                          StartSignet(folder.path() / "models", folder.path(),
                                      {"--poll_seconds", "0.05", "--version_policy", "newest:1"}));
  LoadClient client(server.tcp, kCallMethod, CallOfModel("a"));
  SIGNET_RETURN_IF_ERROR(client.CallOnce(kPatience).status());

  std::atomic<bool> is_done{false};
  std::atomic<bool> is_loading{false};
  std::thread publisher([&] {
    for (int64_t version = 1; !is_done; ++version) {
      while (!is_loading && !is_done) std::this_thread::sleep_for(std::chrono::milliseconds(5));
      if (is_done) return;
      folder.Write("models/.new/model.signet", text);
      fs::create_hard_link(captures, folder.path() / "models/.new/captures.safetensors");
      fs::rename(folder.path() / "models/.new", folder.path() / "models/b" / Cat(version));
      if (version > 2) fs::remove_all(folder.path() / "models/b" / Cat(version - 2));
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
    }
  });
  const double seconds = options.quick ? 0.3 : 4;
  Pair tail = MedianPair(
      options,
      [&] {
        is_loading = true;
        return TailLatency(client, seconds);
      },
      [&] {
        is_loading = false;
        std::this_thread::sleep_for(std::chrono::milliseconds(options.quick ? 100 : 1500));
        return TailLatency(client, seconds);
      });
  is_done = true;
  publisher.join();
  report.Add(Compared("live: p99 of a small model while a model of 100 MB loads", "us", "quiet",
                      tail, Better::kLower, kMostTail));
  return absl::OkStatus();
}

Status MeasureOnDemand(const BenchOptions& options, Report& report) {
  const int count = options.quick ? 200 : 10'000;
  TemporaryFolder folder;
  for (int i = 0; i < count; ++i) {
    folder.Write(Cat("models/m", i, "/1/model.signet"), ModelThatAdds(i));
  }
  double begin = WallNanoseconds();
  SIGNET_ASSIGN_OR_RETURN(
      RunningServer server,
      StartSignet(folder.path() / "models", folder.path(),
                  {"--load", "on_demand", "--model_memory_bytes", Cat(kOnDemandBytes)}));
  LoadClient first(server.tcp, kCallMethod, CallOfModel("m0"));
  SIGNET_RETURN_IF_ERROR(first.CallOnce(kPatience).status());
  report.Add({.name = Cat("live: start of a server with ", count, " models on demand"),
              .value = (WallNanoseconds() - begin) / 1e6,
              .unit = "ms"});
  std::vector<double> times;
  for (int i = 1; i < count; ++i) {
    LoadClient client(server.tcp, kCallMethod, CallOfModel(Cat("m", i)));
    double start = WallNanoseconds();
    SIGNET_RETURN_IF_ERROR(client.CallOnce(kPatience).status());
    times.push_back((WallNanoseconds() - start) / 1e6);
  }
  std::sort(times.begin(), times.end());
  report.Add({.name = Cat("live: median first call of ", count, " models on demand"),
              .value = times[times.size() / 2],
              .unit = "ms",
              .bar = kMostFirstCallMilliseconds});
  report.Add({.name = Cat("live: p99 of the first calls of ", count, " models on demand"),
              .value = times[times.size() * 99 / 100],
              .unit = "ms",
              .bar = kMostFirstCallMilliseconds});
  report.Add({.name = Cat("live: memory with ", count, " models on demand"),
              .value = static_cast<double>(ResidentBytes(server.child.process())) / (1 << 20),
              .unit = "MiB"});
  return absl::OkStatus();
}

}  // namespace

void BenchLive(const BenchOptions& options, Report& report) {
  for (auto measure : {MeasureReplacements, MeasureTail, MeasureOnDemand}) {
    Status measured = measure(options, report);
    if (!measured.ok()) report.Skip("live", MessageOf(measured));
  }
}

}  // namespace signet
