#include "server/protocols/inference/infer_reactor.h"

#include <algorithm>
#include <utility>

#include "core/formats/inference/infer_wire.h"
#include "server/protocols/inference/infer_call.h"
#include "server/protocols/signet/read_call.h"
#include "server/transport/byte_buffers.h"

namespace signet {
StatusOr<CallRequest> ReadInferCall(const ServerContext& server, const Access& access,
                                    const SharedMemoryRegions* regions,
                                    const wire::Message& message, InferRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(request, ParseInferRequest(message, server.limits, ReaderOf(regions)));
  SIGNET_ASSIGN_OR_RETURN(CallRequest call, CallOfRequest(request));
  SIGNET_RETURN_IF_ERROR(access.Check(Rpc::kCall, call.model));
  return call;
}

bool IsReadAtOnce(size_t bytes, const SharedMemoryRegions* regions) {
  return bytes <= kSmallRequestBytes && (regions == nullptr || regions->empty());
}

void ApplyRequestSettings(const CallRequest& call, RunControl& control, CallContext& context) {
  if (call.timeout) {
    const auto end = context.arrival + *call.timeout;
    control.deadline = control.deadline ? std::min(*control.deadline, end) : end;
  }
  if (!call.priority.empty()) context.requested = *ParsePriority(call.priority);
}

void InferReactor::Queue() {
  const InferHead head = ParseInferHead(MessageOf(request_), server_.limits);
  CallContext waiting = call_;
  const wire::RequestHead named{.model = head.model.substr(0, head.model.find('/'))};
  AddHead(server_, named, waiting);
  Enqueue(waiting);
}

void InferReactor::Begin(ThreadKind thread) {
  auto call = Guarded(
      [&] { return ReadInferCall(server_, access_, regions_, MessageOf(request_), infer_); });
  observed_.times.End(Stage::kDecode);
  if (!call.ok()) return FinishWith(call.status());
  note_ = NoteOf(*call);
  RunControl control = MakeControl();
  ApplyRequestSettings(*call, control, call_);
  ExecuteCall(server_, *std::move(call), control, thread, call_, observed_,
              [this](const StatusOr<CallOutput>& output) { Answer(output); });
}

void InferReactor::Answer(const StatusOr<CallOutput>& output) {
  if (!output.ok()) return FinishWith(output.status());
  auto pieces = Guarded([&]() -> StatusOr<wire::Pieces> {
    SIGNET_ASSIGN_OR_RETURN(InferResponse response,
                            ResponseOfCall(infer_, *output, regions_, server_.limits));
    return WriteInferResponse(response);
  });
  if (!pieces.ok()) return FinishWith(pieces.status());
  Respond(*std::move(pieces));
}

Status InferReactor::ShownError(const Status& status) const {
  return InferCallErrorOf(status, infer_.parameters, infer_.model, infer_.version);
}

}  // namespace signet
