#include "core/model/unique_names.h"

#include <algorithm>

#include "core/types/identifier.h"
#include "signet/cat.h"

namespace signet {
namespace {

constexpr size_t kMaxLength = 100;

bool IsWordCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

std::string IdentifierFrom(std::string_view text) {
  std::string out;
  for (char c : text.substr(0, kMaxLength)) out += IsWordCharacter(c) ? c : '_';
  if (out.empty() || (out[0] >= '0' && out[0] <= '9')) out.insert(out.begin(), '_');
  if (IsPythonKeyword(out)) out += '_';
  return out;
}

}  // namespace

void UniqueNames::Reserve(std::string_view text) {
  std::string name = IdentifierFrom(text);
  if (name == text && !counts_.contains(name)) reserved_.insert(std::move(name));
}

std::string UniqueNames::Make(std::string_view text) {
  const std::string base = IdentifierFrom(text);
  int& count = counts_[base];
  const bool is_own = base == text && reserved_.erase(base) > 0;
  if (is_own || (count == 0 && !reserved_.contains(base))) {
    count = std::max(count, 1);
    return base;
  }
  int number = std::max(count, 1);
  std::string name;
  do {
    name = Cat(base, "_", ++number);
  } while (counts_.contains(name) || reserved_.contains(name));
  count = number;
  counts_.emplace(name, 1);
  return name;
}

}  // namespace signet
