#include "bench/support/load.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "bench/measure.h"

namespace signet {
namespace {

std::shared_ptr<grpc::Channel> Connect(const std::string& address, const LoadSecurity& security) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(-1);
  arguments.SetMaxSendMessageSize(-1);
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);  // each client has its own connection
  auto credentials = grpc::InsecureChannelCredentials();
  if (!security.root_certificates.empty()) {
    grpc::SslCredentialsOptions tls;
    tls.pem_root_certs = security.root_certificates;
    credentials = grpc::SslCredentials(tls);
  }
  if (!security.token.empty()) {
    credentials = grpc::CompositeChannelCredentials(credentials,
                                                    grpc::AccessTokenCredentials(security.token));
  }
  return grpc::CreateCustomChannel(address, credentials, arguments);
}

// Calls that restart when they end, until the time is over.
class Run {
 public:
  Run(grpc::GenericStub& stub, const std::string& method,
      const std::vector<grpc::ByteBuffer>& requests, double seconds)
      : stub_(stub),
        method_(method),
        requests_(requests),
        end_(WallNanoseconds() + seconds * 1e9) {}

  void Start() {
    {
      std::lock_guard lock(mu_);
      ++running_;
    }
    Next(new Call);
  }
  void Wait() {
    std::unique_lock lock(mu_);
    finished_.wait(lock, [this] { return running_ == 0; });
  }
  int64_t calls() const { return calls_.load(); }

 private:
  struct Call {
    std::unique_ptr<grpc::ClientContext> context;
    grpc::ByteBuffer request;
    grpc::ByteBuffer answer;
  };

  void Next(Call* call) {
    call->context = std::make_unique<grpc::ClientContext>();
    const size_t next = next_.fetch_add(1, std::memory_order_relaxed);
    call->request = requests_[next % requests_.size()];  // shares the slices
    call->answer.Clear();
    stub_.UnaryCall(call->context.get(), method_, {}, &call->request, &call->answer,
                    [this, call](const grpc::Status& status) { Done(call, status); });
  }
  void Done(Call* call, const grpc::Status& status) {
    if (!status.ok()) {
      std::fprintf(stderr, "%s: %s\n", method_.c_str(), status.error_message().c_str());
      std::abort();
    }
    calls_.fetch_add(1, std::memory_order_relaxed);
    if (WallNanoseconds() < end_) {
      Next(call);
      return;
    }
    delete call;
    std::lock_guard lock(mu_);
    if (--running_ == 0) finished_.notify_all();
  }

  grpc::GenericStub& stub_;
  const std::string& method_;
  const std::vector<grpc::ByteBuffer>& requests_;
  const double end_;  // WallNanoseconds
  std::atomic<size_t> next_{0};
  std::atomic<int64_t> calls_{0};
  std::mutex mu_;
  std::condition_variable finished_;
  int running_ = 0;  // guarded by mu_
};

// Counts calls that end on several threads.
class Offering {
 public:
  void Begin() {
    std::lock_guard lock(mu_);
    ++running_;
  }
  void End(const grpc::Status& status, double latency_us) {
    std::lock_guard lock(mu_);
    if (status.ok()) {
      ++load_.answered;
      load_.latencies_us.push_back(latency_us);
    } else {
      ++(status.error_code() == grpc::StatusCode::RESOURCE_EXHAUSTED ? load_.rejected
                                                                     : load_.failed);
    }
    if (--running_ == 0) finished_.notify_all();
  }
  OfferedLoad Wait() {
    std::unique_lock lock(mu_);
    finished_.wait(lock, [this] { return running_ == 0; });
    return std::move(load_);
  }

 private:
  std::mutex mu_;
  std::condition_variable finished_;
  OfferedLoad load_;     // guarded by mu_
  int64_t running_ = 0;  // guarded by mu_
};

// Makes one call and waits for it.
grpc::Status CallAndWait(grpc::GenericStub& stub, const std::string& method,
                         grpc::ByteBuffer request, grpc::ByteBuffer& answer,
                         const std::string& priority = "") {
  grpc::ClientContext context;
  if (!priority.empty()) context.AddMetadata("signet-priority", priority);
  std::mutex mu;
  std::condition_variable wake;
  std::optional<grpc::Status> outcome;  // guarded by mu
  stub.UnaryCall(&context, method, {}, &request, &answer, [&](grpc::Status status) {
    std::lock_guard lock(mu);
    outcome = std::move(status);
    wake.notify_all();
  });
  std::unique_lock lock(mu);
  wake.wait(lock, [&] { return outcome.has_value(); });
  return *outcome;
}

}  // namespace

