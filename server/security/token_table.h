// TokenTable: the tokens of --tokens_file.
//
//   # name   SHA-256 of the token in hexadecimal                  optional: when it expires
//   ci       9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
//   ci       60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752  2027-01-31T00:00:00Z
//
// A name may have several tokens, so that a token can be replaced without a gap. Empty lines and
// lines that begin with `#` are skipped. Immutable.

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <absl/container/flat_hash_map.h>

#include "server/security/digest.h"
#include "server/security/identity.h"
#include "signet/status.h"

namespace signet {

class TokenTable {
 public:
  // Returns INVALID_ARGUMENT with the number of the first wrong line. The error does not contain
  // the line, because it may contain a token.
  static StatusOr<TokenTable> Parse(std::string_view text);

  // Returns the identity of the token with this digest, which may have expired, or null.
  const Identity* Lookup(const Digest& digest) const;
  size_t size() const { return tokens_.size(); }

 private:
  absl::flat_hash_map<Digest, Identity, DigestHash, DigestEqual> tokens_;
};

}  // namespace signet
