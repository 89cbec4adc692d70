#include "client/cli/replay.h"

#include <algorithm>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/support/proto_buffer_reader.h>

#include "client/lib/errors.h"
#include "client/lib/service_client.h"

namespace signet {
namespace {

using std::chrono::steady_clock;

constexpr char kCallMethod[] = "/signet.v1.TensorService/Call";
constexpr size_t kMostDifferences = 10;

// Returns true if a call with this request fails with the same code at any time.
bool IsFaultOfRequest(absl::StatusCode code) {
  switch (code) {
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kNotFound:
    case absl::StatusCode::kFailedPrecondition:
    case absl::StatusCode::kOutOfRange:
    case absl::StatusCode::kUnimplemented:
      return true;
    default:
      return false;
  }
}

std::string NameOfCall(const v1::CallRequest& request) {
  return Cat(Printable(request.model().name()), ".", Printable(request.function()));
}

class Replay {
 public:
  Replay(std::shared_ptr<grpc::Channel> channel, const ReplayOptions& options, ReplayReport& report)
      : options_(options), report_(report), stub_(std::move(channel)) {}

  Status Run(RecordedCallReader& calls) {
    const auto start = steady_clock::now();
    Status read = SendAll(calls, start);
    std::unique_lock lock(mu_);
    changed_.wait(lock, [this] { return in_flight_ == 0; });
    report_.elapsed = steady_clock::now() - start;
    return read;
  }

 private:
  struct OneCall {
    uint64_t number = 0;  // in the file, from 1
    std::string name;
    absl::StatusCode code = absl::StatusCode::kOk;  // as recorded
    std::optional<uint64_t> hash;                   // as recorded
    grpc::ClientContext context;
    grpc::ByteBuffer request;
    grpc::ByteBuffer response;
    steady_clock::time_point due;
  };

  Status SendAll(RecordedCallReader& calls, steady_clock::time_point start) {
    std::optional<int64_t> first;
    while (true) {
      SIGNET_ASSIGN_OR_RETURN(std::optional<v1::RecordedCall> call, calls.Next());
      if (!call) return absl::OkStatus();
      if (!first) first = call->arrival_unix_nano();
      const auto since_start =
          options_.rate > 0
              ? std::chrono::duration<double>(static_cast<double>(report_.sent) / options_.rate)
              : std::chrono::duration<double>(
                    static_cast<double>(call->arrival_unix_nano() - *first) * 1e-9);
      const auto due = start + std::chrono::duration_cast<steady_clock::duration>(since_start);
      std::this_thread::sleep_until(due);
      Send(*call, due);
    }
  }

  void Send(const v1::RecordedCall& recorded, steady_clock::time_point due) {
    auto call = std::make_unique<OneCall>();
    call->name = NameOfCall(recorded.request());
    call->code = static_cast<absl::StatusCode>(recorded.code());
    if (recorded.has_response_hash()) call->hash = recorded.response_hash();
    call->due = due;
    grpc::Slice slice(recorded.request().SerializeAsString());
    call->request = grpc::ByteBuffer(&slice, 1);
    {
      std::unique_lock lock(mu_);
      changed_.wait(lock, [this] { return in_flight_ < options_.concurrency; });
      ++in_flight_;
      call->number = ++report_.sent;
      report_.latest =
          std::max<std::chrono::duration<double>>(report_.latest, steady_clock::now() - due);
    }
    call->context.set_deadline(std::chrono::system_clock::now() + options_.timeout);
    OneCall* sent = call.release();
    stub_.UnaryCall(
        &sent->context, kCallMethod, {}, &sent->request, &sent->response,
        [this, sent](const grpc::Status& status) { Done(std::unique_ptr<OneCall>(sent), status); });
  }

  void Done(std::unique_ptr<OneCall> call, const grpc::Status& status) {
    const auto time = steady_clock::now() - call->due;
    std::optional<uint64_t> hash;
    if (options_.compare && status.ok() && call->hash) {
      v1::CallResponse response;
      grpc::ProtoBufferReader reader(&call->response);
      if (reader.status().ok() && response.ParseFromZeroCopyStream(&reader)) {
        hash = HashOfResponse(std::move(response));
      }
    }
    std::lock_guard lock(mu_);
    if (status.ok()) {
      report_.latencies.Add(time);
    } else if (report_.failed++ == 0) {
      report_.first_error = StatusOf(status);
    }
    if (options_.compare) Compare(*call, status, hash);
    --in_flight_;
    changed_.notify_all();
  }

  // Requires mu_.
  void Compare(const OneCall& call, const grpc::Status& status, std::optional<uint64_t> hash) {
    const auto code = static_cast<absl::StatusCode>(status.error_code());
    if (call.code == absl::StatusCode::kOk ? !call.hash : !IsFaultOfRequest(call.code)) {
      ++report_.not_compared;
    } else if (code == call.code && (code != absl::StatusCode::kOk || hash == call.hash)) {
      ++report_.equal;
    } else {
      ++report_.different;
      if (report_.differences.size() >= kMostDifferences) return;
      std::string what = "another result";
      if (code != call.code) {
        what = Cat("expected ", absl::StatusCodeToString(call.code), ", found ",
                   absl::StatusCodeToString(code),
                   status.ok() ? "" : Cat(": ", Printable(status.error_message())));
      }
      report_.differences.push_back(Cat("call ", call.number, " of ", call.name, ": ", what));
    }
  }

  const ReplayOptions& options_;
  ReplayReport& report_;  // guarded by mu_ while calls are in flight
  grpc::GenericStub stub_;
  std::mutex mu_;
  std::condition_variable changed_;
  int in_flight_ = 0;  // guarded by mu_
};

}  // namespace

Status RunReplay(const std::string& address, RecordedCallReader& calls,
                 const ReplayOptions& options, ReplayReport& report) {
  SIGNET_ASSIGN_OR_RETURN(auto channel, OpenChannel(address, options.client));
  return Replay(std::move(channel), options, report).Run(calls);
}

}  // namespace signet
