#include "server/stream_counts.h"

#include <charconv>
#include <functional>

#include <grpc/grpc.h>
#include <grpc/support/alloc.h>

namespace signet {
namespace {

constexpr std::chrono::milliseconds kListInterval(200);
constexpr std::string_view kTransport = "chttp2 ";  // begins the name of a socket

// The text that gRPC allocated, or nothing for null.
std::string Take(char* text) {
  std::string out = text == nullptr ? "" : text;
  gpr_free(text);
  return out;
}

// The value of the first `"key":"value"` in `json` from `from` on; empty if there is none.
std::string_view ValueOf(std::string_view json, std::string_view key, size_t& from) {
  std::string wanted = "\"";
  wanted.append(key).append("\":\"");
  size_t start = json.find(wanted, from);
  if (start == std::string_view::npos) return {};
  start += wanted.size();
  size_t end = json.find('"', start);
  if (end == std::string_view::npos) return {};
  from = end;
  return json.substr(start, end - start);
}

int64_t NumberOf(std::string_view json, std::string_view key, size_t& from) {
  std::string_view text = ValueOf(json, key, from);
  int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

int64_t NumberOf(std::string_view json, std::string_view key) {
  size_t from = 0;
  return NumberOf(json, key, from);
}

// Calls `read` with each page of a list, which `page` returns from an id on; `read` returns the
// largest id of its page, or 0 if the page is empty.
void ForEachPage(const std::function<std::string(intptr_t from)>& page,
                 const std::function<int64_t(std::string_view json)>& read) {
  int64_t last = -1;
  while (true) {
    std::string json = page(static_cast<intptr_t>(last + 1));
    int64_t next = read(json);
    if (next <= last || json.find("\"end\":true") != std::string::npos) return;
    last = next;
  }
}

}  // namespace

StreamCounts ParseStreamCounts(std::string_view json) {
  return {.started = NumberOf(json, "streamsStarted"),
          .succeeded = NumberOf(json, "streamsSucceeded"),
          .failed = NumberOf(json, "streamsFailed"),
          .messages = NumberOf(json, "messagesReceived")};
}

void StreamCounter::ListSockets() {
  sockets_.clear();
  auto read_sockets = [this](std::string_view json) {
    int64_t last = 0;
    for (size_t from = 0;;) {
      std::string_view name = ValueOf(json, "name", from);
      int64_t id = NumberOf(json, "socketId", from);  // follows the name of the same socket
      if (name.empty() || id == 0) return last;
      last = id;
      if (name.starts_with(kTransport)) {
        sockets_[std::string(name.substr(kTransport.size()))] = static_cast<intptr_t>(id);
      }
    }
  };
  auto read_servers = [&](std::string_view json) {
    int64_t last = 0;
    for (size_t from = 0;;) {
      int64_t id = NumberOf(json, "serverId", from);
      if (id == 0) return last;
      last = id;
      ForEachPage(
          [id](intptr_t first) {
            return Take(grpc_channelz_get_server_sockets(static_cast<intptr_t>(id), first, 0));
          },
          read_sockets);
    }
  };
  ForEachPage([](intptr_t first) { return Take(grpc_channelz_get_servers(first)); }, read_servers);
}

std::optional<StreamCounts> StreamCounter::Find(const std::string& peer) {
  auto now = std::chrono::steady_clock::now();
  if (!sockets_.contains(peer) && now >= list_again_) {
    ListSockets();
    list_again_ = now + kListInterval;
  }
  auto found = sockets_.find(peer);
  if (found == sockets_.end()) return std::nullopt;
  std::string json = Take(grpc_channelz_get_socket(found->second));
  if (json.find(peer) == std::string::npos) {  // the socket is gone, and its id with it
    sockets_.erase(found);
    return std::nullopt;
  }
  return ParseStreamCounts(json);
}

}  // namespace signet
