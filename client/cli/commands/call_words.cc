// MODEL FUNCTION [ARGS...], as call, explain and bench take them.

#include "client/cli/arguments.h"
#include "client/cli/commands/commands.h"

namespace signet {
namespace {

// `--table` misspelt, but not -1, - or a text with spaces.
bool IsOption(const std::string& word) {
  if (word.size() < 2 || word[0] != '-') return false;
  bool is_number = (word[1] >= '0' && word[1] <= '9') || word[1] == '.' || word == "-Infinity";
  return !is_number && word.find(' ') == std::string::npos;
}

}  // namespace

CallWords::CallWords(CLI::App& command) : command_(command) {
  command.add_option("MODEL", model_, "Name, with /VERSION or :LABEL where it matters")->required();
  command.add_option("FUNCTION", function_, "Function; may be left out if the model has only one");
  command.add_flag("--strict", strict_, "Reject fields that a parameter's type does not have");
  // Not an option of the parser: it would take lists of JSON apart, and numbers below 0 for flags.
  command.allow_extras();
  command.footer(
      "ARGS are JSON, or values with their type: 'int64[2] [1, 2]'. Other words are strings.\n"
      "NAME=ARG passes by keyword, @FILE reads JSON from a file and - from standard input.\n"
      "The first word is FUNCTION if it is an identifier other than True, False, None, true, "
      "false,\n"
      "null, NaN, and Infinity; a string is quoted there: '\"text\"'.");
}

StatusOr<CallSpec> CallWords::Parse() const {
  CallSpec call;
  SIGNET_ASSIGN_OR_RETURN(call.model, ParseModelName(model_));
  call.reject_unknown_fields = strict_;
  std::vector<std::string> words = command_.remaining();
  for (const std::string& word : words) {
    if (!IsOption(word)) continue;
    return InvalidArgument("no option `", Printable(word), "`; see `signet ", command_.get_name(),
                           " --help`. A text that begins with a dash is quoted: '\"",
                           Printable(word), "\"'");
  }
  if (function_.empty() || IsFunctionWord(function_)) {
    call.function = function_;
  } else {
    // An argument. The parser keeps words like -1 apart, so that which came first is not known.
    for (const std::string& word : words) {
      if (!word.starts_with("-")) continue;
      return InvalidArgument(
          "arguments that begin with a dash take the function's name before them: `", model_,
          " FUNCTION ", Printable(word), " ..`");
    }
    words.insert(words.begin(), function_);
  }
  SIGNET_RETURN_IF_ERROR(AddArguments(words, call));
  return call;
}

}  // namespace signet
