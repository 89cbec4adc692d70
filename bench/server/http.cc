// Http: the protocols next to signet.v1, for an identity function. Both sides of a ratio call the
// same server.
//
//   OIP gRPC, 1 KiB      ModelInfer with raw contents, compared with Call: 64 calls in flight
//   JSON, small          a call in JSON over keep-alive HTTP, compared with the same call over
//   gRPC:
//                        8 at a time
//   binary, 16 MiB       a call with the binary tensor extension, compared with Call: 2 at a time
//   slow connections     small JSON calls while 1,000 connections are idle and 200 send a request
//                        byte by byte, compared with the calls alone

#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>

#include "bench/subjects.h"
#include "bench/support/http_load.h"
#include "bench/support/identity_calls.h"
#include "bench/support/load.h"
#include "bench/support/servers.h"
#include "inference/inference.pb.h"

namespace signet {
namespace {

constexpr const char* kInferMethod = "/inference.GRPCInferenceService/ModelInfer";
constexpr size_t kInferBytes = size_t{1} << 10;
constexpr size_t kBinaryBytes = size_t{16} << 20;
constexpr double kLeastOfCall = 0.9;       // ModelInfer, of Call
constexpr double kLeastJson = 1.0;         // JSON over HTTP, of JSON over gRPC
constexpr double kLeastBinary = 0.9;       // the binary extension, of Call
constexpr double kLeastNextToSlow = 0.95;  // of the calls alone
constexpr int kIdleConnections = 1000;
constexpr int kSlowConnections = 200;

std::string InferOf(size_t bytes) {
  inference::ModelInferRequest request;
  request.set_model_name("bench");
  auto& input = *request.add_inputs();
  input.set_name("x");
  input.set_datatype("FP32");
  input.add_shape(static_cast<int64_t>(bytes / sizeof(float)));
  request.add_raw_input_contents(Content(bytes));
  return request.SerializeAsString();
}

std::string JsonCallOf(std::string_view argument) {
  v1::CallRequest request;
  request.mutable_model()->set_name("bench");
  request.set_function("identity");
  v1::Encoded& encoded = *request.add_args()->mutable_encoded();
  encoded.set_format(v1::Encoded::JSON);
  encoded.set_data(std::string(argument));
  request.mutable_result_format()->set_format(v1::Encoded::JSON);
  return request.SerializeAsString();
}

// Connections that are idle, and connections that send a byte of a request now and then.
class SlowClients {
 public:
  static StatusOr<std::unique_ptr<SlowClients>> Start(const std::string& address) {
    auto out = std::make_unique<SlowClients>();
    for (int i = 0; i < kIdleConnections + kSlowConnections; ++i) {
      SIGNET_ASSIGN_OR_RETURN(HttpConnection connection, HttpConnection::Open(address));
      auto& list = i < kIdleConnections ? out->idle_ : out->slow_;
      list.push_back(std::move(connection));
    }
    constexpr std::string_view kHead =
        "POST /v1/models/bench/functions/identity HTTP/1.1\r\nHost: localhost\r\n"
        "Content-Length: 1000000\r\n\r\n";
    for (HttpConnection& connection : out->slow_) SIGNET_RETURN_IF_ERROR(connection.Send(kHead));
    out->thread_ = std::thread([self = out.get()] { self->Run(); });
    return out;
  }
  SlowClients() = default;
  ~SlowClients() {
    is_over_ = true;
    if (thread_.joinable()) thread_.join();
  }

