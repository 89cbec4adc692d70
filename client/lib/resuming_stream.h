// ResumingStream: a CallStream that is opened again when its connection is lost.
//
//   ResumingStream stream(client, "", [](const Status& cause) { ... });
//   stream.Send(request);
//   auto response = stream.Next();
//
// Calls without a response are kept, and are sent again over the new connection, because functions
// have no side effects. Responses come in the order of the calls. Not thread-safe.

#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <string>

#include "client/lib/service_client.h"

namespace signet {

class ResumingStream {
 public:
  // `client` must outlive the stream. `on_lost` is called each time the connection is lost.
  explicit ResumingStream(
      ServiceClient& client, std::string priority = {},
      std::function<void(const Status& cause)> on_lost = [](const Status&) {});

  // If the connection is lost, connects again for as long as the last response is not older than
  // the timeout of the client. After a later error, the stream must not be used any more.
  Status Send(v1::CallRequest request);
  // Waits for the response to the first call without one. There must be one. The error of a call
  // does not end the stream, except for DEADLINE_EXCEEDED and UNAVAILABLE. Sets `request`, unless
  // it is null, to the call.
  StatusOr<v1::CallResponse> Next(v1::CallRequest* request = nullptr);
  // Returns the number of calls whose responses Next has not returned.
  size_t pending() const { return requests_.size(); }

 private:
  Status Resume(const Status& cause);

  ServiceClient& client_;
  const std::string priority_;
  const std::function<void(const Status&)> on_lost_;
  CallStream stream_;
  std::deque<v1::CallRequest> requests_;  // sent, without a response
  std::chrono::steady_clock::time_point last_response_;
};

}  // namespace signet
