// TlsCertificates: the certificate of a server and the certificates that sign those of its clients,
// which are read again when their files change.
//
//   SIGNET_ASSIGN_OR_RETURN(auto tls, TlsCertificates::Load(options));
//   builder.AddListeningPort(address, TlsCertificates::MakeCredentials(tls));
//   ...
//   Status changed = tls->Reload();   // new connections use the new certificate
//
// The rules:
//   1. The files are checked completely: PEM, a key without a password that belongs to the
//      certificate, and a certificate that has not expired.
//   2. If a new file is wrong, the certificates that were read before remain in use.
//   3. TLS 1.2 and 1.3 are accepted, with the cipher suites of gRPC.
// Thread-safe.

#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include <grpcpp/security/server_credentials.h>

#include "server/security/options.h"
#include "server/security/watched_file.h"
#include "signet/status.h"

namespace signet {

// The contents of the files, in PEM.
struct TlsPem {
  std::string certificate;  // the certificate of the server and its intermediate certificates
  std::string key;
  std::string client_ca;  // empty: clients present no certificates
};

// Checks rule 1. Errors begin with the flag of the file.
Status CheckTlsPem(const TlsPem& pem);
// Describes the first certificate of a checked text: `CN = localhost, valid until 2027-01-31`.
std::string DescribeCertificate(const std::string& pem);

class TlsCertificates {
 public:
  // Reads the files of `options`, whose tls_certificate is not empty.
  static StatusOr<std::shared_ptr<TlsCertificates>> Load(const SecurityOptions& options);

  // Returns credentials for one server; a second server that used them would get no certificates.
  // Each new connection uses the newest certificates.
  static std::shared_ptr<grpc::ServerCredentials> MakeCredentials(
      std::shared_ptr<TlsCertificates> certificates);

  // Reads the files if one has changed. Returns true if the certificates are new, and an error if
  // the files are wrong. An error is returned once per change.
  StatusOr<bool> Reload();

  bool verifies_clients() const { return client_ca_.is_set(); }
  bool requires_client_certificates() const { return require_client_certificate_; }
  TlsPem pem() const;
  // A number that changes with the certificates.
  uint64_t generation() const;

 private:
  explicit TlsCertificates(const SecurityOptions& options);

  friend class TlsServerCredentials;

  const bool require_client_certificate_;
  std::mutex reload_mu_;  // guards the following files
  WatchedFile certificate_;
  WatchedFile key_;
  WatchedFile client_ca_;  // the path does not change
  mutable std::mutex mu_;
  TlsPem pem_;               // guarded by mu_
  uint64_t generation_ = 0;  // guarded by mu_
};

}  // namespace signet
