// ServeEcho: bare gRPC services with which Signet is compared, with the same channel arguments and
// allocator settings.
//
//   /signet.bench.Echo/Echo    generated code, callback API: the bytes are parsed and written again
//   any other method           ByteBuffers, generic callback API: the received slices are sent back

#pragma once

#include <string>
#include <vector>

namespace signet {

// Serves both on `addresses` (`host:port`, `unix:path`) until the process is ended. Returns exit
// code 1 if it cannot listen.
// If `certificates` is not empty, TCP uses TLS with its files tls.pem and tls.key.
int ServeEcho(const std::vector<std::string>& addresses, const std::string& certificates);

}  // namespace signet
