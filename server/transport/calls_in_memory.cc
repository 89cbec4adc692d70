#include "server/transport/calls_in_memory.h"

#include <charconv>
#include <memory>
#include <string_view>

#include <grpc/grpc.h>
#include <grpc/support/alloc.h>

namespace signet {

using std::chrono::steady_clock;

namespace {

constexpr intptr_t kSocketsPerPage = 1000;

struct ChannelzTextDeleter {
  void operator()(char* text) const { gpr_free(text); }
};
using ChannelzText = std::unique_ptr<char, ChannelzTextDeleter>;

// Returns the text from the end of the next `key` to the next quote, and removes both from `json`.
// Channelz writes its JSON without spaces, and the texts that are read here contain no escapes.
std::optional<std::string_view> NextChannelzText(std::string_view& json, std::string_view key) {
  size_t begin = json.find(key);
  if (begin == std::string_view::npos) return std::nullopt;
  json.remove_prefix(begin + key.size());
  size_t end = json.find('"');
  if (end == std::string_view::npos) return std::nullopt;
  std::string_view text = json.substr(0, end);
  json.remove_prefix(end);
  return text;
}

int64_t ChannelzNumber(std::string_view text) {
  int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// Channelz leaves out counts that are 0.
int64_t ChannelzCount(std::string_view json, std::string_view key) {
  return ChannelzNumber(NextChannelzText(json, key).value_or("0"));
}

// Adds the sockets of a server. Later sockets of the same peer have higher numbers.
void AddSocketIds(intptr_t server, std::unordered_map<std::string, intptr_t>& ids) {
  intptr_t first = 0;
  while (true) {
    ChannelzText page(grpc_channelz_get_server_sockets(server, first, kSocketsPerPage));
    if (page == nullptr) return;
    std::string_view json = page.get();
    intptr_t count = 0;
    while (auto name = NextChannelzText(json, R"("name":")")) {
      auto id = NextChannelzText(json, R"("socketId":")");
      if (!id.has_value()) return;
      first = ChannelzNumber(*id) + 1;
      ids[std::string(name->substr(name->rfind(' ') + 1))] = first - 1;  // `chttp2 PEER`
      ++count;
    }
    if (count < kSocketsPerPage) return;
  }
}

std::unordered_map<std::string, intptr_t> ReadSocketIds() {
  std::unordered_map<std::string, intptr_t> ids;
  ChannelzText servers(grpc_channelz_get_servers(0));
  if (servers == nullptr) return ids;
  std::string_view json = servers.get();
  while (auto server = NextChannelzText(json, R"("serverId":")"))
    AddSocketIds(ChannelzNumber(*server), ids);
  return ids;
}

std::optional<int64_t> CountCallsOf(intptr_t id) {
  ChannelzText socket(grpc_channelz_get_socket(id));
  if (socket == nullptr) return std::nullopt;
  std::string_view json = socket.get();
  return ChannelzCount(json, R"("streamsStarted":")") -
         ChannelzCount(json, R"("streamsSucceeded":")") -
         ChannelzCount(json, R"("streamsFailed":")");
}

}  // namespace

std::optional<int64_t> CallsInMemory::Count(const std::string& peer) {
  auto found = ids_.find(peer);
  if (found != ids_.end()) {
    if (auto count = CountCallsOf(found->second)) return count;
  }
  // The connection is new, or has ended.
  if (steady_clock::now() < read_again_) return std::nullopt;
  ids_ = ReadSocketIds();
  read_again_ = steady_clock::now() + kInterval;
  found = ids_.find(peer);
  if (found == ids_.end()) return 0;
  return CountCallsOf(found->second).value_or(0);
}

}  // namespace signet
