#include "client/lib/call_stream.h"

#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>

#include "client/lib/errors.h"
#include "signet/v1/service.grpc.pb.h"

namespace signet {

struct CallStream::State {
  std::chrono::milliseconds timeout;
  grpc::ClientContext context;
  std::unique_ptr<v1::TensorService::Stub> stub;
  std::unique_ptr<grpc::ClientReaderWriter<v1::CallStreamRequest, v1::CallStreamResponse>> stream;
  uint64_t sent = 0;
  uint64_t taken = 0;

  std::mutex mu;  // guards the following members
  std::condition_variable changed;
  std::map<uint64_t, v1::CallStreamResponse> answers;
  bool ended = false;
  Status end;

  std::thread reader;

  void ReadAnswers() {
    v1::CallStreamResponse response;
    while (stream->Read(&response)) {
      std::lock_guard lock(mu);
      uint64_t id = response.id();
      answers[id] = std::move(response);
      changed.notify_one();
      response = {};
    }
    Status status = StatusOf(stream->Finish());
    std::lock_guard lock(mu);
    ended = true;
    end = status.ok() ? Unavailable("the server ended the stream") : std::move(status);
    changed.notify_one();
  }
};

CallStream::CallStream(const std::shared_ptr<grpc::Channel>& channel,
                       std::chrono::milliseconds timeout, const std::string& priority)
    : state_(std::make_unique<State>()) {
  state_->timeout = timeout;
  state_->stub = v1::TensorService::NewStub(channel);
  if (!priority.empty()) state_->context.AddMetadata("signet-priority", priority);
  state_->stream = state_->stub->CallStream(&state_->context);
  state_->reader = std::thread([state = state_.get()] { state->ReadAnswers(); });
}

CallStream::~CallStream() {
  if (state_ == nullptr) return;
  state_->context.TryCancel();
  state_->reader.join();
}

CallStream::CallStream(CallStream&&) noexcept = default;

CallStream& CallStream::operator=(CallStream&& other) noexcept {
  std::swap(state_, other.state_);  // the destructor of `other` ends the previous stream
  return *this;
}

Status CallStream::Send(v1::CallRequest request) {
  v1::CallStreamRequest message;
  message.set_id(state_->sent);
  *message.mutable_call() = std::move(request);
  if (state_->stream->Write(message)) {
    ++state_->sent;
    return absl::OkStatus();
  }
  std::unique_lock lock(state_->mu);
  state_->changed.wait(lock, [&] { return state_->ended; });
  return state_->end;
}

StatusOr<v1::CallResponse> CallStream::Next() {
  std::unique_lock lock(state_->mu);
  auto& answers = state_->answers;
  bool in_time = state_->changed.wait_for(
      lock, state_->timeout, [&] { return state_->ended || answers.count(state_->taken) > 0; });
  auto found = answers.find(state_->taken);
  if (found == answers.end()) {
    if (in_time) return state_->end;
    return DeadlineExceeded("no response within ", state_->timeout.count(), " ms (--timeout)");
  }
  v1::CallStreamResponse answer = std::move(found->second);
  answers.erase(found);
  ++state_->taken;
  if (answer.has_error()) return StatusOf(answer.error());
  return std::move(*answer.mutable_response());
}

size_t CallStream::pending() const { return state_->sent - state_->taken; }

}  // namespace signet
