// ParseHostPort: splits the address of a server into host and port.
//
//   localhost:8500  =>  localhost, 8500        [::1]:8500  =>  ::1, 8500
//
// Stateless; thread-safe.

#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace signet {

struct HostPort {
  std::string host;  // without brackets
  std::string port;
};

// Returns nothing for other forms of addresses, such as `unix:/run/signet.sock`.
std::optional<HostPort> ParseHostPort(std::string_view address);

}  // namespace signet
