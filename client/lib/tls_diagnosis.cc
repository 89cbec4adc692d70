#include "client/lib/tls_diagnosis.h"

#include <csignal>
#include <ctime>
#include <memory>
#include <netdb.h>
#include <optional>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>
#include <utility>

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include "client/lib/credentials.h"
#include "client/lib/host_port.h"

namespace signet {
namespace {

constexpr int kSeconds = 2;  // for each step of the connection

template <auto free_function>
struct Deleter {
  template <class T>
  void operator()(T* pointer) const {
    free_function(pointer);
  }
};
using Context = std::unique_ptr<SSL_CTX, Deleter<SSL_CTX_free>>;
using Connection = std::unique_ptr<SSL, Deleter<SSL_free>>;
using Bio = std::unique_ptr<BIO, Deleter<BIO_free>>;

// Returns a connected socket, or -1.
int Connect(const HostPort& to) {
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (getaddrinfo(to.host.c_str(), to.port.c_str(), &hints, &found) != 0) return -1;
  std::unique_ptr<addrinfo, Deleter<freeaddrinfo>> owner(found);
  for (addrinfo* next = found; next != nullptr; next = next->ai_next) {
    int fd = socket(next->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) continue;
    timeval time = {.tv_sec = kSeconds, .tv_usec = 0};
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof(time));
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &time, sizeof(time));
    if (connect(fd, next->ai_addr, next->ai_addrlen) == 0) return fd;
    close(fd);
  }
  return -1;
}

std::string TextOf(const Bio& bio) {
  char* text = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &text);
  return std::string(text, static_cast<size_t>(size));
}

// Returns the names that a certificate is for: `DNS:localhost, IP Address:127.0.0.1`.
std::string NamesOf(X509* certificate) {
  const int index = X509_get_ext_by_NID(certificate, NID_subject_alt_name, -1);
  if (index < 0) return "no name";
  Bio bio(BIO_new(BIO_s_mem()));
  X509V3_EXT_print(bio.get(), X509_get_ext(certificate, index), 0, 0);
  return TextOf(bio);
}

std::string ExpiryOf(X509* certificate) {
  std::tm time = {};
  if (ASN1_TIME_to_tm(X509_get0_notAfter(certificate), &time) != 1) return "an unknown date";
  char text[32] = {};
  strftime(text, sizeof(text), "%Y-%m-%d", &time);
  return text;
}

// The first error of the verification on this thread, or X509_V_OK.
thread_local int verification_error = X509_V_OK;

// Notes the error and continues, so that the certificate can be described. The connection is used
// for nothing else.
int NoteVerificationError(int is_valid, X509_STORE_CTX* context) {
  if (is_valid != 1 && verification_error == X509_V_OK) {
    verification_error = X509_STORE_CTX_get_error(context);
  }
  return 1;
}

std::string ExplainVerification(SSL* ssl, const std::string& name) {
  const int result = verification_error;
  X509* certificate = SSL_get0_peer_certificate(ssl);
  if (certificate == nullptr) return "";
  switch (result) {
    case X509_V_OK:
      return "";
    case X509_V_ERR_CERT_HAS_EXPIRED:
      return Cat("the certificate of the server expired on ", ExpiryOf(certificate));
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH:
      return Cat("the certificate of the server is not for `", Printable(name),
                 "`; it is for: ", Printable(NamesOf(certificate)), " (--server_name)");
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
      return "the certificate of the server is not signed by a known authority (--ca)";
    default:
      return Cat("the certificate of the server is not accepted: ",
                 X509_verify_cert_error_string(result));
  }
}

// Explains an error that the server or OpenSSL reports, or returns an empty string.
std::string ExplainError(unsigned long error) {
  switch (ERR_GET_REASON(error)) {
    case SSL_R_WRONG_VERSION_NUMBER:
    case SSL_R_HTTP_REQUEST:
    case SSL_R_PACKET_LENGTH_TOO_LONG:
      return "the server does not use TLS; connect without --tls, --ca, and --cert";
    case SSL_R_TLSV13_ALERT_CERTIFICATE_REQUIRED:
      return "the server requires a client certificate (--cert and --key)";
    case SSL_R_TLSV1_ALERT_UNKNOWN_CA:
    case SSL_R_SSLV3_ALERT_BAD_CERTIFICATE:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_UNKNOWN:
      return "the server does not accept the client certificate (--cert): it is not signed by an "
             "authority that the server knows";
    case SSL_R_SSLV3_ALERT_CERTIFICATE_EXPIRED:
      return "the server does not accept the client certificate (--cert): it has expired";
    case SSL_R_SSLV3_ALERT_HANDSHAKE_FAILURE:
    case SSL_R_TLSV1_ALERT_PROTOCOL_VERSION:
      return "the server and the client have no version or cipher of TLS in common, or the server "
             "requires a client certificate (--cert and --key)";
    default:
      return "";
  }
}

