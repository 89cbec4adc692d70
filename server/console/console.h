// The console: the page that a browser shows at / with --console.
//
//   if (auto response = ConsolePage(request, 8500)) exchange->Respond(*std::move(response));
//
// The files of server/console/static are part of the program (cmake/console.cmake). They contain
// no data; the page requests data from the JSON API, with the token that its user enters. A strict
// Content-Security-Policy permits scripts, styles, and requests of the same origin only. Browsers
// keep the files and ask with If-None-Match whether they have changed. Stateless; thread-safe.

#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "server/http/http_message.h"

namespace signet {

// A file of server/console/static.
struct ConsoleFile {
  std::string_view name;  // `app.js`
  std::string_view content;
};

// All files, in a source that CMake generates.
std::span<const ConsoleFile> ConsoleFiles();

// Returns the response for `/` and for the files of the console, or nothing for other paths.
// `grpc_port` is the port for gRPC, which the page names in calls that users copy.
std::optional<HttpResponse> ConsolePage(const HttpRequest& request, int grpc_port);

}  // namespace signet
