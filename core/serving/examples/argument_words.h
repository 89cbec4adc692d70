// ParseArgumentWords: parses the words of a command line, or of an example of a model, as
// arguments.
//
//   word                         argument
//   [1.5, 2]   {"a": 1}   3      JSON, sent unchanged; also words that only begin like a list, an
//                                object, or a quoted text
//   True   False   None          the JSON texts true, false, null
//   'int64[2] [1, 2]'            a value of this type (core/values/builders/value_notation.h)
//   soup   'some text'           a string: any other word
//   @recipe.json   -             the JSON in a file or on standard input
//   limit=3   "odd key"=3        a keyword argument; a name may be a JSON text
//
// JSON is decoded later, under the type of its parameter. Stateless.

#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "signet/status.h"
#include "signet/value.h"

namespace signet {

// Reads the file at `path`; "-" is standard input.
using ReadText = std::function<StatusOr<std::string>(const std::string& path)>;

struct JsonWord {
  std::string text;
};

struct ArgumentWord {
  std::optional<std::string> name;  // of a keyword argument
  std::variant<Value, JsonWord> value;
};

// Parses `words`: positional arguments, then keyword arguments.
StatusOr<std::vector<ArgumentWord>> ParseArgumentWords(const std::vector<std::string>& words,
                                                       const ReadText& read);

// Splits `text` into words as a shell does: at spaces that are not quoted.
StatusOr<std::vector<std::string>> SplitWords(const std::string& text);

// Returns true if `word` is JSON by its grammar. Numbers may be too large for any dtype.
bool IsJson(const std::string& word);

// Splits `name=rest`. The name is absent if `word` does not begin with an identifier, or a text in
// double quotes such as `"odd key"`, and `=`.
std::pair<std::optional<std::string>, std::string> SplitKeyword(const std::string& word);

}  // namespace signet