// Returns the first error of OpenSSL on this thread that can be explained.
std::string ExplainErrors() {
  std::string out;
  while (unsigned long error = ERR_get_error()) {
    if (out.empty()) out = ExplainError(error);
  }
  return out;
}

// Notes that the server requests a certificate of the client.
int NoteRequest(SSL* /*ssl*/, void* is_requested) {
  *static_cast<bool*>(is_requested) = true;
  return 1;
}

// Explains why a server that requests a client certificate ends the connection. gRPC servers send
// no reason.
std::string ExplainClientCertificate(SSL* ssl) {
  X509* certificate = SSL_get_certificate(ssl);
  if (certificate == nullptr) return "the server requires a client certificate (--cert and --key)";
  const bool is_expired = X509_cmp_current_time(X509_get0_notAfter(certificate)) < 0;
  return Cat("the server does not accept the client certificate (--cert)",
             is_expired ? ": it has expired" : "");
}

// Blocks SIGPIPE on this thread: OpenSSL writes to sockets without MSG_NOSIGNAL, and the signal of
// a closed connection would end the program.
class BlockSigpipe {
 public:
  BlockSigpipe() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~BlockSigpipe() {
    const timespec now = {};
    if (sigismember(&before_, SIGPIPE) == 0) sigtimedwait(&pipe_, nullptr, &now);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  BlockSigpipe(const BlockSigpipe&) = delete;
  BlockSigpipe& operator=(const BlockSigpipe&) = delete;

 private:
  sigset_t pipe_;
  sigset_t before_;
};

}  // namespace

std::string DiagnoseTls(const std::string& address, const ClientOptions& options) {
  constexpr std::string_view kDns = "dns:///";
  const std::optional<HostPort> to =
      ParseHostPort(address.starts_with(kDns) ? address.substr(kDns.size()) : address);
  if (!to.has_value()) return "";
  const bool uses_tls = UsesTls(options);
  const BlockSigpipe block;
  const int fd = Connect(*to);
  if (fd < 0) return "";
  ERR_clear_error();
  Context context(SSL_CTX_new(TLS_client_method()));
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  if (options.ca_file.empty()) {
    SSL_CTX_set_default_verify_paths(context.get());
  } else {
    SSL_CTX_load_verify_locations(context.get(), options.ca_file.c_str(), nullptr);
  }
  std::string problem;
  if (!options.certificate_file.empty() &&
      (SSL_CTX_use_certificate_chain_file(context.get(), options.certificate_file.c_str()) != 1 ||
       SSL_CTX_use_PrivateKey_file(context.get(), options.key_file.c_str(), SSL_FILETYPE_PEM) !=
           1)) {
    problem = "the files of --cert and --key are not a certificate and its key in PEM";
  }
  ERR_clear_error();
  verification_error = X509_V_OK;
  SSL_CTX_set_verify(context.get(), uses_tls ? SSL_VERIFY_PEER : SSL_VERIFY_NONE,
                     NoteVerificationError);
  bool is_requested = false;
  SSL_CTX_set_cert_cb(context.get(), NoteRequest, &is_requested);
  Connection ssl(SSL_new(context.get()));
  constexpr unsigned char kProtocols[] = {2, 'h', '2'};
  SSL_set_alpn_protos(ssl.get(), kProtocols, sizeof(kProtocols));
  const std::string& name = options.server_name.empty() ? to->host : options.server_name;
  X509_VERIFY_PARAM* parameters = SSL_get0_param(ssl.get());
  if (X509_VERIFY_PARAM_set1_ip_asc(parameters, name.c_str()) != 1) {
    SSL_set1_host(ssl.get(), name.c_str());
    SSL_set_tlsext_host_name(ssl.get(), name.c_str());
  }
  ERR_clear_error();
  SSL_set_fd(ssl.get(), fd);
  const bool connected = problem.empty() && SSL_connect(ssl.get()) == 1;
  if (problem.empty() && !uses_tls) {
    if (connected) problem = "the server uses TLS (--tls, or --ca FILE)";
  } else if (problem.empty() && connected) {
    problem = ExplainVerification(ssl.get(), name);
    // With TLS 1.3, the server checks the certificate of the client after the client is connected.
    char byte = 0;
    if (problem.empty() && SSL_read(ssl.get(), &byte, 1) <= 0) {
      problem = ExplainErrors();
      if (problem.empty() && is_requested) problem = ExplainClientCertificate(ssl.get());
    }
  } else if (problem.empty()) {
    problem = ExplainErrors();
  }
  ERR_clear_error();
  ssl.reset();
  close(fd);
  return problem;
}

}  // namespace signet
