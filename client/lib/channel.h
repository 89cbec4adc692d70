// OpenChannel: opens a gRPC channel to one server, or to several servers in turn.
//
//   auto channel = OpenChannel("10.0.0.1:8500,10.0.0.2:8500", options);
//
// 1. An address is HOST:PORT, unix:PATH, or a list of HOST:PORT that is separated by commas. The
//    names in a list are looked up once.
// 2. With a list, or with ClientOptions::round_robin, calls are spread over the servers whose
//    health is SERVING.
// 3. Methods that change nothing on the server are repeated after UNAVAILABLE, and after
//    RESOURCE_EXHAUSTED as the server directs (grpc-retry-pushback-ms). gRPC does so by the service
//    config of the channel: https://github.com/grpc/grpc/blob/master/doc/service_config.md
// 4. A server that vanishes without closing its connections, such as a lost machine, is noticed
//    after three seconds if bytes are sent to it, and after 13 seconds otherwise.
//
// Channels have no limits on the sizes of messages. Stateless; thread-safe.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "signet/client.h"
#include "signet/status.h"

namespace grpc {
class Channel;
}

namespace signet {

// Returns the servers of a list, or the address itself if it is not a list.
std::vector<std::string> AddressesIn(const std::string& address);

// Returns the service config of a channel, as JSON. Requires options that passed OpenChannel.
std::string ServiceConfigOf(const std::string& address, const ClientOptions& options);

// Returns INVALID_ARGUMENT if the options are wrong, or if one of their files cannot be read.
// Channels with different numbers do not share a connection.
StatusOr<std::shared_ptr<grpc::Channel>> OpenChannel(const std::string& address,
                                                     const ClientOptions& options, int number = 0);
// Does the same for one server, without TLS, tokens, and retries.
std::shared_ptr<grpc::Channel> OpenChannel(const std::string& address, int number = 0);

}  // namespace signet
