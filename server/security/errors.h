// The reasons of errors about credentials and permissions. docs/reference/wire.md describes them.

#pragma once

#include <string_view>

#include "signet/status.h"

namespace signet {

inline constexpr char kCredentialsMissing[] = "CREDENTIALS_MISSING";
inline constexpr char kTokenInvalid[] = "TOKEN_INVALID";
inline constexpr char kTokenExpired[] = "TOKEN_EXPIRED";
inline constexpr char kNotPermitted[] = "NOT_PERMITTED";
inline constexpr char kRateLimited[] = "RATE_LIMITED";
inline constexpr char kCallsLimited[] = "CALLS_LIMITED";
inline constexpr char kRequestTooLarge[] = "REQUEST_TOO_LARGE";

// Returns an UNAUTHENTICATED error.
inline Status Unauthenticated(std::string_view reason, std::string_view message) {
  return WithReason(reason, MakeStatus(absl::StatusCode::kUnauthenticated, message));
}

inline Status InvalidToken() {
  return Unauthenticated(kTokenInvalid, "the bearer token is not valid");
}
inline Status ExpiredToken() {
  return Unauthenticated(kTokenExpired, "the bearer token has expired");
}

// Returns a PERMISSION_DENIED error.
inline Status NotPermitted(std::string_view message) {
  return WithReason(kNotPermitted, MakeStatus(absl::StatusCode::kPermissionDenied, message));
}

}  // namespace signet
