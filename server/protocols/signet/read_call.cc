#include "server/protocols/signet/read_call.h"

#include "core/serving/call/bind.h"
#include "server/call/await_model.h"

namespace signet {
namespace {

wire::ArgumentPlace PlaceOfArgument(const Repository& repository, const Access& access,
                                    const CallRequest& read, const std::string* keyword) {
  wire::ArgumentPlace place = wire::PlaceInCall(read, keyword);
  if (!access.Permits(Rpc::kCall, read.model)) return place;  // no names of its functions
  auto called = FindCalledFunction(repository, read);
  if (!called.ok()) return place;
  place.function = called->path();
  if (keyword == nullptr) {
    const size_t index = read.arguments.positional.size() - 1;
    place.argument = PositionalName(called->function->def().type, index);
  }
  return place;
}

}  // namespace

StatusOr<CallRequest> ReadCall(const ServerContext& server, const Access& access,
                               const wire::Message& message) {
  return wire::ParseCallRequest(message, server.limits,
                                [&](const CallRequest& read, const std::string* keyword) {
                                  return PlaceOfArgument(server.repository, access, read, keyword);
                                });
}

StatusOr<wire::StreamRequest> ReadStreamCall(const ServerContext& server, const Access& access,
                                             const wire::Message& message) {
  return wire::ParseStreamRequest(
      message, server.limits, [&](const CallRequest& read, const std::string* keyword) {
        return PlaceOfArgument(server.repository, access, read, keyword);
      });
}

void AddHead(const ServerContext& server, const wire::RequestHead& head, CallContext& context) {
  // Calls of unknown models share one queue, so that made-up names receive no share of the threads.
  auto found = server.repository.Find(head.model);
  if (found.ok() || IsLoadedOnDemand(found.status())) context.model = head.model;
  context.priority = server.scheduler.PriorityOfCall(context.model, context.requested);
}

}  // namespace signet
