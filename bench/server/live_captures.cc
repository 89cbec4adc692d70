// Live: 100 MB of captures are replaced again and again by AdminService, while 8 clients
// call the model, which multiplies a vector by each of its 25 matrices. A call that fails ends the
// program.
//
//   calls             compared with the same server without replacements
//   a replacement     the time of one, with the upload, while the clients call
//   specializations   made because of the replacements; none is expected

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <thread>

#include "bench/subjects.h"
#include "bench/support/load.h"
#include "bench/support/servers.h"
#include "client/lib/admin_client.h"
#include "core/formats/safetensors/safetensors.h"
#include "core/formats/signet_wire/wire.h"
#include "signet/v1/service.pb.h"

namespace signet {
namespace {

constexpr int kMatrices = 25;
constexpr int64_t kSide = 1024;  // rows and columns of a matrix of 4 MiB
constexpr int kCallers = 8;
constexpr std::chrono::seconds kLongest(60);

std::string ModelText() {
  std::string text = Cat("def f(x: float32[?, ", kSide, "]):\n");
  for (int i = 0; i < kMatrices; ++i) {
    text += Cat("    y", i, " = ", i == 0 ? std::string("x") : Cat("y", i - 1), " @ w", i, "\n");
  }
  return text + Cat("    return y", kMatrices - 1, "\n");
}

Status WriteCaptures(const std::filesystem::path& path, float value) {
  NamedTensors tensors;
  for (int i = 0; i < kMatrices; ++i) {
    std::vector<float> elements(static_cast<size_t>(kSide * kSide), value / kSide);
    tensors.emplace_back(Cat("w", i),
                         Tensor::Of<float>({kSide, kSide}, std::span<const float>(elements)));
  }
  std::sort(tensors.begin(), tensors.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  return WriteSafetensors(path, tensors);
}

std::string CallText() {
  const std::vector<float> ones(static_cast<size_t>(kSide), 1);
  v1::CallRequest request;
  request.mutable_model()->set_name("live");
  request.set_function("f");
  *request.add_args() =
      wire::ValueToProto(Tensor::Of<float>({1, kSide}, std::span<const float>(ones)));
  return request.SerializeAsString();
}

// Replaces the captures by one of two files while it exists.
class Replacer {
 public:
  Replacer(AdminClient& admin, std::vector<std::filesystem::path> files)
      : admin_(admin), files_(std::move(files)), thread_([this] { Run(); }) {}
  ~Replacer() {
    stop_ = true;
    thread_.join();
  }
  Replacer(const Replacer&) = delete;
  Replacer& operator=(const Replacer&) = delete;

 private:
  void Run() {
    v1::ReplaceCapturesRequest::Start start;
    start.set_model("live");
    for (size_t i = 0; !stop_; ++i) {
      auto replaced = admin_.ReplaceCaptures(start, files_[i % files_.size()]);
      if (!replaced.ok()) std::fprintf(stderr, "%s\n", replaced.status().ToString().c_str());
      SIGNET_CHECK(replaced.ok() && replaced->functions_specialized() == 0);
    }
  }

  AdminClient& admin_;
  const std::vector<std::filesystem::path> files_;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

StatusOr<int64_t> Specializations(AdminClient& admin) {
  SIGNET_ASSIGN_OR_RETURN(v1::StatusResponse status, admin.GetStatus("live"));
  return status.models(0).versions(0).functions(0).specializations();
}

Status MeasureLive(const BenchOptions& options, Report& report) {
  TemporaryFolder folder;
  folder.Write("models/live/1/model.signet", ModelText());
  SIGNET_RETURN_IF_ERROR(WriteCaptures(folder.path() / "models/live/1/captures.safetensors", 1));
  const std::vector<std::filesystem::path> files = {folder.path() / "a.safetensors",
                                                    folder.path() / "b.safetensors"};
  SIGNET_RETURN_IF_ERROR(WriteCaptures(files[0], 0.5f));
  SIGNET_RETURN_IF_ERROR(WriteCaptures(files[1], 0.25f));
  const std::string address = FreeAddress();
  SIGNET_ASSIGN_OR_RETURN(
      RunningServer server,
      StartSignet(folder.path() / "models", folder.path(),
                  {"--admin_listen", address, "--admin_upload_directory", folder.path().string()}));
  LoadClient call(server.tcp, kCallMethod, CallText());
  SIGNET_RETURN_IF_ERROR(call.CallOnce(10).status());
  AdminClient admin(ServiceClient(address, kLongest));
  SIGNET_ASSIGN_OR_RETURN(int64_t before, Specializations(admin));
  auto rate = [&] { return call.CallsPerSecond(kCallers, options.load_seconds); };
  Pair pair = MedianPair(
      options,
      [&] {
        Replacer replacer(admin, files);
        return rate();
      },
      rate);
  report.Add(Compared("live: calls while 100 MB of captures are replaced", "calls/s",
                      "without replacements", pair, Better::kHigher));

  std::atomic<bool> stop{false};
  std::thread caller([&] {
    while (!stop) call.CallsPerSecond(kCallers, options.load_seconds);
  });
  v1::ReplaceCapturesRequest::Start start;
  start.set_model("live");
  constexpr int kReplacements = 4;
  const auto begin = std::chrono::steady_clock::now();
  Status failed;
  for (int i = 0; i < kReplacements && failed.ok(); ++i) {
    failed = admin.ReplaceCaptures(start, files[static_cast<size_t>(i % 2)]).status();
  }
  const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - begin;
  stop = true;
  caller.join();
  SIGNET_RETURN_IF_ERROR(failed);
  report.Add({.name = "live: a replacement of 100 MB of captures under load",
              .value = time.count() / kReplacements,
              .unit = "ms"});
  SIGNET_ASSIGN_OR_RETURN(int64_t after, Specializations(admin));
  report.Add({.name = "live: specializations by replacements",
              .value = static_cast<double>(after - before),
              .unit = "functions",
              .bar = 0});
  return absl::OkStatus();
}

}  // namespace

void BenchLiveCaptures(const BenchOptions& options, Report& report) {
  Status measured = MeasureLive(options, report);
  if (!measured.ok()) report.Skip("live", MessageOf(measured));
}

}  // namespace signet
