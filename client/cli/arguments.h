// AddArguments: parses the words of a command line as the arguments of a call.
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
// The server decodes JSON under the type of its parameter, and reports text that is not JSON and
// numbers that are too large, such as 1e999. Stateless.

#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "client/lib/service_client.h"

namespace signet {

// Reads the file at `path`; "-" is standard input.
using ReadText = std::function<StatusOr<std::string>(const std::string& path)>;
StatusOr<std::string> ReadTextFile(const std::string& path);

// Returns true if `word` is JSON by its grammar. Numbers may be too large for any dtype.
bool IsJson(const std::string& word);

// Returns true if `word`, the first one after the model, is the name of the function to call. It is
// if it is an identifier, except for the words that stand for values: True, False, None, true,
// false, null, NaN, and Infinity. Any other word is an argument.
bool IsFunctionWord(const std::string& word);

// Splits `name=rest`. The name is absent if `word` does not begin with an identifier, or a text in
// double quotes such as `"odd key"`, and `=`.
std::pair<std::optional<std::string>, std::string> SplitKeyword(const std::string& word);

// Parses `words` and adds the arguments to `call`.
Status AddArguments(const std::vector<std::string>& words, CallSpec& call,
                    const ReadText& read = ReadTextFile);

}  // namespace signet
