#include "signet/cat.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/base/utf8.h"

namespace signet {
namespace {

template <class Number>
void AppendChars(std::string& out, Number number) {
  char digits[32];
  auto end = std::to_chars(digits, digits + sizeof(digits), number).ptr;
  out.append(digits, end);
}

}  // namespace

void AppendNumber(std::string& out, long long number) { AppendChars(out, number); }
void AppendNumber(std::string& out, unsigned long long number) { AppendChars(out, number); }

void AppendNumber(std::string& out, double number) {
  if (std::isnan(number)) {
    out.append("nan");
  } else if (std::isinf(number)) {
    out.append(number > 0 ? "inf" : "-inf");
  } else {
    size_t start = out.size();
    AppendChars(out, number);
    if (out.find_first_of(".e", start) == std::string::npos) out.append(".0");
  }
}

std::string Printable(std::string_view text) {
  constexpr size_t kLongest = 64;
  std::string out;
  for (char c : text.substr(0, kLongest)) {
    auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      AppendEscaped(c, out);
    } else {
      out.push_back(c);
    }
  }
  if (text.size() > kLongest) {
    // Do not leave half a UTF-8 sequence at the cut.
    while (!out.empty() && (static_cast<unsigned char>(out.back()) & 0xc0) == 0x80) out.pop_back();
    if (!out.empty() && (static_cast<unsigned char>(out.back()) & 0x80) != 0) out.pop_back();
    out.append("...");
  }
  return out;
}

std::string ListNames(std::vector<std::string> names) {
  constexpr size_t kMost = 8;
  if (names.empty()) return "none";
  std::sort(names.begin(), names.end());
  size_t left_out = names.size() > kMost ? names.size() - kMost : 0;
  names.resize(names.size() - left_out);
  std::string out;
  for (const std::string& name : names) {
    if (!out.empty()) out.append(", ");
    out.append("`").append(Printable(name)).append("`");
  }
  if (left_out > 0) out.append(Cat(" and ", left_out, " more"));
  return out;
}

}  // namespace signet
