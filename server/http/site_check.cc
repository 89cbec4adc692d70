#include "server/http/site_check.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>
#include <unistd.h>

#include <absl/strings/ascii.h>
#include <arpa/inet.h>

namespace signet {
namespace {

// Endings that no public domain has: RFC 6761, 6762, and 8375, ICANN's `internal`, and the services
// of Kubernetes.
constexpr std::array<std::string_view, 6> kLocalEndings = {".localhost", ".local", ".localdomain",
                                                           ".internal",  ".svc",   ".home.arpa"};

std::string LowerCase(std::string_view text) {
  return absl::AsciiStrToLower(absl::string_view(text.data(), text.size()));
}

bool IsAddress(std::string_view host) {
  const std::string text(host);
  std::array<unsigned char, sizeof(in6_addr)> bytes = {};
  if (inet_pton(AF_INET, text.c_str(), bytes.data()) == 1) return true;
  if (!host.starts_with('[') || !host.ends_with(']')) return false;
  const std::string inner(host.substr(1, host.find_first_of("%]") - 1));
  return inet_pton(AF_INET6, inner.c_str(), bytes.data()) == 1;
}

bool IsName(std::string_view host) {
  return !host.empty() && std::all_of(host.begin(), host.end(), [](unsigned char c) {
    return absl::ascii_isalnum(c) || c == '-' || c == '.' || c == '_';
  });
}

// Returns the host of `HOST[:PORT]`, in lower case, without a dot at its end.
std::string HostOf(std::string_view authority) {
  size_t end = authority.find(':');
  if (authority.starts_with('[')) {
    end = authority.find(']');
    if (end != authority.npos) ++end;
  }
  std::string host = LowerCase(authority.substr(0, end));
  if (host.ends_with('.')) host.pop_back();
  return host;
}

// Returns `HOST[:PORT]` of an origin without the port that its scheme implies.
std::string AuthorityOf(std::string_view origin) {
  const size_t scheme = origin.find("://");
  if (scheme == origin.npos) return {};
  std::string authority = LowerCase(origin.substr(scheme + 3));
  const std::string_view port = origin.starts_with("https") ? ":443" : ":80";
  if (authority.ends_with(port)) authority.resize(authority.size() - port.size());
  return authority;
}

// Returns true if the page with the origin has the same host and port as the request.
bool IsOwnOrigin(std::string_view origin, std::string_view host) {
  const std::string authority = AuthorityOf(origin);
  if (authority.empty()) return false;
  const std::string_view scheme = origin.substr(0, origin.find("://"));
  return authority == AuthorityOf(Cat(scheme, "://", host));
}

std::set<std::string, std::less<>> NamesOfMachine() {
  std::set<std::string, std::less<>> names;
  std::array<char, 256> name = {};
  if (gethostname(name.data(), name.size() - 1) == 0) names.insert(LowerCase(name.data()));
  std::ifstream hosts("/etc/hosts");
  for (std::string line; std::getline(hosts, line);) {
    std::istringstream words(line.substr(0, line.find('#')));
    std::string word;
    words >> word;  // the address
    while (words >> word) names.insert(LowerCase(word));
  }
  return names;
}

Status Denied(const auto&... parts) {
  return MakeStatus(absl::StatusCode::kPermissionDenied, Cat(parts...));
}

}  // namespace

Status CheckHostName(std::string_view host) {
  const std::string_view name = host.starts_with("*.") ? host.substr(2) : host;
  if (host == "*" || IsName(name) || IsAddress(host)) return absl::OkStatus();
  return InvalidArgument(
      "expected a host such as `models.example.com`, `*.example.com`, or `*`, "
      "without a port, found `",
      Printable(host), "`");
}

SiteCheck::SiteCheck(Options options) : options_(std::move(options)), names_(NamesOfMachine()) {
  for (const std::string& host : options_.hosts) names_.insert(HostOf(host));
}

bool SiteCheck::IsPermittedHost(std::string_view name) const {
  if (names_.contains(name) || names_.contains("*")) return true;
  if (name.find('.') == name.npos || IsAddress(name)) return true;
  for (size_t dot = name.find('.'); dot != name.npos; dot = name.find('.', dot + 1)) {
    if (names_.contains(Cat("*", name.substr(dot)))) return true;
  }
  return std::any_of(kLocalEndings.begin(), kLocalEndings.end(),
                     [&](std::string_view ending) { return name.ends_with(ending); });
}

Status SiteCheck::Check(const HttpRequest& head) const {
  const std::string_view host = head.Header("host");
  const bool checks_host = !head.is_https || !options_.hosts.empty();
  if (checks_host && !IsPermittedHost(HostOf(host))) {
    return Denied("Host: `", Printable(host),
                  "` is not a name of this server; the operator permits it with --http_hosts ",
                  Printable(HostOf(host)));
  }
  const bool only_reads = head.method == "GET" || head.method == "HEAD";
  const bool is_preflight =
      head.method == "OPTIONS" && !head.Header("access-control-request-method").empty();
  if (only_reads || is_preflight) return absl::OkStatus();
  // A browser does not let pages set this header.
  const std::string_view site = head.Header("sec-fetch-site");
  if (site == "same-origin" || site == "none") return absl::OkStatus();
  bool has_origin = false;
  for (const auto& [name, origin] : head.headers) {
    if (!IsWord(name, "origin")) continue;
    has_origin = true;
    const bool is_own = site.empty() && IsOwnOrigin(origin, host);
    if (is_own || IsPermitted(options_.origins, origin)) continue;
    return Denied("Origin: pages of `", Printable(origin),
                  "` may not use this server; the operator permits them with --http_cors_origins");
  }
  if (site.empty() || has_origin) return absl::OkStatus();
  return Denied("Sec-Fetch-Site: `", Printable(site),
                "`: pages of other sites may not use this server; the operator permits them with "
                "--http_cors_origins");
}

}  // namespace signet
