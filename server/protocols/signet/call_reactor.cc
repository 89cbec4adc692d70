#include "server/protocols/signet/call_reactor.h"

#include <utility>

#include "server/protocols/signet/read_call.h"
#include "server/transport/byte_buffers.h"

namespace signet {

void CallReactor::Queue() {
  const wire::RequestHead head = wire::ParseCallHead(MessageOf(request_), server_.limits);
  CallContext waiting = call_;
  AddHead(server_, head, waiting);
  Enqueue(waiting);
}

void CallReactor::Begin(ThreadKind thread) {
  auto call = Guarded([&] { return ReadCall(server_, access_, MessageOf(request_)); });
  observed_.times.End(Stage::kDecode);
  if (!call.ok()) return FinishWith(call.status());
  if (Status permitted = access_.Check(Rpc::kCall, call->model); !permitted.ok()) {
    return FinishWith(permitted);
  }
  note_ = NoteOf(*call);
  ExecuteCall(server_, *std::move(call), MakeControl(), thread, call_, observed_,
              [this](const StatusOr<CallOutput>& output) { Answer(output); });
}

void CallReactor::Answer(const StatusOr<CallOutput>& output) {
  if (!output.ok()) return FinishWith(output.status());
  Respond(wire::WriteCallResponse(output->result, output->model_version));
}

}  // namespace signet
