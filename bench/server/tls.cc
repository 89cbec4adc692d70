// Tls: compares calls over TLS with a bare gRPC echo over TLS. The function is
// `f(x: float32[?]) -> x`.
//
//   1 KiB     calls per second with 64 in flight, and the median latency with 1, over TCP
//   token     the same calls with a bearer token that a policy permits, compared with the calls
//             without permissions, both over TLS
//
// Both servers have the same certificate, and the client is the same code.

#include <cstdio>
#include <memory>

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include "bench/subjects.h"
#include "bench/support/echo.pb.h"
#include "bench/support/load.h"
#include "bench/support/servers.h"
#include "signet/v1/service.pb.h"

namespace signet {
namespace {

constexpr const char* kIdentityModel =
    "\"\"\"Returns its argument\"\"\"\n\n\ndef identity(x: float32[?]):\n    return x\n";

constexpr size_t kBytes = size_t{1} << 10;
constexpr double kLeastTlsThroughput = 0.9;  // of the echo

// The SHA-256 digest of `bench-token`.
constexpr const char* kToken = "bench-token";
constexpr const char* kTokens =
    "bench 7137e16f75a1d75b6fd65930672814806cdc1a0d6e0aa38611afc996a402258b\n";
constexpr const char* kPolicy = R"pb(
  roles { name: "bench" members: "token:bench" }
  rules { roles: "bench" rpcs: CALL models: "be*" }
)pb";

struct OpenSslDeleter {
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(BIO* bio) const { BIO_free(bio); }
};

std::string PemOf(BIO* bio) {
  char* text = nullptr;
  const long size = BIO_get_mem_data(bio, &text);
  return std::string(text, static_cast<size_t>(size));
}

// Writes tls.pem and tls.key: a certificate for 127.0.0.1 that signs itself. Returns tls.pem.
std::string WriteCertificate(const TemporaryFolder& folder) {
  std::unique_ptr<EVP_PKEY, OpenSslDeleter> key(EVP_EC_gen("P-256"));
  std::unique_ptr<X509, OpenSslDeleter> certificate(X509_new());
  X509_set_version(certificate.get(), X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), 1);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -60);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), 86400);
  X509_set_pubkey(certificate.get(), key.get());
  X509_NAME* name = X509_get_subject_name(certificate.get());
  X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>("bench"), -1, -1, 0);
  X509_set_issuer_name(certificate.get(), name);
  for (const auto& [kind, text] : {std::pair{NID_subject_alt_name, "IP:127.0.0.1"},
                                   std::pair{NID_basic_constraints, "critical,CA:TRUE"}}) {
    X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, nullptr, kind, text);
    X509_add_ext(certificate.get(), extension, -1);
    X509_EXTENSION_free(extension);
  }
  X509_sign(certificate.get(), key.get(), EVP_sha256());
  std::unique_ptr<BIO, OpenSslDeleter> chain(BIO_new(BIO_s_mem()));
  std::unique_ptr<BIO, OpenSslDeleter> secret(BIO_new(BIO_s_mem()));
  PEM_write_bio_X509(chain.get(), certificate.get());
  PEM_write_bio_PrivateKey(secret.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr);
  folder.Write("tls.pem", PemOf(chain.get()));
  folder.Write("tls.key", PemOf(secret.get()));
  return PemOf(chain.get());
}

std::string IdentityCall() {
  v1::CallRequest request;
  request.mutable_model()->set_name("bench");
  request.set_function("identity");
  v1::Tensor& tensor = *request.add_args()->mutable_tensor();
  tensor.set_dtype(v1::DTYPE_FLOAT32);
  tensor.add_shape(static_cast<int64_t>(kBytes / sizeof(float)));
  tensor.set_data(std::string(kBytes, '\x3f'));
  return request.SerializeAsString();
}

Status Measure(const BenchOptions& options, Report& report) {
  TemporaryFolder folder;
  folder.Write("models/bench/1/model.signet", kIdentityModel);
  folder.Write("tokens", kTokens);
  folder.Write("policy", kPolicy);
  const std::string root = WriteCertificate(folder);
  const std::string certificate = (folder.path() / "tls.pem").string();
  const std::string key = (folder.path() / "tls.key").string();
  const std::vector<std::string> tls = {"--tls_certificate", certificate, "--tls_key", key};
  std::vector<std::string> guarded = tls;
  for (const char* file : {"tokens", "policy"}) {
    guarded.push_back(Cat("--", file, "_file"));
    guarded.push_back((folder.path() / file).string());
  }
  SIGNET_ASSIGN_OR_RETURN(RunningServer echo, StartEcho(folder.path(), folder.path()));
  const auto models = folder.path() / "models";
  SIGNET_ASSIGN_OR_RETURN(RunningServer signet, StartSignet(models, folder.path(), tls));
  folder.Write("guarded/unused", "");
  SIGNET_ASSIGN_OR_RETURN(RunningServer with_token,
                          StartSignet(models, folder.path() / "guarded", guarded));

  bench::EchoMessage message;
  message.set_data(std::string(kBytes, '\x3f'));
  LoadClient call(signet.tcp, kCallMethod, IdentityCall(), {.root_certificates = root});
  LoadClient reference(echo.tcp, kProtoEchoMethod, message.SerializeAsString(),
                       {.root_certificates = root});
  LoadClient guarded_call(with_token.tcp, kCallMethod, IdentityCall(),
                          {.root_certificates = root, .token = kToken});
  for (const LoadClient* client : {&call, &reference, &guarded_call}) {
    SIGNET_RETURN_IF_ERROR(client->CallOnce(20).status());
  }
  auto compare = [&](const char* name, const char* reference_name, const LoadClient& value,
                     const LoadClient& other, std::optional<double> bar) {
    Pair rate = MedianPair(
        options, [&] { return value.CallsPerSecond(64, options.load_seconds); },
        [&] { return other.CallsPerSecond(64, options.load_seconds); });
    report.Add(Compared(Cat("tls: ", name, ", 64 in flight"), "calls/s", reference_name, rate,
                        Better::kHigher, bar));
    Pair latency = MedianPair(
        options, [&] { return value.MedianLatency(options.load_seconds); },
        [&] { return other.MedianLatency(options.load_seconds); });
    report.Add(Compared(Cat("tls: ", name, ", median latency"), "us", reference_name, latency,
                        Better::kLower, {}));
  };
  compare("1 KiB", "generated gRPC echo with TLS", call, reference, kLeastTlsThroughput);
  compare("1 KiB with a token and a policy", "without permissions", guarded_call, call, {});
  return absl::OkStatus();
}

}  // namespace

void BenchTls(const BenchOptions& options, Report& report) {
  Status measured = Measure(options, report);
  if (!measured.ok()) report.Skip("tls", MessageOf(measured));
}

}  // namespace signet
