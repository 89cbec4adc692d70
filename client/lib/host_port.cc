#include "client/lib/host_port.h"

namespace signet {

std::optional<HostPort> ParseHostPort(std::string_view address) {
  const size_t colon = address.rfind(':');
  if (colon == std::string_view::npos || address.starts_with("unix")) return std::nullopt;
  std::string_view host = address.substr(0, colon);
  const std::string_view port = address.substr(colon + 1);
  const bool has_brackets = host.size() > 2 && host.starts_with('[') && host.ends_with(']');
  if (has_brackets) host = host.substr(1, host.size() - 2);
  if (host.empty() || port.empty()) return std::nullopt;
  if (!has_brackets && host.find(':') != std::string_view::npos) return std::nullopt;
  return HostPort{std::string(host), std::string(port)};
}

}  // namespace signet
