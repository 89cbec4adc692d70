// JwtVerifier: checks JSON web tokens (RFC 7519) with the keys of --jwt_keys.
//
// The rules:
//   1. The file has a JWK set (RFC 7517), one JWK, or one public key in PEM.
//   2. The signature is checked by the library cjose with RS256, RS384, RS512, PS256, PS384, PS512,
//      ES256, ES384, ES512, HS256, HS384, or HS512. A key is used only for the algorithms of its
//      type and, if the key names an algorithm (`alg`), only for that algorithm. A key in PEM is
//      never used as a secret of HS256. `none` is rejected.
//   3. If the token names a key (`kid`) and a key has that name, only this key is used.
//   4. `iss` must be the issuer, `aud` must be or contain the audience, `exp` must be in the
//   future,
//      and `nbf`, if present, must not be later than 30 seconds from now. `sub` must be present.
//   5. A token with critical headers (`crit`) is rejected.
// Immutable; thread-safe.

#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <absl/time/time.h>

#include "server/security/identity.h"
#include "signet/status.h"

namespace signet {

class JwtVerifier {
 public:
  static constexpr size_t kMaxTokenBytes = size_t{16} << 10;

  // `keys` is the text of the file. Returns INVALID_ARGUMENT if a key is wrong; the error contains
  // no part of a key.
  static StatusOr<JwtVerifier> Make(const std::string& keys, std::string issuer,
                                    std::string audience);
  JwtVerifier(JwtVerifier&&) noexcept;
  JwtVerifier& operator=(JwtVerifier&&) noexcept;
  ~JwtVerifier();

  // Returns the identity of `token` with the names `jwt:SUBJECT` and `jwt_role:NAME`. Returns
  // UNAUTHENTICATED with the reason TOKEN_EXPIRED or TOKEN_INVALID.
  StatusOr<Identity> Verify(std::string_view token, absl::Time now) const;
  size_t num_keys() const { return keys_.size(); }

 private:
  struct Key;

  JwtVerifier(std::string issuer, std::string audience);

  std::string issuer_;
  std::string audience_;
  std::vector<std::unique_ptr<const Key>> keys_;
};

}  // namespace signet
