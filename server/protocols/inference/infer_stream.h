// InferStream: serves one ModelStreamInfer: reads a request, executes its call, sends the response,
// and reads the next request.
//
// An error of a call is a response with `error_message`; the stream goes on. The service makes one
// object per stream, and gRPC deletes it through OnDone.

#pragma once

#include <atomic>
#include <mutex>

#include <grpcpp/server_context.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/server_callback.h>

#include "core/formats/inference/infer_message.h"
#include "server/call/execute_call.h"
#include "server/call/serving.h"
#include "server/protocols/inference/shared_memory.h"
#include "server/protocols/signet/open_streams.h"
#include "server/security/access_control.h"

namespace signet {

class InferStream final : public grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer> {
 public:
  // `regions` is null if the server permits no shared memory.
  InferStream(ServerContext& server, const SharedMemoryRegions* regions,
              grpc::CallbackServerContext& context, OpenStreams<InferStream>& open);

  void Start();
  void Drain();

 private:
  struct Call;

  void ReadNext();
  void Receive();
  void Begin(const std::shared_ptr<Call>& call, ThreadKind thread);
  void Answer(const std::shared_ptr<Call>& call, StatusOr<CallOutput> output);
  // Ends the stream. With `is_idle`, only if it waits for a request.
  void End(const Status& status, bool is_idle);

  void OnReadDone(bool ok) override;
  void OnWriteDone(bool ok) override;
  void OnCancel() override {
    cancelled_.store(true, std::memory_order_relaxed);
    server_.scheduler.Cancel(&cancelled_);
  }
  void OnDone() override;

  ServerContext& server_;
  const SharedMemoryRegions* const regions_;
  grpc::CallbackServerContext& context_;
  OpenStreams<InferStream>& open_;
  std::atomic<bool> cancelled_ = false;
  grpc::ByteBuffer request_;
  grpc::ByteBuffer response_;
  std::mutex mu_;
  bool is_reading_ = false;   // guarded by mu_
  bool is_draining_ = false;  // guarded by mu_
  bool has_ended_ = false;    // guarded by mu_
};

}  // namespace signet
