// RespondWithDescription: responds to a request for a description, on a thread for descriptions
// (server/call/describe.h). Thread-safe.

#pragma once

#include <functional>
#include <memory>

#include "server/call/serving.h"
#include "server/http/http_server.h"

namespace signet {

// Responds with the result of `write`, or, if too many descriptions wait, with the result of
// `fail`.
void RespondWithDescription(ServerContext& server, std::shared_ptr<HttpExchange> exchange,
                            std::function<HttpResponse()> write,
                            const std::function<HttpResponse(const Status&)>& fail);

}  // namespace signet
