#include "client/lib/credentials.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <mutex>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "client/lib/channel.h"
#include "client/lib/host_port.h"

namespace signet {
namespace {

using grpc::experimental::InterceptionHookPoints;
using std::chrono::steady_clock;

constexpr std::chrono::seconds kTokenAge(10);  // after which the file of a token is read again
constexpr size_t kMaxFileBytes = size_t{4} << 20;
constexpr char kTokenFile[] = "token_file";

// Returns the token in `text`, or an error. gRPC requires printable ASCII in metadata.
StatusOr<std::string> TokenIn(const std::string& text, const std::string& option) {
  constexpr char kSpace[] = " \t\r\n";
  const size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string::npos) return InvalidArgument(option, ": expected a token, found none");
  std::string token = text.substr(begin, text.find_last_not_of(kSpace) + 1 - begin);
  bool is_plain =
      std::all_of(token.begin(), token.end(), [](char c) { return c > ' ' && c < 127; });
  if (is_plain) return token;
  return InvalidArgument(option, ": expected one token of printable ASCII characters");
}

// The token of a client, which is read again from its file. Thread-safe.
class TokenSource {
 public:
  TokenSource(std::string token, std::string file)
      : header_("Bearer " + std::move(token)), file_(std::move(file)) {}

  std::string Header() {
    std::lock_guard lock(mu_);
    const auto now = steady_clock::now();
    if (!file_.empty() && now >= read_again_) {
      read_again_ = now + kTokenAge;
      auto text = ReadCredentialFile(kTokenFile, file_);
      auto token = text.ok() ? TokenIn(*text, kTokenFile) : text;
      if (token.ok()) header_ = "Bearer " + *token;  // otherwise, the previous token remains
    }
    return header_;
  }

 private:
  std::mutex mu_;
  std::string header_;  // guarded by mu_
  const std::string file_;
  steady_clock::time_point read_again_ = steady_clock::now() + kTokenAge;  // guarded by mu_
};

// Adds the token to the metadata of a call. gRPC's own call credentials do not work without TLS.
class TokenInterceptor final : public grpc::experimental::Interceptor {
 public:
  explicit TokenInterceptor(std::shared_ptr<TokenSource> source) : source_(std::move(source)) {}

  void Intercept(grpc::experimental::InterceptorBatchMethods* methods) override {
    if (methods->QueryInterceptionHookPoint(InterceptionHookPoints::PRE_SEND_INITIAL_METADATA)) {
      methods->GetSendInitialMetadata()->emplace("authorization", source_->Header());
    }
    methods->Proceed();
  }

 private:
  const std::shared_ptr<TokenSource> source_;
};

class TokenInterceptorFactory final : public grpc::experimental::ClientInterceptorFactoryInterface {
 public:
  explicit TokenInterceptorFactory(std::shared_ptr<TokenSource> source)
      : source_(std::move(source)) {}

  grpc::experimental::Interceptor* CreateClientInterceptor(
      grpc::experimental::ClientRpcInfo* /*info*/) override {
    return new TokenInterceptor(source_);
  }

 private:
  const std::shared_ptr<TokenSource> source_;
};

}  // namespace

bool UsesTls(const ClientOptions& options) {
  return options.tls || !options.ca_file.empty() || !options.certificate_file.empty() ||
         !options.key_file.empty() || !options.server_name.empty();
}

