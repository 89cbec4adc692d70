// SiteCheck: rejects requests by which pages of other sites would use the server in a browser.
//
//   SiteCheck check({.hosts = {"models.example.com"}});
//   SIGNET_RETURN_IF_ERROR(check.Check(request));
//
// A browser sends requests of any page to any server that it reaches, also to one on the same
// machine. Two headers show where a request comes from:
//   1. Host is the name under which the browser knows the server. An owner of a domain can let it
//      resolve to any address (DNS rebinding), so Host must be an address, a name of this machine,
//      or a name that the operator permits. A page cannot have an address as its name.
//   2. Origin and Sec-Fetch-Site name the page of a request other than GET and HEAD. The page must
//      be one of this server, or one with a permitted origin (cors.h). Other clients send neither.
//
// Names of this machine are names without a dot, such as those of services and containers; names
// that end in `.localhost`, `.local`, `.internal`, `.svc`, or another ending that no public domain
// has; the host name; and the names in /etc/hosts. Immutable; thread-safe.

#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "server/http/cors.h"
#include "server/http/http_message.h"
#include "signet/status.h"

namespace signet {

// Returns INVALID_ARGUMENT unless `host` is `*`, a name, an address, or `*.` and a name.
Status CheckHostName(std::string_view host);

class SiteCheck {
 public:
  struct Options {
    // --http_hosts: names in addition to those of this machine. `*.example.com` permits all names
    // that end in `.example.com`, and `*` all names.
    std::vector<std::string> hosts = {};
    CorsOrigins origins = {};
  };

  explicit SiteCheck(Options options);

  // Returns PERMISSION_DENIED for a request that the rules reject. Over HTTPS, a browser has
  // compared the name with the certificate, so rule 1 is not needed without --http_hosts.
  Status Check(const HttpRequest& head) const;

 private:
  bool IsPermittedHost(std::string_view name) const;

  const Options options_;
  std::set<std::string, std::less<>> names_;  // in lower case
};

}  // namespace signet
