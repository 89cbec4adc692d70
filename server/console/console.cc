#include "server/console/console.h"

#include <absl/strings/str_replace.h>

#include "core/base/hash.h"
#include "signet/cat.h"

namespace signet {
namespace {

constexpr std::string_view kPrefix = "/console/";
constexpr char kPolicy[] =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

std::string_view ContentTypeOf(std::string_view name) {
  if (name.ends_with(".html")) return "text/html; charset=utf-8";
  if (name.ends_with(".css")) return "text/css; charset=utf-8";
  if (name.ends_with(".js")) return "text/javascript; charset=utf-8";
  if (name.ends_with(".svg")) return "image/svg+xml";
  return "application/octet-stream";
}

const ConsoleFile* LookupFile(std::string_view path) {
  if (path == "/") path = "/console/index.html";
  if (!path.starts_with(kPrefix)) return nullptr;
  for (const ConsoleFile& file : ConsoleFiles()) {
    if (file.name == path.substr(kPrefix.size())) return &file;
  }
  return nullptr;
}

}  // namespace

std::optional<HttpResponse> ConsolePage(const HttpRequest& request, int grpc_port) {
  const ConsoleFile* file = LookupFile(request.path);
  if (file == nullptr) return std::nullopt;
  std::string content(file->content);
  if (file->name == "index.html") {
    content = absl::StrReplaceAll(content, {{"GRPC_PORT", Cat(grpc_port)}});
  }
  const std::string tag = Cat("\"", HashBytes(content), "\"");
  HttpResponse response{.content_type = std::string(ContentTypeOf(file->name))};
  response.headers = {{"ETag", tag},
                      {"Cache-Control", "no-cache"},
                      {"Content-Security-Policy", kPolicy},
                      {"X-Content-Type-Options", "nosniff"},
                      {"Referrer-Policy", "no-referrer"}};
  if (request.Header("if-none-match") == tag) {
    response.code = 304;
    return response;
  }
  response.body = {Buffer::Copy(content)};
  response.may_compress = true;
  return response;
}

}  // namespace signet
