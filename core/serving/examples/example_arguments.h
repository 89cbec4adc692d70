// ExampleArguments: parses an example of a function, as `signet call` does, to its arguments.
//
//   [1.5, 2]  top_k=3  @recipes.json  'float32[2] [1, 2]'  soup
//
// A word is JSON, a value in the notation, a file of JSON, or a string. Stateless; thread-safe.

#pragma once

#include <filesystem>
#include <string_view>

#include "core/formats/common/limits.h"
#include "core/function/canonicalize.h"
#include "signet/function_type.h"

namespace signet {

// Decodes the words under the types of the parameters of `type`. Files are read as by ReadFileIn
// (example_files.h), at most `limits.message_bytes` of each.
StatusOr<CallArguments> ParseExampleArguments(std::string_view example, const FunctionType& type,
                                              const std::filesystem::path& folder,
                                              const Limits& limits);

}  // namespace signet
