#include "core/model/language/syntax/notation_errors.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <utility>

#include "signet/cat.h"

namespace signet {
namespace {

// Returns the position in the source of a position in the notation.
size_t SourceOffset(const TokenList& tokens, size_t notation) {
  const auto& list = tokens.tokens;
  auto after = std::upper_bound(
      list.begin(), list.end(), notation,
      [](size_t position, const Token& token) { return position < token.notation; });
  if (after == list.begin()) return list.front().begin;
  const Token& token = *(after - 1);
  const size_t offset = notation - token.notation;
  if (token.kind == Token::Kind::kString) return token.begin;
  const size_t size = token.end - token.begin;
  if (offset < size) return token.begin + offset;
  return after == list.end() || offset == size ? token.end : size_t{after->begin};
}

struct StatedColumn {
  size_t column;
  std::string message;  // without the column
};

// Finds `column 12: ` in a message.
std::optional<StatedColumn> ReadColumn(std::string_view message) {
  constexpr std::string_view kWord = "column ";
  const size_t begin = message.find(kWord);
  if (begin == message.npos) return std::nullopt;
  size_t column = 0;
  const char* digits = message.data() + begin + kWord.size();
  auto [end, error] = std::from_chars(digits, message.data() + message.size(), column);
  const auto rest = static_cast<size_t>(end - message.data());
  if (error != std::errc() || !message.substr(rest).starts_with(": ")) return std::nullopt;
  return StatedColumn{column, Cat(message.substr(0, begin), message.substr(rest + 2))};
}

}  // namespace

void AddNotationError(const TokenList& tokens, NotationRange range, size_t fallback,
                      const Status& status, SourceErrors& errors) {
  if (errors.is_full()) return;
  const std::string_view message = MessageOf(status);
  if (auto stated = ReadColumn(message)) {
    // The text of the range may end with spaces, which are not part of the source.
    const size_t offset = std::min(range.begin + stated->column - 1, range.end);
    return errors.Add(SourceOffset(tokens, offset), std::move(stated->message));
  }
  // Point at the first name in backticks that occurs in the range; of a duplicate, at the last.
  const auto first = std::lower_bound(
      tokens.tokens.begin(), tokens.tokens.end(), range.begin,
      [](const Token& token, size_t position) { return token.notation < position; });
  const bool is_duplicate =
      message.find("duplicate") != message.npos || message.find("two parameters") != message.npos;
  for (size_t begin = message.find('`'); begin != message.npos;) {
    const size_t end = message.find('`', begin + 1);
    if (end == message.npos) break;
    const std::string_view name = message.substr(begin + 1, end - begin - 1);
    const Token* named = nullptr;
    for (auto token = first; token != tokens.tokens.end() && token->notation < range.end; ++token) {
      if (token->text == name && (named == nullptr || is_duplicate)) named = &*token;
    }
    if (named != nullptr) return errors.Add(named->begin, std::string(message));
    begin = message.find('`', end + 1);
  }
  errors.Add(fallback, std::string(message));
}

}  // namespace signet
