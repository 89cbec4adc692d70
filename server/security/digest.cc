#include "server/security/digest.h"

#include <algorithm>
#include <memory>
#include <string>

#include <absl/strings/ascii.h>
#include <absl/strings/escaping.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>

#include "signet/status.h"

namespace signet {

Digest DigestOf(std::string_view bytes) {
  struct Free {
    void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
  };
  static const EVP_MD* const kSha256 = EVP_MD_fetch(nullptr, "SHA256", nullptr);  // kept
  thread_local const std::unique_ptr<EVP_MD_CTX, Free> context(EVP_MD_CTX_new());
  Digest out;
  SIGNET_CHECK(EVP_DigestInit_ex2(context.get(), kSha256, nullptr) == 1 &&
               EVP_DigestUpdate(context.get(), bytes.data(), bytes.size()) == 1 &&
               EVP_DigestFinal_ex(context.get(), out.data(), nullptr) == 1);
  return out;
}

std::optional<Digest> ParseDigest(std::string_view text) {
  bool is_hex = text.size() == 64 && std::all_of(text.begin(), text.end(), [](unsigned char c) {
                  return absl::ascii_isxdigit(c);
                });
  if (!is_hex) return std::nullopt;
  std::string bytes = absl::HexStringToBytes(std::string(text));
  Digest out;
  std::copy(bytes.begin(), bytes.end(), out.begin());
  return out;
}

bool IsSameDigest(const Digest& a, const Digest& b) {
  return CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace signet
