// SecurityOptions: the flags that select certificates, tokens, and permissions.

#pragma once

#include <filesystem>
#include <string>

namespace signet {

struct SecurityOptions {
  std::filesystem::path tls_certificate = {};   // --tls_certificate; empty: connections are plain
  std::filesystem::path tls_key = {};           // --tls_key
  std::filesystem::path tls_client_ca = {};     // --tls_client_ca; empty: no client certificates
  bool tls_require_client_certificate = false;  // --tls_require_client_certificate

  std::filesystem::path tokens_file = {};  // --tokens_file; empty: no tokens from a file
  std::filesystem::path jwt_keys = {};     // --jwt_keys; empty: no JSON web tokens
  std::string jwt_issuer = {};             // --jwt_issuer
  std::string jwt_audience = {};           // --jwt_audience

  std::filesystem::path policy_file = {};  // --policy_file; empty: no policy
};

}  // namespace signet
