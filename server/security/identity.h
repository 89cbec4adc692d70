// Identity: who makes a call, as the credentials of the call prove it.

#pragma once

#include <string>
#include <vector>

#include <absl/time/time.h>

namespace signet {

// The names of a caller, in the notation of signet.v1.Role.members.
struct Identity {
  // At least one; the first is the main name. `token:NAME`, `jwt:SUBJECT`, `jwt_role:NAME`, or
  // `cert:NAME`. Empty for an anonymous caller.
  std::vector<std::string> names;
  // When the credentials expire.
  absl::Time expires = absl::InfiniteFuture();

  bool is_anonymous() const { return names.empty(); }
  std::string name() const { return is_anonymous() ? "anonymous" : names.front(); }
};

}  // namespace signet
