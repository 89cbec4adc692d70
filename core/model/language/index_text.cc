#include "core/model/language/index_text.h"

#include <variant>
#include <vector>

#include "signet/cat.h"
#include "signet/literal.h"

namespace signet {
namespace {

std::string TextOfInput(size_t input, std::span<const std::string> references) {
  return input < references.size() ? references[input] : Cat("input ", input);
}

std::string TextOfSlice(const SliceKey& slice, std::span<const std::string> references) {
  std::string text = slice.start         ? Cat(*slice.start, ":")
                     : slice.start_input ? Cat(TextOfInput(*slice.start_input, references), ":")
                                         : ":";
  if (slice.stop) text.append(Cat(*slice.stop));
  if (slice.stop_input) text.append(TextOfInput(*slice.stop_input, references));
  if (slice.step) text.append(Cat(":", *slice.step));
  return text;
}

}  // namespace

std::string TextOfKeys(std::span<const IndexKey> keys, std::span<const std::string> references) {
  std::vector<std::string> texts;
  for (const IndexKey& key : keys) {
    if (const auto* index = std::get_if<int64_t>(&key)) {
      texts.push_back(Cat(*index));
    } else if (const auto* slice = std::get_if<SliceKey>(&key)) {
      texts.push_back(TextOfSlice(*slice, references));
    } else if (const auto* name = std::get_if<std::string>(&key)) {
      texts.push_back(Quote(*name));
    } else if (std::holds_alternative<EllipsisKey>(key)) {
      texts.emplace_back("...");
    } else if (std::holds_alternative<NewAxisKey>(key)) {
      texts.emplace_back("None");
    } else {
      texts.push_back(TextOfInput(std::get<InputKey>(key).input, references));
    }
  }
  return Cat("[", Join(texts, ", "), "]");
}

}  // namespace signet
