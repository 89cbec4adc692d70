#include "server/security/token_table.h"

#include <algorithm>
#include <sstream>
#include <vector>

#include <absl/strings/ascii.h>
#include <absl/time/time.h>

namespace signet {
namespace {

constexpr size_t kMaxNameBytes = 200;

bool IsName(std::string_view text) {
  return text.size() <= kMaxNameBytes && std::all_of(text.begin(), text.end(), [](unsigned char c) {
           return absl::ascii_isgraph(c) && c != '*';
         });
}

}  // namespace

StatusOr<TokenTable> TokenTable::Parse(std::string_view text) {
  TokenTable out;
  int number = 0;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    ++number;
    std::istringstream columns(line);
    std::vector<std::string> words;
    for (std::string word; columns >> word;) words.push_back(word);
    if (words.empty() || words[0].starts_with('#')) continue;
    auto fail = [number](const auto&... why) {
      return InvalidArgument("line ", number, ": ", why...);
    };
    if (words.size() != 2 && words.size() != 3) {
      return fail("expected `NAME SHA256` or `NAME SHA256 EXPIRY`, found ", words.size(), " words");
    }
    if (!IsName(words[0])) {
      return fail("expected a name of at most ", kMaxNameBytes,
                  " printable ASCII characters without `*`");
    }
    auto digest = ParseDigest(words[1]);
    if (!digest.has_value()) {
      return fail("expected the SHA-256 of a token as 64 hexadecimal digits, found ",
                  words[1].size(), " characters; `printf %s TOKEN | sha256sum` prints it");
    }
    Identity identity{.names = {Cat("token:", words[0])}};
    if (words.size() == 3) {
      std::string error;
      if (!absl::ParseTime(absl::RFC3339_full, words[2], &identity.expires, &error)) {
        return fail("expected a time such as 2027-01-31T00:00:00Z as the third word");
      }
    }
    if (!out.tokens_.emplace(*digest, std::move(identity)).second) {
      return fail("the token is listed twice");
    }
  }
  return out;
}

const Identity* TokenTable::Lookup(const Digest& digest) const {
  auto found = tokens_.find(digest);
  return found == tokens_.end() ? nullptr : &found->second;
}

}  // namespace signet
