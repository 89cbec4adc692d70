#include "server/security/tls.h"

#include <ctime>
#include <optional>
#include <utility>

#include <absl/cleanup/cleanup.h>
#include <absl/time/time.h>
#include <grpc/grpc.h>
#include <grpc/grpc_security.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include "server/security/openssl.h"

namespace signet {
namespace {

constexpr char kCertificateFlag[] = "--tls_certificate";
constexpr char kKeyFlag[] = "--tls_key";
constexpr char kClientCaFlag[] = "--tls_client_ca";

using Certificate = std::unique_ptr<X509, FreeWith<X509_free>>;

BioPtr BioOf(const std::string& text) {
  return BioPtr(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

// Returns the next certificate, or null.
Certificate NextCertificate(BIO* bio) {
  return Certificate(PEM_read_bio_X509(bio, nullptr, nullptr, nullptr));
}

// Returns nothing for a time that is not valid.
std::optional<absl::Time> TimeOf(const ASN1_TIME* text) {
  std::tm time = {};
  if (ASN1_TIME_to_tm(text, &time) != 1) return std::nullopt;
  return absl::FromTM(time, absl::UTCTimeZone());
}

// Returns the time at which `certificate` expires.
absl::Time ExpiryOf(const X509* certificate) {
  return TimeOf(X509_get0_notAfter(certificate)).value_or(absl::InfinitePast());
}

// Returns the time from which on `certificate` is valid.
absl::Time BeginOf(const X509* certificate) {
  return TimeOf(X509_get0_notBefore(certificate)).value_or(absl::InfiniteFuture());
}

std::string DateOf(absl::Time time) {
  return absl::FormatTime("%Y-%m-%d", time, absl::UTCTimeZone());
}

// Returns the first certificate. Every certificate of the text must be valid PEM.
StatusOr<Certificate> ReadCertificates(const std::string& text, std::string_view flag) {
  absl::Cleanup clear = [] { ERR_clear_error(); };
  BioPtr bio = BioOf(text);
  Certificate first = NextCertificate(bio.get());
  if (first == nullptr) {
    return FailedPrecondition(flag,
                              ": expected certificates in PEM (BEGIN CERTIFICATE), found none");
  }
  ERR_clear_error();
  while (NextCertificate(bio.get()) != nullptr) {
  }
  if (ERR_GET_REASON(ERR_peek_last_error()) != PEM_R_NO_START_LINE) {
    return FailedPrecondition(flag, ": a certificate after the first one is not valid PEM");
  }
  return first;
}

// OpenSSL would otherwise ask for a password on the terminal.
int RejectPassword(char* /*buffer*/, int /*size*/, int /*writes*/, void* asked) {
  *static_cast<bool*>(asked) = true;
  return -1;
}

}  // namespace

Status CheckTlsPem(const TlsPem& pem) {
  absl::Cleanup clear = [] { ERR_clear_error(); };
  SIGNET_ASSIGN_OR_RETURN(Certificate certificate,
                          ReadCertificates(pem.certificate, kCertificateFlag));
  if (absl::Time expiry = ExpiryOf(certificate.get()); expiry < absl::Now()) {
    return FailedPrecondition(kCertificateFlag, ": the certificate expired on ", DateOf(expiry));
  }
  if (absl::Time begin = BeginOf(certificate.get()); begin > absl::Now()) {
    return FailedPrecondition(
        kCertificateFlag,
        ": expected a certificate that is valid now, found one that is valid from ",
        absl::FormatTime("%Y-%m-%d %H:%M UTC", begin, absl::UTCTimeZone()),
        "; check the clock of this machine, or wait");
  }
  bool has_password = false;
  BioPtr bio = BioOf(pem.key);
  KeyPtr key(PEM_read_bio_PrivateKey(bio.get(), nullptr, RejectPassword, &has_password));
  if (has_password) {
    return FailedPrecondition(kKeyFlag, ": expected a key without a password; remove it with ",
                              "`openssl pkey -in KEY -out NEW_KEY`");
  }
  if (key == nullptr) {
    return FailedPrecondition(kKeyFlag,
                              ": expected a private key in PEM (BEGIN PRIVATE KEY), found none");
  }
  if (X509_check_private_key(certificate.get(), key.get()) != 1) {
    return FailedPrecondition(kKeyFlag, ": the key does not belong to the certificate of ",
                              kCertificateFlag);
  }
  if (pem.client_ca.empty()) return absl::OkStatus();
  return ReadCertificates(pem.client_ca, kClientCaFlag).status();
}

std::string DescribeCertificate(const std::string& pem) {
  auto certificate = ReadCertificates(pem, kCertificateFlag);
  if (!certificate.ok()) return "";
  BioPtr bio(BIO_new(BIO_s_mem()));
  X509_NAME_print_ex(bio.get(), X509_get_subject_name(certificate->get()), 0, XN_FLAG_ONELINE);
  char* text = nullptr;
  long size = BIO_get_mem_data(bio.get(), &text);
  return Cat(std::string_view(text, static_cast<size_t>(size)), ", valid until ",
             DateOf(ExpiryOf(certificate->get())));
}

TlsCertificates::TlsCertificates(const SecurityOptions& options)
    : require_client_certificate_(options.tls_require_client_certificate),
      certificate_(kCertificateFlag, options.tls_certificate),
      key_(kKeyFlag, options.tls_key),
      client_ca_(kClientCaFlag, options.tls_client_ca) {}

StatusOr<std::shared_ptr<TlsCertificates>> TlsCertificates::Load(const SecurityOptions& options) {
  std::shared_ptr<TlsCertificates> out(new TlsCertificates(options));
  SIGNET_RETURN_IF_ERROR(out->Reload().status());
  return out;
}

StatusOr<bool> TlsCertificates::Reload() {
  std::lock_guard reload_lock(reload_mu_);
  bool changed = certificate_.HasChanged() || key_.HasChanged() ||
                 (client_ca_.is_set() && client_ca_.HasChanged());
  if (!changed && generation() > 0) return false;
  // Every file is read, so that an error is returned once per change.
  auto certificate = certificate_.Read();
  auto key = key_.Read();
  StatusOr<std::string> client_ca = client_ca_.is_set() ? client_ca_.Read() : std::string();
  for (const auto* text : {&certificate, &key, &client_ca}) {
    SIGNET_RETURN_IF_ERROR(text->status());
  }
  TlsPem pem{*std::move(certificate), *std::move(key), *std::move(client_ca)};
  if (client_ca_.is_set() && pem.client_ca.empty()) {
    return FailedPrecondition(kClientCaFlag, ": expected certificates in PEM, found an empty file");
  }
  SIGNET_RETURN_IF_ERROR(CheckTlsPem(pem));
  std::lock_guard lock(mu_);
  pem_ = std::move(pem);
  ++generation_;
  return true;
}

TlsPem TlsCertificates::pem() const {
  std::lock_guard lock(mu_);
  return pem_;
}

uint64_t TlsCertificates::generation() const {
  std::lock_guard lock(mu_);
  return generation_;
}

// Adds ports whose connections use the newest certificates. gRPC calls Fetch for each connection,
// one at a time, and keeps the previous certificates if the new ones do not work. gRPC's own
// FileWatcherCertificateProvider keeps none then, and rejects all further connections.
class TlsServerCredentials final : public grpc::ServerCredentials {
 public:
  explicit TlsServerCredentials(std::shared_ptr<TlsCertificates> certificates)
      : certificates_(std::move(certificates)) {
    grpc_ssl_client_certificate_request_type request = GRPC_SSL_DONT_REQUEST_CLIENT_CERTIFICATE;
    if (certificates_->verifies_clients()) {
      request = certificates_->require_client_certificate_
                    ? GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY
                    : GRPC_SSL_REQUEST_CLIENT_CERTIFICATE_AND_VERIFY;
    }
    credentials_ = grpc_ssl_server_credentials_create_with_options(
        grpc_ssl_server_credentials_create_options_using_config_fetcher(request, Fetch, this));
  }
  ~TlsServerCredentials() override { grpc_server_credentials_release(credentials_); }

  void SetAuthMetadataProcessor(
      const std::shared_ptr<grpc::AuthMetadataProcessor>& /*processor*/) override {}

 private:
  int AddPortToServer(const std::string& address, grpc_server* server) override {
    return grpc_server_add_http2_port(server, address.c_str(), credentials_);
  }

  static grpc_ssl_certificate_config_reload_status Fetch(
      void* data, grpc_ssl_server_certificate_config** config) {
    auto& self = *static_cast<TlsServerCredentials*>(data);
    std::lock_guard lock(self.certificates_->mu_);
    if (self.fetched_ == self.certificates_->generation_) {
      return GRPC_SSL_CERTIFICATE_CONFIG_RELOAD_UNCHANGED;
    }
    self.fetched_ = self.certificates_->generation_;
    const TlsPem& pem = self.certificates_->pem_;
    grpc_ssl_pem_key_cert_pair pair = {pem.key.c_str(), pem.certificate.c_str()};
    // gRPC requires roots even if no client certificates are requested, and does not use them then.
    const std::string& roots = pem.client_ca.empty() ? pem.certificate : pem.client_ca;
    *config = grpc_ssl_server_certificate_config_create(roots.c_str(), &pair, 1);
    return GRPC_SSL_CERTIFICATE_CONFIG_RELOAD_NEW;
  }

  const std::shared_ptr<TlsCertificates> certificates_;
  grpc_server_credentials* credentials_ = nullptr;
  uint64_t fetched_ = 0;  // guarded by certificates_->mu_
};

std::shared_ptr<grpc::ServerCredentials> TlsCertificates::MakeCredentials(
    std::shared_ptr<TlsCertificates> certificates) {
  return std::make_shared<TlsServerCredentials>(std::move(certificates));
}

}  // namespace signet
