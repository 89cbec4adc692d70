// EchoServer: bare gRPC services to hold Signet against: the same process shape, channel arguments
// and allocator, and nothing between a request and its answer.
//
//   /signet.bench.Echo/Echo    generated code, callback API: the bytes are parsed and written again
//   any other method           ByteBuffers, generic callback API: the received slices are sent back

#pragma once

#include <string>
#include <vector>

namespace signet {

// Serves both on `addresses` (`host:port`, `unix:path`) until the process is ended. The exit code:
// 1 when it could not listen.
int ServeEcho(const std::vector<std::string>& addresses);

}  // namespace signet
