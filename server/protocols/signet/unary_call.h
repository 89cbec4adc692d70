// UnaryCall: the base of the reactors that serve one unary RPC that makes calls, in any protocol.
//
//   1. An RPC is counted before it checks whether the server stops, so that no call begins after
//      Drain has seen none.
//   2. The caller must have the permission to make calls, and room for the request, which is
//      expanded if it is compressed.
//   3. A small request is read on the thread that received it. A large request is read on a compute
//      thread, after it has waited in the queue.
//   4. Every RPC is counted, observed, and logged when it ends.
//
// A derived class reads the request in Begin, executes the calls, and ends with Respond or
// FinishWith. The service makes one object per RPC, and gRPC deletes it through OnDone.

#pragma once

#include <atomic>

#include <grpcpp/server_context.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/server_callback.h>

#include "core/formats/signet_wire/wire.h"
#include "server/call/execute_call.h"
#include "server/call/serving.h"
#include "server/observability/call_log.h"
#include "server/security/access_control.h"

namespace signet {

class UnaryCall : public grpc::ServerUnaryReactor {
 public:
  void Start();

 protected:
  // `request` and `response` live until OnDone. `is_replayable` is true if captured requests of the
  // protocol can be replayed.
  UnaryCall(ServerContext& server, grpc::CallbackServerContext& context,
            const grpc::ByteBuffer& request, grpc::ByteBuffer& response, const char* rpc,
            bool is_replayable = false);

  // Reads the request and executes its calls.
  virtual void Begin(ThreadKind thread) = 0;
  // Adds what is known about a large request before it is read, and enqueues it.
  virtual void Queue() { Enqueue(call_); }
  virtual bool IsReadAtOnce() const { return request_.Length() <= kSmallRequestBytes; }
  // Returns an error in the words of the protocol.
  virtual Status ShownError(const Status& status) const { return status; }

  void Enqueue(const CallContext& waiting);
  RunControl MakeControl();
  void Respond(wire::Pieces pieces);
  void FinishWith(const Status& status);

  ServerContext& server_;
  grpc::CallbackServerContext& context_;
  const grpc::ByteBuffer& request_;
  CallContext call_;
  CallNote note_;
  ObservedCall observed_;
  Access access_;

 private:
  Status Admit();

  void OnCancel() final {
    cancelled_.store(true, std::memory_order_relaxed);
    server_.scheduler.Cancel(&cancelled_);
  }
  void OnDone() final;
  // OnCancel and OnDone only change atomics and queues and free memory, so gRPC may run them on its
  // current thread. Otherwise, every call would switch to another thread.
  bool InternalInlineable() final { return true; }

  grpc::ByteBuffer& response_;
  const char* const rpc_;
  const bool is_replayable_;
  std::atomic<bool> cancelled_ = false;
  bool is_counted_ = true;  // in stats.in_flight
  CallSlot slot_;
};

}  // namespace signet
