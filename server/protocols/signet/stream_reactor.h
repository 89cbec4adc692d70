// StreamReactor: one CallStream being served. Calls are carried out as they come and answered as
// they finish, each under its id; a call that is refused answers with an error, and the stream goes
// on.
//
// At most TransportLimits::stream_calls calls, and kStreamBytes of requests and responses, are in
// flight: then the stream is not read until answers have left, so that a client that does not read
// its answers is stopped by flow control. Reactions and answers come from any thread. gRPC deletes
// it through OnDone.

#pragma once

#include <atomic>
#include <deque>
#include <mutex>
#include <set>

#include <absl/functional/function_ref.h>
#include <grpcpp/server_context.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/server_callback.h>

#include "core/formats/signet_wire/wire.h"
#include "server/call/execute_call.h"
#include "server/call/serving.h"
#include "server/observability/call_log.h"

namespace signet {

class StreamReactor;

// The streams of a server that are open, to be told when it stops. Thread-safe.
class OpenStreams {
 public:
  void Add(StreamReactor* stream);
  void Remove(StreamReactor* stream);
  // Ends every stream, now and from now on, as soon as its calls in flight are answered.
  void Drain();

 private:
  std::mutex mu_;
  std::set<StreamReactor*> streams_;  // guarded by mu_
  bool draining_ = false;             // guarded by mu_
};

class StreamReactor final : public grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer> {
 public:
  StreamReactor(Serving& serving, grpc::CallbackServerContext& context, OpenStreams& open);

  void Start();
  // Reads no more; ends with UNAVAILABLE once what was read is answered.
  void Drain();

 private:
  struct PendingAnswer {
    grpc::ByteBuffer message;
    size_t bytes;  // of the request and of the response
  };

  void Receive();
  // Parses a request and executes the call.
  void Begin(wire::Message message, size_t bytes, ThreadKind thread);
  void Answer(uint64_t id, size_t request_bytes, const StatusOr<CallOutput>& output,
              const CallNote& note = {});
  // Makes `change` to the state, then takes the steps that it allows: writes the next answer, reads
  // the next call, finishes. Only reactions may read: they keep the stream alive meanwhile.
  void Advance(
      bool may_read, absl::FunctionRef<void()> change = [] {});
  // Under the lock.
  void Forget(size_t bytes);
  void EndReads(const Status& why);

  void OnReadDone(bool ok) override;
  void OnWriteDone(bool ok) override;
  void OnCancel() override { cancelled_.store(true, std::memory_order_relaxed); }
  void OnDone() override;

  Serving& serving_;
  grpc::CallbackServerContext& context_;
  OpenStreams& open_;
  std::atomic<bool> cancelled_ = false;
  grpc::ByteBuffer request_;  // of the read under way

  std::mutex mu_;                      // guards what follows
  std::deque<PendingAnswer> answers_;  // the first is being written when writing_
  int in_flight_ = 0;                  // calls read, their answers not yet written
  size_t bytes_in_flight_ = 0;         // of their requests, and of responses not yet written
  bool reading_ = false;               // until what was read is carried out or queued
  bool writing_ = false;
  bool reads_ended_ = false;   // the client has no more to say, or we no longer listen
  bool writes_ended_ = false;  // the client is gone
  bool finished_ = false;
  grpc::Status end_;  // how the stream ends; set with reads_ended_
};

}  // namespace signet
