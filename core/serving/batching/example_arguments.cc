#include "core/serving/batching/example_arguments.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <optional>
#include <utility>

#include "core/formats/json/json.h"
#include "core/types/identifier.h"
#include "core/values/builders/value_notation.h"

namespace signet {
namespace {

namespace fs = std::filesystem;

// Splits `text` at spaces that are not quoted, as a shell does.
StatusOr<std::vector<std::string>> SplitExample(std::string_view text) {
  std::vector<std::string> words;
  bool is_in_word = false;
  char quote = '\0';
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote == '\0' && (c == ' ' || c == '\t' || c == '\n')) {
      is_in_word = false;
      continue;
    }
    if (!is_in_word) words.emplace_back();
    is_in_word = true;
    if (c == '\\' && quote != '\'' && i + 1 < text.size()) {
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

StatusOr<std::string> ReadFile(const fs::path& path, const fs::path& folder, const Limits& limits) {
  const bool stays_inside =
      path.is_relative() && std::find(path.begin(), path.end(), "..") == path.end();
  if (!stays_inside) {
    return NotFound("file `", Printable(path.string()), "`: expected a path below the model");
  }
  std::error_code ignored;
  const fs::path found = fs::exists(path, ignored) ? path : folder / path;
  std::error_code error;
  const auto size = fs::file_size(found, error);
  if (error) return NotFound("file `", Printable(path.string()), "` not found");
  if (size > static_cast<uintmax_t>(limits.message_bytes)) {
    return ResourceExhausted("file `", Printable(path.string()), "` of ", size,
                             " bytes exceeds the limit of ", limits.message_bytes);
  }
  std::ifstream in(found, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

// Returns the type under which JSON is decoded; null for `any`.
TypeSpec DecodedType(TypeSpec type) {
  while (type && type.is(TypeKind::kAny)) {
    type = type.children().empty() ? TypeSpec() : type.children()[0];
  }
  return type;
}

StatusOr<Value> ParseWord(const std::string& word, const TypeSpec& type, const fs::path& folder,
                          const Limits& limits) {
  if (word.size() > 1 && word[0] == '@') {
    SIGNET_ASSIGN_OR_RETURN(std::string text, ReadFile(word.substr(1), folder, limits));
    return ValueFromJson(text, type, limits);
  }
  const std::string text = word == "True"    ? "true"
                           : word == "False" ? "false"
                           : word == "None"  ? "null"
                                             : word;
  auto json = ValueFromJson(text, type, limits);
  if (json.ok()) return json;
  if (auto value = ParseValue(word); value.ok()) return value;
  const bool is_text = word.find_first_of("[{\"\\") == std::string::npos;
  if (is_text) return ValueFromJson(Cat("\"", word, "\""), type, limits);
  return json;
}

}  // namespace

StatusOr<CallArguments> ParseExampleArguments(std::string_view example, const FunctionType& type,
                                              const fs::path& folder, const Limits& limits) {
  SIGNET_ASSIGN_OR_RETURN(std::vector<std::string> words, SplitExample(example));
  CallArguments out;
  for (const std::string& word : words) {
    const size_t equals = word.find('=');
    const bool is_keyword = equals != word.npos && IsIdentifier(word.substr(0, equals));
    const std::string name = is_keyword ? word.substr(0, equals) : "";
    const Parameter* parameter = nullptr;
    if (is_keyword) {
      parameter = type.LookupParameter(name);
    } else if (out.positional.size() < type.parameters().size()) {
      parameter = &type.parameters()[out.positional.size()];
    }
    const TypeSpec wanted = parameter == nullptr ? TypeSpec() : DecodedType(parameter->type);
    auto value = ParseWord(is_keyword ? word.substr(equals + 1) : word, wanted, folder, limits);
    if (!value.ok()) return At(Cat("`", Printable(word), "`"), value.status());
    if (is_keyword) {
      out.keyword.emplace_back(name, *std::move(value));
    } else {
      out.positional.push_back(*std::move(value));
    }
  }
  return out;
}

}  // namespace signet
