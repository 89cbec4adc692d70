// CallStream: many calls over one stream, answered in the order in which they were sent.
//
//   CallStream stream = client.OpenStream();
//   stream.Send(request); stream.Send(another);
//   auto answer = stream.Next();                  // of the first
//
// Calls run at once on the server, as far as it lets them; answers that come early are kept until
// their turn. Bound what is under way with `pending`. One thread sends and takes answers.

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
  // An answer that takes longer than `timeout` ends the stream.
  CallStream(const std::shared_ptr<grpc::Channel>& channel, std::chrono::milliseconds timeout);
  ~CallStream();  // cancels what is under way
  CallStream(CallStream&&) noexcept;
  CallStream& operator=(CallStream&& other) noexcept;  // cancels what is under way here

  Status Send(v1::CallRequest request);
  // The answer to the first call that has none yet, of which there is one. A refused call does not
  // end the stream; DEADLINE_EXCEEDED and UNAVAILABLE do.
  StatusOr<v1::CallResponse> Next();
  // Calls sent whose answers were not taken.
  size_t pending() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace signet
