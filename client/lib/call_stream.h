// CallStream: makes many calls over one stream and returns their responses in the order of the
// calls.
//
//   CallStream stream = client.OpenStream();
//   stream.Send(request); stream.Send(another);
//   auto response = stream.Next();                // of `request`
//
// The server runs several calls of the stream at a time. Responses that arrive early are kept. Use
// `pending` to limit the number of calls in flight. Not thread-safe.

#pragma once

#include <chrono>
#include <memory>

#include "signet/status.h"
#include "signet/v1/service.pb.h"

namespace grpc {
class Channel;
}

namespace signet {

class CallStream {
 public:
  // If a response takes longer than `timeout`, Next fails and the stream must not be used any more.
  // `priority` is that of CallSpec.
  CallStream(const std::shared_ptr<grpc::Channel>& channel, std::chrono::milliseconds timeout,
             const std::string& priority = "");
  ~CallStream();  // cancels the calls in flight
  CallStream(CallStream&&) noexcept;
  CallStream& operator=(CallStream&& other) noexcept;  // cancels the calls in flight of this stream

  Status Send(v1::CallRequest request);
  // Waits for the response to the first call that Next has not returned yet. There must be one. The
  // error of a call does not end the stream, except for DEADLINE_EXCEEDED and UNAVAILABLE.
  StatusOr<v1::CallResponse> Next();
  // Returns the number of calls that were sent and whose responses Next has not returned.
  size_t pending() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace signet
