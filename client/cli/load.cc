#include "client/cli/load.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include <grpcpp/alarm.h>
#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/generic/generic_stub.h>

#include "client/lib/errors.h"
#include "client/lib/service_client.h"

namespace signet {
namespace {

using std::chrono::steady_clock;

constexpr char kCall[] = "/signet.v1.TensorService/Call";

class Load {
 public:
  Load(const std::string& address, const v1::CallRequest& request, const LoadOptions& options,
       LoadReport& report)
      : options_(options), report_(report) {
    grpc::Slice slice(request.SerializeAsString());
    request_ = grpc::ByteBuffer(&slice, 1);
    for (int i = 0; i < options.channels; ++i) {
      auto channel = OpenChannel(address, options.client, i);
      if (!channel.ok()) {
        report_.first_error = channel.status();
        return;
      }
      stubs_.push_back(std::make_unique<grpc::GenericStub>(*std::move(channel)));
    }
  }

  void Run(const std::function<void(const LoadReport&)>& progress) {
    if (!report_.first_error.ok()) return;  // the options of the client are wrong
    start_ = steady_clock::now();
    end_ = start_ + std::chrono::duration_cast<steady_clock::duration>(options_.duration);
    std::thread pacer;
    if (options_.rate > 0) {
      pacer = std::thread([this] { SendOnSchedule(); });
    } else {
      for (int i = 0; i < options_.concurrency; ++i) Send(steady_clock::now(), 0);
    }
    std::unique_lock lock(mu_);
    auto idle = [this] { return in_flight_ == 0 && steady_clock::now() >= end_.load(); };
    while (!idle()) {
      changed_.wait_until(lock, NextCheck(steady_clock::now(), end_.load()), idle);
      report_.elapsed = steady_clock::now() - start_;
      lock.unlock();
      progress(report_);
      lock.lock();
    }
    lock.unlock();
    if (pacer.joinable()) pacer.join();
    report_.elapsed = steady_clock::now() - start_;
  }

 private:
  struct OneCall {
    grpc::ClientContext context;
    grpc::ByteBuffer response;
    steady_clock::time_point due;
    int rejections = 0;  // of the calls before it, in a row
    grpc::Alarm pause;   // before the next call
  };

  static bool IsRejection(const grpc::Status& status) {
    return status.error_code() == grpc::StatusCode::UNAVAILABLE ||
           status.error_code() == grpc::StatusCode::RESOURCE_EXHAUSTED;
  }

  void SendOnSchedule() {
    for (uint64_t i = 0;; ++i) {
      auto due =
          start_ + std::chrono::duration_cast<steady_clock::duration>(
                       std::chrono::duration<double>(static_cast<double>(i) / options_.rate));
      if (due >= end_.load()) break;
      std::this_thread::sleep_until(due);
      Send(due, 0);
    }
  }

  void Send(steady_clock::time_point due, int rejections) {
    {
      std::lock_guard lock(mu_);
      ++in_flight_;
    }
    auto* call = new OneCall;
    call->due = due;
    call->rejections = rejections;
    call->context.set_deadline(std::chrono::system_clock::now() + options_.timeout);
    if (!options_.priority.empty()) {
      call->context.AddMetadata("signet-priority", options_.priority);
    }
    size_t i = next_.fetch_add(1, std::memory_order_relaxed) % stubs_.size();
    stubs_[i]->UnaryCall(&call->context, kCall, {}, &request_, &call->response,
                         [this, call](grpc::Status status) { Done(call, status); });
  }

  void Done(OneCall* call, const grpc::Status& status) {
    auto now = steady_clock::now();
    if (status.ok()) {
      report_.latencies.Add(now - call->due);
      report_.answered.fetch_add(1, std::memory_order_relaxed);
    } else if (report_.failed.fetch_add(1, std::memory_order_relaxed) == 0) {
      report_.first_error = StatusOf(status);
    }
    // If no call has succeeded so far, repeating it would only repeat the error.
    const bool is_repeated = options_.rate == 0 && now < end_.load() && report_.answered.load() > 0;
    if (!is_repeated || !IsRejection(status)) {
      delete call;
      if (is_repeated) Send(now, 0);
      return End();
    }
    call->response.Clear();
    const int rejections = call->rejections + 1;
    const auto pause = std::min<steady_clock::duration>(PauseAfter(rejections), end_.load() - now);
    call->pause.Set(std::chrono::system_clock::now() + pause, [this, call, rejections](bool) {
      delete call;  // gRPC holds the alarm until its callback returns
      const auto later = steady_clock::now();
      if (later < end_.load()) Send(later, rejections);
      End();
    });
  }

  // Counts the end of a call, or of the pause after it.
  void End() {
    std::lock_guard lock(mu_);
    if (--in_flight_ > 0) return;
    if (options_.rate == 0) end_ = std::min(end_.load(), steady_clock::now());
    changed_.notify_all();
  }

  const LoadOptions& options_;
  LoadReport& report_;
  grpc::ByteBuffer request_;
  std::vector<std::unique_ptr<grpc::GenericStub>> stubs_;
  std::atomic<size_t> next_ = 0;
  steady_clock::time_point start_;
  std::atomic<steady_clock::time_point> end_;

  std::mutex mu_;
  std::condition_variable changed_;
  int64_t in_flight_ = 0;  // with pauses; guarded by mu_
};

}  // namespace

steady_clock::time_point NextCheck(steady_clock::time_point now, steady_clock::time_point end) {
  const auto later = now + std::chrono::seconds(1);
  return now < end ? std::min(later, end) : later;
}

std::chrono::milliseconds PauseAfter(int rejections) {
  constexpr int kFirst = 10;
  constexpr int kMostDoublings = 7;
  const int pause = kFirst << std::clamp(rejections - 1, 0, kMostDoublings);
  return std::min(std::chrono::milliseconds(pause), std::chrono::milliseconds(1000));
}

void RunLoad(const std::string& address, const v1::CallRequest& request, const LoadOptions& options,
             LoadReport& report, const std::function<void(const LoadReport&)>& progress) {
  Load(address, request, options, report).Run(progress);
}

}  // namespace signet