 private:
  void Run() {
    while (!is_over_) {
      // The server closes connections that are too slow, which is what it is for.
      for (HttpConnection& connection : slow_) (void)connection.Send(" ");
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
  }

  std::vector<HttpConnection> idle_;
  std::vector<HttpConnection> slow_;
  std::atomic<bool> is_over_{false};
  std::thread thread_;
};

Status MeasureHttp(const BenchOptions& options, Report& report) {
  TemporaryFolder folder;
  folder.Write("models/bench/1/model.signet", kIdentityModel);
  const std::string http = FreeAddress();
  SIGNET_ASSIGN_OR_RETURN(RunningServer signet, StartSignet(folder.path() / "models", folder.path(),
                                                            {"--http_listen", http}));
  auto compare = [&](const char* name, const char* reference_name, auto measure, auto reference,
                     std::optional<double> bar) {
    Pair pair = MedianPair(options, measure, reference);
    report.Add(
        Compared(Cat("http: ", name), "calls/s", reference_name, pair, Better::kHigher, bar));
  };
  const double seconds = options.load_seconds;

  LoadClient call(signet.tcp, kCallMethod, CallOf(kInferBytes));
  LoadClient infer(signet.tcp, kInferMethod, InferOf(kInferBytes));
  SIGNET_RETURN_IF_ERROR(CheckCall(call, kInferBytes));
  SIGNET_ASSIGN_OR_RETURN(std::string answer, infer.CallOnce(10));
  inference::ModelInferResponse response;
  if (!response.ParseFromString(answer) ||
      response.raw_output_contents(0) != Content(kInferBytes)) {
    return Internal("the response of ModelInfer is not the argument");
  }
  compare(
      "OIP gRPC, 1 KiB, 64 in flight", "Call", [&] { return infer.CallsPerSecond(64, seconds); },
      [&] { return call.CallsPerSecond(64, seconds); }, kLeastOfCall);

  const std::string_view small = "[1, 2, 5]";
  LoadClient json_call(signet.tcp, kCallMethod, JsonCallOf(small));
  HttpLoad json(http, "/v1/models/bench/functions/identity", small);
  SIGNET_RETURN_IF_ERROR(json_call.CallOnce(10).status());
  SIGNET_RETURN_IF_ERROR(json.CallOnce().status());
  compare(
      "JSON, small, 8 at a time", "JSON over gRPC", [&] { return json.CallsPerSecond(8, seconds); },
      [&] { return json_call.CallsPerSecond(8, seconds); }, kLeastJson);
  const std::string infer_json =
      R"({"inputs":[{"name":"x","shape":[3],"datatype":"FP32","data":[1,2,5]}]})";
  HttpLoad oip_json(http, "/v2/models/bench/infer", infer_json);
  SIGNET_RETURN_IF_ERROR(oip_json.CallOnce().status());
  compare(
      "OIP JSON, small, 8 at a time", "JSON over gRPC",
      [&] { return oip_json.CallsPerSecond(8, seconds); },
      [&] { return json_call.CallsPerSecond(8, seconds); }, std::nullopt);

  const std::string header =
      Cat(R"({"inputs":[{"name":"x","shape":[)", kBinaryBytes / sizeof(float),
          R"(],"datatype":"FP32","parameters":{"binary_data_size":)", kBinaryBytes,
          R"(}}],"parameters":{"binary_data_output":true}})");
  HttpLoad binary(http, "/v2/models/bench/infer", header + Content(kBinaryBytes),
                  Cat("Inference-Header-Content-Length: ", header.size(), "\r\n"));
  LoadClient large(signet.tcp, kCallMethod, CallOf(kBinaryBytes));
  SIGNET_RETURN_IF_ERROR(binary.CallOnce().status());
  SIGNET_RETURN_IF_ERROR(CheckCall(large, kBinaryBytes));
  compare(
      "binary, 16 MiB, 2 at a time", "Call", [&] { return binary.CallsPerSecond(2, seconds); },
      [&] { return large.CallsPerSecond(2, seconds); }, kLeastBinary);

  auto next_to_slow = [&] {
    auto slow = SlowClients::Start(http);
    SIGNET_CHECK(slow.ok());
    return json.CallsPerSecond(8, seconds);
  };
  compare(
      "JSON, with 1000 idle and 200 slow connections", "without", next_to_slow,
      [&] { return json.CallsPerSecond(8, seconds); }, kLeastNextToSlow);
  return absl::OkStatus();
}

}  // namespace

void BenchHttp(const BenchOptions& options, Report& report) {
  Status measured = MeasureHttp(options, report);
  if (!measured.ok()) report.Skip("http", MessageOf(measured));
}

}  // namespace signet
