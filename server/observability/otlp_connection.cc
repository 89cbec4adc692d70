#include "server/observability/otlp_connection.h"

#include <algorithm>
#include <fstream>
#include <system_error>
#include <tuple>

#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/support/channel_arguments.h>

namespace signet {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxFileBytes = size_t{1} << 20;
constexpr std::string_view kSpaces = " \t\r";

std::string_view Trim(std::string_view text) {
  const size_t begin = text.find_first_not_of(kSpaces);
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpaces) - begin + 1);
}

// RFC 9110, section 5.1, without the characters that gRPC rejects.
bool IsHeaderName(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
  });
}

bool IsHeaderValue(std::string_view value) {
  return std::ranges::all_of(value, [](char c) { return c >= ' ' && c <= '~'; });
}

StatusOr<std::string> ReadSmallFile(const char* flag, const fs::path& path) {
  auto fail = [&](const auto&... why) {
    return FailedPrecondition(flag, ": cannot read `", Printable(path.string()), "`: ", why...);
  };
  std::error_code error;
  const bool is_regular = fs::is_regular_file(path, error);
  if (error) return fail(error.message());
  if (!is_regular) return fail("expected a regular file");
  std::ifstream file(path, std::ios::binary);
  std::string text(kMaxFileBytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad() || !file.is_open()) return fail("the system reported an error");
  text.resize(static_cast<size_t>(file.gcount()));
  if (text.size() > kMaxFileBytes) return fail("expected at most ", kMaxFileBytes, " bytes");
  return text;
}

StatusOr<OtlpHeaders> ReadHeaders(const fs::path& path) {
  constexpr char kFlag[] = "--otlp_headers_file";
  SIGNET_ASSIGN_OR_RETURN(std::string text, ReadSmallFile(kFlag, path));
  auto headers = ParseOtlpHeaders(text);
  if (!headers.ok()) return FailedPrecondition(kFlag, ": ", MessageOf(headers.status()));
  return headers;
}

StatusOr<std::shared_ptr<grpc::ChannelCredentials>> CredentialsOf(const OtlpOptions& options) {
  if (!options.tls) return grpc::InsecureChannelCredentials();
  grpc::SslCredentialsOptions ssl;
  const std::tuple<const char*, const fs::path*, std::string*> files[] = {
      {"--otlp_ca", &options.ca, &ssl.pem_root_certs},
      {"--otlp_certificate", &options.certificate, &ssl.pem_cert_chain},
      {"--otlp_key", &options.key, &ssl.pem_private_key},
  };
  for (const auto& [flag, path, text] : files) {
    if (path->empty()) continue;
    SIGNET_ASSIGN_OR_RETURN(*text, ReadSmallFile(flag, *path));
    if (text->find("-----BEGIN ") == text->npos) {
      return FailedPrecondition(flag, ": expected a file in PEM, found no `-----BEGIN` line in `",
                                Printable(path->string()), "`");
    }
  }
  return grpc::SslCredentials(ssl);
}

}  // namespace

StatusOr<OtlpHeaders> ParseOtlpHeaders(std::string_view text) {
  OtlpHeaders out;
  for (int number = 1; !text.empty(); ++number) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = Trim(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty() || line.starts_with('#')) continue;
    const size_t colon = line.find(':');
    if (colon == line.npos) return InvalidArgument("line ", number, ": expected `name: value`");
    std::string name(Trim(line.substr(0, colon)));
    const std::string_view value = Trim(line.substr(colon + 1));
    for (char& c : name) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    if (!IsHeaderName(name) || name.starts_with("grpc-") || name.ends_with("-bin")) {
      return InvalidArgument("line ", number, ": expected the name of a header with text, found `",
                             Printable(name), "`");
    }
    if (!IsHeaderValue(value)) {
      return InvalidArgument("line ", number, ": expected a value of printable ASCII characters");
    }
    out.emplace_back(std::move(name), value);
  }
  return out;
}

StatusOr<std::unique_ptr<OtlpConnection>> OtlpConnection::Open(const OtlpOptions& options) {
  std::unique_ptr<OtlpConnection> out(new OtlpConnection);
  SIGNET_ASSIGN_OR_RETURN(auto credentials, CredentialsOf(options));
  if (!options.headers_file.empty()) {
    SIGNET_ASSIGN_OR_RETURN(out->headers_, ReadHeaders(options.headers_file));
  }
  out->headers_file_ = options.headers_file;
  // A collector that vanishes without closing its connection is noticed when sent bytes are not
  // acknowledged for 20 seconds. Collectors often reject pings more frequent than every 5 minutes.
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, 600'000);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 20'000);
  // gRPC's default of two minutes would drop the spans of that time after a collector is back.
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 5'000);
  out->traces_ = opentelemetry::proto::collector::trace::v1::TraceService::NewStub(
      grpc::CreateCustomChannel(options.endpoint, credentials, arguments));
  return out;
}

void OtlpConnection::AddHeaders(grpc::ClientContext& context) {
  if (!headers_file_.empty()) {
    if (auto headers = ReadHeaders(headers_file_); headers.ok()) headers_ = *std::move(headers);
  }
  for (const auto& [name, value] : headers_) context.AddMetadata(name, value);
}

}  // namespace signet
