#include "core/model/unique_names.h"

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

std::string UniqueNames::Make(std::string_view text) {
  std::string base = IdentifierFrom(text);
  std::string name = base;
  int& count = counts_[base];
  if (++count == 1) return name;
  int number = count;
  do {
    name = Cat(base, "_", number++);
  } while (counts_.contains(name));
  counts_[base] = number - 1;
  counts_.emplace(name, 1);
  return name;
}

}  // namespace signet
