// DiagnoseTls: finds out why a connection with or without TLS fails, for an error message.
//
// gRPC reports little more than `certificate verify failed` or `Socket closed`. The diagnosis makes
// a TLS connection of its own and takes at most a few seconds. Thread-safe.

#pragma once

#include <string>

#include "signet/client.h"

namespace signet {

// Returns what is wrong with TLS at `address`, or an empty string if nothing is, or if no
// connection is possible. For example:
//   the certificate of the server expired on 2026-01-31
//   the certificate of the server is not for `db.example.com`; it is for: DNS:localhost
std::string DiagnoseTls(const std::string& address, const ClientOptions& options);

}  // namespace signet
