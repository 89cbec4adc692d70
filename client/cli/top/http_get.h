// HttpGet: reads one page of an HTTP server. Stateless; thread-safe.

#pragma once

#include <chrono>
#include <string>

#include "signet/status.h"

namespace signet {

// Returns the body of `http://address/path`. `address`: HOST:PORT. Returns UNAVAILABLE if the
// server cannot be reached or does not answer within `timeout`, and FAILED_PRECONDITION if the
// response is not 200 or has more than 256 MiB.
StatusOr<std::string> HttpGet(const std::string& address, const std::string& path,
                              std::chrono::milliseconds timeout);

}  // namespace signet
