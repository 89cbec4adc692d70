// Digest: the SHA-256 digest of a token. Tokens themselves are neither stored nor logged.

#pragma once

#include <array>
#include <cstring>
#include <optional>
#include <string_view>

namespace signet {

using Digest = std::array<unsigned char, 32>;

// Returns the SHA-256 digest of `bytes`.
Digest DigestOf(std::string_view bytes);
// Parses 64 hexadecimal digits.
std::optional<Digest> ParseDigest(std::string_view text);
// Compares in a time that does not depend on the contents.
bool IsSameDigest(const Digest& a, const Digest& b);

// Hashes a digest for tables. The first bytes of a digest are uniformly distributed.
struct DigestHash {
  size_t operator()(const Digest& digest) const {
    size_t out;
    std::memcpy(&out, digest.data(), sizeof(out));
    return out;
  }
};
struct DigestEqual {
  bool operator()(const Digest& a, const Digest& b) const { return IsSameDigest(a, b); }
};

}  // namespace signet
