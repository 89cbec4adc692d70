#include "client/arguments.h"

#include <fstream>
#include <iostream>
#include <iterator>

#include <nlohmann/json.hpp>

#include "core/types/identifier.h"

namespace signet {
namespace {

// `text` as a JSON string; bytes that are not UTF-8 as {"b64": ".."}.
std::string QuoteJson(const std::string& text) {
  try {
    return nlohmann::json(text).dump();
  } catch (const nlohmann::json::type_error&) {
    constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    for (size_t i = 0; i < text.size(); i += 3) {
      unsigned bits = 0;
      for (size_t k = 0; k < 3; ++k) {
        bits = bits << 8 | (i + k < text.size() ? static_cast<unsigned char>(text[i + k]) : 0u);
      }
      for (size_t k = 0; k < 4; ++k) {
        out += i + k <= text.size() ? kDigits[bits >> (18 - 6 * k) & 63] : '=';
      }
    }
    return Cat("{\"b64\": \"", out, "\"}");
  }
}

StatusOr<std::string> JsonOf(const std::string& word, const ReadText& read) {
  if (word == "-") return read(word);
  if (word.size() > 1 && word[0] == '@') {
    SIGNET_ASSIGN_OR_RETURN(std::string text, read(word.substr(1)));
    return text;
  }
  if (word == "True") return "true";
  if (word == "False") return "false";
  if (word == "None") return "null";
  if (nlohmann::json::accept(word)) return word;
  return QuoteJson(word);
}

}  // namespace

std::pair<std::string, std::string> SplitKeyword(const std::string& word) {
  size_t equals = word.find('=');
  if (equals == std::string::npos || !IsIdentifier(word.substr(0, equals))) return {"", word};
  return {word.substr(0, equals), word.substr(equals + 1)};
}

StatusOr<std::string> ReadTextFile(const std::string& path) {
  if (path == "-") {
    return std::string(std::istreambuf_iterator<char>(std::cin), std::istreambuf_iterator<char>());
  }
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (file.bad() || !file.is_open()) {
    return InvalidArgument("`@", Printable(path), "`: the file cannot be read");
  }
  return text;
}

Status AddArguments(const std::vector<std::string>& words, CallSpec& call, const ReadText& read) {
  for (const std::string& word : words) {
    if (auto [name, rest] = SplitKeyword(word); !name.empty()) {
      SIGNET_ASSIGN_OR_RETURN(std::string json, JsonOf(rest, read));
      call.kwargs.emplace_back(name, Json{std::move(json)});
      continue;
    }
    if (!call.kwargs.empty()) {
      return InvalidArgument("`", Printable(word), "` follows `", call.kwargs.back().first,
                             "=...`; positional arguments come before keyword arguments");
    }
    SIGNET_ASSIGN_OR_RETURN(std::string json, JsonOf(word, read));
    call.args.emplace_back(Json{std::move(json)});
  }
  return absl::OkStatus();
}

}  // namespace signet
