#include "server/http/http_message.h"

#include <absl/strings/match.h>

namespace signet {

std::string_view FindHeader(const HttpHeaders& headers, std::string_view name) {
  for (const auto& [key, value] : headers) {
    if (IsWord(key, name)) return value;
  }
  return {};
}

bool IsWord(std::string_view value, std::string_view word) {
  return absl::EqualsIgnoreCase(absl::string_view(value.data(), value.size()),
                                absl::string_view(word.data(), word.size()));
}

size_t BodySizeOf(std::span<const Buffer> body) {
  size_t size = 0;
  for (const Buffer& piece : body) size += piece.size();
  return size;
}

std::string_view ReasonPhraseOf(int code) {
  switch (code) {
    case 200:
      return "OK";
    case 204:
      return "No Content";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 406:
      return "Not Acceptable";
    case 408:
      return "Request Timeout";
    case 409:
      return "Conflict";
    case 413:
      return "Content Too Large";
    case 415:
      return "Unsupported Media Type";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 499:
      return "Client Closed Request";
    case 500:
      return "Internal Server Error";
    case 501:
      return "Not Implemented";
    case 503:
      return "Service Unavailable";
    case 504:
      return "Gateway Timeout";
    default:
      return "Status";
  }
}

}  // namespace signet
