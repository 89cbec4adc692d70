#include "core/serving/examples/argument_words.h"

#include <algorithm>
#include <cstring>

#include <absl/strings/ascii.h>
#include <nlohmann/json.hpp>

#include "core/base/nearest_name.h"
#include "core/formats/json/json_numbers.h"
#include "core/types/identifier.h"
#include "core/types/notation/notation.h"
#include "core/values/builders/value_notation.h"
#include "signet/dtype.h"

namespace signet {
namespace {

// Returns `text` as a JSON string, or as {"b64": "..."} if it is not UTF-8.
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

// Returns true if a word is JSON or begins like JSON. The server reports errors in it.
bool BeginsLikeJson(const std::string& word) {
  size_t first = word.find_first_not_of(" \t\r\n");
  bool is_nest_or_text = first != word.npos && std::strchr("[{\"", word[first]) != nullptr;
  return is_nest_or_text || IsJson(word);
}

// Returns the length in bytes of the quoted text with which `word` begins, or 0 if there is none.
size_t QuotedLength(const std::string& word) {
  if (word.empty() || word[0] != '"') return 0;
  for (size_t i = 1; i < word.size(); ++i) {
    if (word[i] == '\\') {
      ++i;
    } else if (word[i] == '"') {
      return i + 1;
    }
  }
  return 0;
}

// Rejects `input:0=[1]`, because `input:0` names a value of a graph, not a parameter.
Status CheckNoGraphName(const std::string& word) {
  size_t equals = word.find('=');
  if (equals == word.npos || equals + 1 == word.size()) return absl::OkStatus();
  std::string name = word.substr(0, equals);
  bool is_graph_name =
      name.find_first_of(":/.") != name.npos && std::all_of(name.begin(), name.end(), [](char c) {
        return absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
               std::strchr("_:/.", c) != nullptr;
      });
  if (!is_graph_name || std::strchr("[{\"@", word[equals + 1]) == nullptr) return absl::OkStatus();
  return InvalidArgument(
      "`", name, "=...`: expected the name of a parameter (letters, digits, and `_`), found `",
      name, "`; `signet describe MODEL` prints the names; to pass a string, quote it: '\"", name,
      "=...\"'");
}

// Returns true if a word is a value in the notation or begins like one: a type, then the beginning
// of data. Plain values are JSON instead.
bool BeginsLikeNotation(const std::string& word) {
  NotationReader in(word);
  auto type = in.ReadType();
  if (!type.ok() || type->is(TypeKind::kLiteral) || in.AtEnd()) return false;
  return in.AtLiteral() || in.Peek("[") || in.Peek("{");
}

// Rejects `float23[2] [1, 2]`: a word that is not JSON, with a name near to a dtype, brackets, and
// the beginning of data.
Status CheckNoMisspelledType(const std::string& word) {
  const size_t open = word.find('[');
  if (open == word.npos || !IsIdentifier(word.substr(0, open))) return absl::OkStatus();
  const size_t close = word.find(']', open);
  if (close == word.npos) return absl::OkStatus();
  const size_t data = word.find_first_not_of(' ', close + 1);
  const bool has_data = data != word.npos && data > close + 1 &&
                        std::strchr("[{\"-0123456789", word[data]) != nullptr;
  if (!has_data) return absl::OkStatus();
  std::vector<std::string_view> known;
  for (const DTypeInfo& info : AllDTypes()) known.push_back(info.name);
  const std::string name = word.substr(0, open);
  auto nearest = NearestName(name, known);
  if (!nearest || *nearest == name) return absl::OkStatus();
  return InvalidArgument("`", Printable(word), "`: expected a type, found `", name,
                         "`; the nearest is `", *nearest, "`; to pass a string, quote it: '\"",
                         name, "...\"'");
}

StatusOr<std::variant<Value, JsonWord>> ParseArgument(const std::string& word,
                                                      const ReadText& read) {
  if (word == "-" || (word.size() > 1 && word[0] == '@')) {
    SIGNET_ASSIGN_OR_RETURN(std::string text, read(word == "-" ? word : word.substr(1)));
    return JsonWord{std::move(text)};
  }
  if (word == "True") return JsonWord{"true"};
  if (word == "False") return JsonWord{"false"};
  if (word == "None") return JsonWord{"null"};
  if (!IsJson(word) && BeginsLikeNotation(word)) {
    auto value = ParseValue(word);
    if (!value.ok()) return At(Cat("`", Printable(word), "`"), std::move(value).status());
    return *std::move(value);
  }
  if (BeginsLikeJson(word)) return JsonWord{word};
  SIGNET_RETURN_IF_ERROR(CheckNoMisspelledType(word));
  return JsonWord{QuoteJson(word)};
}

}  // namespace

StatusOr<std::vector<ArgumentWord>> ParseArgumentWords(const std::vector<std::string>& words,
                                                       const ReadText& read) {
  std::vector<ArgumentWord> out;
  std::string last_keyword;
  bool has_keyword = false;
  for (const std::string& word : words) {
    if (auto [name, rest] = SplitKeyword(word); name) {
      SIGNET_ASSIGN_OR_RETURN(auto value, ParseArgument(rest, read));
      out.push_back({name, std::move(value)});
      last_keyword = *name;
      has_keyword = true;
      continue;
    }
    if (has_keyword) {
      return InvalidArgument("expected positional arguments before keyword arguments, found `",
                             Printable(word), "` after `", last_keyword, "=...`");
    }
    SIGNET_RETURN_IF_ERROR(CheckNoGraphName(word));
    SIGNET_ASSIGN_OR_RETURN(auto value, ParseArgument(word, read));
    out.push_back({std::nullopt, std::move(value)});
  }
  return out;
}

StatusOr<std::vector<std::string>> SplitWords(const std::string& text) {
  std::vector<std::string> words;
  bool is_in_word = false;
  char quote = '\0';  // the quotation mark that is open
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    bool is_escape = c == '\\' && quote != '\'' && i + 1 < text.size();
    if (quote == '\0' && (c == ' ' || c == '\t' || c == '\n')) {
      is_in_word = false;
      continue;
    }
    if (!is_in_word) words.emplace_back();
    is_in_word = true;
    if (is_escape) {
      words.back() += text[++i];
    } else if (c == quote) {
      quote = '\0';
    } else if (quote == '\0' && (c == '\'' || c == '"')) {
      quote = c;
    } else {
      words.back() += c;
    }
  }
  if (quote != '\0') return InvalidArgument("expected a closing quotation mark, found the end");
  return words;
}

bool IsJson(const std::string& word) {
  // nlohmann::json rejects numbers that a double cannot hold.
  constexpr std::string_view kSpaces = " \t\r\n";
  std::string_view number = word;
  number.remove_prefix(std::min(number.find_first_not_of(kSpaces), number.size()));
  number = number.substr(0, number.find_last_not_of(kSpaces) + 1);
  return json::FormOf(number).is_number || nlohmann::json::accept(word);
}

std::pair<std::optional<std::string>, std::string> SplitKeyword(const std::string& word) {
  if (size_t end = QuotedLength(word); end > 0 && end < word.size() && word[end] == '=') {
    auto name = nlohmann::json::parse(word.substr(0, end), nullptr, /*allow_exceptions=*/false);
    if (name.is_string()) return {name.get<std::string>(), word.substr(end + 1)};
  }
  size_t equals = word.find('=');
  if (equals == std::string::npos || !IsIdentifier(word.substr(0, equals))) {
    return {std::nullopt, word};
  }
  return {word.substr(0, equals), word.substr(equals + 1)};
}

}  // namespace signet
