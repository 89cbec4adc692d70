#include "server/http/tls_context.h"

#include <openssl/x509v3.h>

#include "server/security/openssl.h"

namespace signet {

StatusOr<std::shared_ptr<boost::asio::ssl::context>> MakeTlsContext(
    const TlsCertificates& certificates) {
  namespace asio = boost::asio;
  using Context = asio::ssl::context;
  const TlsPem pem = certificates.pem();
  auto context = std::make_shared<Context>(Context::tls_server);
  boost::system::error_code error;
  context->set_options(Context::default_workarounds | Context::no_sslv2 | Context::no_sslv3 |
                           Context::no_tlsv1 | Context::no_tlsv1_1,
                       error);
  if (!error) context->use_certificate_chain(asio::buffer(pem.certificate), error);
  if (!error) context->use_private_key(asio::buffer(pem.key), Context::pem, error);
  if (!error && !pem.client_ca.empty()) {
    context->add_certificate_authority(asio::buffer(pem.client_ca), error);
    const int required =
        certificates.requires_client_certificates() ? asio::ssl::verify_fail_if_no_peer_cert : 0;
    if (!error) context->set_verify_mode(asio::ssl::verify_peer | required, error);
  }
  if (error) return FailedPrecondition(error.message());
  return context;
}

std::vector<std::string> NamesOfCertificate(SSL* connection) {
  std::vector<std::string> names;
  std::unique_ptr<X509, FreeWith<X509_free>> certificate(SSL_get1_peer_certificate(connection));
  if (certificate == nullptr) return names;
  auto add = [&](const ASN1_STRING* text) {
    names.emplace_back(reinterpret_cast<const char*>(ASN1_STRING_get0_data(text)),
                       static_cast<size_t>(ASN1_STRING_length(text)));
  };
  X509_NAME* subject = X509_get_subject_name(certificate.get());
  const int index = X509_NAME_get_index_by_NID(subject, NID_commonName, -1);
  if (index >= 0) add(X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, index)));
  std::unique_ptr<GENERAL_NAMES, FreeWith<GENERAL_NAMES_free>> alternatives(
      static_cast<GENERAL_NAMES*>(
          X509_get_ext_d2i(certificate.get(), NID_subject_alt_name, nullptr, nullptr)));
  for (int i = 0; alternatives != nullptr && i < sk_GENERAL_NAME_num(alternatives.get()); ++i) {
    const GENERAL_NAME* name = sk_GENERAL_NAME_value(alternatives.get(), i);
    const bool is_text = name->type == GEN_DNS || name->type == GEN_URI || name->type == GEN_EMAIL;
    if (is_text) add(name->d.ia5);
  }
  return names;
}

}  // namespace signet
