#include "server/http/cors.h"

#include <algorithm>

#include <absl/strings/ascii.h>

namespace signet {
namespace {

constexpr char kExposedHeaders[] =
    "Signet-Model-Version, Signet-Stage-Times, Inference-Header-Content-Length, Retry-After, "
    "traceparent, ETag";
constexpr char kMaxAgeSeconds[] = "600";

}  // namespace

bool IsPermitted(const CorsOrigins& origins, std::string_view origin) {
  return std::any_of(origins.begin(), origins.end(), [&](const std::string& permitted) {
    return permitted == "*" || permitted == origin;
  });
}

Status CheckCorsOrigin(std::string_view origin) {
  if (origin == "*") return absl::OkStatus();
  const size_t scheme = origin.find("://");
  const bool has_host = scheme != origin.npos && scheme > 0 && scheme + 3 < origin.size() &&
                        origin.find_first_of("/?# \t\r\n", scheme + 3) == origin.npos;
  if (has_host) return absl::OkStatus();
  return InvalidArgument("expected `*` or an origin such as `https://shop.example`, found `",
                         Printable(origin), "`");
}

void AddCorsHeaders(const CorsOrigins& origins, const HttpRequest& request, HttpHeaders& headers) {
  if (origins.empty()) return;
  headers.emplace_back("Vary", "Origin");
  const std::string_view origin = request.Header("origin");
  if (origin.empty() || !IsPermitted(origins, origin)) return;
  headers.emplace_back("Access-Control-Allow-Origin", origin);
  headers.emplace_back("Access-Control-Expose-Headers", kExposedHeaders);
}

std::string_view OriginInHeaders(std::string_view bytes) {
  constexpr std::string_view kName = "\norigin:";
  const auto found =
      std::search(bytes.begin(), bytes.end(), kName.begin(), kName.end(),
                  [](unsigned char a, char b) { return absl::ascii_tolower(a) == b; });
  if (found == bytes.end()) return {};
  std::string_view value = bytes.substr(static_cast<size_t>(found - bytes.begin()) + kName.size());
  const size_t end = value.find_first_of("\r\n");
  if (end == value.npos) return {};  // it may not be complete
  value = value.substr(0, end);
  while (value.starts_with(' ') || value.starts_with('\t')) value.remove_prefix(1);
  while (value.ends_with(' ') || value.ends_with('\t')) value.remove_suffix(1);
  const bool is_plain = std::all_of(value.begin(), value.end(), absl::ascii_isgraph);
  return is_plain ? value : std::string_view();
}

std::optional<HttpResponse> PreflightResponse(const CorsOrigins& origins,
                                              const HttpRequest& request) {
  if (origins.empty() || request.method != "OPTIONS") return std::nullopt;
  if (request.Header("access-control-request-method").empty()) return std::nullopt;
  HttpResponse response{.code = 204};
  if (!IsPermitted(origins, request.Header("origin"))) return response;
  response.headers.emplace_back("Access-Control-Allow-Methods", "GET, HEAD, POST, OPTIONS");
  const std::string_view headers = request.Header("access-control-request-headers");
  if (!headers.empty()) response.headers.emplace_back("Access-Control-Allow-Headers", headers);
  response.headers.emplace_back("Access-Control-Max-Age", kMaxAgeSeconds);
  return response;
}

}  // namespace signet
