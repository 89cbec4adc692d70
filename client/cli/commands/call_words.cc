// CallWords: parses MODEL FUNCTION [ARGS...] for the commands call, explain, and bench.

#include <filesystem>
#include <system_error>

#include "client/cli/arguments.h"
#include "client/cli/commands/commands.h"
#include "core/serving/examples/argument_words.h"
#include "core/types/identifier.h"

namespace signet {
namespace {

// Returns true if `word` looks like an option, such as a misspelled `--table`. Words such as -1, -,
// and text with spaces do not.
bool IsOption(const std::string& word) {
  if (word.size() < 2 || word[0] != '-') return false;
  bool is_number = (word[1] >= '0' && word[1] <= '9') || word[1] == '.' || word == "-Infinity";
  return !is_number && word.find(' ') == std::string::npos;
}

}  // namespace

CallWords::CallWords(CLI::App& command) : command_(command) {
  command
      .add_option("MODEL", model_,
                  "Name of the model, such as recipes, recipes/3, or recipes:stable")
      ->required();
  command.add_option("FUNCTION", function_,
                     "Name of the function; optional if the model has only one");
  command.add_flag("--strict", strict_, "Reject fields that a parameter's type does not have");
  // ARGS is not an option of the parser, which would split JSON lists and read -1 as a flag.
  command.allow_extras();
  command.footer(
      "Each of ARGS is JSON, or a value with its type, such as 'int64[2] [1, 2]'. Any other word "
      "is a\n"
      "string. NAME=ARG passes a keyword argument. @FILE is the JSON in a file, and - is the JSON "
      "on\n"
      "standard input. The word after MODEL is FUNCTION if it is an identifier other than True, "
      "False,\n"
      "None, true, false, null, NaN, and Infinity. To pass a string there, quote it: '\"text\"'.");
}

void CallWords::AddPriority() {
  command_
      .add_option("--priority", priority_,
                  "Priority of the calls, at most that of the model: high, normal, low")
      ->type_name("NAME")
      ->check(CLI::IsMember({"high", "normal", "low"}).description(""));
}

StatusOr<CallSpec> CallWords::Parse() const {
  CallSpec call;
  call.priority = priority_;
  SIGNET_ASSIGN_OR_RETURN(call.model, ParseModelName(model_));
  call.reject_unknown_fields = strict_;
  std::vector<std::string> words = command_.remaining();
  for (const std::string& word : words) {
    if (!IsOption(word)) continue;
    const std::string name = word.substr(std::min(word.find_first_not_of('-'), word.size()));
    return InvalidArgument(
        "unknown option `", Printable(word), "`", HintAtOption(command_, word), "; see `signet ",
        command_.get_name(), " --help`; ",
        IsIdentifier(name) ? Cat("a keyword argument is `", name, "=...`; ") : "",
        "to pass a string that begins with a dash, quote it: '\"", Printable(word), "\"'");
  }
  if (function_.empty() || IsFunctionWord(function_)) {
    call.function = function_;
  } else {
    // This word is an argument. The parser collects words such as -1 separately, so their order
    // relative to this word is unknown.
    for (const std::string& word : words) {
      if (!word.starts_with("-")) continue;
      return InvalidArgument(
          "expected the name of a function before an argument that begins with a dash; write `",
          model_, " FUNCTION ", Printable(word), " ...`");
    }
    words.insert(words.begin(), function_);
  }
  SIGNET_RETURN_IF_ERROR(AddArguments(words, call));
  return call;
}

Status CallWords::WithFileHint(const Status& status) const {
  if (!absl::IsInvalidArgument(status)) return status;
  for (const std::string& word : command_.remaining()) {
    const auto [name, value] = SplitKeyword(word);
    std::error_code ignored;
    if (value.empty() || value[0] == '@' || IsJson(value) ||
        !std::filesystem::is_regular_file(value, ignored)) {
      continue;
    }
    Status out(
        status.code(),
        Cat(MessageOf(status), "; `", Printable(value), "` is a file: to pass its content, write `",
            name ? Cat(*name, "=") : std::string(), "@", Printable(value), "`"));
    status.ForEachPayload(
        [&](absl::string_view type, const absl::Cord& data) { out.SetPayload(type, data); });
    return out;
  }
  return status;
}

}  // namespace signet
