#include "server/protocols/http/describe_http.h"

#include <utility>

#include "server/call/describe.h"

namespace signet {

void RespondWithDescription(ServerContext& server, std::shared_ptr<HttpExchange> exchange,
                            std::function<HttpResponse()> write,
                            const std::function<HttpResponse(const Status&)>& fail) {
  Status accepted = ScheduleDescription(
      server, [exchange, write = std::move(write)] { exchange->Respond(write()); });
  if (!accepted.ok()) exchange->Respond(fail(accepted));
}

}  // namespace signet
