#include "core/types/identifier.h"

#include <algorithm>
#include <array>

#include "signet/cat.h"

namespace signet {
namespace {

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool IsWord(char c) { return IsLetter(c) || (c >= '0' && c <= '9') || c == '_'; }
bool AllWord(std::string_view text) { return std::all_of(text.begin(), text.end(), IsWord); }

// Sorted by byte.
constexpr std::array<std::string_view, 35> kPythonKeywords = {
    "False", "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
    "class", "continue", "def",   "del",    "elif", "else",   "except", "finally",  "for",
    "from",  "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
    "or",    "pass",     "raise", "return", "try",  "while",  "with",   "yield"};

}  // namespace

bool IsIdentifier(std::string_view text) {
  return !text.empty() && (IsLetter(text[0]) || text[0] == '_') && AllWord(text);
}

bool IsFieldName(std::string_view text) {
  return !text.empty() && IsLetter(text[0]) && AllWord(text);
}

bool IsTypeName(std::string_view text) {
  size_t segments = 0;
  while (true) {
    size_t dot = text.find('.');
    std::string_view segment = text.substr(0, dot);
    if (segment.empty() || !AllWord(segment)) return false;
    ++segments;
    if (dot == std::string_view::npos) return segments >= 2;
    text.remove_prefix(dot + 1);
  }
}

bool IsPythonKeyword(std::string_view text) {
  return std::binary_search(kPythonKeywords.begin(), kPythonKeywords.end(), text);
}

std::string JoinPath(std::string_view path, std::string_view name) {
  return path.empty() ? std::string(name) : Cat(path, ".", name);
}

}  // namespace signet
