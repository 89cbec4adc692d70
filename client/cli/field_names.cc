#include "client/cli/field_names.h"

#include <nlohmann/json.hpp>

#include "core/formats/json/json_tokens.h"

namespace signet {

std::string RenameFields(std::string_view text, const FieldNames& names) {
  if (names.empty()) return std::string(text);
  auto json = JsonText::Make(text);
  if (!json.ok()) return std::string(text);
  JsonTokens tokens = json->tokens();
  std::string out;
  std::string memory;
  size_t copied = 0;  // bytes of `text`
  int depth = 0;
  while (!tokens.AtEnd()) {
    const char next = tokens.Peek();
    if (next == '[') {
      tokens.Pass();  // a list of records
      if (++depth > 1) break;
      continue;
    }
    if (next != '{') {
      tokens.Pass();
      continue;
    }
    tokens.Pass();
    while (tokens.Peek() == '"') {
      const size_t begin = tokens.at();
      std::string_view key = tokens.TakeText();
      const size_t end = begin + key.size() + 2;  // with the quotes
      if (JsonTokens::HasEscape(key)) {
        if (!tokens.Unescape(key, memory)) return std::string(text);
        key = memory;
      }
      if (auto found = names.find(key); found != names.end()) {
        out.append(text.substr(copied, begin - copied));
        out += nlohmann::json(found->second).dump();
        copied = end;
      }
      if (!tokens.Take(':') || !tokens.Skip() || !tokens.Take(',')) break;
    }
  }
  out.append(text.substr(copied));
  return out;
}

}  // namespace signet
