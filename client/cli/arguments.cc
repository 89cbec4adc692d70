#include "client/cli/arguments.h"

#include <variant>

#include "client/cli/input_file.h"
#include "core/types/identifier.h"

namespace signet {
namespace {

constexpr size_t kLargestText = size_t{1} << 30;  // bytes; more than a server accepts by default

ClientArgument ClientArgumentOf(std::variant<Value, JsonWord> value) {
  if (auto* json = std::get_if<JsonWord>(&value)) return Json{std::move(json->text)};
  return std::get<Value>(std::move(value));
}

}  // namespace

bool IsFunctionWord(const std::string& word) {
  for (const char* value : {"True", "False", "None", "true", "false", "null", "NaN", "Infinity"}) {
    if (word == value) return false;
  }
  return IsIdentifier(word);
}

StatusOr<std::string> ReadTextFile(const std::string& path) {
  SIGNET_ASSIGN_OR_RETURN(InputFile file, InputFile::Open(path));
  auto text = file.ReadAll(kLargestText);
  if (!text.ok()) return At(Cat("`", Printable(path), "`"), std::move(text).status());
  return text;
}

Status AddArguments(const std::vector<std::string>& words, CallSpec& call, const ReadText& read) {
  SIGNET_ASSIGN_OR_RETURN(auto arguments, ParseArgumentWords(words, read));
  for (ArgumentWord& argument : arguments) {
    ClientArgument value = ClientArgumentOf(std::move(argument.value));
    if (argument.name) {
      call.kwargs.emplace_back(*argument.name, std::move(value));
    } else {
      call.args.push_back(std::move(value));
    }
  }
  return absl::OkStatus();
}

}  // namespace signet
