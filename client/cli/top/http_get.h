// HttpGet: reads one page of an HTTP server, with the TLS options and the token of a client.
//
//   auto page = HttpGet("localhost:8501", "/metrics", options);
//
// The connection uses TLS if the options select it. `https://` or `http://` before the address
// takes precedence. Stateless; thread-safe.

#pragma once

#include <string>

#include "signet/client.h"
#include "signet/status.h"

namespace signet {

// Returns the body of the page. `address`: HOST:PORT. Returns UNAVAILABLE if the server cannot be
// reached, or does not answer within options.timeout; kTlsFailed is the reason if TLS fails.
// Returns FAILED_PRECONDITION if the response is not 200 or has more than 256 MiB, and
// INVALID_ARGUMENT if the options are wrong.
StatusOr<std::string> HttpGet(const std::string& address, const std::string& path,
                              const ClientOptions& options);

}  // namespace signet
