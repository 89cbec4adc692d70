// AddArguments: adds the words of a command line to a call
// (core/serving/examples/argument_words.h).
//
// The server decodes JSON under the type of its parameter, and reports text that is not JSON and
// numbers that are too large, such as 1e999. Stateless.

#pragma once

#include <string>
#include <vector>

#include "client/lib/service_client.h"
#include "core/serving/examples/argument_words.h"

namespace signet {

// Returns the content of a file, or of standard input for "-".
StatusOr<std::string> ReadTextFile(const std::string& path);

// Returns true if `word`, the first one after the model, is the name of the function to call. It is
// if it is an identifier, except for the words that stand for values: True, False, None, true,
// false, null, NaN, and Infinity. Any other word is an argument.
bool IsFunctionWord(const std::string& word);

// Parses `words` and adds the arguments to `call`.
Status AddArguments(const std::vector<std::string>& words, CallSpec& call,
                    const ReadText& read = ReadTextFile);

}  // namespace signet
