#include "client/cli/signature_text.h"

#include <vector>

#include "core/formats/signet_wire/wire.h"

namespace signet {
namespace {

constexpr size_t kIndent = 2;  // spaces, within parentheses or braces

// Returns the position after the quoted text that begins at `at`.
size_t PositionAfterQuoted(std::string_view text, size_t at) {
  for (++at; at < text.size() && text[at] != '"'; ++at) {
    if (text[at] == '\\') ++at;
  }
  return at < text.size() ? at + 1 : text.size();
}

bool IsOpen(char c) { return c == '(' || c == '{' || c == '['; }
bool IsClose(char c) { return c == ')' || c == '}' || c == ']'; }

// Returns the position of the bracket that closes the one at `open`, or npos if there is none.
size_t FindClose(std::string_view text, size_t open) {
  int depth = 0;
  for (size_t at = open; at < text.size();) {
    if (text[at] == '"') {
      at = PositionAfterQuoted(text, at);
      continue;
    }
    if (IsOpen(text[at])) ++depth;
    if (IsClose(text[at]) && --depth == 0) return at;
    ++at;
  }
  return text.npos;
}

// Returns the parts of `text` between its outermost commas, without the spaces around them.
std::vector<std::string_view> SplitAtCommas(std::string_view text) {
  std::vector<std::string_view> parts;
  auto add = [&](std::string_view part) {
    while (part.starts_with(' ')) part.remove_prefix(1);
    while (part.ends_with(' ')) part.remove_suffix(1);
    parts.push_back(part);
  };
  int depth = 0;
  size_t begin = 0;
  for (size_t at = 0; at < text.size();) {
    if (text[at] == '"') {
      at = PositionAfterQuoted(text, at);
      continue;
    }
    if (IsOpen(text[at])) ++depth;
    if (IsClose(text[at])) --depth;
    if (text[at] == ',' && depth == 0) {
      add(text.substr(begin, at - begin));
      begin = at + 1;
    }
    ++at;
  }
  add(text.substr(begin));
  return parts;
}

// Appends `text`, which begins in column `column` of a line that is indented by `indent` columns.
void Append(std::string_view text, size_t column, size_t indent, size_t width, std::string& out) {
  if (column + text.size() <= width) {
    out.append(text);
    return;
  }
  // Find the first parentheses or braces that are not empty. Brackets with sizes are not broken.
  size_t open = 0;
  size_t close = text.npos;
  while (open < text.size()) {
    if (text[open] == '"') {
      open = PositionAfterQuoted(text, open);
      continue;
    }
    if (text[open] == '(' || text[open] == '{') {
      close = FindClose(text, open);
      if (close == text.npos || close > open + 1) break;
    }
    ++open;
  }
  if (open >= text.size() || close == text.npos) {
    out.append(text);
    return;
  }
  out.append(text.substr(0, open + 1)).push_back('\n');
  std::vector<std::string_view> parts = SplitAtCommas(text.substr(open + 1, close - open - 1));
  for (size_t i = 0; i < parts.size(); ++i) {
    const bool is_last = i + 1 == parts.size();
    out.append(indent + kIndent, ' ');
    // The comma after it needs one column.
    Append(parts[i], indent + kIndent, indent + kIndent, width - (is_last ? 0 : 1), out);
    out.append(is_last ? "\n" : ",\n");
  }
  out.append(indent, ' ').push_back(text[close]);
  Append(text.substr(close + 1), indent + 1, indent, width, out);
}

}  // namespace

std::string TypeText(const v1::TypeSpec& type) {
  if (type.kind_case() == v1::TypeSpec::kText) return type.text();  // with static attributes
  auto spec = wire::TypeFromProto(type, Limits());
  return spec.ok() && *spec ? spec->ToString() : "any";
}

std::string BreakSignature(std::string_view signature, size_t width, size_t indent) {
  std::string out;
  Append(signature, indent, indent, width, out);
  return out;
}

}  // namespace signet
