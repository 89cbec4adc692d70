// Cross-origin requests: which pages of other sites may read responses (--http_cors_origins).
//
//   CorsOrigins origins = {"https://shop.example"};
//   AddCorsHeaders(origins, request, response.headers);
//
// The Fetch standard defines the headers. Without an origin in the list, no header is sent, and
// browsers do not show responses to pages of other sites. Credentials of browsers (cookies) are
// not permitted; a page sends a token in Authorization. Stateless; thread-safe.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "server/http/http_message.h"
#include "signet/status.h"

namespace signet {

// Origins such as `https://shop.example`, or `*` for every page.
using CorsOrigins = std::vector<std::string>;

// Returns INVALID_ARGUMENT unless `origin` is `*` or `SCHEME://HOST[:PORT]`.
Status CheckCorsOrigin(std::string_view origin);

// Returns true if pages with this origin may use the server.
bool IsPermitted(const CorsOrigins& origins, std::string_view origin);

// Adds the headers that let the page of the request read the response.
void AddCorsHeaders(const CorsOrigins& origins, const HttpRequest& request, HttpHeaders& headers);

// Returns the value of the header Origin in the bytes of headers that are not valid or not
// complete. Returns an empty text if there is none, or if it contains characters that no origin
// has.
std::string_view OriginInHeaders(std::string_view bytes);

// Returns the response to a preflight request, by which a browser finds out whether a page may send
// a request. Returns nothing for other requests, and if no origin is permitted.
std::optional<HttpResponse> PreflightResponse(const CorsOrigins& origins,
                                              const HttpRequest& request);

}  // namespace signet
