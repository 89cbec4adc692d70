#include "core/model/language/wrap_lines.h"

#include <algorithm>
#include <vector>

#include "core/model/language/syntax/parser.h"
#include "signet/cat.h"
#include "signet/literal.h"

namespace signet {
namespace {

constexpr std::string_view kIndent = "    ";

// Returns the places of the commas in `text` that are not in quotation marks, and in at most
// `depth` brackets.
std::vector<size_t> CommasOf(std::string_view text, int depth) {
  std::vector<size_t> commas;
  bool is_quoted = false;
  int open = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (is_quoted) {
      if (c == '\\') ++i;
      is_quoted = c != '"';
      continue;
    }
    const bool is_arrow = c == '>' && i > 0 && text[i - 1] == '-';
    if (c == '"') {
      is_quoted = true;
    } else if (c == '(' || c == '[' || c == '{' || c == '<') {
      ++open;
    } else if ((c == ')' || c == ']' || c == '}' || c == '>') && !is_arrow) {
      --open;
    } else if (c == ',' && open <= depth) {
      commas.push_back(i);
    }
  }
  return commas;
}

// Returns the place after the parenthesis that closes the first character of `text`.
size_t EndOfParentheses(std::string_view text) {
  bool is_quoted = false;
  int open = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (is_quoted) {
      if (c == '\\') ++i;
      is_quoted = c != '"';
    } else if (c == '"') {
      is_quoted = true;
    } else if (c == '(') {
      ++open;
    } else if (c == ')' && --open == 0) {
      return i + 1;
    }
  }
  return text.size();
}

}  // namespace

std::string WrapSignature(std::string_view head, std::string_view signature) {
  const size_t end = EndOfParentheses(signature);
  const bool has_parameters = end > 2;
  if (head.size() + signature.size() < kLongestLine || !has_parameters) {
    return Cat(head, signature);
  }
  const std::string_view parameters = signature.substr(1, end - 2);
  std::string out = Cat(head, "(\n");
  size_t start = 0;
  for (size_t comma : CommasOf(parameters, 0)) {
    out += Cat(kIndent, parameters.substr(start, comma + 1 - start), "\n");
    start = parameters.find_first_not_of(' ', comma + 1);
  }
  return out + Cat(kIndent, parameters.substr(start), "\n)", signature.substr(end));
}

std::string WrapElements(std::string_view text) {
  constexpr int kAnyDepth = 1000;
  std::string out;
  size_t start = 0;  // of the line
  size_t last = 0;   // the place after the last comma that is part of the line
  auto break_line = [&](size_t end) {
    if (end - start <= kLongestLine || last <= start) return;
    out += Cat(text.substr(start, last - start), "\n", kIndent);
    start = text.find_first_not_of(' ', last);
  };
  for (size_t comma : CommasOf(text, kAnyDepth)) {
    break_line(comma + 1);
    last = comma + 1;
  }
  break_line(text.size());
  return out + std::string(text.substr(start));
}

std::string PrintDoc(std::string_view doc) {
  if (doc.empty()) return {};
  const bool is_plain = std::all_of(doc.begin(), doc.end(), [](char c) {
    return c == '\n' || (static_cast<unsigned char>(c) >= 0x20 && c != 0x7F && c != '\\');
  });
  const bool has_quotes = doc.find("\"\"\"") != doc.npos || doc.back() == '"';
  if (is_plain && !has_quotes && doc.find('\n') != doc.npos) {
    std::string text = Cat("\"\"\"", doc, "\n\"\"\"\n");
    if (WithoutIndentation(text.substr(3, text.size() - 7)) == doc) return text;
  }
  if (is_plain && !has_quotes && doc.find('\n') == doc.npos && WithoutIndentation(doc) == doc) {
    return Cat("\"\"\"", doc, "\"\"\"\n");
  }
  return Cat(Quote(doc), "\n");
}

std::string Indented(std::string_view text, size_t indent) {
  std::string out;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    if (end > begin) out.append(indent, ' ').append(text.substr(begin, end - begin));
    out.push_back('\n');
    begin = end + 1;
  }
  return out;
}

}  // namespace signet
