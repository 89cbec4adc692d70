// StreamReactor: serves one CallStream.
//
//   1. Calls start in the order in which they arrive. Each response has the id of its call and is
//      sent when the call ends.
//   2. If a call fails, its response contains the error, and the stream continues.
//   3. The permissions of the caller are checked for each call. If the token has expired, the
//      stream ends.
//   4. While TransportLimits::stream_calls calls, or kStreamBytes of requests and responses, are in
//      flight, the stream is not read. Flow control then stops a client that does not read.
//
// Thread-safe: gRPC and the calls use any thread. gRPC deletes the object through OnDone.

#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>

#include <absl/functional/function_ref.h>
#include <grpcpp/server_context.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/server_callback.h>

#include "core/formats/signet_wire/wire.h"
#include "server/call/execute_call.h"
#include "server/call/serving.h"
#include "server/observability/call_log.h"
#include "server/protocols/signet/open_streams.h"
#include "server/security/access_control.h"

namespace signet {

class StreamReactor final : public grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer> {
 public:
  StreamReactor(ServerContext& server, grpc::CallbackServerContext& context,
                OpenStreams<StreamReactor>& open);

  void Start();
  // Stops reading. The stream ends with UNAVAILABLE when every call that was read has its response.
  void Drain();

 private:
  struct PendingAnswer {
    grpc::ByteBuffer message;
    size_t bytes;  // of the request and the response
  };

  // Checks that the caller may make calls. The first use, by Start, makes gRPC parse the metadata.
  StatusOr<Access> Authenticate() const;
  void Receive();
  // Parses a request on a compute thread.
  void Queue(wire::Message message, const std::shared_ptr<ObservedCall>& observed);
  // Parses a request and executes the call.
  void Begin(wire::Message message, const std::shared_ptr<ObservedCall>& observed,
             ThreadKind thread);
  // Ends the stream, because of a call that cannot be answered.
  void EndStream(ObservedCall& observed, const Status& why);
  void Answer(uint64_t id, ObservedCall& observed, const StatusOr<CallOutput>& output,
              const CallNote& note = {});
  // Applies `change` to the state. Then writes the next response, reads the next call, or finishes,
  // as the state permits. `may_read` may be true only in functions that gRPC calls, because gRPC
  // keeps the object alive until they return.
  void Advance(
      bool may_read, absl::FunctionRef<void()> change = [] {});
  // Both require mu_.
  void Forget(size_t bytes);
  void EndReads(const Status& why);

  void OnReadDone(bool ok) override;
  void OnWriteDone(bool ok) override;
  void OnCancel() override {
    cancelled_.store(true, std::memory_order_relaxed);
    server_.scheduler.Cancel(&cancelled_);
  }
  void OnDone() override;

  ServerContext& server_;
  grpc::CallbackServerContext& context_;
  OpenStreams<StreamReactor>& open_;
  std::atomic<bool> cancelled_ = false;
  CallContext call_;          // of each call; without its bytes and its arrival
  grpc::ByteBuffer request_;  // the message that is being read

  std::mutex mu_;                      // guards the following members
  std::deque<PendingAnswer> answers_;  // the first one is being written if writing_ is true
  int in_flight_ = 0;                  // calls that were read and whose responses are not written
  size_t bytes_in_flight_ = 0;         // of their requests, and of responses that are not written
  bool reading_ = false;               // until the call is started or queued
  bool writing_ = false;
  bool reads_ended_ = false;   // the client sends no more calls, or the server stops
  bool writes_ended_ = false;  // the client has ended the stream
  bool finished_ = false;
  grpc::Status end_;  // the status of the stream; set with reads_ended_
};

}  // namespace signet
