// Wire: compares calls of a function with bare gRPC. The function is `f(x: float32[?]) -> x`, so
// that only decoding, binding, dispatch, the executor, and encoding are measured.
//
//   1 KiB     compared with generated code that echoes a message of the same size (callback API):
//             calls per second with 64 in flight, and the median latency with 1, over TCP and a
//             Unix socket
//   16 MiB    compared with an echo of ByteBuffers, which copies nothing: calls per second with 8
//             and 1 in flight
//   control   the ByteBuffer echo compared with the generated code, 1 KiB: the cost of parsing
//
// Servers are separate processes with the same allocator settings; the client is the same code
// (bench/support/load.h) with the same request bytes, except for the name of the method.

#include "bench/subjects.h"
#include "bench/support/identity_calls.h"
#include "bench/support/load.h"
#include "bench/support/servers.h"

namespace signet {
namespace {

constexpr size_t kSmall = size_t{1} << 10;
constexpr size_t kLarge = size_t{16} << 20;
constexpr double kLeastThroughput = 0.75;      // of the echo
constexpr double kMostLatency = 1.3;           // of the echo
constexpr double kLeastLargeThroughput = 0.7;  // of the raw echo

class WireBench {
 public:
  WireBench(const BenchOptions& options, Report& report) : options_(options), report_(report) {}

  void Throughput(std::string name, const LoadClient& client, const LoadClient& reference,
                  const char* reference_name, int in_flight, std::optional<double> bar) {
    auto rate = [&](const LoadClient& load) {
      return load.CallsPerSecond(in_flight, options_.load_seconds);
    };
    Pair pair = MedianPair(
        options_, [&] { return rate(client); }, [&] { return rate(reference); });
    report_.Add(Compared(Cat("wire: ", name, ", ", in_flight, " in flight"), "calls/s",
                         reference_name, pair, Better::kHigher, bar));
  }
  void Latency(std::string name, const LoadClient& client, const LoadClient& reference,
               const char* reference_name, std::optional<double> bar) {
    auto median = [&](const LoadClient& load) { return load.MedianLatency(options_.load_seconds); };
    Pair pair = MedianPair(
        options_, [&] { return median(client); }, [&] { return median(reference); });
    report_.Add(Compared(Cat("wire: ", name, ", median latency"), "us", reference_name, pair,
                         Better::kLower, bar));
  }

 private:
  const BenchOptions& options_;
  Report& report_;
};

Status Measure(const BenchOptions& options, Report& report) {
  TemporaryFolder folder;
  folder.Write("models/bench/1/model.signet", kIdentityModel);
  SIGNET_ASSIGN_OR_RETURN(RunningServer echo, StartEcho(folder.path()));
  SIGNET_ASSIGN_OR_RETURN(RunningServer signet,
                          StartSignet(folder.path() / "models", folder.path()));
  WireBench bench(options, report);
  constexpr const char* kProto = "generated gRPC echo";
  constexpr const char* kRaw = "ByteBuffer gRPC echo";

  struct Transport {
    const char* name;
    std::string RunningServer::*address;
  };
  for (const Transport& transport : {Transport{"TCP", &RunningServer::tcp},
                                     Transport{"Unix socket", &RunningServer::unix_socket}}) {
    {
      LoadClient call(signet.*transport.address, kCallMethod, CallOf(kSmall));
      LoadClient proto(echo.*transport.address, kProtoEchoMethod, EchoOf(kSmall));
      SIGNET_RETURN_IF_ERROR(CheckCall(call, kSmall));
      SIGNET_RETURN_IF_ERROR(proto.CallOnce(10).status());
      std::string name = Cat("1 KiB, ", transport.name);
      bench.Throughput(name, call, proto, kProto, 64, kLeastThroughput);
      bench.Latency(name, call, proto, kProto, kMostLatency);
    }
    LoadClient call(signet.*transport.address, kCallMethod, CallOf(kLarge));
    LoadClient raw(echo.*transport.address, kRawEchoMethod, CallOf(kLarge));
    SIGNET_RETURN_IF_ERROR(CheckCall(call, kLarge));
    SIGNET_RETURN_IF_ERROR(raw.CallOnce(10).status());
    std::string name = Cat("16 MiB, ", transport.name);
    bench.Throughput(name, call, raw, kRaw, 8, kLeastLargeThroughput);
    bench.Throughput(name, call, raw, kRaw, 1, {});
  }

  LoadClient raw(echo.tcp, kRawEchoMethod, EchoOf(kSmall));
  LoadClient proto(echo.tcp, kProtoEchoMethod, EchoOf(kSmall));
  SIGNET_RETURN_IF_ERROR(raw.CallOnce(10).status());
  SIGNET_RETURN_IF_ERROR(proto.CallOnce(10).status());
  bench.Throughput("control: ByteBuffers, 1 KiB, TCP", raw, proto, kProto, 64, {});
  return absl::OkStatus();
}

}  // namespace

void BenchWire(const BenchOptions& options, Report& report) {
  Status measured = Measure(options, report);
  if (!measured.ok()) report.Skip("wire", MessageOf(measured));
}

}  // namespace signet