LoadClient::LoadClient(const std::string& address, std::string method, std::string_view request,
                       const LoadSecurity& security)
    : LoadClient(address, std::move(method), std::vector<std::string>{std::string(request)},
                 security) {}

LoadClient::LoadClient(const std::string& address, std::string method,
                       const std::vector<std::string>& requests, const LoadSecurity& security)
    : channel_(Connect(address, security)),
      stub_(std::make_unique<grpc::GenericStub>(channel_)),
      method_(std::move(method)),
      requests_([&] {
        std::vector<grpc::ByteBuffer> buffers;
        for (const std::string& request : requests) {
          grpc::Slice slice(request.data(), request.size());
          buffers.emplace_back(&slice, 1);
        }
        return buffers;
      }()) {}

StatusOr<std::string> LoadClient::CallOnce(double seconds) const {
  auto deadline = std::chrono::system_clock::now() +
                  std::chrono::milliseconds(static_cast<int64_t>(seconds * 1000));
  if (!channel_->WaitForConnected(deadline)) {
    return Unavailable("the server does not respond");
  }
  grpc::ByteBuffer answer;
  grpc::Status status = CallAndWait(*stub_, method_, requests_[0], answer);
  if (!status.ok()) return Unavailable(method_, ": ", status.error_message());
  std::vector<grpc::Slice> slices;
  answer.Dump(&slices);
  std::string bytes;
  for (const grpc::Slice& slice : slices) {
    bytes.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
  }
  return bytes;
}

double LoadClient::CallsPerSecond(int in_flight, double seconds) const {
  double begin = WallNanoseconds();
  Run run(*stub_, method_, requests_, seconds);
  for (int i = 0; i < in_flight; ++i) run.Start();
  run.Wait();
  return static_cast<double>(run.calls()) / (WallNanoseconds() - begin) * 1e9;
}

double OfferedLoad::Percentile(double fraction) {
  if (latencies_us.empty()) return 0;
  std::sort(latencies_us.begin(), latencies_us.end());
  auto index = static_cast<size_t>(fraction * static_cast<double>(latencies_us.size()));
  return latencies_us[std::min(index, latencies_us.size() - 1)];
}

OfferedLoad LoadClient::CallInTurn(double seconds, const std::string& priority) const {
  Offering offering;
  const double start = WallNanoseconds();
  do {
    grpc::ByteBuffer answer;
    const double begin = WallNanoseconds();
    offering.Begin();
    grpc::Status status = CallAndWait(*stub_, method_, requests_.front(), answer, priority);
    offering.End(status, (WallNanoseconds() - begin) / 1000);
  } while (WallNanoseconds() < start + seconds * 1e9);
  OfferedLoad load = offering.Wait();
  load.seconds = (WallNanoseconds() - start) / 1e9;
  return load;
}

OfferedLoad LoadClient::Offer(double calls_per_second, double seconds,
                              const std::string& priority) const {
  struct Call {
    grpc::ClientContext context;
    grpc::ByteBuffer request;
    grpc::ByteBuffer answer;
    double due = 0;
  };
  Offering offering;
  const double start = WallNanoseconds();
  for (int64_t i = 0;; ++i) {
    const double due = start + static_cast<double>(i) / calls_per_second * 1e9;
    if (due >= start + seconds * 1e9) break;
    if (double early = due - WallNanoseconds(); early > 0) {
      std::this_thread::sleep_for(std::chrono::nanoseconds(static_cast<int64_t>(early)));
    }
    auto* call = new Call;
    call->request = requests_.front();
    call->due = due;
    if (!priority.empty()) call->context.AddMetadata("signet-priority", priority);
    offering.Begin();
    stub_->UnaryCall(&call->context, method_, {}, &call->request, &call->answer,
                     [&offering, call](const grpc::Status& status) {
                       const double latency = (WallNanoseconds() - call->due) / 1000;
                       delete call;
                       offering.End(status, latency);
                     });
  }
  const double sent = WallNanoseconds();
  OfferedLoad load = offering.Wait();
  load.seconds = (sent - start) / 1e9;
  return load;
}

double LoadClient::MedianLatency(double seconds) const {
  std::vector<double> times;
  double end = WallNanoseconds() + seconds * 1e9;
  grpc::ByteBuffer answer;
  for (double begin = WallNanoseconds(); begin < end;) {
    grpc::Status status = CallAndWait(*stub_, method_, requests_[0], answer);
    SIGNET_CHECK(status.ok());
    double now = WallNanoseconds();
    times.push_back((now - begin) / 1000);
    begin = now;
  }
  auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

}  // namespace signet
