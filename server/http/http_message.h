// HttpRequest, HttpResponse: the messages of HTTP/1.1, as handlers see them.

#pragma once

#include <chrono>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "server/transport/compression.h"
#include "signet/buffer.h"

namespace signet {

using HttpHeaders = std::vector<std::pair<std::string, std::string>>;

// Returns the value of the first header with this name, in any case of letters; empty if there is
// none.
std::string_view FindHeader(const HttpHeaders& headers, std::string_view name);

// Returns true if the value of a header is `word`, in any case of letters.
bool IsWord(std::string_view value, std::string_view word);

struct HttpRequest {
  std::string method;
  std::string path;   // with its escapes, without the query
  std::string query;  // without `?`
  HttpHeaders headers = {};
  Buffer body = {};       // complete and expanded; empty if the handler reads the body itself
  std::string peer;       // `ipv4:127.0.0.1:50100`, as gRPC names peers
  bool is_https = false;  // the connection uses TLS
  // The names in the certificate of the client, which TLS has verified.
  std::vector<std::string> certificate_names = {};
  std::chrono::steady_clock::time_point arrival = {};  // of the headers and the body

  std::string_view Header(std::string_view name) const { return FindHeader(headers, name); }
};

struct HttpResponse {
  int code = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::vector<Buffer> body = {};
  HttpHeaders headers = {};  // in addition to Content-Type and Content-Length
  // Compressed if the client accepts that.
  bool may_compress = false;
  // Set if other responses have the same body.
  std::shared_ptr<CompressOnce> compressed = {};
  // Set by HttpExchange::Prepare.
  bool is_prepared = false;
  std::shared_ptr<void> unread = {};  // counts the response as unread

  static HttpResponse Text(int code, std::string_view text) {
    return {.code = code, .body = {Buffer::Copy(text)}};
  }
};

// Returns the number of bytes of a body.
size_t BodySizeOf(std::span<const Buffer> body);

// The words that follow the code, such as `Not Found`.
std::string_view ReasonPhraseOf(int code);

}  // namespace signet
