// Arguments: those of a call, as they are typed on the command line.
//
//   [1.5, 2]   'some text'   limit=3   recipe=@recipe.json   @recipe.json   -   'int64[2] [1, 2]'
//
// A word that is a type and then data is a value of that type, in the notation
// (core/values/builders/value_notation.h).
// A word that is JSON, or begins as a list, an object or a quoted text of it does, is sent as it
// stands; True, False and None are accepted too; any other word is a string. Numbers have the
// grammar of JSON and any size, so that the server reports a number that is too large, such as
// 1e999. `name=` before it makes it a keyword argument; a name that is not an identifier is a JSON
// text: `"odd key"=3`. `@file` is the JSON in a file and `-` that on standard input. The server
// decodes JSON under the type of its parameter, and rejects what is not JSON. Stateless.

#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "client/lib/service_client.h"

namespace signet {

// Reads what `@path` names; "-" is standard input.
using ReadText = std::function<StatusOr<std::string>(const std::string& path)>;
StatusOr<std::string> ReadTextFile(const std::string& path);

// Returns true if `word` is JSON by its grammar. Numbers may be too large for any dtype.
bool IsJson(const std::string& word);

// Returns true if `word`, the first one after the model, is the name of the function to call. It is
// if it is an identifier, except for the words that stand for values: True, False, None, true,
// false, null, NaN, and Infinity. Any other word is an argument.
bool IsFunctionWord(const std::string& word);

// Splits `name=rest`. There is no name if `word` does not begin with an identifier, or with a text
// in double quotes such as `"odd key"`, and `=`.
std::pair<std::optional<std::string>, std::string> SplitKeyword(const std::string& word);

// Adds the arguments that `words` state to `call`.
Status AddArguments(const std::vector<std::string>& words, CallSpec& call,
                    const ReadText& read = ReadTextFile);

}  // namespace signet