namespace {

bool IsLocalServer(std::string_view address) {
  if (address.starts_with("unix:") || address.starts_with("unix-abstract:")) return true;
  if (address.find(',') != std::string_view::npos) return false;  // such as ipv4:127.0.0.1:1,...
  for (std::string_view scheme : {"ipv4:", "ipv6:"}) {
    if (address.starts_with(scheme)) address.remove_prefix(scheme.size());
  }
  if (address.starts_with("%5B::1%5D:")) return true;
  const std::optional<HostPort> server = ParseHostPort(address);
  const std::string host = server ? server->host : std::string(address);
  const bool is_numeric = host.find_first_not_of("0123456789.") == std::string::npos;
  return host == "localhost" || host == "::1" || (is_numeric && host.starts_with("127."));
}

// Checks that the options contain at most one token, which may be sent to `address`.
Status CheckToken(const std::string& address, const ClientOptions& options, bool uses_tls) {
  if (!options.token.empty() && !options.token_file.empty()) {
    return InvalidArgument("token and token_file: expected one of them, found both");
  }
  if (!uses_tls && !options.plaintext_token && !IsLocalAddress(address)) {
    return InvalidArgument(
        "token: without TLS, everyone on the network could read the token that is ", "sent to `",
        Printable(address), "`; use --tls or --ca, or permit it ", "with --plaintext_token");
  }
  return absl::OkStatus();
}

}  // namespace

bool IsLocalAddress(const std::string& address) {
  const std::vector<std::string> servers = AddressesIn(address);
  return std::all_of(servers.begin(), servers.end(), IsLocalServer);
}

StatusOr<std::string> ReadCredentialFile(const std::string& option, const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(kMaxFileBytes + 1, '\0');
  if (file) file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!file.is_open() || file.bad()) {
    return InvalidArgument(option, ": cannot read `", Printable(path),
                           "`: ", std::generic_category().message(errno));
  }
  text.resize(static_cast<size_t>(file.gcount()));
  if (text.size() <= kMaxFileBytes) return text;
  return InvalidArgument(option, ": `", Printable(path), "` has more than ", kMaxFileBytes,
                         " bytes");
}

StatusOr<std::shared_ptr<grpc::ChannelCredentials>> MakeChannelCredentials(
    const ClientOptions& options) {
  if (!UsesTls(options)) return grpc::InsecureChannelCredentials();
  if (options.certificate_file.empty() != options.key_file.empty()) {
    return InvalidArgument("cert and key: expected both or neither");
  }
  grpc::SslCredentialsOptions out;
  auto read = [](const char* option, const std::string& path, const char* kind,
                 std::string& text) -> Status {
    if (path.empty()) return absl::OkStatus();
    SIGNET_ASSIGN_OR_RETURN(text, ReadCredentialFile(option, path));
    if (text.find(kind) != std::string::npos) return absl::OkStatus();
    return InvalidArgument(option, ": `", Printable(path), "`: expected PEM with `", kind, "`");
  };
  SIGNET_RETURN_IF_ERROR(read("ca", options.ca_file, "BEGIN CERTIFICATE", out.pem_root_certs));
  SIGNET_RETURN_IF_ERROR(
      read("cert", options.certificate_file, "BEGIN CERTIFICATE", out.pem_cert_chain));
  SIGNET_RETURN_IF_ERROR(read("key", options.key_file, "PRIVATE KEY", out.pem_private_key));
  return grpc::SslCredentials(out);
}

StatusOr<std::string> BearerTokenOf(const std::string& address, const ClientOptions& options,
                                    bool uses_tls) {
  if (options.token.empty() && options.token_file.empty()) return std::string();
  SIGNET_RETURN_IF_ERROR(CheckToken(address, options, uses_tls));
  if (options.token_file.empty()) return TokenIn(options.token, "token");
  SIGNET_ASSIGN_OR_RETURN(std::string text, ReadCredentialFile(kTokenFile, options.token_file));
  return TokenIn(text, kTokenFile);
}

StatusOr<ClientInterceptors> MakeTokenInterceptors(const std::string& address,
                                                   const ClientOptions& options) {
  ClientInterceptors out;
  SIGNET_ASSIGN_OR_RETURN(std::string token, BearerTokenOf(address, options, UsesTls(options)));
  if (token.empty()) return out;
  out.push_back(std::make_unique<TokenInterceptorFactory>(
      std::make_shared<TokenSource>(std::move(token), options.token_file)));
  return out;
}

}  // namespace signet
